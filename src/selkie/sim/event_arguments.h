// Reads the arguments of an InputEvent with the checks a person expects: missing, wrong type, out of range.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "selkie/math/types.h"
#include "selkie/ports/input_event.h"

namespace selkie::sim {

class EventArguments {
 public:
  explicit EventArguments(const ports::InputEvent& event) : event_(event) {}

  bool has(std::string_view key) const { return event_.arguments.find(key) != nullptr; }
  // Each throws InputError naming action and key.
  Vec3 vector(std::string_view key) const;
  double number(std::string_view key) const;
  Vec3 vector(std::string_view key, double longest) const;
  double number(std::string_view key, double least, double most) const;
  std::size_t index(std::string_view key, std::size_t count) const;  // in [0, count)
  std::string text(std::string_view key, const std::vector<std::string>& choices) const;

 private:
  const Value& required(std::string_view key) const;
  const ports::InputEvent& event_;
};

// The action "push" of every system (SW-30): velocity strength·exp(−d²/2 radius²) along a direction, d the
// distance to a point.
class GaussianPush {
 public:
  explicit GaussianPush(const EventArguments& arguments);  // point, direction, strength, radius
  Vec3 at(const Vec3& place) const;                        // m/s to add there
  const Vec3& point() const { return point_; }             // m
  double radius() const { return radius_; }                // m

 private:
  Vec3 point_, velocity_;
  double radius_;
};

}  // namespace selkie::sim
