// Exact discrete facts of advection: one-step stencils, damping of a Fourier mode, whole shifts, rays.
#include "selkie/grid/advect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/grid/sample.h"
#include "unit/grid/carried_field.h"

namespace selkie::grid {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

// A periodic line of n cells of size 1, speed 1, step λ, with an impulse at cell `spike`.
Carried<double> impulse(int n, double lambda, int spike) {
  Carried<double> line(Shape(2, {n, 1, 1}, 1.0), Place::cell, lambda);
  line.flow.periodic = {true, true, false};
  line.set_velocity([](const Vec3&) { return Vec3(1, 0, 0); });
  line.set_field([&](const Vec3& x) { return x.x() > spike && x.x() < spike + 1 ? 1.0 : 0.0; });
  return line;
}

// The weight of cell i−shift in the new value at i equals the response at spike+shift to an impulse.
void expect_stencil(Scheme scheme, double lambda, int first, const std::vector<double>& weights) {
  Carried<double> line = impulse(40, lambda, 20);
  line.step({scheme, Limiter::none, Trace::euler});
  for (int i = 0; i < 40; ++i) {
    const int shift = i - 20 - first;
    const bool inside = shift >= 0 && shift < static_cast<int>(weights.size());
    // A dozen operations on numbers of order one.
    EXPECT_NEAR(line.at(i), inside ? weights[static_cast<std::size_t>(shift)] : 0, 12 * kEps)
        << "cell " << i << ", λ " << lambda;
  }
}

TEST(Advect, BfeccHasItsFourPointStencilForShortSteps) {
  for (const double l : {0.1, 0.375, 0.5, 0.75, 0.9})
    for (const Scheme scheme : {Scheme::bfecc, Scheme::upwind_bfecc})
      // From i+1 (response one cell upstream of the impulse) to i−2.
      expect_stencil(scheme, l, -1,
                     {-l / 2 + l * l - l * l * l / 2, 1 - 2.5 * l * l + 1.5 * l * l * l,
                      l / 2 + 2 * l * l - 1.5 * l * l * l, -l * l / 2 + l * l * l / 2});
}

TEST(Advect, MacCormackIsLaxWendroffForShortSteps) {
  for (const double l : {0.1, 0.375, 0.5, 0.75, 0.9})
    for (const Scheme scheme : {Scheme::maccormack, Scheme::upwind_maccormack})
      expect_stencil(scheme, l, -1, {-l / 2 + l * l / 2, 1 - l * l, l / 2 + l * l / 2});
}

TEST(Advect, SemiLagrangianIsUpwindForShortSteps) {
  for (const double l : {0.1, 0.5, 0.9})
    for (const Scheme scheme : {Scheme::semi_lagrangian, Scheme::upwind})
      expect_stencil(scheme, l, 0, {1 - l, l});
}

TEST(Advect, UpwindTakesTheDownstreamNeighbourWhenTheFlowTurns) {  // erratum E1
  Carried<double> line = impulse(16, 0.25, 8);
  line.set_velocity([](const Vec3&) { return Vec3(-1, 0, 0); });
  line.step({Scheme::upwind, Limiter::none, Trace::euler});
  EXPECT_DOUBLE_EQ(line.at(7), 0.25);
  EXPECT_DOUBLE_EQ(line.at(8), 0.75);
  EXPECT_DOUBLE_EQ(line.at(9), 0);
}

TEST(Advect, AFourierModeShrinksByTheExactFactor) {  // RT-50
  const int n = 32;
  for (const double lambda : {0.3, 1.7, 5.45}) {
    for (const int wave : {1, 3, 9}) {
      const double k = 2 * std::numbers::pi * wave / n, alpha = lambda - std::floor(lambda);
      Carried<double> line(Shape(2, {n, 1, 1}, 1.0), Place::cell, lambda);
      line.flow.periodic = {true, true, false};
      line.set_velocity([](const Vec3&) { return Vec3(1, 0, 0); });
      line.set_field([&](const Vec3& x) { return std::cos(k * x.x()); });
      line.step({Scheme::semi_lagrangian, Limiter::none, Trace::euler});
      // Project on the mode.
      std::complex<double> amplitude = 0;
      for (int i = 0; i < n; ++i) amplitude += line.at(i) * std::polar(2.0 / n, -k * (i + 0.5));
      const double expected = std::abs(1 - alpha + alpha * std::polar(1.0, -k));
      EXPECT_NEAR(std::abs(amplitude), expected, 40 * kEps) << "λ " << lambda << ", wave " << wave;
    }
  }
}

// Steps of whole cells move values without touching their bits, for every scheme with rays and every place.
template <class T>
void expect_whole_shifts() {
  for (const Place place : kPlaces)
    for (const Scheme scheme : kLongRays)
      for (const Trace trace : {Trace::euler, Trace::midpoint}) {
        Carried<T> box(Shape(3, {24, 20, 18}, 0.5), place, 0.25);
        box.flow.periodic = {true, true, true};
        box.set_velocity([](const Vec3&) { return Vec3(4, -2, 6); });  // shifts by 2, −1 and 3 cells
        std::uint64_t n = 0;
        for (T& v : box.field) v = random_value<T>(n++);
        box.step({scheme, Limiter::none, trace});
        for (int k = 0; k < 18; ++k)
          for (int j = 0; j < 20; ++j)
            for (int i = 0; i < 24; ++i)
              ASSERT_EQ(box.at(i, j, k), box.before((i + 22) % 24, (j + 1) % 20, (k + 15) % 18));
      }
}
TEST(Advect, WholeCellsAreShiftedExactly) {
  expect_whole_shifts<double>();
  expect_whole_shifts<float>();
}

TEST(Advect, SemiLagrangianIsInterpolationAtTheEndOfTheRay) {
  for (const int dims : {2, 3})
    for (const Place place : kPlaces) {
      if (dims == 2 && place == Place::face_z) continue;
      for (const Trace trace : {Trace::euler, Trace::midpoint}) {
        Carried<double> box = swirl<double>(dims, place, 3.1);
        box.step({Scheme::semi_lagrangian, Limiter::none, trace});
        const Lattice lattice(box.shape, place);
        const Carried<double>& read = box;
        box.each([&](int i, int j, int k) {
          const Vec3 x = box.shape.position(place, i, j, k);
          auto velocity = [&](const Vec3& at) { return velocity_at(box.shape, box.flow.velocity, at); };
          const Vec3 mid = x - 0.5 * box.flow.dt * velocity(x);
          const Vec3 end = x - box.flow.dt * velocity(trace == Trace::euler ? x : mid);
          // World coordinates lose some bits against those relative to the sample.
          ASSERT_NEAR(box.at(i, j, k), interpolate(view(box.shape, read.field), lattice, end), 1e-12);
        });
      }
    }
}

TEST(Advect, AConstantStaysConstantInEveryBit) {
  for (const Place place : kPlaces)
    for (const Scheme scheme : {Scheme::semi_lagrangian, Scheme::bfecc, Scheme::maccormack, Scheme::upwind}) {
      Carried<float> box = swirl<float>(3, place, 2.7);
      box.set_field([](const Vec3&) { return 0.1; });
      box.step({scheme, Limiter::none, Trace::midpoint});
      box.each([&](int i, int j, int k) { ASSERT_EQ(box.at(i, j, k), 0.1f); });
    }
}

TEST(Advect, TwoDimensionsEqualThreeWithNothingAlongZ) {
  for (const Place place : {Place::cell, Place::face_x, Place::face_y, Place::node})
    for (const Scheme scheme :
         {Scheme::semi_lagrangian, Scheme::bfecc, Scheme::maccormack, Scheme::upwind_maccormack})
      for (const Trace trace : {Trace::euler, Trace::midpoint}) {
        auto prepare = [&](Carried<double>& box) {
          box.set_velocity([](const Vec3& x) { return Vec3(std::sin(2 * x.y()), std::cos(3 * x.x()), 0); });
          box.set_field([](const Vec3& x) { return std::sin(9 * x.x() + 1) * std::cos(11 * x.y()); });
          box.step({scheme, Limiter::clamp, trace});
        };
        const double dt = scheme == Scheme::upwind_maccormack ? 0.04 : 0.23;
        Carried<double> flat(Shape(2, {35, 21, 1}, 0.1), place, dt);
        Carried<double> solid(Shape(3, {35, 21, 5}, 0.1), place, dt);
        prepare(flat);
        prepare(solid);
        flat.each([&](int i, int j, int) {
          for (int k = 0; k < 5; ++k)
            ASSERT_EQ(flat.at(i, j), solid.at(i, j, k)) << i << " " << j << " " << k;
        });
      }
}

TEST(Advect, FloatFollowsDoubleFarFromTheOriginOfTheGrid) {
  // Displacements are relative to the sample, so the difference is the rounding of the data, of a
  // displacement of 3 cells times the field's slope of about 1 per cell, and of some ten operations.
  Carried<float> narrow(Shape(2, {3000, 4, 1}, 1.0), Place::cell, 3.3);
  Carried<double> wide(Shape(2, {3000, 4, 1}, 1.0), Place::cell, 3.3);
  auto run = [](auto& box) {
    box.flow.periodic = {true, true, false};
    box.set_velocity([](const Vec3& x) { return Vec3(1 + 0.1 * std::sin(0.01 * x.x()), 0.2, 0); });
    box.set_field([](const Vec3& x) { return std::sin(x.x()); });
    box.step({Scheme::maccormack, Limiter::none, Trace::euler});
  };
  run(narrow);
  run(wide);
  const double eps = std::numeric_limits<float>::epsilon();
  wide.each([&](int i, int j, int k) { ASSERT_NEAR(narrow.at(i, j, k), wide.at(i, j, k), 20 * eps); });
}

TEST(Advect, TheMidpointTraceFollowsARotationToSecondOrder) {
  // The path through the mid-point velocity of a rigid rotation by angle a misses the circle by a³/6 of the
  // radius at most along each axis; the straight one by a²/2.
  const double angle = 0.4;
  Carried<double> box(Shape(2, {64, 64, 1}, 1.0 / 64, Vec3(-0.5, -0.5, 0)), Place::node, angle);
  box.set_velocity([](const Vec3& x) { return Vec3(-x.y(), x.x(), 0); });
  box.set_field([](const Vec3& x) { return x.x() - 2 * x.y(); });  // reproduced exactly by interpolation
  box.step({Scheme::semi_lagrangian, Limiter::none, Trace::midpoint});
  for (int j = 20; j <= 44; ++j)
    for (int i = 20; i <= 44; ++i) {
      const Vec3 x = box.shape.position(Place::node, i, j, 0);
      const Vec3 half = x - 0.5 * angle * Vec3(-x.y(), x.x(), 0);
      const Vec3 end = x - angle * Vec3(-half.y(), half.x(), 0);
      ASSERT_NEAR(box.at(i, j), end.x() - 2 * end.y(), 64 * kEps);
    }
}

TEST(Advect, RaysThatLeaveTheGridEndAtItsOutermostSamples) {
  Carried<double> box(Shape(3, {9, 8, 7}, 1.0), Place::node, 50);
  box.set_velocity([](const Vec3&) { return Vec3(1, -1, 1); });
  std::uint64_t n = 0;
  for (double& v : box.field) v = random_value<double>(n++);
  box.step({Scheme::semi_lagrangian, Limiter::none, Trace::midpoint});
  box.each([&](int i, int j, int k) { ASSERT_EQ(box.at(i, j, k), box.before(0, 8, 0)); });
}

TEST(Advect, GridsOfOneCellWork) {
  for (const Place place : kPlaces)
    for (const Scheme scheme : {Scheme::bfecc, Scheme::maccormack, Scheme::upwind}) {
      Carried<double> box(Shape(3, {1, 1, 1}, 1.0), place, 0.3);
      box.field.assign(box.shape.size(), std::numeric_limits<double>::quiet_NaN());  // ghosts
      box.set_velocity([](const Vec3&) { return Vec3(0.5, -0.5, 0.25); });
      box.each([&](int i, int j, int k) { view(box.shape, box.field)(i, j, k) = 2; });
      box.step({scheme, Limiter::clamp, Trace::midpoint});
      box.each([&](int i, int j, int k) { ASSERT_EQ(box.at(i, j, k), 2); });
    }
}

TEST(Advect, AVelocityThatIsNotFiniteShows) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const Scheme scheme : {Scheme::semi_lagrangian, Scheme::maccormack, Scheme::upwind}) {
      Carried<double> box = swirl<double>(3, Place::cell, 0.5);
      view(box.shape, box.velocity.component[1])(20, 11, 9) = bad;
      box.step({scheme, Limiter::none, Trace::euler});
      EXPECT_FALSE(std::isfinite(box.at(20, 11, 9)));
      EXPECT_TRUE(std::isfinite(box.at(5, 5, 5)));
    }
}

TEST(Advect, EachVelocityComponentIsCarriedAsAFieldOfItsPlace) {
  Carried<float> box = swirl<float>(3, Place::cell, 2.2);
  FaceField<float> out;
  out.assign(box.shape);
  const AdvectOptions options{Scheme::maccormack, Limiter::clamp, Trace::euler};
  box.step(options);  // sets the views
  advect_velocity(box.shape, options, box.flow, box.flow.velocity, view(box.shape, out), box.work);
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    Carried<float> one = box;
    one.place = face_place(axis);
    one.field = box.velocity.component[a];
    one.step(options);
    one.each(
        [&](int i, int j, int k) { ASSERT_EQ(one.at(i, j, k), view(box.shape, out.component[a])(i, j, k)); });
  }
}

}  // namespace
}  // namespace selkie::grid
