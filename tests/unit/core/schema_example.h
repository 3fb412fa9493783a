// A described struct with a member of every kind, shared by the tests of the schema.
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "selkie/core/schema.h"

namespace selkie::schema_test {

enum class Method { explicit_euler, implicit_euler, newmark };
constexpr auto describe(Method*) {
  return std::array<std::string_view, 3>{"explicit-euler", "implicit-euler", "newmark"};
}

struct Ball {
  double radius = 1;
  bool operator==(const Ball&) const = default;
};
constexpr auto describe(Ball*) {
  return Members{member("radius", &Ball::radius, "m", "distance from the centre").above(0).live()};
}
static_assert(complete<Ball>());

struct Box {
  Eigen::Vector3d size{1, 1, 1};
  std::array<int, 3> divisions{4, 4, 4};
  bool operator==(const Box&) const = default;
};
constexpr auto describe(Box*) {
  return Members{
      member("size", &Box::size, "m", "edge lengths").above(0),
      member("divisions", &Box::divisions, "", "cells along x, y, z").between(2, 1000).scaled()};
}
static_assert(complete<Box>());

struct Shape {
  std::optional<Ball> ball;
  std::optional<Box> box;
  bool operator==(const Shape&) const = default;
};
constexpr auto describe(Shape*) {
  return Members{member("ball", &Shape::ball, "", "a ball"), member("box", &Shape::box, "", "a box")};
}
constexpr bool describes_one_of(Shape*) { return true; }
static_assert(complete<Shape>());

// Inlined into Params: its members stand beside those of Params, its rule holds there.
struct Times {
  double begin = 0, end = 1;
  bool operator==(const Times&) const = default;
};
constexpr auto describe(Times*) {
  return Members{member("begin", &Times::begin, "s", "start").live(),
                 member("end", &Times::end, "s", "stop").live()};
}
inline std::vector<Problem> validate(const Times& t) {
  if (t.end < t.begin) return {{"end", "lies before begin", "exchange the two"}};
  return {};
}

struct Params {
  std::string name = "body";
  double stiffness = 100;
  int cells = 8;
  std::int64_t seed = 1;
  bool enabled = true;
  Method method = Method::implicit_euler;
  Eigen::Vector3d gravity{0, -9.81, 0};
  std::vector<double> weights = {1, 2};
  std::vector<Ball> balls;
  std::optional<double> limit;
  Shape shape;
  Times times;
  double damping = 0.5;
  bool operator==(const Params&) const = default;
};
constexpr auto describe(Params*) {
  using P = Params;
  return Members{
      member("name", &P::name, "", "what the log calls it").required(),
      member("stiffness", &P::stiffness, "N/m", "Hooke constant").at_least(0).live(),
      member("cells", &P::cells, "", "cells along the longest side").between(1, 512).scaled(),
      member("seed", &P::seed, "", "of the random numbers"),
      member("enabled", &P::enabled, "", "whether it takes part").live(),
      member("method", &P::method, "", "time integration"),
      member("gravity", &P::gravity, "m/s^2", "acceleration").between(-100, 100).live(),
      member("weights", &P::weights, "", "one per cell").at_least(0),
      member("balls", &P::balls, "", "what collides"),
      member("limit", &P::limit, "m/s", "largest speed").above(0).live(),
      member("shape", &P::shape, "", "its form"),
      member("times", &P::times, "", "when it acts").inlined(),
      member("damping", &P::damping, "1/s", "velocity decay").above(0).at_most(10),
  };
}
static_assert(complete<Params>());
inline std::vector<Problem> validate(const Params& p) {
  if (p.weights.size() > 3) return {{"weights", "has more than 3 entries", "remove some"}};
  if (p.balls.size() > 1 && p.balls[1].radius > p.balls[0].radius)
    return {{"balls.1.radius", "exceeds that of the first", {}}};
  return {};
}

// A value with a place, as a parser would make it: each key on a line of its own, the value at column 9.
class TableBuilder {
 public:
  TableBuilder() { root_.data = ValueTable{}, root_.place = {file_, 1, 1}; }
  TableBuilder& set(const char* key, decltype(Value::data) data) {
    ++line_;
    Value value{std::move(data), {file_, line_, 9}};
    root_.table().push_back({key, std::move(value), {file_, line_, 1}});
    return *this;
  }
  Value value() const { return root_; }

 private:
  std::shared_ptr<const std::string> file_ = std::make_shared<const std::string>("s.toml");
  int line_ = 1;
  Value root_;
};

// A Params table that lacks nothing.
inline TableBuilder valid() {
  TableBuilder table;
  Value ball;
  ball["ball"]["radius"].data = 0.5;
  table.set("name", std::string("sheet"));
  table.set("shape", ball.data);
  return table;
}

}  // namespace selkie::schema_test
