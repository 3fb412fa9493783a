// Altitude springs and axial bending (HY-28, HY-29): the theorem of the shortest altitude, degenerate
// tetrahedra, derivatives, momentum, recovery.
#include "selkie/solids/mass_spring/altitude_springs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/core/random.h"
#include "selkie/core/state_arrays.h"
#include "selkie/geometry/generators.h"
#include "selkie/math/random_vector.h"
#include "selkie/solids/mass_spring/diagnostics.h"
#include "support/mass_spring_bodies.h"

namespace selkie::mass_spring {
namespace {

using testing::nth_step;
using testing::weightless;

using Corners = std::array<Vec3, 4>;

// Of all shapes: every third one is a slab of an aspect ratio down to 10⁻³.
Corners random_tet(std::uint64_t n) {
  RandomStream random(11, n);
  Corners x;
  for (Vec3& p : x) p = random_vector(random, -1, 1);
  if (n % 3 == 0) {
    const double thickness = std::pow(10, random.uniform(-3, 0));
    for (Vec3& p : x) p.z() *= thickness;
  }
  return x;
}

double six_volumes(const Corners& x) { return (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]); }

TEST(AltitudeSprings, TheShortestAltitudeNeverHasANegativeWeight) {
  for (std::uint64_t n = 0; n < 100000; ++n) {
    const Corners x = random_tet(n);
    const Altitude altitude = shortest_altitude(x);
    // Both ends are means of their corners: weights of one sign each, summing to 1.
    double positive = 0, negative = 0;
    for (std::size_t k = 0; k < 4; ++k)
      (altitude.weights[k] > 0 ? positive : negative) += altitude.weights[k];
    ASSERT_NEAR(positive, 1, 1e-9) << n;
    ASSERT_NEAR(negative, -1, 1e-9) << n;
    for (std::size_t k = 0; k < kAltitudes; ++k)
      ASSERT_LE(std::abs(altitude.length), std::abs(altitude_length(x, k)) * (1 + 1e-9) + 1e-12) << n;
  }
}

TEST(AltitudeSprings, LengthsAreSixVolumesOverTheAreaAndCarryTheirSign) {
  for (std::uint64_t n = 0; n < 200; ++n) {
    const Corners x = random_tet(n);
    const Altitude altitude = shortest_altitude(x);
    Vec3 span = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) span += altitude.weights[k] * x[k];
    EXPECT_LT((span - altitude.length * altitude.direction).norm(), 1e-10);
    for (std::size_t k = 0; k < kAltitudes; ++k)
      EXPECT_EQ(altitude_length(x, k) > 0, six_volumes(x) > 0) << "altitude " << k;
  }
}

TEST(AltitudeSprings, FlatStraightAndPointLikeTetrahedraGetAUsefulSpringOrNone) {
  const Altitude flat = shortest_altitude({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)});
  EXPECT_EQ(flat.length, 0);
  EXPECT_NEAR(std::abs(flat.direction.z()), 1, 1e-15);
  // On a line the spring acts across it and twists nothing: its ends are the same point.
  const Corners line{Vec3(0, 0, 0), Vec3(3, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0)};
  const Altitude straight = shortest_altitude(line);
  ASSERT_GE(straight.which, 4);
  EXPECT_EQ(straight.direction.x(), 0);
  Vec3 span = Vec3::Zero();
  for (std::size_t k = 0; k < 4; ++k) span += straight.weights[k] * line[k];
  EXPECT_LT(span.norm(), 1e-15);
  const Vec3 same(1, 2, 3);
  EXPECT_EQ(shortest_altitude({same, same, same, same}).which, -1);
}

Model block(double altitude_factor, int n = 2) {
  return from_tets(geometry::tet_box({Vec3::Zero(), Vec3(1, 1, 1), {n, n, n}}), 1000,
                   {.altitude_factor = altitude_factor});
}

Params only_altitudes() {
  Params params;
  params.inversion_guard = 0;
  params.damping = 0;
  params.tolerance = 1e-12;
  return params;
}

Buffer<Vec3> shaken(std::span<const Vec3> rest, double size) {
  Buffer<Vec3> x;
  x.copy_from(rest.data(), rest.size());
  RandomStream random(5, 1);
  for (Vec3& p : x) p += random_vector(random, -size, size);
  return x;
}

std::vector<Vec3> block_positions(int n = 2) {
  return geometry::tet_box({Vec3::Zero(), Vec3(1, 1, 1), {n, n, n}}).positions;
}

