// Vortex particles and confinement against what can be said of them exactly. [HY-09, HY-11, HY-12]
#include "selkie/fluids/smoke/vortex_particles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/fluids/smoke/forces.h"
#include "selkie/grid/loops.h"
#include "selkie/grid/sample.h"

namespace {

using namespace selkie;
using namespace selkie::smoke;

const Solids kNoSolids = [](const Vec3&) { return SolidDistance{}; };

// A gas of 24³ cells on [−1, 1]³ that moves with `velocity`.
template <class Velocity>
std::pair<Model, State<double>> moving_gas(Velocity&& velocity, int cells = 24) {
  Model model;
  model.shape = grid::Shape(3, {cells, cells, cells}, 2.0 / cells, Vec3(-1, -1, -1));
  State<double> state = make_state<double>(model);
  for (int axis = 0; axis < 3; ++axis)
    grid::fill(model.shape, grid::face_place(axis), *state.velocity()[static_cast<std::size_t>(axis)],
               [&](const Vec3& x) { return velocity(x)[axis]; });
  return {model, std::move(state)};
}

void add_vortex(State<double>& state, const Vec3& x, const Vec3& w, double radius) {
  state.vortex_positions.push_back(x);
  state.vortex_strengths.push_back(w);
  state.vortex_radii.push_back(radius);
  state.vortex_identities.push_back(state.vortices_seeded++);
}

TEST(VortexParticles, PrecessInARigidRotationAtItsRateWithConstantLength) {
  const Vec3 spin(0, 0, 0.7);
  auto [model, state] = moving_gas([&](const Vec3& x) { return spin.cross(x); });
  add_vortex(state, Vec3(0.1, 0, 0), Vec3(2, 0, 1), 0.2);
  const int steps = 200;
  const double dt = 0.01;
  for (int s = 0; s < steps; ++s) advance_vortices(model, Params{}, kNoSolids, dt, state);
  const Vec3 w = state.vortex_strengths[0];
  EXPECT_NEAR(w.norm(), Vec3(2, 0, 1).norm(), 1e-13);
  // Euler with renormalisation turns by atan(Ω dt) of the part across the axis; the part along it shrinks
  // with the length, so compare with the step's own map to first order in dt.
  EXPECT_NEAR(std::atan2(w.y(), w.x()), steps * std::atan(0.7 * dt), 1e-10);
}

TEST(VortexParticles, AlignWithTheExtensionalDirectionOfAStrain) {
  auto [model, state] = moving_gas([](const Vec3& x) { return Vec3(x.x(), -0.5 * x.y(), -0.5 * x.z()); });
  add_vortex(state, Vec3(0, 0.01, 0), Vec3(0.2, 1, -0.6), 0.2);
  const double length = Vec3(0.2, 1, -0.6).norm();
  for (int s = 0; s < 800; ++s) {
    state.vortex_positions[0] = Vec3::Zero();
    advance_vortices(model, Params{}, kNoSolids, 0.01, state);
  }
  EXPECT_NEAR(state.vortex_strengths[0].x(), length, 1e-4);
  EXPECT_NEAR(state.vortex_strengths[0].norm(), length, 1e-13);
}

TEST(VortexParticles, PushInARightHandSwirlWithoutNetForce) {
  for (const VortexKernel kernel : {VortexKernel::gaussian, VortexKernel::tent}) {
    auto [model, state] = moving_gas([](const Vec3&) { return Vec3::Zero(); });
    add_vortex(state, Vec3::Zero(), Vec3(0, 0, 1), 0.4);
    Params params;
    params.vortex_kernel = kernel;
    VortexWork<double> work;
    add_vortex_forces(model, params, 1.0, work, state);
    const auto u = velocity_views(model, std::as_const(state));
    // At x_p + x̂ the push is along +ŷ.
    EXPECT_GT(grid::velocity_at<double>(model.shape, u, Vec3(0.2, 0, 0)).y(), 0);
    EXPECT_LT(grid::velocity_at<double>(model.shape, u, Vec3(-0.2, 0, 0)).y(), 0);
    EXPECT_LT(grid::velocity_at<double>(model.shape, u, Vec3(0, 0.2, 0)).x(), 0);
    for (int axis = 0; axis < 3; ++axis) {
      const Buffer<double>& field = *state.velocity()[static_cast<std::size_t>(axis)];
      double sum = 0, size = 0;
      for (const double value : field) sum += value, size += std::abs(value);
      EXPECT_NEAR(sum, 0, 1e-13 * (size + 1));
    }
  }
}

TEST(VortexParticles, DoNotChangeTheTotalVorticityOfTheGrid) {
  auto [model, state] = moving_gas([](const Vec3&) { return Vec3::Zero(); });
  add_vortex(state, Vec3(0.13, -0.08, 0.21), Vec3(0.3, -1, 0.7), 0.35);
  VortexWork<double> work;
  add_vortex_forces(model, Params{}, 1.0, work, state);
  vorticity<double>(model, velocity_views(model, std::as_const(state)), work.curl);
  for (const Buffer<double>& component : work.curl) {
    double sum = 0, size = 0;
    for (const double value : component) sum += value, size += std::abs(value);
    EXPECT_GT(size, 0);
    EXPECT_NEAR(sum, 0, 1e-12 * size);
  }
}

TEST(VortexParticles, KernelsHaveTheKnownIntegrals) {
  for (const auto& [kernel, wanted] :
       {std::pair{VortexKernel::gaussian, 0.198748}, {VortexKernel::tent, 1.0}}) {
    const double radius = 0.7;
    double sum = 0;
    const int n = 20000;
    for (int i = 0; i < n; ++i) {
      const double d = (i + 0.5) * radius / n;
      sum += 4 * std::numbers::pi * d * d * vortex_kernel(kernel, d, radius) * radius / n;
    }
    EXPECT_NEAR(sum, wanted, 2e-6);  // the published figure has six digits
  }
}

TEST(VortexParticles, EveryForcingSpinsTheGasTheSameWay) {
  for (const VortexForcing forcing : {VortexForcing::particle, VortexForcing::variable,
                                      VortexForcing::shortfall, VortexForcing::difference}) {
    // A weak vortex to strengthen, about the z axis.
    auto [model, state] = moving_gas([](const Vec3& x) {
      const double fade = std::exp(-20 * (x.x() * x.x() + x.y() * x.y()));
      return Vec3(-0.01 * fade * x.y(), 0.01 * fade * x.x(), 0);
    });
    add_vortex(state, Vec3::Zero(), Vec3(0, 0, 0.05), 0.4);
    Params params;
    params.vortex_forcing = forcing;
    params.vortex_strength = 10;
    VortexWork<double> work;
    const double before =
        grid::velocity_at<double>(model.shape, velocity_views(model, std::as_const(state)), Vec3(0.2, 0, 0))
            .y();
    add_vortex_forces(model, params, 0.1, work, state);
    const double after =
        grid::velocity_at<double>(model.shape, velocity_views(model, std::as_const(state)), Vec3(0.2, 0, 0))
            .y();
    EXPECT_GT(after, before) << static_cast<int>(forcing);
  }
}

TEST(VortexParticles, GoWhenTheyLeaveTheDomainAndAreStoppedOrRemovedAtSolids) {
  auto [model, state] = moving_gas([](const Vec3&) { return Vec3(1, 0, 0); });
  add_vortex(state, Vec3(0.99, 0, 0), Vec3(0, 0, 1), 0.1);
  add_vortex(state, Vec3(0, 0, 0), Vec3(0, 1, 0), 0.1);
  auto wall = [](const Vec3& x) { return SolidDistance{0.05 - x.x(), Vec3(-1, 0, 0)}; };
  const Solids solids = wall;
  State<double> kept = state;
  advance_vortices(model, Params{}, kNoSolids, 0.1, state);
  ASSERT_EQ(state.vortex_positions.size(), 1u);
  EXPECT_EQ(state.vortex_identities[0], 1u);
  Params params;
  params.vortex_at_solid = VortexAtSolid::project;
  advance_vortices(model, params, solids, 0.1, kept);
  ASSERT_EQ(kept.vortex_positions.size(), 1u);
  EXPECT_NEAR(kept.vortex_positions[0].x(), 0.05, 1e-12);
  advance_vortices(model, Params{}, solids, 0.1, kept);
  EXPECT_EQ(kept.vortex_positions.size(), 0u);
}

// A smooth vortex whose |ω| peaks on the z axis: N points inwards, so N × ω for ω along +z is along +θ̂ (it
// spins it up).
double confinement_kick(int cells) {
  auto [model, state] = moving_gas(
      [](const Vec3& x) {
        const double fade = std::exp(-6 * (x.x() * x.x() + x.y() * x.y()));
        return Vec3(-fade * x.y(), fade * x.x(), 0);
      },
      cells);
  std::array<Buffer<double>, 3> curl;
  Buffer<double> magnitude;
  const auto u = velocity_views(model, std::as_const(state));
  const double before = grid::velocity_at<double>(model.shape, u, Vec3(0.25, 0, 0)).y();
  vorticity<double>(model, u, curl);
  add_confinement<double>(model, 0.1, nullptr, 1, curl, magnitude, state);
  return grid::velocity_at<double>(model.shape, u, Vec3(0.25, 0, 0)).y() - before;
}

TEST(Confinement, SpinsAVortexUpAndVanishesAsTheGridIsRefined) {
  const double coarse = confinement_kick(24), fine = confinement_kick(48);
  EXPECT_GT(fine, 0);
  EXPECT_NEAR(coarse / fine, 2, 0.1);  // first order in Δx
}

TEST(Confinement, LeavesARigidRotationAlone) {
  auto [model, state] = moving_gas([](const Vec3& x) { return Vec3(-x.y(), x.x(), 0); });
  const State<double> before = state;
  std::array<Buffer<double>, 3> curl;
  Buffer<double> magnitude;
  vorticity<double>(model, velocity_views(model, std::as_const(state)), curl);
  EXPECT_NEAR(curl[2][static_cast<std::size_t>(model.shape.at(12, 12, 12))], 2, 1e-12);
  add_confinement<double>(model, 1, nullptr, 1, curl, magnitude, state);
  // The outermost vorticity is zero by definition, which the force's reach, two cells inwards, does not see.
  const auto u = velocity_views(model, std::as_const(state)), v = velocity_views(model, before);
  EXPECT_EQ(u[0](12, 12, 12), v[0](12, 12, 12));
  EXPECT_EQ(u[1](6, 15, 9), v[1](6, 15, 9));
}

}  // namespace
