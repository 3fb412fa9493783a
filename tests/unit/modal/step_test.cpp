// Motion without contacts: exact modes, agreement with the finite elements, energy, reproducibility.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "modal_bodies.h"
#include "selkie/core/parallel.h"
#include "selkie/core/state_arrays.h"
#include "selkie/solids/fem/step.h"
#include "support/allocation_counter.h"

namespace selkie::modal {
namespace {

using test::Arena;
using test::at;
using test::elements;
using test::modes_of;
using test::plate;

Hash128 hash_of(State& state) {
  Hasher hasher;
  add_to_hash(hasher, arrays_of(state));
  return hasher.value();
}

TEST(ModalStep, EachModeOscillatesAtTheRootOfItsEigenvalueForAnyStep) {
  Arena arena(modes_of(elements(plate()), 12), {at(Vec3::Zero())});
  arena.params.stiffness_damping = 0;
  arena.gravity = Vec3::Zero();
  arena.with_floor = false;
  for (std::size_t k = 0; k < 12; ++k) arena.state.displacements[k] = 1e-3;
  for (const double dt : {1e-4, 0.01, 0.37}) {  // the last is many periods
    arena.dt = dt;
    Arena copy = arena;
    constexpr int kSteps = 50;
    for (int n = 0; n < kSteps; ++n) ASSERT_TRUE(copy.step());
    for (std::size_t k = 0; k < 12; ++k) {
      const double angle = std::sqrt(arena.model.eigenvalues[k]) * kSteps * dt;
      // Fifty products of rotations, and the round-off of the angle itself.
      EXPECT_NEAR(copy.state.displacements[k], 1e-3 * std::cos(angle), 1e-3 * (1e-13 + 4e-16 * angle)) << k;
    }
  }
}

// A cantilever whose left face is held, loaded at one vertex.
struct Cantilever {
  fem::Model body = elements(geometry::tet_box({Vec3::Zero(), Vec3(0.6, 0.1, 0.1), {4, 1, 1}}));
  std::vector<std::uint8_t> pinned;
  std::uint32_t tip = 0;
  Vec3 load{0.3, -2, 0.5};