TEST(AltitudeSprings, ForcesAreTheGradientOfTheEnergyOfTheStepAndKeepMomenta) {
  const Model model = block(2);
  const Params params = only_altitudes();
  const Buffer<Vec3> x = shaken(block_positions(), 0.3);
  Buffer<Vec3> still;
  still.assign(x.size(), Vec3::Zero());
  Work work;
  choose_altitudes(model, params, x, work);
  Buffer<Vec4> f;
  f.assign(x.size(), Vec4::Zero());
  add_altitude_forces(model, x, still, f, work, ForceTerms::all);
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  double size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    force += f[i].head<3>();
    torque += x[i].cross(Vec3(f[i].head<3>()));
    size += f[i].norm();
    for (int c = 0; c < 3; ++c) {
      Buffer<Vec3> moved = still;
      auto energy = [&](double by) {
        moved[i][c] = by;
        return altitude_step_energy(model, x, moved, 1, work);
      };
      constexpr double kStep = 1e-5;
      EXPECT_NEAR((energy(kStep) - energy(-kStep)) / (2 * kStep), -f[i][c], 1e-6 * size);
    }
  }
  EXPECT_GT(size, 1000);
  EXPECT_LT(force.norm(), 1e-12 * size);
  EXPECT_LT(torque.norm(), 1e-12 * size);
}

// Directions and weights of an altitude are those at which its length is least, so that their own change does
// not change the length: the gradient of the energy is the force of the chosen spring, turning or not.
TEST(AltitudeSprings, ForcesOutsideOfAStepAreTheGradientOfTheEnergyAsTheSpringsTurn) {
  const geometry::TetMesh mesh = geometry::tet_box({Vec3::Zero(), Vec3(1, 1, 1), {2, 2, 2}});
  const Model model = block(2);
  Params params = only_altitudes();
  params.inversion_guard = 1.5;
  State state = make_state(model, shaken(mesh.positions, 0.3));
  Work work;
  accumulate_forces(model, params, state.positions, state.velocities, work.forces, work);
  double size = 0;
  for (const Vec4& f : work.forces) size += f.norm();
  ASSERT_GT(size, 1000);
  constexpr double kStep = 1e-6;
  for (std::size_t i = 0; i < state.positions.size(); ++i)
    for (int c = 0; c < 3; ++c) {
      auto energy = [&](double by) {
        State moved = state;
        moved.positions[i][c] += by;
        return diagnose(model, params, Vec3::Zero(), moved).elastic_energy;
      };
      EXPECT_NEAR((energy(kStep) - energy(-kStep)) / (2 * kStep), -work.forces[i][c], 1e-6 * size);
    }
}

TEST(AltitudeSprings, ShortenExplicitStepsWhereTheyAreDampedLessThanTheEdges) {
  const Model model = block(3);
  Params params = only_altitudes();
  params.integrator = Integrator::explicit_euler;
  params.damping = 0.05;  // as a fraction: b/k falls as 1/√k
  const State state = make_state(model, block_positions());
  Work work;
  const double limit = stability_limit(model, params, state, work);
  ASSERT_FALSE(work.altitudes.empty());
  double altitudes = 1e9;  // s, the smallest b/k
  for (const ChosenAltitude& spring : work.altitudes)
    altitudes = std::min(altitudes, spring.damping / spring.stiffness);
  EXPECT_LE(limit, altitudes * (1 + 1e-12));
}

double shape_error(const Model& model, const State& state) {
  double worst = 0;
  for (std::size_t s = 0; s < model.spring_count(); ++s) {
    const auto [i, j] = model.springs[s];
    worst = std::max(worst,
                     std::abs((state.positions[j] - state.positions[i]).norm() / model.rest_lengths[s] - 1));
  }
  return worst;
}

std::size_t inverted(const AltitudeSprings& springs, const State& state) {
  std::size_t count = 0;
  for (const geometry::Tet& tet : springs.tets) {
    const Corners x{state.positions[tet[0]], state.positions[tet[1]], state.positions[tet[2]],
                    state.positions[tet[3]]};
    count += six_volumes(x) <= 0 ? 1 : 0;
  }
  return count;
}

State settled(const Model& model, const Params& params, const Buffer<Vec3>& start, double h, int steps) {
  State state = make_state(model, start), to = state;
  Work work;
  for (int n = 0; n < steps; ++n) {
    const StepReport report = step(model, params, weightless(), nth_step(h, n), state, to, work);
    EXPECT_TRUE(report.ok) << report.trouble;
    if (!report.ok) break;
    state = to;
  }
  return state;
}

