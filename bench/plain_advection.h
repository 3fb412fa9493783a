// The yardstick of bench/advect_bench.cpp: clamped MacCormack for the velocity of a closed box, written as
// one would first write it. A loop over samples, one at a time: rays, eight corners and bounds, f, lo and hi
// stored, then the way back. The compiler may do with it what it can.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "selkie/grid/field.h"

namespace selkie::bench {

class PlainAdvection {
 public:
  explicit PlainAdvection(const grid::Shape& shape)
      : shape_(shape), first_(shape.size()), lo_(shape.size()), hi_(shape.size()) {}

  // `steps`: Δt/Δx, s/m.
  void velocity(const grid::FaceViews<const float>& u, float steps, const grid::FaceViews<float>& out) {
    for (int axis = 0; axis < 3; ++axis) component(axis, u, steps, out[static_cast<std::size_t>(axis)]);
  }

 private:
  using Point = std::array<float, 3>;
  struct Sample {
    float value, lo, hi;
  };

  void component(int axis, const grid::FaceViews<const float>& u, float steps, const grid::View<float>& out) {
    const grid::Index n = shape_.samples(grid::face_place(axis));
    const grid::View<const float> from = u[static_cast<std::size_t>(axis)];
    const std::ptrdiff_t base = shape_.first();
    const grid::View<const float> first(first_.data() + base, shape_);
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
          for (int i = 0; i < n[0]; ++i) {
            const Point v = velocity_at(axis, u, i, j, k);
            const float s = pass == 0 ? -steps : steps;
            const Point end{float(i) + s * v[0], float(j) + s * v[1], float(k) + s * v[2]};
            const auto at = static_cast<std::size_t>(shape_.at(i, j, k));
            if (pass == 0) {
              const Sample a = interpolate(from, n, end);
              first_[at] = a.value, lo_[at] = a.lo, hi_[at] = a.hi;
            } else {
              const float value = first_[at] - 0.5f * (interpolate(first, n, end).value - from(i, j, k));
              out(i, j, k) = std::min(std::max(value, lo_[at]), hi_[at]);
            }
          }
  }

  // The average of the faces around a face of `axis`; beyond the grid the nearest ones.
  Point velocity_at(int axis, const grid::FaceViews<const float>& u, int i, int j, int k) const {
    Point v{};
    for (int b = 0; b < 3; ++b) {
      const auto c = static_cast<std::size_t>(b);
      if (b == axis) {
        v[c] = u[c](i, j, k);
        continue;
      }
      const grid::Index upper{i + (b == 0), j + (b == 1), k + (b == 2)};
      grid::Index lower{i - (axis == 0), j - (axis == 1), k - (axis == 2)};
      grid::Index own{i, j, k};
      const auto a = static_cast<std::size_t>(axis);
      lower[a] = std::max(lower[a], 0);
      own[a] = std::min(own[a], shape_.cells()[a] - 1);
      const grid::Index across{lower[0] + (b == 0), lower[1] + (b == 1), lower[2] + (b == 2)};
      grid::Index high = upper;
      high[a] = own[a];
      v[c] = 0.25f * (u[c](own[0], own[1], own[2]) + u[c](high[0], high[1], high[2]) +
                      u[c](lower[0], lower[1], lower[2]) + u[c](across[0], across[1], across[2]));
    }
    return v;
  }

  static Sample interpolate(const grid::View<const float>& field, const grid::Index& n, const Point& x) {
    std::array<int, 3> low;
    Point s;
    for (std::size_t a = 0; a < 3; ++a) {
      const float clamped = std::min(std::max(x[a], 0.f), float(n[a] - 1));
      low[a] = std::min(static_cast<int>(clamped), n[a] - 2);
      s[a] = clamped - float(low[a]);
    }
    float c[8];
    for (int m = 0; m < 8; ++m) c[m] = field(low[0] + (m & 1), low[1] + (m >> 1 & 1), low[2] + (m >> 2));
    auto mix = [](float a, float b, float t) { return a + t * (b - a); };
    const float y0 = mix(mix(c[0], c[1], s[0]), mix(c[2], c[3], s[0]), s[1]);
    const float y1 = mix(mix(c[4], c[5], s[0]), mix(c[6], c[7], s[0]), s[1]);
    return {mix(y0, y1, s[2]), *std::min_element(c, c + 8), *std::max_element(c, c + 8)};
  }

  const grid::Shape& shape_;
  std::vector<float> first_, lo_, hi_;
};

}  // namespace selkie::bench
