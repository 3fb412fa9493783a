// Markers: where they are born, how they move, what they repair, and that order and scratch do not matter.
#include "selkie/grid/particle_level_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "selkie/core/state_arrays.h"
#include "selkie/grid/loops.h"

namespace selkie::grid {
namespace {

Vec3 centre(int dims) { return {0.5, 0.51, dims == 3 ? 0.49 : 0}; }
constexpr double kRadius = 0.3;

template <class T>
struct Ball {
  Shape shape;
  Buffer<T> phi;
  Markers<T> markers;
  MarkerParams params;
  MarkerWork<T> work;

  Ball(int dims, int n) : shape(dims, {n, n, n}, 1.0 / n) {
    fill(shape, Place::cell, phi, [&](const Vec3& x) { return (x - centre(dims)).norm() - kRadius; });
  }
  SeedReport reseed() {
    return reseed_markers<T>(shape, Place::cell, params, view(shape, std::as_const(phi)), markers, work);
  }
  double volume() const { return enclosed_volume(shape, Place::cell, view(shape, std::as_const(phi))); }
};

TEST(Markers, FillTheBandOnBothSidesWithTheSideAndRadiusOfTheirPlace) {
  for (const int dims : {2, 3}) {
    Ball<double> ball(dims, 32);
    const SeedReport report = ball.reseed();
    EXPECT_EQ(report.added, ball.markers.size());
    int cells = 0;
    for (int k = 0; k < ball.shape.cells()[2]; ++k)
      for (int j = 0; j < 32; ++j)
        for (int i = 0; i < 32; ++i)
          cells += std::abs(view(ball.shape, ball.phi)(i, j, k)) <= 3.0 / 32 ? 1 : 0;
    EXPECT_EQ(ball.markers.size(), std::size_t(cells) * (dims == 2 ? 16 : 64));
    for (std::size_t p = 0; p < ball.markers.size(); ++p) {
      const double d = (ball.markers.positions[p] - centre(dims)).norm() - kRadius;
      if (std::abs(d) > 1e-3) {  // interpolation bends φ by that much
        EXPECT_EQ(ball.markers.outer[p], d < 0 ? 0 : 1);
      }
      EXPECT_NEAR(ball.markers.radii[p], std::clamp(std::abs(d), 0.1 / 32, 0.5 / 32), 2e-3);
      EXPECT_LT(std::abs(d), 4.0 / 32);
    }
  }
}

TEST(Markers, MoveOnCirclesAtTheOrderOfTheirRule) {
  for (const MarkerMotion motion : {MarkerMotion::rk2, MarkerMotion::rk3}) {
    double errors[2];
    for (const int level : {0, 1}) {
      Markers<double> markers;
      markers.positions = {Vec3(1, 0, 0)};
      const int steps = 40 << level;
      for (int n = 0; n < steps; ++n)
        move_markers(
            motion,
            [](const Vec3& x, double t) { return Vec3(Vec3(-x.y(), x.x(), 0) * (1 + 0.5 * std::cos(t))); },
            2.0 * n / steps, 2.0 / steps, markers);
      const double angle = 2 + 0.5 * std::sin(2.0);
      errors[level] = (markers.positions[0] - Vec3(std::cos(angle), std::sin(angle), 0)).norm();
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), motion == MarkerMotion::rk2 ? 2 : 3, 0.2);
  }
}

TEST(Markers, FollowAStaggeredVelocityThatIsLinearExactly) {
  const Shape shape(2, {16, 16, 1}, 1.0 / 16);
  FaceField<float> velocity;
  velocity.assign(shape);
  fill(shape, Place::face_x, velocity.component[0], [](const Vec3& x) { return 1 + x.y(); });
  fill(shape, Place::face_y, velocity.component[1], [](const Vec3& x) { return x.x(); });
  Markers<float> markers;
  markers.positions = {Vec3f(0.4f, 0.5f, 0)};
  move_markers(shape, MarkerMotion::rk2, view(shape, std::as_const(velocity)), 0.1, markers);
  // k2 = u(0.4 + 0.05 · 1.5, 0.5 + 0.05 · 0.4) = (1.52, 0.475)
  EXPECT_NEAR(markers.positions[0].x(), 0.552, 1e-6);
  EXPECT_NEAR(markers.positions[0].y(), 0.5475, 1e-6);
}

TEST(Correction, LeavesAnUndisturbedLevelSetAlone) {
  Ball<float> ball(3, 24);
  ball.reseed();
  const Buffer<float> before = ball.phi;
  const CorrectionReport report =
      correct_level_set(ball.shape, Place::cell, ball.markers, view(ball.shape, ball.phi), ball.work);
  EXPECT_EQ(report.escaped, 0u);
  EXPECT_EQ(ball.phi, before);
}

TEST(Correction, RestoresABallThatShrankOrGrew) {
  for (const int dims : {2, 3})
    for (const double shift : {-0.8, 0.8}) {
      Ball<double> ball(dims, 32);
      ball.reseed();
      const double right = ball.volume();
      for (double& value : ball.phi) value += shift / 32;
      const double wrong = ball.volume();
      const CorrectionReport report = keep_level_set(ball.shape, Place::cell, ball.params, {}, ball.markers,
                                                     view(ball.shape, ball.phi), ball.work);
      EXPECT_GT(report.escaped, 0u);
      EXPECT_GT(report.corrected, 0u);
      // A marker tells a sample its distance only if it stands on the way from it to the surface; with these
      // many markers a third of the shift is left (measured 0.22 to 0.31).
      EXPECT_LT(std::abs(ball.volume() - right), 0.4 * std::abs(wrong - right)) << dims << " " << shift;
    }
}

TEST(Correction, HasTheSameBitsForAnyNumberOfThreadsAndAnyScratch) {
  auto run = [](int threads, bool poisoned) {
    set_thread_count(threads);
    Ball<float> ball(3, 20);
    for (int round = 0; round < 3; ++round) {
      if (poisoned) {
        ball.work = {};
        ball.work.outer_phi.assign(ball.shape.size(), std::numeric_limits<float>::quiet_NaN());
        ball.work.inner_phi = ball.work.outer_phi;
        ball.work.ranks.assign(7, std::numeric_limits<double>::quiet_NaN());
        ball.work.starts.assign(3, 99), ball.work.order.assign(5, 99);
      }
      ball.reseed();
      move_markers(
          MarkerMotion::rk3,
          [](const Vec3& x, double t) { return Vec3(std::sin(9 * x.y() + t), std::cos(8 * x.z()), 0.3); },
          0.1, 0.03, ball.markers);
      keep_level_set(ball.shape, Place::cell, ball.params, {}, ball.markers, view(ball.shape, ball.phi),
                     ball.work);
    }
    set_thread_count(0);
    Hasher hasher;
    add_to_hash(hasher, arrays_of(ball.markers));
    return std::pair(hasher.value(), ball.phi);
  };
  const auto one = run(1, false);
  EXPECT_EQ(one, run(2, false));
  EXPECT_EQ(one, run(7, true));
}

TEST(Reseeding, FillsWhatLacksThinsWhatCrowdsAndKeepsTheEscaped) {
  Ball<double> ball(2, 32);
  ball.reseed();
  const std::size_t full = ball.markers.size();
  // Nothing to do: nothing happens, and no marker moves.
  const Buffer<Vec3> before = ball.markers.positions;
  SeedReport report = ball.reseed();
  EXPECT_EQ(report.added + report.deleted, 0u);
  EXPECT_EQ(ball.markers.positions, before);
  // A crowd in one cell, one marker far off, one outside the grid, one escaped.
  const Vec3 crowded = centre(2) + Vec3(kRadius + 0.01, 0, 0),
             escaped = centre(2) + Vec3(0, kRadius + 1.5 / 32, 0);
  auto add = [&](const Vec3& x, std::uint8_t outer) {
    ball.markers.positions.push_back(x), ball.markers.radii.push_back(0.1 / 32);
    ball.markers.outer.push_back(outer), ball.markers.identities.push_back(1000000);
  };
  for (int n = 0; n < 10; ++n) add(crowded, 1);
  add(centre(2), 0), add(Vec3(-0.01, 0.5, 0), 1), add(escaped, 0);
  report = ball.reseed();
  EXPECT_EQ(report.left, 1u);
  // The crowd, the two strays, and one for whom the escaped marker left no room.
  EXPECT_EQ(report.deleted, 13u);
  EXPECT_EQ(ball.markers.size(), full);
  bool is_there = false;
  for (std::size_t p = 0; p < ball.markers.size(); ++p)
    is_there = is_there || (ball.markers.positions[p] == escaped && ball.markers.outer[p] == 0);
  EXPECT_TRUE(is_there);
}

TEST(Markers, StayOutOfSolidsAtTheirOwnDistance) {
  Ball<double> ball(3, 16);
  ball.reseed();
  push_markers_out(
      ball.shape,
      [](const Vec3& x) {
        return SolidAt{x.y() - 0.5, Vec3::UnitY()};
      },
      ball.markers);
  for (std::size_t p = 0; p < ball.markers.size(); ++p)
    if (ball.markers.outer[p] == 0) {
      EXPECT_GE(ball.markers.positions[p].y(), 0.5 + 0.1 / 16 - 1e-12);
    }
}

}  // namespace
}  // namespace selkie::grid