Params soft() {
  Params params;
  params.inversion_guard = 0;
  params.stiffness = 2e4;
  params.damping = 0.3;
  return params;
}

TEST(AltitudeSprings, AFlattenedBlockRecoversWithImplicitAndExplicitIntegrators) {
  const Model model = block(2);
  Params params = soft();
  for (const Integrator integrator :
       {Integrator::implicit_euler, Integrator::symplectic_euler, Integrator::newmark}) {
    params.integrator = integrator;
    Buffer<Vec3> x = shaken(block_positions(), 0.01);
    for (Vec3& p : x) p.y() = 0;
    const double h = std::min(1.0 / 60, 0.3 * step_limit(model, params, make_state(model, x)));
    const State end = settled(model, params, x, h, static_cast<int>(5 / h));
    EXPECT_EQ(inverted(model.altitudes, end), 0u) << name_of(integrator);
    EXPECT_LT(shape_error(model, end), 0.01) << name_of(integrator);
  }
}

// Of a mirrored block the corners can fold instead; a ball has none.
TEST(AltitudeSprings, ABallTurnedInsideOutRecovers) {
  const geometry::TetMesh ball = geometry::tet_ball({.divisions = 2});
  const Model model = from_tets(ball, 1000, {.altitude_factor = 1});
  Buffer<Vec3> x = shaken(ball.positions, 0.001);
  for (Vec3& p : x) p = -p;
  ASSERT_EQ(inverted(model.altitudes, make_state(model, x)), ball.tets.size());
  const State end = settled(model, soft(), x, 1.0 / 60, 300);
  EXPECT_EQ(inverted(model.altitudes, end), 0u);
  EXPECT_LT(shape_error(model, end), 0.01);
}

TEST(AltitudeSprings, AFlattenedShellRecoversByAxialBendingWhereBendingSpringsAloneDoNot) {
  // A cap of a sphere, pressed into its plane.
  geometry::SheetShape shape;
  shape.divisions = {8, 8};
  geometry::TriangleMesh cap = geometry::sheet(shape);
  for (Vec3& p : cap.positions) p.y() = 0.4 - 0.8 * p.squaredNorm();
  Buffer<Vec3> flat;
  flat.copy_from(cap.positions.data(), cap.positions.size());
  for (Vec3& p : flat) p.y() = 0;
  auto height = [](const State& state) {
    double lowest = 1e9, highest = -1e9;
    for (const Vec3& p : state.positions)
      lowest = std::min(lowest, p.y()), highest = std::max(highest, p.y());
    return highest - lowest;
  };
  const double before = 0.4;
  Params params;
  params.stiffness = 200;
  params.damping = 0.3;
  const Model with = from_triangles(cap, 0.2, 0.1, {.altitude_factor = 0.5});
  const Model without = from_triangles(cap, 0.2, 0.1);
  EXPECT_NEAR(height(settled(with, params, flat, 1.0 / 60, 300)), before, 0.01 * before);
  EXPECT_EQ(height(settled(without, params, flat, 1.0 / 60, 300)), 0) << "nothing leaves the plane by itself";
}

TEST(AltitudeSprings, AFlatSheetIsAtRestWithAxialBending) {
  const geometry::TriangleMesh sheet = geometry::sheet({});
  const Model model = from_triangles(sheet, 0.2, 0.1, {.altitude_factor = 1});
  State state = make_state(model, sheet.positions);
  Work work;
  Buffer<Vec4> f;
  accumulate_forces(model, {}, state.positions, state.velocities, f, work);
  for (const Vec4& force : f) EXPECT_LT(force.norm(), 1e-10);
}

TEST(AltitudeSprings, OneAndTwoThreadsAndPoisonedScratchGiveTheSameBits) {
  const Model model = block(1, 5);
  Params params;
  const Buffer<Vec3> start = shaken(block_positions(5), 0.1);
  std::vector<Hash128> hashes;
  for (const int variant : {0, 1, 2}) {
    set_thread_count(variant == 1 ? 2 : 1);
    State state = make_state(model, start), to = state;
    Work work;
    for (int n = 0; n < 5; ++n) {
      if (variant == 2) poison(work);
      ASSERT_TRUE(step(model, params, weightless(), nth_step(0.01, n), state, to, work).ok);
      state = to;
    }
    Hasher hasher;
    add_to_hash(hasher, arrays_of(state));
    hashes.push_back(hasher.value());
  }
  set_thread_count(0);
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

}  // namespace
}  // namespace selkie::mass_spring
