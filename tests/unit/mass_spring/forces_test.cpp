// The vectorised force pass against the one-spring function, and its conservation laws (RT-03).
#include "selkie/solids/mass_spring/forces.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/solids/mass_spring/spring_law.h"
#include "support/mass_spring_bodies.h"

namespace selkie::mass_spring {
namespace {

using testing::block;
using testing::Body;

std::vector<Params> all_laws() {
  std::vector<Params> laws;
  for (const bool linear : {true, false})
    for (const double damping : {0.0, 0.7})
      for (const bool directional : {true, false})
        for (const DampingKind kind : {DampingKind::absolute, DampingKind::fraction}) {
          Params p;
          p.damping = damping, p.directional_damping = directional, p.damping_kind = kind;
          if (!linear) p.tension_slope = 4, p.tension_knee = 0.02, p.compression_factor = 0.3;
          laws.push_back(p);
        }
  return laws;
}

// No two springs alike.
Body varied(Body body) {
  for (std::size_t s = 0; s < body.model.spring_count(); ++s) {
    const double phase = static_cast<double>(s);
    body.model.relative_stiffness[s] *= 1 + 0.3 * std::sin(phase);
    body.model.rest_lengths[s] *= 1 + 0.2 * std::cos(3 * phase);
    body.model.relative_damping[s] *= 1 + 0.4 * std::sin(2 * phase);
    body.model.fraction_damping[s] *= 1 + 0.4 * std::cos(5 * phase);
  }
  return body;
}

void expect_sum_of_single_springs(const Body& body, const Params& p) {
  const Model& m = body.model;
  std::vector<Vec3> expected(m.vertex_count, Vec3::Zero());
  const DampingScale damping = damping_scale(m, p);
  for (std::size_t s = 0; s < m.spring_count(); ++s) {
    const auto [i, j] = m.springs[s];
    const Vec3 f = spring_force(
        p, p.stiffness * m.relative_stiffness[s], damping.factor * damping.relative[s], m.rest_lengths[s],
        body.state.positions[i], body.state.positions[j], body.state.velocities[i], body.state.velocities[j]);
    expected[i] += f;
    expected[j] -= f;
  }
  Work work;
  accumulate_forces(m, p, body.state.positions, body.state.velocities, work.forces, work);
  // k·l ≈ 1000·0.5 N per spring, relative error of a few ulp: below 1e-11 N.
  for (std::size_t i = 0; i < m.vertex_count; ++i) {
    EXPECT_LT((work.forces[i].head<3>() - expected[i]).norm(), 1e-11);
    EXPECT_EQ(work.forces[i].w(), 0);
  }
}

TEST(Forces, ThePassEqualsTheSumOfSingleSprings) {
  const Body body = varied(block(3));
  ASSERT_TRUE(body.model.even_springs.empty());
  for (const Params& p : all_laws()) expect_sum_of_single_springs(body, p);
}

TEST(Forces, ThePassOverRowsOfEvenSpringsEqualsTheSumOfSingleSprings) {
  Body rope = varied(testing::chain(30));  // its rows read the vertices that they lead from
  for (std::size_t i = 0; i < 30; ++i)
    rope.state.velocities[i] = Vec3(std::sin(i), std::cos(2.0 * i), 0.1 * i);
  for (std::size_t i = 0; i < 30; ++i)
    rope.state.positions[i] += 0.2 * Vec3(std::cos(i), std::sin(3.0 * i), 0.3);
  const Body solid = varied(block(11));  // more than a dozen chunks, which cut rows
  for (const Body& body : {rope, solid}) {
    ASSERT_FALSE(body.model.even_springs.empty());
    for (const Params& p : all_laws()) expect_sum_of_single_springs(body, p);
  }
}

TEST(Forces, SumAndTorqueOfSpringForcesVanish) {
  const Body body = block(4);
  for (Params p : all_laws()) {
    if (!p.directional_damping) continue;  // full damping is not central: it does exert a torque
    Work work;
    accumulate_forces(body.model, p, body.state.positions, body.state.velocities, work.forces, work);
    Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
    double scale = 0;
    for (std::size_t i = 0; i < body.model.vertex_count; ++i) {
      const Vec3 f = work.forces[i].head<3>();
      sum += f;
      torque += body.state.positions[i].cross(f);
      scale += f.norm();
    }
    // Round-off of a few hundred additions.
    EXPECT_LT(sum.norm(), 1e-13 * scale);
    EXPECT_LT(torque.norm(), 1e-13 * scale);
  }
}

TEST(Forces, CoincidentVerticesGiveFiniteForcesInRowsAndOutside) {
  testing::Body body = testing::chain(9);
  ASSERT_EQ(body.model.even_springs.size(), 1u);
  for (std::size_t i = 0; i < 9; ++i) body.state.positions[i] = Vec3(1, 2, 3);
  body.state.velocities[3] = Vec3(1e3, 0, 0);
  Model scattered = body.model;
  scattered.even_springs.clear();
  for (const Model& model : {body.model, scattered}) {
    Work work;
    accumulate_forces(model, {}, body.state.positions, body.state.velocities, work.forces, work);
    for (const Vec4& f : work.forces) EXPECT_EQ(f, Vec4::Zero());
  }
}

TEST(Forces, WhatStoodInTheArrayBeforeIsGoneAlsoAtVerticesWithoutSprings) {
  const std::vector<Vec3> rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(5, 5, 5), Vec3(2, 0, 0)};
  const std::vector<SpringInput> springs = {{.ends = {0, 1}}, {.ends = {1, 3}}};
  for (const auto& list : {springs, std::vector<SpringInput>{}}) {
    const Model model = build_model(rest, list, std::vector<double>(4, 1.0));
    const State state = make_state(model, rest);
    Work work;
    work.forces.assign(4, Vec4::Constant(std::numeric_limits<double>::quiet_NaN()));
    accumulate_forces(model, {}, state.positions, state.velocities, work.forces, work);
    for (const Vec4& f : work.forces) EXPECT_EQ(f, Vec4::Zero());
  }
}

TEST(Forces, BitsDoNotDependOnTheNumberOfThreads) {
  const Body body = block(14);  // 23 000 springs, more than a dozen chunks
  const Params p;
  Work one, two;
  set_thread_count(1);
  accumulate_forces(body.model, p, body.state.positions, body.state.velocities, one.forces, one);
  for (const int threads : {2, 3, 8}) {
    set_thread_count(threads);
    for (int repeat = 0; repeat < 20; ++repeat) {
      accumulate_forces(body.model, p, body.state.positions, body.state.velocities, two.forces, two);
      ASSERT_EQ(one.forces, two.forces);
    }
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace selkie::mass_spring
