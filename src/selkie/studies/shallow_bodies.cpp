// A floating box that heaves (RT-60).
#include <cmath>
#include <numbers>

#include "selkie/geometry/shapes.h"
#include "selkie/studies/shallow_cases.h"

namespace selkie::studies::shallow_cases {
namespace {

// An upright box that moves up and down only.
class Raft final : public ports::MovableSolid {
 public:
  Vec3 center = Vec3::Zero(), half = Vec3::Constant(0.5);
  double mass = 500, speed = 0;

  ports::FieldSample sample(const Vec3& p, double) const override {
    const geometry::SurfaceDistance d =
        geometry::signed_distance(geometry::Box{center - half, center + half}, p);
    return {d.distance, d.normal, velocity()};
  }
  ports::BoundingBall bounds(double, double) const override { return {center, half.norm()}; }
  ports::BoundingBall way() const override { return bounds(0, 0); }
  double size() const override { return half.minCoeff(); }
  Vec3 velocity() const override { return Vec3(0, speed, 0); }
  ports::SweptSample sweep(const Vec3&, double, const Vec3&, double, double) const override { return {}; }
  double inverse_mass(const Vec3&, const Vec3&, double) const override { return 1 / mass; }
  void push(const Vec3&, const Vec3& impulse, double) override { speed += impulse.y() / mass; }
  void shift(const Vec3&, double) override {}
};

// Mean period of two swings about the draft, without drag.
double heave_period(double depth, double width, int cells) {
  const double side = 20;
  Water<double> water{shallow_water::make_model<double>(
      grid_of(cells, cells, side / cells, -0.5 * side, -0.5 * side), [](double, double) { return 0.0; })};
  water.params.body_drag = 0;
  Raft raft;
  raft.half = Vec3(0.5 * width, 0.5, 0.5 * width);
  raft.mass = 500 * width * width;
  const double level = depth + 0.5 * width * width / (side * side);
  raft.center.y() = level + 0.05;  // at its draft it floats half out of the water
  water.set([&](double, double) { return depth; }, [](double, double) { return Vec2(0, 0); });
  const std::vector<ports::MovableSolid*> bodies{&raft};
  water.inputs.bodies = bodies;
  std::vector<double> zeros;
  const double dt = std::min(0.004, water.limit());
  double before = raft.center.y() - level;
  while (water.ok && zeros.size() < 5 && water.time < 20) {
    raft.speed -= 9.81 * dt;
    water.advance(dt);
    raft.center.y() += dt * raft.speed;
    const double now = raft.center.y() - level;
    if (before * now < 0) zeros.push_back(water.time - dt * now / (now - before));
    before = now;
  }
  return zeros.size() < 5 ? 0 : 0.5 * (zeros[4] - zeros[0]);
}

}  // namespace

Table heave_table() {
  Table table{"A box 1 m high, half as dense as water: period of its heave (s)",
              {"water (m)", "width (m)", "still water", "measured", "relative error", "allowed"},
              {}};
  const double still = 2 * std::numbers::pi * std::sqrt(0.5 / 9.81);
  for (const double depth : {10.0, 5.0}) {
    const double measured = heave_period(depth, 0.5, 80), error = std::abs(measured / still - 1);
    table.rows.push_back(
        {{number(depth), "0.5", number(still), number(measured), number(error), "0.02"}, error < 0.02});
  }
  table.note =
      "2π√(ρ_b H / (ρ g)) where the water stays level; here it gives way a little, less the deeper it is";
  return table;
}

}  // namespace selkie::studies::shallow_cases
