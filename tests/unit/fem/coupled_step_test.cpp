// An elastic body's part of a joint solve: exact recurrences of single modes, alone and with a column of
// liquid on them, what is kept and what is lost, contacts and pins. [LE-37, LE-43; solids/fem/coupled_step.h]
#include "selkie/solids/fem/coupled_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "selkie/solids/fem/diagnostics.h"
#include "selkie/solids/fem/elements.h"
#include "support/fem_bodies.h"
#include "support/fem_modes.h"

namespace selkie::fem {
namespace {

using testing::block;
using testing::elastic;
using testing::Mode;
using testing::nth_step;

Params accurate(Integrator integrator) {
  Params params = elastic(Law::linear, 1e5);
  params.integrator = integrator;
  params.solver = Solver::cholesky;
  params.tolerance = 1e-13;
  return params;
}

const Inputs kWeightless{.gravity = Vec3::Zero()};

// A column of liquid that moves with the mode, u = φᵀMv, and one pressure between them: with a modal mass of
// one, Mφ is its Jacobian. Mass zero: no liquid.
struct Column {
  double mass = 0;
  double velocity = 0;
};

struct Joint {
  Work work;
  State to, moved;
  Answer answer = Answer::elastic;
  StepReport report;
};

// One sub-step of Algorithm 4. The pressure p fulfils u − h p / m_f = φᵀM (v_free + A⁻¹ h Mφ p).
void advance(const Mode& mode, const Params& params, double h, Column& column, State& state, Joint& joint) {
  const std::size_t count = mode.model.vertex_count;
  joint.to = state;
  joint.answer = Answer::elastic;
  joint.report = begin_coupled(mode.model, params, kWeightless, nth_step(h), joint.answer, state, joint.to,
                               joint.moved, joint.work);
  ASSERT_TRUE(joint.report.ok) << joint.report.trouble;
  state = joint.to;
  if (column.mass == 0) return;
  std::vector<Vec3> impulses(count), changes(count);
  for (std::size_t i = 0; i < count; ++i) impulses[i] = h * mode.model.masses[i] * mode.of_vertex(i);
  ASSERT_TRUE(respond(mode.model, params, h, impulses, changes, joint.work, joint.answer).ok);
  const double pressure =
      (column.velocity - mode.share(state.velocities)) / (h / column.mass + mode.share(changes));
  for (std::size_t i = 0; i < count; ++i) state.velocities[i] += pressure * changes[i];
  column.velocity -= h * pressure / column.mass;
}

// (1 + m_f + ½hτ_M + (βh² + ½hτ_K) ω²)(v⁺ − v) = −h (ω² x⁺ + (τ_M + τ_K ω²) v): Newmark's family, staggered,
// of an oscillator whose mass includes the liquid's. Were the free step and the answer of different schemes,
// the liquid would not just add to the mass.
TEST(CoupledStep, AverageAccelerationFollowsItsRecurrenceWithAndWithoutLiquid) {
  for (const double liquid : {0.0, 3.0})
    for (const double damping : {0.0, 0.1}) {
      Params params = accurate(Integrator::newmark);
      Mode mode(params, 0.01);
      params.mass_damping = damping * mode.omega;
      params.stiffness_damping = damping / mode.omega;
      Column column{.mass = liquid};
      Joint joint;
      double x = 0.01, v = 0;
      const double w2 = mode.omega * mode.omega;
      // Steps of any length, from fine to far beyond what is resolved.
      for (const double turn : {0.2, 0.2, 1.3, 5.0, 5.0, 0.7, 30.0, 0.4}) {
        const double h = turn / mode.omega, tm = params.mass_damping, tk = params.stiffness_damping;
        x += h * v;
        v -= h * (w2 * x + (tm + tk * w2) * v) /
             (1 + liquid + h * tm / 2 + (h * h / 4 + h * tk / 2) * w2);
        advance(mode, params, h, column, mode.state, joint);
        ASSERT_EQ(joint.answer, Answer::staggered);
        const double scale = 0.01 * (1 + turn);  // rounding of positions and their differences
        EXPECT_NEAR(mode.displacement(mode.state.positions), x, 1e-10 * scale) << turn;
        EXPECT_NEAR(mode.share(mode.state.velocities), v, 1e-10 * scale * mode.omega) << turn;
        EXPECT_NEAR(column.velocity, liquid > 0 ? v : 0, 1e-10 * scale * mode.omega) << turn;
      }
    }
}

// What average acceleration keeps is the energy of v and x + ½hv, of body and liquid together; backward Euler
// takes the share of its recurrence away.
TEST(CoupledStep, EnergyIsKeptByAverageAccelerationAndNotByBackwardEuler) {
  for (const Integrator integrator :
       {Integrator::newmark, Integrator::symplectic_euler, Integrator::backward_euler}) {
    const Params params = accurate(integrator);
    Mode mode(params, 0.01);
    Column column{.mass = 2};
    Joint joint;
    const double h = 0.7 / mode.omega;
    // β − ¼ of the stiffness counts as mass; backward Euler is judged by what it has left.
    const double mass = integrator == Integrator::symplectic_euler ? -0.25 * 0.7 * 0.7 : 0;
    auto energy = [&] {
      const double v = mode.share(mode.state.velocities);
      const double x = mode.displacement(mode.state.positions) + 0.5 * h * v;
      return 0.5 * (1 + column.mass + mass) * v * v + 0.5 * mode.omega * mode.omega * x * x;
    };
    const double before = energy();
    for (int step = 0; step < 60; ++step) advance(mode, params, h, column, mode.state, joint);
    if (integrator == Integrator::backward_euler)
      EXPECT_LT(energy() / before, 0.05);
    else
      EXPECT_NEAR(energy() / before, 1, 1e-10) << name_of(integrator);
  }
}

// One linearisation of a body that is thrown about gains energy without bound; such a step is backward
// Euler's, free velocity and answer both.
TEST(CoupledStep, AStepThatWouldGainEnergyIsBackwardEulers) {
  const Model model = block(2, 1000);
  Params params = elastic(Law::corotational, 1e5);
  params.integrator = Integrator::newmark;
  params.solver = Solver::cholesky;
  Params plain = params;
  plain.integrator = Integrator::backward_euler;
  State state = make_state(model), one, other, moved;
  for (std::size_t i = 0; i < model.vertex_count; ++i)  // turns by half a radian a step
    state.velocities[i] = Vec3(0, 10, 0).cross(model.rest_positions[i] - Vec3::Constant(0.5));
  Work work;
  bool gained = false;
  for (int step = 0; step < 100 && !gained; ++step) {
    one = other = state;
    Answer answer = Answer::elastic, same = Answer::elastic;
    const StepReport report =
        begin_coupled(model, params, kWeightless, nth_step(0.05, step), answer, state, one, moved, work);
    ASSERT_TRUE(report.ok);
    gained = report.cfl > 1;
    EXPECT_EQ(answer, gained ? Answer::elastic : Answer::staggered);
    ASSERT_TRUE(
        begin_coupled(model, plain, kWeightless, nth_step(0.05, step), same, state, other, moved, work).ok);
    bool equal = true;
    for (std::size_t i = 0; i < model.vertex_count; ++i) equal &= one.velocities[i] == other.velocities[i];
    EXPECT_EQ(equal, gained) << step;
    state = one;
  }
  EXPECT_TRUE(gained);
}

class Floor final : public ports::FieldSampler {
 public:
  ports::FieldSample sample(const Vec3& point, double) const override {
    return {point.y(), Vec3::UnitY(), Vec3::Zero()};
  }
};

// A block dropped from 0.2 m: velocities of touching vertices are those that bring them onto the floor, so
// that none is below it when positions move with them, and what comes back is less than what fell.
TEST(CoupledStep, ContactsStopAFallingBlock) {
  const Floor floor;
  const ports::FieldSampler* const colliders[] = {&floor};
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler}) {
    const Model model = block(2, 1000);
    Params params = elastic(Law::corotational, 2e5);
    params.integrator = integrator;
    Inputs inputs;
    inputs.colliders = colliders;
    State state = make_state(model), to = state, moved;
    for (Vec3& x : state.positions) x.y() += 0.2;
    Work work;
    double lowest = 1, highest = 0;
    for (int step = 0; step < 300; ++step) {
      Answer answer = Answer::elastic;
      to = state;
      ASSERT_TRUE(
          begin_coupled(model, params, inputs, nth_step(0.01, step), answer, state, to, moved, work).ok);
      state = to;
      double low = 10;
      for (const Vec3& x : state.positions) low = std::min(low, x.y());
      lowest = std::min(lowest, low);
      if (step > 40) highest = std::max(highest, low);
    }
    EXPECT_GT(lowest, -1e-3) << name_of(integrator);
    // Backward Euler takes nine tenths of the bounce (0.022 m come back here), average acceleration little.
    EXPECT_LT(highest, integrator == Integrator::backward_euler ? 0.05 : 0.2) << name_of(integrator);
  }
}