  Cantilever() {
    for (std::uint32_t i = 0; i < body.vertex_count; ++i) {
      pinned.push_back(body.rest_positions[i].x() < 1e-9);
      if (body.rest_positions[i].x() > body.rest_positions[tip].x() - 1e-9) tip = i;
    }
  }
  Arena arena(std::size_t modes) const {
    Arena made(modes_of(body, modes, {}, pinned), {at(Vec3::Zero())});
    made.with_floor = false;
    made.gravity = Vec3::Zero();
    made.loads = {{0, tip, load}};  // all vertices are on the surface, in their order
    return made;
  }
  std::size_t all_modes() const {
    return 3 * static_cast<std::size_t>(std::count(pinned.begin(), pinned.end(), 0));
  }
  // Displacement of the tip under the load at rest, from the stiffness matrix.
  Vec3 static_displacement() const {
    auto k = fem::rest_stiffness(body, 1e6, 0.3);
    k.filter(pinned);
    Eigen::VectorXd f = Eigen::VectorXd::Zero(3 * body.vertex_count);
    f.segment<3>(3 * tip) = load;
    return k.dense().ldlt().solve(f).segment<3>(3 * tip);
  }
};

TEST(ModalStep, TheErrorUnderAStaticLoadFallsWithEveryModeAndEndsAtNothing) {
  const Cantilever beam;
  const Vec3 exact = beam.static_displacement();
  double before = 1;
  for (std::size_t modes : {1, 2, 4, 8, 16, 32, 48}) {
    ASSERT_LE(modes, beam.all_modes());
    Arena arena = beam.arena(modes);
    arena.params.stiffness_damping = 1;  // so overdamped that one long step ends at rest
    arena.dt = 1e3;
    arena.params.largest_displacement = 10;
    ASSERT_TRUE(arena.step());
    const Vec3 u = position_of(arena.model, arena.state, 0, beam.tip) - beam.body.rest_positions[beam.tip];
    // The energy of the error is the work that the load misses.
    const double error = 1 - beam.load.dot(u) / beam.load.dot(exact);
    EXPECT_LT(error, before);
    before = error;
  }
  EXPECT_EQ(beam.all_modes(), 48u);
  EXPECT_NEAR(before, 0, 1e-10);
}

TEST(ModalStep, WithAllModesItIsTheLimitOfLinearFiniteElements) {
  const Cantilever beam;
  Arena arena = beam.arena(beam.all_modes());
  arena.params.stiffness_damping = 1e-3;
  arena.params.mass_damping = 0.5;
  constexpr double kTime = 0.2;
  arena.dt = kTime;  // one exact step
  arena.params.largest_displacement = 10;
  ASSERT_TRUE(arena.step());
  fem::Params params;
  params.law = fem::Law::linear;
  params.young = 1e6;
  params.poisson = 0.3;
  params.integrator = fem::Integrator::newmark;
  params.stiffness_damping = 1e-3;
  params.mass_damping = 0.5;
  params.solver = fem::Solver::cholesky;
  std::vector<Vec3> forces(beam.body.vertex_count, Vec3::Zero());
  forces[beam.tip] = beam.load;
  fem::Inputs inputs;
  inputs.gravity = Vec3::Zero();
  inputs.forces = forces;
  std::vector<double> errors;
  for (const int steps : {200, 400, 800}) {
    fem::State state = fem::make_state(beam.body);
    for (std::uint32_t i = 0; i < beam.body.vertex_count; ++i)
      if (beam.pinned[i]) fem::pin(state, i);
    fem::State to = state;
    fem::Work work;
    for (int n = 0; n < steps; ++n) {
      ASSERT_TRUE(fem::step(beam.body, params, inputs, {n, n + 1, kTime / steps}, state, to, work).ok);
      state = to;
    }
    double error = 0;
    for (std::uint32_t i = 0; i < beam.body.vertex_count; ++i)
      error = std::max(error, (state.positions[i] - position_of(arena.model, arena.state, 0, i)).norm());
    errors.push_back(error / beam.static_displacement().norm());
  }
  EXPECT_LT(errors[2], 1e-3);
  EXPECT_NEAR(errors[0] / errors[1], 4, 0.6);  // average acceleration is of second order
  EXPECT_NEAR(errors[1] / errors[2], 4, 0.3);
}

TEST(ModalStep, EnergyIsKeptWithoutDampingAndFallsWithIt) {
  Arena arena(modes_of(elements(plate()), 16), {at(Vec3(0, 1, 0), Vec3(0.2, 1, 0.4))});
  arena.with_floor = false;
  arena.gravity = Vec3::Zero();
  arena.params.stiffness_damping = 0;
  arena.state.velocities[0] = Vec3(1, 2, 3);
  arena.state.angular_velocities[0] = Vec3(0.5, 1, -2);
  for (std::size_t k = 0; k < 16; ++k) arena.state.rates[k] = 0.1 * std::cos(double(k));
  const double before = arena.energy();
  ASSERT_TRUE(arena.run(5));
  // Modes are exact; the frame's midpoint rule keeps the energy of rotation to second order.
  EXPECT_NEAR(arena.energy() / before, 1, 1e-5);
  arena.params.stiffness_damping = 1e-4;
  double last = arena.energy();
  for (int n = 0; n < 200; ++n) {
    ASSERT_TRUE(arena.step());
    EXPECT_LT(arena.energy(), last * (1 + 1e-7));
    last = arena.energy();
  }
}

TEST(ModalStep, ALoadMovesTheFrameByItsForceAndTorqueAndTheModesByTheRest) {
  const fem::Model body = elements(plate());
  Arena arena(modes_of(body, 10), {at(Vec3::Zero()), at(Vec3(5, 0, 0))});
  arena.with_floor = false;
  arena.gravity = Vec3(0, -3, 0);
  const Vec3 force(1, 2, -0.5);
  arena.loads = {{1, 7, force}};
  arena.dt = 1e-4;
  const Vec3 arm = position_of(arena.model, arena.state, 1, 7) - arena.state.positions[1];
  ASSERT_TRUE(arena.step());
  EXPECT_LT((arena.state.velocities[0] - arena.dt * arena.gravity).norm(), 1e-15);
  EXPECT_LT((arena.state.velocities[1] - arena.dt * (arena.gravity + force / arena.model.mass)).norm(),
            1e-15);
  const Quat q = orientation(arena.state, 1);
  const Vec3 momentum =
      q * arena.model.inertia.cwiseProduct(q.conjugate() * arena.state.angular_velocities[1]);
  EXPECT_LT((momentum - arena.dt * arm.cross(force)).norm(), 1e-12);
  // Gravity alone bends nothing (inertia relief); the load does.
  for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(arena.state.displacements[k], 0);
  EXPECT_GT(rates(arena.model, arena.state, 1)[0] * rates(arena.model, arena.state, 1)[0], 0);
}

TEST(ModalStep, SpinningStretchesABodyByTheSquareOfItsRate) {
  auto stretch = [](double rate) {
    Arena arena(modes_of(elements(plate()), 40), {at(Vec3::Zero())});
    arena.with_floor = false;
    arena.gravity = Vec3::Zero();
    arena.params.centrifugal = true;
    arena.params.stiffness_damping = 0.05;
    arena.state.angular_velocities[0] = Vec3(0, rate, 0);
    if (!arena.run(2)) return 0.0;
    double widest = 0;
    for (std::size_t i = 0; i < arena.model.vertex_count; ++i)
      widest =
          std::max(widest, (position_of(arena.model, arena.state, 0, i) - arena.state.positions[0]).norm());
    return widest - arena.model.radius;
  };
  const double slow = stretch(2), fast = stretch(4);
  EXPECT_GT(slow, 0);
  EXPECT_NEAR(fast / slow, 4, 0.01);
}

TEST(ModalStep, BitsDependOnNeitherThreadsNorScratch) {
  std::vector<Eigen::Isometry3d> poses;
  for (int n = 0; n < 37; ++n)
    poses.push_back(at(Vec3(n, 0.2 + 0.01 * n, 0), Vec3(0.1 * n, 0.3, 1 - 0.05 * n)));
  const Arena start(modes_of(elements(plate()), 13), poses);
  auto run = [&](int threads, bool poisoned) {
    set_thread_count(threads);
    Arena arena = start;
    for (int n = 0; n < 60; ++n) {
      if (poisoned) poison(arena.work);
      EXPECT_TRUE(arena.step());
    }
    set_thread_count(0);
    EXPECT_GT(arena.report.contacts, 0);
    return hash_of(arena.state);
  };
  const Hash128 one = run(1, false);
  EXPECT_EQ(one, run(2, false));
  EXPECT_EQ(one, run(2, true));
}

TEST(ModalStep, ABodyAtRestOnTheFloorTakesNoMemory) {
  set_thread_count(1);  // TBB's own task memory is not ours to count
  Arena arena(modes_of(elements(plate()), 9), {at(Vec3(0, 0.03, 0))});
  ASSERT_TRUE(arena.run(0.5));
  const State from = arena.state;
  const ports::FieldSampler* colliders[] = {&arena.floor};
  Inputs inputs;
  inputs.colliders = colliders;
  const std::size_t before = selkie::testing::allocations;
  const StepReport report =
      step(arena.model, arena.params, inputs, {0, 1, arena.dt}, from, arena.state, arena.work);
  EXPECT_EQ(selkie::testing::allocations - before, 0u);
  EXPECT_GT(report.contacts, 0);
  set_thread_count(0);
}

}  // namespace
}  // namespace selkie::modal
