// A stability limit that is kept over several steps: rarely found anew, and never far above the one of the
// day.
#include <gtest/gtest.h>

#include "selkie/core/parallel.h"
#include "selkie/core/state_arrays.h"
#include "selkie/solids/mass_spring/rate_bounds.h"
#include "support/mass_spring_bodies.h"

namespace selkie::mass_spring {
namespace {

using testing::Body;
using testing::nth_step;

constexpr std::array kExplicit = {
    Integrator::explicit_euler, Integrator::symplectic_euler, Integrator::rk2, Integrator::rk4,
    Integrator::verlet,         Integrator::newmark};

const double kAllowed = std::sqrt(1 + kAllowedRise) - 1;  // of the limit, as ω or β rise

// A square of cloth that turns about an axis through its middle, 3 radians a second.
Body turning_sheet(int divisions) {
  geometry::SheetShape shape;
  shape.divisions = {divisions, divisions};
  const geometry::TriangleMesh mesh = geometry::sheet(shape);
  Body body{from_triangles(mesh, 0.2, 0.02), {}};
  body.state = make_state(body.model, mesh.positions);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i)
    body.state.velocities[i] = Vec3(1, 2, 2).cross(mesh.positions[i]);
  return body;
}

struct Outcome {
  int found = 0;            // times the limit was found anew
  double worst_excess = 0;  // kept over that of the state as it is
  Hash128 hash{};
};

Outcome run(const Body& body, const Params& params, int steps) {
  State state = body.state, to = body.state;
  Work work, other;
  KeptLimit kept;
  Outcome outcome;
  for (int n = 0; n < steps; ++n) {
    const double limit = stability_limit(body.model, params, state, kept, work);
    outcome.found += kept.age == 0;
    outcome.worst_excess =
        std::max(outcome.worst_excess, limit / stability_limit(body.model, params, state, other) - 1);
    const double h = margin_below(limit);
    EXPECT_TRUE(step(body.model, params, {}, nth_step(h, n), state, to, work).ok);
    kept.age += h;
    state = to;
    poison(work);
  }
  Hasher hasher;
  add_to_hash(hasher, arrays_of(state));
  outcome.hash = hasher.value();
  return outcome;
}

TEST(KeptLimit, IsFoundAnewInOneOfTenStepsOfASheetThatTurns) {
  const Body body = turning_sheet(32);
  Params params;
  params.integrator = Integrator::symplectic_euler;
  const Outcome outcome = run(body, params, 100);
  EXPECT_LE(outcome.found, 10);
  EXPECT_LT(outcome.worst_excess, kAllowed);
}

TEST(KeptLimit, StaysABoundInViolentMotion) {
  Body sheet = turning_sheet(12), block = testing::block(4);
  for (Body* body : {&sheet, &block})
    for (std::size_t i = 0; i < body->state.velocities.size(); ++i)
      body->state.velocities[i] +=
          20 * Vec3(std::sin(7.0 * double(i)), std::cos(5.0 * double(i)), std::sin(3.0 * double(i)));
  for (const Integrator integrator : kExplicit)
    for (const auto& [compression, damping] : {std::pair{1.0, 0.02}, {0.3, 0.02}, {0.3, 0.0}})
      for (const Body* body : {&sheet, &block}) {
        Params params;
        params.integrator = integrator;
        params.damping = damping;
        params.compression_factor = compression;
        params.tension_slope = 1 / compression;
        params.tension_knee = 0.01;
        EXPECT_LT(run(*body, params, 60).worst_excess, kAllowed) << name_of(integrator);
      }
}

TEST(KeptLimit, IsFoundAnewWhenAVertexLeavesItsWay) {
  Body body = turning_sheet(12);
  Params params;
  params.integrator = Integrator::verlet;
  Work work, other;
  KeptLimit kept;
  stability_limit(body.model, params, body.state, kept, work);
  kept.age = 1e-9;
  body.state.positions[40] += Vec3(0, 0.03, 0.03);  // about half an edge
  const double renewed = stability_limit(body.model, params, body.state, kept, work);
  EXPECT_EQ(kept.age, 0);
  EXPECT_EQ(renewed, stability_limit(body.model, params, body.state, other));
}

TEST(KeptLimit, GivesTheSameBitsForOneAndTwoThreads) {
  const Body body = turning_sheet(70);
  Params params;
  params.integrator = Integrator::symplectic_euler;
  set_thread_count(1);
  const Hash128 one = run(body, params, 20).hash;
  set_thread_count(2);
  EXPECT_EQ(run(body, params, 20).hash, one);
  set_thread_count(0);
}

}  // namespace
}  // namespace selkie::mass_spring
