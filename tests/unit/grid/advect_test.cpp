// Exact discrete facts of advection: one-step stencils, damping of a Fourier mode, whole shifts, bounds.
#include "selkie/grid/advect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/core/random.h"
#include "selkie/grid/loops.h"
#include "selkie/grid/sample.h"

namespace selkie::grid {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

// A field and the flow that carries it.
template <class T>
struct Carried {
  Shape shape;
  Place place = Place::cell;
  FaceField<T> velocity;
  Buffer<T> field, result;
  Flow<T> flow;
  AdvectWork<T> work;

  Carried(const Shape& s, Place at, double dt) : shape(s), place(at) {
    velocity.assign(shape);
    field.assign(shape.size(), T(0));
    // What is not written, and ghosts that are not wrapped, must not matter.
    result.assign(shape.size(), std::numeric_limits<T>::quiet_NaN());
    work.field.assign(shape.size(), std::numeric_limits<T>::quiet_NaN());
    flow.dt = dt;
  }
  template <class Velocity>
  void set_velocity(Velocity&& u) {
    for (int axis = 0; axis < shape.dims(); ++axis)
      fill(shape, face_place(axis), velocity.component[static_cast<std::size_t>(axis)],
           [&](const Vec3& x) { return u(x)[axis]; });
  }
  template <class Value>
  void set_field(Value&& value) {
    fill(shape, place, field, value);
  }
  void step(const AdvectOptions& options) {
    const Carried& read = *this;
    for (int axis = 0; axis < shape.dims(); ++axis)
      wrap(shape, flow.periodic, view(shape, velocity.component[static_cast<std::size_t>(axis)]));
    wrap(shape, flow.periodic, view(shape, field));
    flow.velocity = view(shape, read.velocity);
    advect(shape, place, options, flow, view(shape, read.field), view(shape, result), work);
  }
  T at(int i, int j = 0, int k = 0) const { return view(shape, result)(i, j, k); }
  T before(int i, int j = 0, int k = 0) const { return view(shape, field)(i, j, k); }
  template <class Visit>
  void each(Visit&& visit) const {
    const Index n = shape.samples(place);
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i) visit(i, j, k);
  }
};

// A periodic line of n cells of size 1, speed 1, step λ, with an impulse at cell `spike`.
Carried<double> impulse(int n, double lambda, int spike) {
  Carried<double> line(Shape(2, {n, 1, 1}, 1.0), Place::cell, lambda);
  line.flow.periodic = {true, true, false};
  line.set_velocity([](const Vec3&) { return Vec3(1, 0, 0); });
  line.set_field([&](const Vec3& x) { return x.x() > spike && x.x() < spike + 1 ? 1.0 : 0.0; });
  return line;
}

// Random values in (−1, 1) from a counter.
template <class T>
T random_value(std::uint64_t n) {
  return static_cast<T>(random_uniform(7, 0, n, -1, 1));
}

// A swirling flow with an unsteady look, and a rough field, on a box of unequal sides.
template <class T>
Carried<T> swirl(int dims, Place place, double cfl, Index cells = {37, 22, 19}) {
  const Shape shape(dims, cells, 0.1, Vec3(-1, 2, 0.5));
  Carried<T> box(shape, place, 0.1 * cfl);
  box.set_velocity([](const Vec3& x) {
    return Vec3(std::sin(2 * x.y() + 1), std::cos(3 * x.x()), 0.5 * std::sin(4 * x.x() + x.y()));
  });
  std::uint64_t n = 0;
  for (T& v : box.field) v = random_value<T>(n++);
  return box;
}

constexpr Place kPlaces[] = {Place::cell, Place::face_x, Place::face_y, Place::face_z, Place::node};
constexpr Scheme kLongRays[] = {Scheme::semi_lagrangian, Scheme::bfecc, Scheme::maccormack};

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

