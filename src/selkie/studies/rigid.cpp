// See rigid.h.
#include "selkie/studies/rigid.h"

#include <fmt/format.h>

#include <cmath>

#include "selkie/math/rotation.h"
#include "selkie/studies/rigid_cases.h"

namespace selkie::studies {
namespace rigid_cases {

std::string number(double value, int digits) { return fmt::format("{:.{}g}", value, digits); }

Stage::Stage() {
  params.sleeping = false;
  params.restitution = 0;
}

void Stage::floor(const Vec3& normal) {
  rigid::Body plane;
  plane.shape = rigid::Shape::plane;
  plane.half_size = Vec3::Ones();
  plane.role = rigid::Role::fixed;
  plane.orientation = Quat(rotation_between(Vec3::UnitY(), normal));
  rigid::add(state, plane);
}

std::size_t Stage::box(const Vec3& position, const Vec3& half, const Quat& turn, double density) {
  rigid::Body body;
  body.shape = rigid::Shape::box;
  body.half_size = half, body.position = position, body.orientation = turn, body.density = density;
  return rigid::add(state, body);
}

std::size_t Stage::ball(const Vec3& position, double radius) {
  rigid::Body body;
  body.half_size.setConstant(radius);
  body.position = position;
  return rigid::add(state, body);
}

bool Stage::step() {
  const rigid::State from = state;
  const Interval interval{steps, steps + 1, dt};
  ++steps;
  rigid::Inputs inputs;
  inputs.gravity = gravity;
  return rigid::step(model, params, inputs, interval, from, state, work).ok;
}

bool Stage::run(double seconds) {
  for (int n = static_cast<int>(seconds / dt + 0.5); n > 0; --n)
    if (!step()) return false;
  return true;
}

}  // namespace rigid_cases

StudyResult rigid_bodies(const StudyOptions& options) {
  using namespace rigid_cases;
  return {{inertia_table(), free_table(), flip_table(), bounce_table(), slope_table(), rolling_table(),
           overhang_table(), complementarity_table(), pendulum_table(), stack_table(options.full)}};
}

}  // namespace selkie::studies
