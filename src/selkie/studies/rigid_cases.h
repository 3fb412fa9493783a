// The tables of `selkie verify rigid`, and a small stage to measure on.
#pragma once

#include <string>

#include "selkie/solids/rigid/joints.h"
#include "selkie/solids/rigid/queries.h"
#include "selkie/solids/rigid/step.h"
#include "selkie/studies/study.h"

namespace selkie::studies::rigid_cases {

std::string number(double value, int digits = 5);

// Bodies with a clock of their own.
struct Stage {
  rigid::Model model = {};
  rigid::Params params = {};
  rigid::State state = {};
  rigid::Work work = {};
  Vec3 gravity{0, -9.81, 0};
  double dt = 1.0 / 240;
  int steps = 0;

  Stage();
  void floor(const Vec3& normal = Vec3::UnitY());
  std::size_t box(const Vec3& position, const Vec3& half, const Quat& turn = Quat::Identity(), double density = 1000);
  std::size_t ball(const Vec3& position, double radius);
  bool step();
  bool run(double seconds);
  double time() const { return steps * dt; }
};

Table inertia_table();
Table free_table();
Table flip_table();
Table bounce_table();
Table slope_table();
Table rolling_table();
Table overhang_table();
Table complementarity_table();
Table pendulum_table();
Table stack_table(bool full);

}  // namespace selkie::studies::rigid_cases
