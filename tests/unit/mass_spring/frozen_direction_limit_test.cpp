// The integrators with frozen spring directions (HY-31) treat a taut spring's stiffness across itself
// explicitly; stability_limit() must say so.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "selkie/solids/mass_spring/step.h"

namespace selkie::mass_spring {
namespace {

constexpr double kMass = 0.25, kStiffness = 100, kPull = 50;  // kg, N/m, N

// A mass pulled along x on a pinned spring, in equilibrium at 1.5 times its rest length, set off by 1 µm.
struct TautSpring {
  explicit TautSpring(Integrator integrator) {
    const std::array<Vec3, 2> rest{Vec3::Zero(), Vec3(1, 0, 0)};
    const std::array<SpringInput, 1> springs{{{.ends = {0, 1}}}};
    model = build_model(rest, springs, std::array<double, 2>{kMass, kMass});
    params.integrator = integrator;
    params.stiffness = kStiffness;
    params.damping = 0;
    state = make_state(model, rest);
    pin(state, 0);
    state.positions[1] = Vec3(1 + kPull / kStiffness, 1e-6, 0);
  }

  double offset_after(double h, int steps) {
    const std::array<Vec3, 2> forces{Vec3::Zero(), Vec3(kPull, 0, 0)};
    const Inputs inputs{.gravity = Vec3::Zero(), .forces = forces};
    double largest = 0;
    for (int n = 0; n < steps; ++n) {
      State next = state;
      EXPECT_TRUE(step(model, params, inputs, {0, 1, h}, state, next, work).ok);
      state = next;
      largest = std::max(largest, std::abs(state.positions[1].y()));
    }
    return largest;
  }

  Model model;
  Params params;
  State state;
  Work work;
};

class FrozenDirections : public testing::TestWithParam<Integrator> {};

TEST_P(FrozenDirections, AreLimitedByTheTensionAcrossASpring) {
  TautSpring body(GetParam());
  const double omega = std::sqrt(kPull / 1.5 / kMass);  // tension / (length · mass)
  const double limit = stability_limit(body.model, body.params, body.state);
  // The Gershgorin bound is exact for one spring along an axis; the offset of 1e-6 turns it by as much.
  EXPECT_NEAR(limit * omega, 2, 1e-5);
  // At 1 % below, the shadow energy bounds the offset by 1/√(1 − 0.99²) = 7 times its start; at 1 % above it
  // grows by a third in each step.
  EXPECT_LT(body.offset_after(0.99 * limit, 200), 1e-5);
  EXPECT_GT(body.offset_after(1.01 * limit, 40), 1e-4);
}

TEST_P(FrozenDirections, HaveNoLimitWhileEverySpringIsAtRest) {
  TautSpring body(GetParam());
  body.state.positions[1] = Vec3(1, 0, 0);
  EXPECT_TRUE(std::isinf(stability_limit(body.model, body.params, body.state)));
}

INSTANTIATE_TEST_SUITE_P(AllThree, FrozenDirections,
                         testing::Values(Integrator::newmark_implicit, Integrator::implicit_midpoint,
                                         Integrator::implicit_springs),
                         [](const auto& tested) {
                           std::string name(name_of(tested.param));
                           std::erase(name, '-');
                           return name;
                         });

// One spring that turns by 1 rad/s, and one between vertices that coincide.
double limit_with_a_spring_of_no_length(const SpringInput& spring, double speed) {
  const std::array<Vec3, 3> rest{Vec3::Zero(), Vec3(1, 0, 0), Vec3(1, 0, 0)};
  const std::array<SpringInput, 2> springs{{{.ends = {0, 1}}, spring}};
  const Model model = build_model(rest, springs, std::array<double, 3>{1, 1, 1});
  Params params;
  params.integrator = Integrator::newmark;
  params.stiffness = 1e-3;
  params.damping = 0;
  State state = make_state(model, rest);
  state.velocities[1] = Vec3(0, 1, 0);
  state.velocities[2] = Vec3(0, 1 + speed, 0);
  return stability_limit(model, params, state);
}

TEST(TurningSprings, OfNoLengthNeitherHideTheOthersNorForbidEveryStep) {
  const SpringInput sewn{.ends = {1, 2}};
  EXPECT_DOUBLE_EQ(limit_with_a_spring_of_no_length(sewn, 0), 0.05);  // that of the other spring
  EXPECT_GT(limit_with_a_spring_of_no_length(sewn, 0.1), 1e-3);
  EXPECT_DOUBLE_EQ(limit_with_a_spring_of_no_length({.ends = {1, 2}, .factor = 0}, 0.1), 0.05);
}

}  // namespace
}  // namespace selkie::mass_spring
