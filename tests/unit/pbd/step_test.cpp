// Whole steps: free fall, statics of compliant bodies, bits, memory, kinematic vertices, damping, balloons.
#include "selkie/solids/pbd/step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/core/state_arrays.h"
#include "selkie/math/random_vector.h"
#include "selkie/solids/pbd/damping.h"
#include "selkie/solids/pbd/diagnostics.h"
#include "selkie/solids/pbd/project.h"
#include "support/allocation_counter.h"
#include "support/pbd_bodies.h"

namespace selkie::pbd {
namespace {

using testing::Floor;
using testing::nth_step;
using testing::run;

Hash128 hash_of(State& state) {
  Hasher hasher;
  add_to_hash(hasher, arrays_of(state));
  return hasher.value();
}

TEST(Step, WithoutConstraintsItIsSymplecticEuler) {
  const Model model = from_links({Vec3(1, 2, 3)}, {2}, {});
  State state = make_state(model);
  state.velocities[0] = Vec3(1, 0, 0);
  Work work;
  run(model, {}, {.gravity = Vec3(0, -10, 0)}, 0.01, 3, state, work);
  EXPECT_LT((state.positions[0] - Vec3(1.03, 2 - 0.001 * (1 + 2 + 3), 3)).norm(), 1e-14);
  EXPECT_LT((state.velocities[0] - Vec3(1, -0.3, 0)).norm(), 1e-12);
}

// A mass on a compliant link comes to rest at m g α below, whatever the iterations and sub-steps.
TEST(Step, AHangingMassStretchesItsLinkByComplianceTimesWeight) {
  for (const int iterations : {1, 2, 5, 20, 50})
    for (const int substeps : {1, 4}) {
      const Model model = from_links({Vec3(0, 0, 0), Vec3(0, -1, 0)}, {1, 2}, {{0, 1}});
      State state = make_state(model);
      pin(state, 0);
      Params params;
      params.stretch_compliance = 1e-3;
      params.iterations = iterations;
      params.substeps = substeps;
      params.drag = 5;
      Work work;
      run(model, params, {.gravity = Vec3(0, -10, 0)}, 1.0 / 60, 600, state, work);
      EXPECT_NEAR(-state.positions[1].y() - 1, 2 * 10 * 1e-3, 1e-6) << iterations << " " << substeps;
    }
}

// Link k of a hanging chain of n carries the n − k masses below it. From 2 n sweeps a step on, however they
// are shared out, the tension has been passed on and the answer no longer depends on them (10: 2.7 % off).
TEST(Step, AHangingChainStretchesAsItsWeightSays) {
  constexpr std::uint32_t kLinks = 10;
  constexpr double kMass = 0.1, kCompliance = 1e-3, kGravity = 10;
  std::vector<Vec3> x;
  std::vector<geometry::Segment> links;
  for (std::uint32_t i = 0; i <= kLinks; ++i) x.push_back(Vec3(0, -0.1 * i, 0));
  for (std::uint32_t i = 0; i < kLinks; ++i) links.push_back({i, i + 1});
  double length = 1;
  for (std::uint32_t k = 0; k < kLinks; ++k) length += kCompliance * kMass * kGravity * (kLinks - k);
  const Model model = from_links(x, std::vector<double>(kLinks + 1, kMass), links);
  for (const auto& [iterations, substeps] :
       {std::pair{20, 1}, {21, 1}, {100, 1}, {1, 20}, {2, 10}, {1, 40}}) {
    State state = make_state(model);
    pin(state, 0);
    Params params;
    params.stretch_compliance = kCompliance;
    params.iterations = iterations;
    params.substeps = substeps;
    params.drag = 5;
    Work work;
    run(model, params, {.gravity = Vec3(0, -kGravity, 0)}, 1.0 / 60, 600, state, work);
    EXPECT_NEAR((-state.positions[kLinks].y() - 1) / (length - 1), 1, 0.01) << iterations << " " << substeps;
  }
}

TEST(Step, FreeBodiesKeepTheirMomentumAndDampingLeavesTheWholeAlone) {
  for (const double damping : {0.0, 5.0}) {
    const Model model = testing::cloth(8);
    State state = make_state(model);
    RandomStream random(4, 4);
    for (Vec3& v : state.velocities) v = random_vector(random, -1, 1);
    Params params;
    params.damping = damping;
    const Diagnostics before = diagnose(model, params, Vec3::Zero(), state);
    Work work;
    run(model, params, {.gravity = Vec3::Zero()}, 0.01, 20, state, work);
    const Diagnostics after = diagnose(model, params, Vec3::Zero(), state);
    EXPECT_LT((after.momentum - before.momentum).norm(), 1e-13);
  }
}

TEST(Step, DampingKeepsAngularMomentum) {
  const Model model = testing::cloth(8);
  State state = make_state(model);
  for (std::size_t i = 0; i < model.vertex_count; ++i)
    state.velocities[i] = Vec3(0, 3, 0).cross(state.positions[i]) + 0.1 * Vec3(state.positions[i].z(), 0, 0);
  const Diagnostics before = diagnose(model, {}, Vec3::Zero(), state);
  damp(model, 100, 0.01, state);
  const Diagnostics after = diagnose(model, {}, Vec3::Zero(), state);
  EXPECT_LT((after.angular_momentum - before.angular_momentum).norm(), 1e-14);
  EXPECT_LT(after.kinetic_energy, before.kinetic_energy - 1e-5);
}

// At rest the pressure λ/h² of the compliant volume and the tensions T of compliant edges balance; for a
// uniform change of size their works do: 3 p V = Σ T l. Returns the quotient.
double balance_of_balloon(double h) {
  const Model model = from_triangles(geometry::icosphere({Vec3::Zero(), 0.5, 4}), 0.1, {Bending::none, true});
  State state = make_state(model);
  Params params;
  params.iterations = 15;
  params.stretch_compliance = 1e-2;
  params.volume_compliance = 4e-3;
  params.inflation = 1.5;
  params.damping = 20;
  Work work;
  run(model, params, {.gravity = Vec3::Zero()}, h, static_cast<int>(1.5 / h), state, work);
  const double volume = enclosed_volume(model, state.positions);
  const double pressure = (1.5 * model.closed.rest_volume - volume) / params.volume_compliance;
  double work_of_tensions = 0;
  for (const geometry::Segment& edge : geometry::unique_edges(model.triangles)) {
    const double length = (state.positions[edge[0]] - state.positions[edge[1]]).norm();
    const double rest = (model.rest_positions[edge[0]] - model.rest_positions[edge[1]]).norm();
    work_of_tensions += (length - rest) / params.stretch_compliance * length;
  }
  EXPECT_GT(volume, 1.1 * model.closed.rest_volume);
  return 3 * pressure * volume / work_of_tensions;
}

TEST(Step, ABalloonBalancesItsPressureAndItsTensionsInTheLimitOfShortSteps) {
  // The gradients turn while the sweeps of a step move the points: an error that falls with its length.
  const double coarse = balance_of_balloon(1e-3) - 1, fine = balance_of_balloon(5e-4) - 1;
  EXPECT_LT(std::abs(fine), 0.65 * std::abs(coarse));
  EXPECT_LT(std::abs(fine), 1e-3);
}

TEST(Step, ABalloonOfTheWeightOfItsAirFloats) {
  const Model model = testing::balloon(4);
  State state = make_state(model);
  Params params;
  params.air_density = total_mass(model) / model.closed.rest_volume;
  Work work;
  run(model, params, {}, 0.01, 20, state, work);
  EXPECT_LT(diagnose(model, params, Vec3::Zero(), state).momentum.norm(), 1e-9);
}

// Cloth over a slope with a driven and a held vertex, or a jelly that falls on it.
struct Busy {
  Model model;
  State state;
  Params params;
  Floor floor{0.1};
  Busy(Model made, Method method) : model(std::move(made)), state(make_state(model)) {
    for (Vec3& x : state.positions) x.y() += 0.02 + 0.05 * std::sin(9 * x.x());
    pin(state, 0);
    state.grabbed_vertex = model.vertex_count - 1;
    state.grab_target = Vec3(1.2, 1.1, 1);
    params.method = method;
    params.iterations = 3;
    params.substeps = 2;
    params.damping = 0.5;
    params.stretch_compliance = params.bend_compliance = 1e-5;
    params.contact_thickness = 0.01;
    params.self_collision = true;
    params.self_thickness = 0.005;
  }
  Hash128 run_hash(int steps, bool poisoned) const {
    State from = state, to = state;
    Work work;
    const ports::FieldSampler* colliders[] = {&floor};
    for (int n = 0; n < steps; ++n) {
      if (poisoned) poison(work);
      const StepReport report =
          step(model, params, {.colliders = colliders}, nth_step(0.02, n), from, to, work);
      EXPECT_TRUE(report.ok) << report.trouble;
      from = to;
    }
    return hash_of(from);
  }
};

std::vector<Busy> busy_bodies(int n) {
  std::vector<Busy> made;
  for (const Method method : {Method::pbd, Method::xpbd}) {
    for (const Bending bending :
         {Bending::links, Bending::dihedral, Bending::dihedral_cosine, Bending::isometric})
      made.emplace_back(testing::cloth(n, bending), method);
    made.emplace_back(testing::block(n / 4), method);
    made.emplace_back(testing::balloon(n / 2), method);
  }
  return made;
}

TEST(Step, ScratchFilledWithNanGivesTheSameBits) {
  for (const Busy& busy : busy_bodies(8)) EXPECT_EQ(busy.run_hash(4, true), busy.run_hash(4, false));
}

TEST(Step, OneAndTwoThreadsGiveTheSameBits) {
  for (const Busy& busy : busy_bodies(24)) {
    set_thread_count(1);
    const Hash128 one = busy.run_hash(3, false);
    set_thread_count(2);
    EXPECT_EQ(busy.run_hash(3, false), one);
    set_thread_count(0);
  }
}

TEST(Step, ALaterStepTakesNoMemory) {
  set_thread_count(1);  // TBB's own task memory is not ours to count
  for (Busy& busy : busy_bodies(8)) {
    State from = busy.state, to = busy.state;
    Work work;
    const ports::FieldSampler* colliders[] = {&busy.floor};
    auto advance = [&](int n) {
      ASSERT_TRUE(
          step(busy.model, busy.params, {.colliders = colliders}, nth_step(0.001, n), from, to, work).ok);
    };
    advance(0);
    to = from;  // the same step again meets the same contacts
    const std::size_t before = selkie::testing::allocations;
    advance(0);
    EXPECT_EQ(selkie::testing::allocations - before, 0u);
  }
  set_thread_count(0);
}

TEST(Step, GrabbedVerticesComeAtTheirSpeedAndPinnedOnesFollowTheirMotion) {
  const Model model = testing::cloth(4);
  State state = make_state(model);
  pin(state, 3);
  state.grabbed_vertex = 5;
  state.grab_target = state.positions[5] + Vec3(0, 10, 0);
  Params params;
  params.grab_speed = 2;
  params.substeps = 3;
  Work work;
  State to = state;
  auto motion = [&](std::uint32_t i, double time) -> Vec3 {
    return model.rest_positions[i] + Vec3(time, 0, 0);
  };
  ASSERT_TRUE(step(model, params, {.pinned_motion = motion}, nth_step(0.1, 4), state, to, work).ok);
  EXPECT_NEAR((to.positions[5] - state.positions[5]).norm(), 0.2, 1e-12);
  EXPECT_LT((to.positions[3] - model.rest_positions[3] - Vec3(0.5, 0, 0)).norm(), 1e-12);
}

TEST(Step, StaysBoundedForAnyStepAndStiffness) {
  for (const double h : {1e-3, 1.0, 100.0})
    for (const double k : {0.01, 1.0}) {
      const Model model = testing::cloth(6);
      State state = make_state(model);
      pin(state, 0);
      testing::shake(state, 0.5);
      Params params;
      params.method = Method::pbd;
      params.stretch_stiffness = params.bend_stiffness = k;
      params.drag = 1;
      Work work;
      run(model, params, {}, h, 30, state, work);
      for (const Vec3& x : state.positions) EXPECT_LT(x.norm(), 1e6 * h * h + 10);
    }
}

}  // namespace
}  // namespace selkie::pbd