// Bounds must hold to the last bit, whatever the flow.
template <class T>
void expect_bounded(int dims) {
  for (const Place place : kPlaces) {
    if (dims == 2 && place == Place::face_z) continue;
    for (const Scheme scheme : kLongRays)
      for (const Limiter limiter : {Limiter::clamp, Limiter::revert})
        for (const double cfl : {0.7, 3.3, 100.0}) {
          Carried<T> box = swirl<T>(dims, place, cfl);
          T lo = 1, hi = -1;
          box.each([&](int i, int j, int k) {
            lo = std::min(lo, box.before(i, j, k)), hi = std::max(hi, box.before(i, j, k));
          });
          for (int repeat = 0; repeat < 3; ++repeat) {
            box.step({scheme, limiter, repeat == 1 ? Trace::midpoint : Trace::euler});
            box.each([&](int i, int j, int k) {
              ASSERT_GE(box.at(i, j, k), lo);
              ASSERT_LE(box.at(i, j, k), hi);
            });
            box.field = box.result;
          }
        }
  }
}
TEST(Advect, ValuesNeverLeaveTheirRangeEvenAtCflHundred) {
  expect_bounded<float>(2);
  expect_bounded<float>(3);
  expect_bounded<double>(3);
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

TEST(Advect, OneAndTwoThreadsGiveTheSameBits) {
  for (const Scheme scheme : {Scheme::semi_lagrangian, Scheme::bfecc, Scheme::maccormack}) {
    auto run = [&](int threads) {
      set_thread_count(threads);
      Carried<float> box = swirl<float>(3, Place::face_y, 4.1, {70, 50, 40});
      box.step({scheme, Limiter::revert, Trace::midpoint});
      set_thread_count(0);
      std::vector<float> values;
      box.each([&](int i, int j, int k) { values.push_back(box.at(i, j, k)); });
      return values;
    };
    EXPECT_EQ(run(1), run(2));
  }
}

TEST(Advect, ClampTakesTheNearestBoundAndRevertTheFirstOrderValue) {
  // A step from 0 to 1 with λ = 1/4: MacCormack undershoots behind and overshoots ahead of it.
  auto run = [](Scheme scheme, Limiter limiter) {
    Carried<double> line(Shape(2, {32, 1, 1}, 1.0), Place::cell, 0.25);
    line.flow.periodic = {true, true, false};
    line.set_velocity([](const Vec3&) { return Vec3(1, 0, 0); });
    line.set_field([](const Vec3& x) { return x.x() > 8 && x.x() < 20 ? 1.0 : 0.0; });
    line.step({scheme, limiter, Trace::euler});
    return line;
  };
  for (const Scheme scheme : {Scheme::maccormack, Scheme::bfecc}) {
    const Carried<double> free = run(scheme, Limiter::none), clamped = run(scheme, Limiter::clamp),
                          reverted = run(scheme, Limiter::revert),
                          first = run(Scheme::semi_lagrangian, Limiter::none);
    int outside = 0;
    for (int i = 0; i < 32; ++i) {
      // The first ray of cell i reads cells i−1 and i at time n.
      const double a = free.before((i + 31) % 32), b = free.before(i);
      const double lo = std::min(a, b), hi = std::max(a, b);
      const bool is_outside = free.at(i) < lo || free.at(i) > hi;
      outside += is_outside ? 1 : 0;
      EXPECT_EQ(clamped.at(i), std::clamp(free.at(i), lo, hi));
      EXPECT_EQ(reverted.at(i), is_outside ? first.at(i) : free.at(i));
    }
    EXPECT_GE(outside, 2);
  }
}

TEST(Advect, MarkedCellsTakeTheFirstOrderValueAndNoOthers) {
  for (const Place place : kPlaces)
    for (const Scheme scheme : {Scheme::bfecc, Scheme::maccormack}) {
      Carried<float> box = swirl<float>(3, place, 1.4);
      Buffer<std::uint8_t> marks(box.shape.size(), 0);
      // Marks in ghosts must not count.
      for (int j = 0; j < 22; ++j) view(box.shape, marks)(-1, j, 3) = 1;
      mark_near_side(box.shape, 1, false, 2, view(box.shape, marks));
      view(box.shape, marks)(36, 10, 7) = 1;
      view(box.shape, marks)(16, 12, 18) = 1;
      Carried<float> first = box, second = box;
      first.step({Scheme::semi_lagrangian, Limiter::none, Trace::euler});
      second.step({scheme, Limiter::none, Trace::euler});
      const Buffer<std::uint8_t>& read = marks;
      const View<const std::uint8_t> marked = view(box.shape, read);
      box.flow.first_order = marked;
      box.step({scheme, Limiter::none, Trace::euler});
      const Index cells = box.shape.cells();
      box.each([&](int i, int j, int k) {
        bool touches = false;
        for (int c = 0; c < 8; ++c) {
          const int x = i - (place == Place::face_x || place == Place::node ? c & 1 : 0);
          const int y = j - (place == Place::face_y || place == Place::node ? c >> 1 & 1 : 0);
          const int z = k - (place == Place::face_z || place == Place::node ? c >> 2 & 1 : 0);
          if (x < 0 || y < 0 || z < 0 || x >= cells[0] || y >= cells[1] || z >= cells[2]) continue;
          touches = touches || marked(x, y, z) != 0;
        }
        ASSERT_EQ(box.at(i, j, k), touches ? first.at(i, j, k) : second.at(i, j, k))
            << i << " " << j << " " << k;
      });
    }
}

TEST(Advect, CellsNearASolidAreMarkedByDistance) {
  const Shape shape(2, {20, 20, 1}, 0.1);
  Buffer<double> distance;
  fill(shape, Place::cell, distance, [](const Vec3& x) { return (x - Vec3(1, 1, 0)).norm() - 0.3; });
  Buffer<std::uint8_t> marks(shape.size(), 0);
  const Buffer<double>& read = distance;
  mark_near_solids(shape, view(shape, read), 0.2, view(shape, marks));
  for (int j = 0; j < 20; ++j)
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(view(shape, marks)(i, j, 0) != 0, view(shape, read)(i, j, 0) <= 0.2);
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