// A beam held at one end by pins that move along: with steady pins nothing bends, whatever the integrator.
TEST(CoupledStep, PinsAreObeyed) {
  for (const Integrator integrator : {Integrator::newmark, Integrator::backward_euler}) {
    const Model model = block(2, 1000);
    Params params = elastic(Law::corotational, 1e5);
    params.integrator = integrator;
    params.solver = Solver::cholesky;
    params.tolerance = 1e-12;
    State state = make_state(model);
    for (std::size_t i = 0; i < model.vertex_count; ++i) {
      state.pinned[i] = model.rest_positions[i].x() == 0;
      state.velocities[i] = Vec3(0.5, 0, 0);
    }
    const double h = 0.02;
    auto motion = [&](std::uint32_t i, double t) -> Vec3 {
      return model.rest_positions[i] + Vec3(0.5 * t, 0, 0);
    };
    Inputs inputs = kWeightless;
    inputs.pinned_motion = motion;
    State to = state, moved;
    Work work;
    for (int step = 0; step < 20; ++step) {
      Answer answer = Answer::elastic;
      to = state;
      ASSERT_TRUE(
          begin_coupled(model, params, inputs, nth_step(h, step), answer, state, to, moved, work).ok);
      state = to;
    }
    for (std::size_t i = 0; i < model.vertex_count; ++i) {
      EXPECT_LT((state.positions[i] - model.rest_positions[i] - Vec3(0.5 * h * 20, 0, 0)).norm(), 1e-9);
      EXPECT_LT((state.velocities[i] - Vec3(0.5, 0, 0)).norm(), 1e-7) << name_of(integrator);
    }
  }
}

}  // namespace
}  // namespace selkie::fem
