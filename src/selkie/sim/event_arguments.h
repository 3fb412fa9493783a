// Reads the arguments of an InputEvent with the checks a person expects: missing, wrong type, out of range.
#pragma once

#include <cstddef>
#include <string>

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
  std::size_t index(std::string_view key, std::size_t count) const;  // in [0, count)

 private:
  const Value& required(std::string_view key) const;
  const ports::InputEvent& event_;
};

}  // namespace selkie::sim
