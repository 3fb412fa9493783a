// Properties of whole steps: recurrences of single modes, bits, robustness, constraints, limits.
#include "selkie/solids/fem/step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/core/state_arrays.h"
#include "selkie/math/random_vector.h"
#include "selkie/solids/fem/diagnostics.h"
#include "selkie/solids/fem/elements.h"
#include "support/allocation_counter.h"
#include "support/fem_bodies.h"
#include "support/fem_modes.h"

namespace selkie::fem {
namespace {

using testing::block;
using testing::elastic;
using testing::kAllIntegrators;
using testing::Mode;
using testing::nth_step;
using testing::plate;
using testing::run;

Hash128 hash_of(State& state) {
  Hasher hasher;
  add_to_hash(hasher, arrays_of(state));
  return hasher.value();
}

class Floor final : public ports::FieldSampler {
 public:
  explicit Floor(double slope = 0) : normal_(Vec3(slope, 1, 0).normalized()) {}
  ports::FieldSample sample(const Vec3& point, double) const override {
    return {normal_.dot(point), normal_, Vec3::Zero()};
  }

 private:
  Vec3 normal_;
};

Params accurate(Law law, Integrator integrator) {
  Params params = elastic(law, 1e5);
  params.integrator = integrator;
  params.solver = Solver::cholesky;
  params.tolerance = 1e-13;
  params.newton_tolerance = 1e-12;
  return params;
}

TEST(Step, EnergyOfAnUndampedModeFallsByTheFactorOfBackwardEuler) {
  for (const Integrator integrator : {Integrator::backward_euler, Integrator::backward_euler_newton}) {
    const Params params = accurate(Law::linear, integrator);
    Mode mode(params, 0.01);
    const double h = 0.7 / mode.omega;
    const double before = diagnose(mode.model, params, Vec3::Zero(), mode.state).total_energy();
    Work work;
    run(mode.model, params, {.gravity = Vec3::Zero()}, h, 3, mode.state, work);
    const double after = diagnose(mode.model, params, Vec3::Zero(), mode.state).total_energy();
    EXPECT_NEAR(after / before, std::pow(1 / (1 + 0.49), 3), 1e-9) << name_of(integrator);
  }
}

TEST(Step, AverageAccelerationKeepsTheEnergyOfAMode) {
  const Params params = accurate(Law::linear, Integrator::newmark);
  Mode mode(params, 0.01);
  const double before = diagnose(mode.model, params, Vec3::Zero(), mode.state).total_energy();
  Work work;
  run(mode.model, params, {.gravity = Vec3::Zero()}, 0.7 / mode.omega, 20, mode.state, work);
  EXPECT_NEAR(diagnose(mode.model, params, Vec3::Zero(), mode.state).total_energy() / before, 1, 1e-9);
}

TEST(Step, RayleighDampingHasTheRatioOfItsTwoParts) {
  Params params = accurate(Law::linear, Integrator::newmark);
  Mode mode(params, 0.01);
  params.mass_damping = 0.02 * mode.omega;
  params.stiffness_damping = 0.03 / mode.omega;
  const double ratio = 0.02 / 2 + 0.03 / 2;
  const double before = diagnose(mode.model, params, Vec3::Zero(), mode.state).total_energy();
  Work work;
  const int steps = 200;
  const double h = 4 * M_PI / (mode.omega * std::sqrt(1 - ratio * ratio)) / steps;  // two whole periods
  run(mode.model, params, {.gravity = Vec3::Zero()}, h, steps, mode.state, work);
  const double after = diagnose(mode.model, params, Vec3::Zero(), mode.state).total_energy();
  // −½ ln(E ratio) = ζωt, but for an error of second order of the integrator.
  const double turn = mode.omega * h;
  EXPECT_NEAR(-0.5 * std::log(after / before) / (turn * steps), ratio, 0.25 * turn * turn * ratio);
}

TEST(Step, FreeBodiesFallWithoutDeformationAndKeepTheirMomentum) {
  for (const Integrator integrator : kAllIntegrators)
    for (const Law law : kAllLaws) {
      Params params = elastic(law, 1e4);
      params.integrator = integrator;
      params.tolerance = 1e-12;
      params.newton_tolerance = 1e-11;
      const Model model = block(2);
      State state = make_state(model);
      Work work;
      run(model, params, {.gravity = Vec3(0, -10, 0)}, 1e-3, 10, state, work);
      for (std::size_t i = 0; i < state.velocities.size(); ++i)
        EXPECT_LT((state.velocities[i] - Vec3(0, -0.1, 0)).norm(), 1e-9)
            << name_of(integrator) << name_of(law);

      state = make_state(model);
      RandomStream random(4, 4);
      for (Vec3& v : state.velocities) v = random_vector(random, -1, 1);
      const Vec3 before = diagnose(model, params, Vec3::Zero(), state).momentum;
      run(model, params, {.gravity = Vec3::Zero()}, 1e-3, 5, state, work);
      EXPECT_LT((diagnose(model, params, Vec3::Zero(), state).momentum - before).norm(), 1e-8 * 1000)
          << name_of(integrator) << name_of(law);
    }
}

// A cantilever that swings, with a driven and a held vertex and a floor.
struct Swing {
  Model model;
  State state;
  Floor floor{0.1};
  explicit Swing(int n) : model(block(n)), state(make_state(model)) {
    for (std::uint32_t i = 0; i < model.vertex_count; ++i)
      if (model.rest_positions[i].x() < 0.01) pin(state, i);
    state.grabbed_vertex = model.vertex_count - 1;
    state.grab_target = Vec3(1.2, 1.1, 1);
  }
  Hash128 run_hash(const Params& params, int steps, bool poisoned) const {
    State from = state, to = state;
    Work work;
    const ports::FieldSampler* colliders[] = {&floor};
    for (int n = 0; n < steps; ++n) {
      if (poisoned) poison(work);
      const StepReport report =
          step(model, params, {.colliders = colliders}, nth_step(1e-3, n), from, to, work);
      EXPECT_TRUE(report.ok) << report.trouble;
      from = to;
    }
    return hash_of(from);
  }
};

TEST(Step, ScratchFilledWithNanGivesTheSameBits) {
  const Swing swing(2);
  for (const Integrator integrator : kAllIntegrators)
    for (const Law law : kAllLaws)
      for (const Solver solver : {Solver::pcg, Solver::cholesky}) {
        Params params = elastic(law, 1e4);
        params.integrator = integrator;
        params.solver = solver;
        params.stiffness_damping = 1e-3;
        EXPECT_EQ(swing.run_hash(params, 4, true), swing.run_hash(params, 4, false))
            << name_of(integrator) << " " << name_of(law);
      }
}

TEST(Step, OneAndTwoThreadsGiveTheSameBits) {
  const Swing swing(8);
  for (const Integrator integrator : kAllIntegrators) {
    Params params = elastic(Law::corotational, 1e4);
    params.integrator = integrator;
    params.solver = Solver::pcg;
    set_thread_count(1);
    const Hash128 one = swing.run_hash(params, 3, false);
    set_thread_count(2);
    EXPECT_EQ(swing.run_hash(params, 3, false), one) << name_of(integrator);
    set_thread_count(0);
  }
}

TEST(Step, ASecondStepTakesNoMemory) {
  set_thread_count(1);  // TBB's own task memory is not ours to count
  const Swing swing(3);
  for (const Integrator integrator : kAllIntegrators) {
    Params params = elastic(Law::corotational, 1e4);
    params.integrator = integrator;
    params.solver = Solver::pcg;
    State from = swing.state, to = swing.state;
    Work work;
    ASSERT_TRUE(step(swing.model, params, {}, nth_step(1e-3, 0), from, to, work).ok);
    from = to;
    const std::size_t before = selkie::testing::allocations;
    ASSERT_TRUE(step(swing.model, params, {}, nth_step(1e-3, 1), from, to, work).ok);
    EXPECT_EQ(selkie::testing::allocations - before, 0u) << name_of(integrator);
  }
  set_thread_count(0);
}

TEST(Step, BothSolversGiveTheSameMotion) {
  const Swing swing(4);
  for (const Law law : kAllLaws) {
    Params params = elastic(law, 1e5);
    params.tolerance = 1e-11;
    State end[2] = {swing.state, swing.state};
    for (const Solver solver : {Solver::pcg, Solver::cholesky}) {
      params.solver = solver;
      Work work;
      run(swing.model, params, {}, 0.01, 5, end[solver == Solver::pcg ? 0 : 1], work);
    }
    for (std::size_t i = 0; i < swing.model.vertex_count; ++i)
      EXPECT_LT((end[0].positions[i] - end[1].positions[i]).norm(), 1e-8) << name_of(law);
  }
}

TEST(Step, LargeBodiesNeedFewIterationsHoweverStiffTheyAre) {
  for (const Model& model : {block(11), plate(50, 24)}) {
    ASSERT_GT(model.coarse.node_count(), 8u);
    State start = make_state(model);
    for (std::uint32_t i = 0; i < model.vertex_count; ++i)
      if (model.rest_positions[i].x() < 0.01) pin(start, i);
    for (const double young : {1e5, 1e9})
      for (const Law law : kAllLaws) {
        Params params = elastic(law, young);
        params.tolerance = 1e-8;
        State to[2] = {start, start};
        Work work;
        params.solver = Solver::pcg;
        const StepReport report = step(model, params, {}, nth_step(0.01), start, to[0], work);
        ASSERT_TRUE(report.ok) << report.trouble;
        // Measured: 25 to 73, and up to 272 by block Jacobi alone.
        EXPECT_LT(report.iterations, 90) << name_of(law) << " " << young;
        poison(work);
        State again = start;
        ASSERT_TRUE(step(model, params, {}, nth_step(0.01), start, again, work).ok);
        EXPECT_EQ(hash_of(again), hash_of(to[0]));
        params.solver = Solver::cholesky;
        ASSERT_TRUE(step(model, params, {}, nth_step(0.01), start, to[1], work).ok);
        for (std::size_t i = 0; i < model.vertex_count; ++i)
          ASSERT_LT((to[0].positions[i] - to[1].positions[i]).norm(), 1e-8) << name_of(law);
      }
  }
}

TEST(Step, PinnedVerticesStayAndDrivenOnesFollowTheirPath) {
  const Swing swing(2);
  auto path = [&](std::uint32_t i, double time) -> Vec3 {
    return swing.model.rest_positions[i] + Vec3(0, time, 0);
  };
  for (const Integrator integrator : kAllIntegrators) {
    Params params = elastic(Law::corotational, 1e4);
    params.integrator = integrator;
    for (const bool driven : {false, true}) {
      State state = swing.state;
      Work work;
      Inputs inputs;
      if (driven) inputs.pinned_motion = path;
      run(swing.model, params, inputs, 1e-3, 3, state, work);
      for (std::size_t i = 0; i < swing.model.vertex_count; ++i) {
        if (!state.pinned[i]) continue;
        const Vec3 expected = swing.model.rest_positions[i] + (driven ? Vec3(0, 3e-3, 0) : Vec3(0, 0, 0));
        EXPECT_LT((state.positions[i] - expected).norm(), 1e-15);
      }
    }
  }
}

TEST(Step, UniaxialBarStretchesAsHookeSays) {
  // RT-21: L = 1, A = 0.01, E = 1e6, ν = 0.3, 100 N → ΔL = 0.01, lateral strain −0.003. The end is held along
  // the bar only, here by symmetry: both ends are pulled.
  const Model model = from_tets(geometry::tet_box({Vec3(0, 0, 0), Vec3(1, 0.1, 0.1), {10, 1, 1}}), 1000);
  Params params = accurate(Law::linear, Integrator::backward_euler);
  params.young = 1e6;
  std::vector<std::uint8_t> left(model.vertex_count), right(model.vertex_count);
  for (std::uint32_t i = 0; i < model.vertex_count; ++i) {
    left[i] = model.rest_positions[i].x() < 0.01;
    right[i] = model.rest_positions[i].x() > 0.99;
  }
  std::vector<Vec3> forces(model.vertex_count, Vec3::Zero());
  add_traction(model, right, Vec3(1e4, 0, 0), forces);
  add_traction(model, left, Vec3(-1e4, 0, 0), forces);
  State state = make_state(model);
  Work work;
  run(model, params, {.gravity = Vec3::Zero(), .forces = forces}, 0.1, 30, state, work);
  // Corners along the bar and across it; the linear law leaves them free to turn, which these do not see.
  EXPECT_NEAR((state.positions[10] - state.positions[0]).x(), 1.01, 1e-9);
  EXPECT_NEAR((state.positions[11] - state.positions[0]).y(), 0.1 * (1 - 0.003), 1e-9);
}

TEST(Step, BodiesTurnedInsideOutRecover) {
  const Model model = from_tets(geometry::tet_ball({Vec3(0, 0, 0), 0.5, 3}), 1000);
  for (const Law law : {Law::corotational, Law::neo_hookean}) {
    Params params = elastic(law, 1e5);
    params.mass_damping = 2;
    State state = make_state(model);
    RandomStream random(8, 8);
    for (Vec3& x : state.positions) {
      x.x() = -x.x();
      x += random_vector(random, -1e-3, 1e-3);
    }
    ASSERT_EQ(diagnose(model, params, Vec3::Zero(), state).inverted, model.element_count);
    Work work;
    run(model, params, {.gravity = Vec3::Zero()}, 1.0 / 60, 300, state, work);
    const Diagnostics end = diagnose(model, params, Vec3::Zero(), state);
    EXPECT_EQ(end.inverted, 0u) << name_of(law);
    EXPECT_NEAR(end.volume, model.volume, 0.01 * model.volume) << name_of(law);
    EXPECT_LT(end.elastic_energy, 1) << name_of(law);  // of 5e4 J/m³ times half a cubic metre
  }
}

TEST(Step, ABlockComesToRestOnTheFloorWithoutSinking) {
  const Model model = block(3, 1000);
  const Floor floor;
  const ports::FieldSampler* colliders[] = {&floor};
  for (const Integrator integrator : kAllIntegrators) {
    Params params = elastic(Law::corotational, 1e6);
    params.integrator = integrator;
    params.mass_damping = 3;
    State state = make_state(model);
    for (Vec3& x : state.positions) x.y() += 0.05;
    Work work;
    const double h = integrator == Integrator::symplectic_euler ? 0.9 * stability_limit(model, params)
                     : integrator == Integrator::newmark        ? 1e-3
                                                                : 1.0 / 60;
    run(model, params, {.colliders = colliders}, h, static_cast<int>(2 / h), state, work);
    const Diagnostics end = diagnose(model, params, Vec3::Zero(), state);
    for (const Vec3& x : state.positions) EXPECT_GT(x.y(), -1e-9) << name_of(integrator);
    // Own weight shortens it by ρgL²/2E = 5 mm and lowers the centre by a third of that twice over.
    EXPECT_NEAR(end.centre_of_mass.y(), 0.5, 0.01) << name_of(integrator);
    // Contacts that are resolved after the step leave vertices trembling by about what they fall in a step of
    // a backward Euler's length.
    const bool held =
        integrator == Integrator::backward_euler || integrator == Integrator::backward_euler_newton;
    EXPECT_LT(end.max_speed, held ? 0.02 : 9.81 / 60) << name_of(integrator);
  }
}

TEST(Step, TheExplicitIntegratorIsStableAtItsLimitAndNotFarBeyond) {
  for (const double damping : {0.0, 2e-3}) {
    const Model model = block(3);
    Params params = elastic(Law::corotational, 1e5);
    params.integrator = Integrator::symplectic_euler;
    params.stiffness_damping = damping;
    auto energy_after = [&](double h) {
      State state = make_state(model), to = state;
      state.positions = testing::shaken(model, 0.005);
      Work work;
      for (int n = 0; n < 200; ++n) {
        if (!step(model, params, {.gravity = Vec3::Zero()}, nth_step(h, n), state, to, work).ok)
          return std::numeric_limits<double>::infinity();
        state = to;
      }
      const double energy = diagnose(model, params, Vec3::Zero(), state).total_energy();
      return std::isfinite(energy) ? energy : std::numeric_limits<double>::infinity();
    };
    State start = make_state(model);
    start.positions = testing::shaken(model, 0.005);
    const double before = diagnose(model, params, Vec3::Zero(), start).total_energy();
    EXPECT_LT(energy_after(stability_limit(model, params)), 1.5 * before);
    EXPECT_GT(energy_after(4 * stability_limit(model, params)), 10 * before);
  }
}

TEST(Step, AirInsideABallSwellsIt) {
  const Model model = from_tets(geometry::tet_ball({Vec3(0, 0, 0), 0.5, 3}), 1000);
  Params params = elastic(Law::linear, 1e5, 0.25);
  params.pressure = 1000;
  params.mass_damping = 20;
  State state = make_state(model);
  Work work;
  run(model, params, {.gravity = Vec3::Zero()}, 0.05, 60, state, work);
  // Uniform tension p: strain p(1 − 2ν)/E in each direction, three times that in volume.
  const double swelling = deformed_volume(model, state.positions) / model.volume - 1;
  EXPECT_NEAR(swelling, 3 * 1000 * 0.5 / 1e5, 0.02 * 0.015);
}

TEST(Step, BodiesOfTrianglesStayInTheirPlane) {
  const Model model = plate(6, 3);
  Params params = elastic(Law::neo_hookean, 1e5);
  State state = make_state(model);
  for (std::uint32_t i = 0; i < model.vertex_count; ++i)
    if (model.rest_positions[i].x() < 0.01) pin(state, i);
  Work work;
  run(model, params, {.gravity = Vec3(0, -10, 5)}, 0.01, 20, state, work);
  double lowest = 1;
  for (const Vec3& x : state.positions) {
    EXPECT_EQ(x.z(), 0);
    lowest = std::min(lowest, x.y());
  }
  EXPECT_LT(lowest, -0.01);
}

TEST(Step, RealTimeStepsStopAtTheCapOfIterations) {
  Swing swing(6);
  Params params = elastic(Law::corotational, 1e6);
  params.solver = Solver::pcg;
  params.max_iterations = 5;
  State to = swing.state;
  Work work;
  EXPECT_FALSE(step(swing.model, params, {}, nth_step(0.02), swing.state, to, work).ok);
  params.real_time = true;
  to = swing.state;
  const StepReport report = step(swing.model, params, {}, nth_step(0.02), swing.state, to, work);
  EXPECT_TRUE(report.ok) << report.trouble;
  EXPECT_EQ(report.iterations, 5);
}

}  // namespace
}  // namespace selkie::fem
