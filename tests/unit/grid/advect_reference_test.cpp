// Every scheme, limiter, trace, precision and dimension of advect() beside a plain loop in double that shares
// no code with it: the definitions of HY-01 … HY-05, one sample at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "unit/grid/carried_field.h"

namespace selkie::grid {
namespace {

using Field = std::vector<double>;  // the samples of one place, x fastest

struct Ends {  // what a ray interpolates
  double value = 0, lo = 0, hi = 0;
  bool on_the_edge = false;  // so near a sample that float may take the next stencil
};

// A field on the lattice of one place; coordinates count its samples.
struct PlainLattice {
  Index count{};
  const Field* values = nullptr;

  double at(int i, int j, int k) const {
    return (*values)[static_cast<std::size_t>(i + count[0] * (j + count[1] * k))];
  }
  Ends interpolate(const std::array<double, 3>& x) const {
    std::array<int, 3> low{}, high{};
    std::array<double, 3> share{};
    Ends ends;
    for (std::size_t a = 0; a < 3; ++a) {
      const int last = count[a] - 1;
      const double clamped = std::clamp(x[a], 0.0, double(last));
      low[a] = std::min(static_cast<int>(clamped), std::max(last - 1, 0));
      high[a] = std::min(low[a] + 1, last);
      share[a] = clamped - low[a];
      ends.on_the_edge = ends.on_the_edge || (last > 0 && std::abs(x[a] - std::round(x[a])) < 1e-4);
    }
    ends.lo = ends.hi = at(low[0], low[1], low[2]);
    for (int n = 0; n < 8; ++n) {
      const double v = at(n & 1 ? high[0] : low[0], n & 2 ? high[1] : low[1], n & 4 ? high[2] : low[2]);
      double weight = 1;
      for (std::size_t a = 0; a < 3; ++a) weight *= n >> a & 1 ? share[a] : 1 - share[a];
      ends.value += weight * v;
      ends.lo = std::min(ends.lo, v), ends.hi = std::max(ends.hi, v);
    }
    return ends;
  }
};

// The definitions, for one carried field.
template <class T>
class PlainAdvection {
 public:
  PlainAdvection(const Carried<T>& box, const AdvectOptions& options)
      : box_(box), options_(options), count_(box.shape.samples(box.place)), edge_(size(), false) {
    for (int axis = 0; axis < box.shape.dims(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const Index n = box.shape.samples(face_place(axis));
      for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
          for (int i = 0; i < n[0]; ++i)
            faces_[a].push_back(double(view(box.shape, box.velocity.component[a])(i, j, k)));
    }
  }
  Field run() {
    Field phi;
    box_.each([&](int i, int j, int k) { phi.push_back(double(box_.before(i, j, k))); });
    lo_ = hi_ = phi;
    const Field f = carry(phi, 1, true);
    if (options_.scheme == Scheme::semi_lagrangian || options_.scheme == Scheme::upwind) return f;
    const Field b = carry(f, -1, false);
    const bool bfecc = options_.scheme == Scheme::bfecc || options_.scheme == Scheme::upwind_bfecc;
    Field result(size());
    for (std::size_t n = 0; n < size(); ++n)
      result[n] = bfecc ? phi[n] - (b[n] - phi[n]) / 2 : f[n] - (b[n] - phi[n]) / 2;
    if (bfecc) result = carry(result, 1, false);
    free_ = result;
    for (std::size_t n = 0; n < size(); ++n) {
      const bool outside = result[n] < lo_[n] || result[n] > hi_[n];
      if (options_.limiter == Limiter::clamp) result[n] = std::clamp(result[n], lo_[n], hi_[n]);
      if (options_.limiter == Limiter::revert && outside) result[n] = f[n];
    }
    return result;
  }
  // Whether rounding may decide: which stencil, or on which side of a bound.
  bool open_to_rounding(std::size_t n, double tolerance) const {
    if (options_.limiter == Limiter::none || free_.empty()) return false;
    return edge_[n] || std::abs(free_[n] - lo_[n]) < tolerance || std::abs(free_[n] - hi_[n]) < tolerance;
  }

 private:
  std::size_t size() const {
    return static_cast<std::size_t>(count_[0]) * static_cast<std::size_t>(count_[1]) *
           static_cast<std::size_t>(count_[2]);
  }
  // Velocity in m/s at a point in cells from the grid's corner.
  Vec3 velocity(const Vec3& x) const {
    Vec3 u = Vec3::Zero();
    for (int axis = 0; axis < box_.shape.dims(); ++axis) {
      const Vec3 y = x - box_.shape.offset(face_place(axis));
      const PlainLattice lattice{box_.shape.samples(face_place(axis)),
                                 &faces_[static_cast<std::size_t>(axis)]};
      u[axis] = lattice.interpolate({y.x(), y.y(), y.z()}).value;
    }
    return u;
  }
  // A(φ) for sign 1, A^R(φ) for −1; the bounds are kept if asked for.
  Field carry(const Field& phi, double sign, bool keep_bounds) {
    const PlainLattice lattice{count_, &phi};
    const bool upwind = options_.scheme >= Scheme::upwind;
    const double scale = sign * box_.flow.dt / box_.shape.cell_size();
    Field out;
    box_.each([&](int i, int j, int k) {
      const std::size_t n = out.size();
      const Vec3 at = Vec3(i, j, k) + box_.shape.offset(box_.place);
      Vec3 u = velocity(at);
      if (options_.trace == Trace::midpoint) u = velocity(at - 0.5 * scale * u);
      const Vec3 shift = -scale * u;
      const Ends ends = upwind ? difference(lattice, {i, j, k}, shift)
                               : lattice.interpolate({i + shift.x(), j + shift.y(), k + shift.z()});
      out.push_back(ends.value);
      edge_[n] = edge_[n] || ends.on_the_edge;
      if (keep_bounds) lo_[n] = ends.lo, hi_[n] = ends.hi;
    });
    return out;
  }
  Ends difference(const PlainLattice& lattice, const Index& at, const Vec3& shift) const {
    const double own = lattice.at(at[0], at[1], at[2]);
    Ends ends{own, own, own};
    for (int axis = 0; axis < box_.shape.dims(); ++axis) {
      Index from = at;
      int& n = from[static_cast<std::size_t>(axis)];
      n = std::clamp(n + (shift[axis] < 0 ? -1 : 1), 0, count_[static_cast<std::size_t>(axis)] - 1);
      const double v = lattice.at(from[0], from[1], from[2]);
      ends.value += std::abs(shift[axis]) * (v - own);
      ends.lo = std::min(ends.lo, v), ends.hi = std::max(ends.hi, v);
    }
    return ends;
  }

  const Carried<T>& box_;
  const AdvectOptions& options_;
  Index count_;
  std::array<Field, 3> faces_;
  Field lo_, hi_, free_;
  std::vector<bool> edge_;
};

// Displacements of 3 cells in a field that varies by 2 from cell to cell along three axes are rounded some
// ten times on their way, and amplified by up to three rays in a row.
constexpr double kRoundings = 3 * 2 * 3 * 10;

template <class T>
void expect_equal_to_plain_loop(int dims, Trace trace) {
  const double tolerance = kRoundings * double(std::numeric_limits<T>::epsilon());
  for (const Place place : {Place::cell, Place::face_y, Place::node})
    for (const Scheme scheme : kSchemes)
      for (const Limiter limiter : kLimiters) {
        const AdvectOptions options{scheme, limiter, trace};
        Carried<T> box = swirl<T>(dims, place, scheme >= Scheme::upwind ? 0.3 : 2.3, {37, 13, 9});
        box.step(options);
        PlainAdvection<T> plain(box, options);
        const Field expected = plain.run();
        std::size_t n = 0, left_open = 0;
        box.each([&](int i, int j, int k) {
          if (plain.open_to_rounding(n, tolerance))
            ++left_open;
          else
            ASSERT_NEAR(double(box.at(i, j, k)), expected[n], tolerance)
                << "scheme " << int(scheme) << ", limiter " << int(limiter) << ", sample " << i << " " << j
                << " " << k;
          ++n;
        });
        EXPECT_LT(left_open, n / 50);  // those near a whole displacement, and constant stencils
      }
}

TEST(AdvectReference, EverySchemeAndLimiterEqualsAPlainLoopIn2D) {
  for (const Trace trace : {Trace::euler, Trace::midpoint}) {
    expect_equal_to_plain_loop<double>(2, trace);
    expect_equal_to_plain_loop<float>(2, trace);
  }
}

TEST(AdvectReference, EverySchemeAndLimiterEqualsAPlainLoopIn3D) {
  for (const Trace trace : {Trace::euler, Trace::midpoint}) {
    expect_equal_to_plain_loop<double>(3, trace);
    expect_equal_to_plain_loop<float>(3, trace);
  }
}

}  // namespace
}  // namespace selkie::grid
