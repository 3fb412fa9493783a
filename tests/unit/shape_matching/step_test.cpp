// Properties of whole steps: momentum, vibration, recovery, crowds, contacts, bits.
#include "selkie/solids/shape_matching/step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/core/state_arrays.h"
#include "selkie/math/random_vector.h"
#include "selkie/solids/shape_matching/diagnostics.h"
#include "support/allocation_counter.h"
#include "support/shape_matching_bodies.h"

namespace selkie::shape_matching {
namespace {

using testing::block;
using testing::Floor;
using testing::place;
using testing::run;
using testing::shaken;
using testing::single;
using testing::weightless;

Hash128 hash_of(State& state) {
  Hasher hasher;
  add_to_hash(hasher, arrays_of(state));
  return hasher.value();
}

// Eight little blocks in two layers, above each other and askew.
Model small_crowd(const ClusterOptions& options = {}) {
  std::vector<BodyInput> bodies;
  for (int n = 0; n < 8; ++n)
    bodies.push_back(block(2, Vec3(0.26 * (n % 2) + 0.03 * (n / 4), 0.2 + 0.3 * (n / 4), 0.24 * (n / 2 % 2)),
                           Vec3(0.2, 0.2, 0.2)));
  return build_model(bodies, options);
}

TEST(ShapeMatchingStep, AFreeDeformedBodyKeepsItsMomentumAndMostOfItsSpin) {
  for (const Mode mode : {Mode::rigid, Mode::linear, Mode::quadratic}) {
    const Model model = single(block(3), {.vertices = 20});
    Params params;
    params.mode = mode;
    State state = make_state(model);
    place(state, shaken(model, 0.1));
    for (std::size_t i = 0; i < model.vertex_count; ++i)
      state.velocities[i] = Vec3(1, 2, 0) + Vec3(0.5, -1, 2).cross(state.positions[i]);
    const Diagnostics before = diagnose(model, Vec3::Zero(), state);
    Work work;
    run(model, params, weightless(), 0.01, 100, state, work);
    const Diagnostics after = diagnose(model, Vec3::Zero(), state);
    EXPECT_LT((after.momentum - before.momentum).norm(), 1e-11 * before.momentum.norm());
    // Goals and damping twist nothing, but the way of a step is the chord of a circle: each step loses up to
    // (ωh)² of the spin. ωh = 0.023, 100 steps.
    const double loss = (after.angular_momentum - before.angular_momentum).norm();
    EXPECT_LT(loss, 0.053 * before.angular_momentum.norm());
  }
}

TEST(ShapeMatchingStep, BodiesFallFreelyAsOneAnother) {
  const Model model = single(block(2));
  State state = make_state(model);
  Work work;
  run(model, {}, {}, 0.01, 100, state, work);
  // Symplectic Euler: g h² n (n + 1)/2.
  for (std::size_t i = 0; i < model.vertex_count; ++i)
    EXPECT_LT((state.positions[i] - model.rest_positions[i] - Vec3(0, -9.81 * 1e-4 * 5050, 0)).norm(), 1e-11);
}

// Stretched along x and let go: the time between crossings of the length at rest.
double measured_frequency(double frequency, double h) {
  const Model model = single(block(1));
  Params params;
  params.mode = Mode::rigid;
  params.frequency = frequency;
  params.damping = 0;
  State state = make_state(model), to = state;
  for (Vec3& x : state.positions) x.x() *= 1.01;
  Work work;
  double last_crossing = -1, previous = 0.01;
  for (int n = 0; n < 100000; ++n) {
    EXPECT_TRUE(step(model, params, weightless(), testing::nth_step(h, n), state, to, work).ok);
    state = to;
    const double stretch = state.positions[1].x() - state.positions[0].x() - 1;
    if (previous < 0 && stretch >= 0) {
      const double time = h * (n + 1 - stretch / (stretch - previous));
      if (last_crossing >= 0) return 1 / (time - last_crossing);
      last_crossing = time;
    }
    previous = stretch;
  }
  return 0;
}

// Backward Euler turns by atan(ωh) instead of ωh per step: 1.3 % less at ωh = 0.2.
TEST(ShapeMatchingStep, AFrequencyIsTheSameForLongAndShortSteps) {
  const double omega = 2 * std::numbers::pi * 2;
  for (const double h : {0.016, 0.004, 0.001})
    EXPECT_NEAR(measured_frequency(2, h), std::atan(omega * h) / (2 * std::numbers::pi * h), 0.01) << h;
}

double final_error(const Model& model, const Params& params, std::span<const Vec3> start) {
  State state = make_state(model);
  place(state, start);
  Work work;
  run(model, params, weightless(), 1.0 / 60, 300, state, work);
  return diagnose(model, Vec3::Zero(), state).shape_error;
}

TEST(ShapeMatchingStep, FlattenedAndInvertedBodiesGetTheirShapeBack) {
  const BodyInput torus = from_triangles(
      geometry::torus_surface({.major_radius = 0.4, .minor_radius = 0.15, .divisions = {16, 8}}), 1000, 0.01);
  const BodyInput ball = from_tets(geometry::tet_ball({.radius = 0.5, .divisions = 3}), 1000);
  for (const Mode mode : {Mode::rigid, Mode::linear, Mode::quadratic}) {
    Params params;
    params.mode = mode;
    const Model ring = single(torus), solid = single(ball);
    std::vector<Vec3> flat = ring.rest_positions, inverted = solid.rest_positions;
    for (Vec3& x : flat) x.y() = 0;
    for (Vec3& x : inverted) x = -x;
    EXPECT_LT(final_error(ring, params, flat), 1e-6);
    EXPECT_LT(final_error(solid, params, inverted), 1e-6);
  }
}

TEST(ShapeMatchingStep, ABodyOfOverlappingClustersRecoversFromBeingFlattened) {
  const BodyInput ball = from_tets(geometry::tet_ball({.radius = 0.5, .divisions = 4}), 1000);
  const Model model = single(ball, {.vertices = 120, .overlap = 2});
  ASSERT_GT(model.cluster_count(), 1u);
  std::vector<Vec3> flat = model.rest_positions;
  for (Vec3& x : flat) x.y() = 0;
  EXPECT_LT(final_error(model, {}, flat), 1e-3);
}

TEST(ShapeMatchingStep, CollisionsWithinACrowdKeepMomentum) {
  const Model model = small_crowd();
  Params params;
  State state = make_state(model);
  for (std::size_t i = 0; i < model.vertex_count; ++i)
    state.velocities[i] = (Vec3(0.2, 0.4, 0.2) - state.positions[i]) * 3 + Vec3(0, 0, 1);
  const Vec3 before = diagnose(model, Vec3::Zero(), state).momentum;
  Work work;
  State to = state;
  int contacts = 0;
  for (int n = 0; n < 100; ++n) {
    const StepReport report = step(model, params, weightless(), testing::nth_step(0.004, n), state, to, work);
    ASSERT_TRUE(report.ok);
    contacts += report.contacts;
    state = to;
  }
  EXPECT_GT(contacts, 100);
  EXPECT_LT((diagnose(model, Vec3::Zero(), state).momentum - before).norm(), 1e-12 * total_mass(model));
}

TEST(ShapeMatchingStep, ACrowdComesToRestOnTheFloorInItsOwnShape) {
  const Model model = small_crowd();
  Params params;
  const Floor floor;
  const ports::FieldSampler* colliders[] = {&floor};
  Inputs inputs;
  inputs.colliders = colliders;
  State state = make_state(model);
  Work work;
  run(model, params, inputs, 1.0 / 120, 900, state, work);
  const Diagnostics d = diagnose(model, inputs.gravity, state);
  EXPECT_LT(d.max_speed, 0.02);
  EXPECT_LT(d.shape_error, 0.05);
  for (std::size_t i = 0; i < model.vertex_count; ++i)
    EXPECT_GT(state.positions[i].y(), 0.9 * model.radii[0]) << "vertices keep their radius from the floor";
}

TEST(ShapeMatchingStep, BodiesInOnePlaceAreLedApartGently) {
  const std::vector<BodyInput> bodies{block(2), block(2), block(2, Vec3(0.5, 0, 0))};
  const Model model = build_model(bodies);
  State state = make_state(model);
  Work work;
  double fastest = 0;
  for (int n = 0; n < 300; ++n) {
    run(model, {}, weightless(), 1.0 / 60, 1, state, work, n);
    fastest = std::max(fastest, diagnose(model, Vec3::Zero(), state).max_speed);
  }
  EXPECT_LT(fastest, 4);
  auto centre = [&](std::size_t b) {
    Vec3 sum = Vec3::Zero();
    for (std::uint32_t i = model.body_begin[b]; i < model.body_begin[b + 1]; ++i) sum += state.positions[i];
    return Vec3(sum / (model.body_begin[b + 1] - model.body_begin[b]));
  };
  EXPECT_GT((centre(0) - centre(1)).norm(), 0.55) << "the least extent is 0.6";
  EXPECT_GT((centre(1) - centre(2)).norm(), 0.55);
  EXPECT_LT(diagnose(model, Vec3::Zero(), state).shape_error, 0.01);
}

TEST(ShapeMatchingStep, TheNeighbourListFindsEveryPairOfABruteForceSearch) {
  RandomStream random(3, 0);
  std::vector<BodyInput> bodies;
  for (int b = 0; b < 40; ++b) {
    BodyInput body;
    for (int k = 0; k < 5; ++k) body.positions.push_back(random_vector(random, -1, 1) * 0.4);
    body.masses.assign(5, 1);
    body.radius = 0.03 + 0.02 * random.uniform();
    bodies.push_back(body);
  }
  const Model model = build_model(bodies);
  State state = make_state(model), to = state;
  Work work;
  ASSERT_TRUE(step(model, {}, weightless(), testing::nth_step(1e-9), state, to, work).ok);
  std::size_t expected = 0, listed = 0;
  for (std::size_t i = 0; i < model.vertex_count; ++i) {
    const std::size_t a = model.body_of_vertex[i];
    for (std::size_t j = 0; j < model.vertex_count; ++j) {
      const std::size_t b = model.body_of_vertex[j];
      const double distance = (state.positions[i] - state.positions[j]).norm();
      if (a == b || distance >= model.radii[a] + model.radii[b]) continue;
      ++expected;
      for (std::uint32_t k = 0; k < work.neighbours.counts[i]; ++k)
        if ((work.neighbours.list[i * work.neighbours.room + k] & 0x7fffffffu) == j) ++listed;
    }
  }
  EXPECT_GT(expected, 100u);
  EXPECT_EQ(listed, expected);
}

TEST(ShapeMatchingStep, OneAndTwoThreadsAndPoisonedScratchGiveTheSameBits) {
  for (const Mode mode : {Mode::linear, Mode::quadratic}) {
    std::vector<Hash128> hashes;
    for (const int variant : {0, 1, 2}) {
      set_thread_count(variant == 1 ? 2 : 1);
      const Model model = small_crowd({.vertices = 12});
      Params params;
      params.mode = mode;
      params.yield = 0.05;
      const Floor floor;
      const ports::FieldSampler* colliders[] = {&floor};
      Inputs inputs;
      inputs.colliders = colliders;
      State state = make_state(model);
      Work work;
      for (int n = 0; n < 60; ++n) {
        if (variant == 2) poison(work);
        run(model, params, inputs, 1.0 / 60, 1, state, work, n);
      }
      hashes.push_back(hash_of(state));
    }
    set_thread_count(0);
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
  }
}

TEST(ShapeMatchingStep, LaterStepsAllocateNothing) {
  const Model model = small_crowd();
  const Floor floor;
  const ports::FieldSampler* colliders[] = {&floor};
  Inputs inputs;
  inputs.colliders = colliders;
  State state = make_state(model), to = state;
  Work work;
  set_thread_count(1);
  run(model, {}, inputs, 1.0 / 60, 60, state, work);
  to = state;
  const std::size_t before = selkie::testing::allocations;
  ASSERT_TRUE(step(model, {}, inputs, testing::nth_step(1.0 / 60, 60), state, to, work).ok);
  EXPECT_EQ(selkie::testing::allocations, before);
  set_thread_count(0);
}

TEST(ShapeMatchingStep, PinsFollowTheirMotionAndTheHeldVertexItsTarget) {
  const Model model = single(block(2));
  State state = make_state(model);
  pin(state, 0);
  state.grabbed_vertex = 26;
  state.grab_target = Vec3(5, 5, 5);
  Work work;
  auto motion = [&](std::uint32_t, double time) { return Vec3(0, time, 0); };
  Inputs inputs;
  inputs.pinned_motion = motion;
  run(model, {}, inputs, 0.01, 10, state, work);
  EXPECT_LT((state.positions[0] - Vec3(0, 0.1, 0)).norm(), 1e-12);
  EXPECT_NEAR((state.positions[26] - model.rest_positions[26]).norm(), 20 * 0.1, 1e-9);
}

}  // namespace
}  // namespace selkie::shape_matching
