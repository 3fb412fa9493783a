// Limiters, first-order zones and bounds of advection; every scheme and limiter beside a plain loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "selkie/core/parallel.h"
#include "unit/grid/carried_field.h"

namespace selkie::grid {
namespace {

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
TEST(AdvectLimiter, ValuesNeverLeaveTheirRangeEvenAtCflHundred) {
  for (const int dims : {2, 3}) {
    expect_bounded<float>(dims);
    expect_bounded<double>(dims);
  }
}

// Upwind differences are a mean of their samples while Σ|u_a| Δt/Δx ≤ 1, here at most 0.75. They are summed,
// so that first order keeps the range to an ulp per axis, and so does what reverts to it; clamping keeps it
// exactly.
TEST(AdvectLimiter, UpwindBlocksKeepTheRangeToo) {
  for (const int dims : {2, 3})
    for (const Scheme scheme : {Scheme::upwind, Scheme::upwind_bfecc, Scheme::upwind_maccormack})
      for (const Limiter limiter : {Limiter::clamp, Limiter::revert}) {
        Carried<float> box = swirl<float>(dims, Place::node, 0.3);
        float lo = 1, hi = -1;
        box.each([&](int i, int j, int k) {
          lo = std::min(lo, box.before(i, j, k)), hi = std::max(hi, box.before(i, j, k));
        });
        const bool exact = scheme != Scheme::upwind && limiter == Limiter::clamp;
        const float slack = exact ? 0 : float(dims) * std::numeric_limits<float>::epsilon();
        box.step({scheme, limiter, Trace::euler});
        box.each([&](int i, int j, int k) {
          ASSERT_GE(box.at(i, j, k), lo - slack);
          ASSERT_LE(box.at(i, j, k), hi + slack);
        });
      }
}

// All bits, for every combination.
template <class T>
void expect_same_bits_for_two_threads(int dims) {
  const Index cells = dims == 2 ? Index{300, 120, 1} : Index{70, 50, 40};  // several blocks of rows
  for (const Scheme scheme : kSchemes)
    for (const Limiter limiter : kLimiters)
      for (const Trace trace : {Trace::euler, Trace::midpoint}) {
        Carried<T> box = swirl<T>(dims, Place::face_y, scheme >= Scheme::upwind ? 0.3 : 4.1, cells);
        auto run = [&](int threads) {
          set_thread_count(threads);
          box.step({scheme, limiter, trace});
          set_thread_count(0);
          std::vector<T> values;
          box.each([&](int i, int j, int k) { values.push_back(box.at(i, j, k)); });
          return values;
        };
        EXPECT_EQ(run(1), run(2)) << int(scheme) << " " << int(limiter) << " " << int(trace);
      }
}
TEST(AdvectLimiter, OneAndTwoThreadsGiveTheSameBits) {
  for (const int dims : {2, 3}) {
    expect_same_bits_for_two_threads<float>(dims);
    expect_same_bits_for_two_threads<double>(dims);
  }
}

TEST(AdvectLimiter, ClampTakesTheNearestBoundAndRevertTheFirstOrderValue) {
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

TEST(AdvectLimiter, MarkedCellsTakeTheFirstOrderValueAndNoOthers) {
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

TEST(AdvectLimiter, CellsNearASolidAreMarkedByDistance) {
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

}  // namespace
}  // namespace selkie::grid
