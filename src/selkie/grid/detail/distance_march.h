// Fast marching: open samples in the order of their distance, each from neighbours already settled, by the
// upwind differences of eikonal.h. [Sethian96] Ties go to the lower element, so the order is exact.
#pragma once

#include <algorithm>
#include <functional>

#include "selkie/grid/detail/distance_layers.h"

namespace selkie::grid::detail {

template <class T, int Dims>
class DistanceMarch {
 public:
  DistanceMarch(const Shape& shape, Place place, T limit, DistanceWork<T>& work, const View<T>& phi)
      : samples_(shape.samples(place)),
        h_(T(shape.cell_size())),
        limit_(limit),
        heap_(work.heap),
        mark_(view(shape, work.marks)),
        phi_(phi) {
    for (int a = 0; a < Dims; ++a) stride_[a] = shape.stride(a);
  }

  // φ holds distances where marks say settled, ± limit elsewhere.
  void run() {
    heap_.clear();
    for (int k = 0; k < samples_[2]; ++k)
      for (int j = 0; j < samples_[1]; ++j)
        for (int i = 0; i < samples_[0]; ++i)
          if (mark_(i, j, k) == kSettled) offer_neighbours(i, j, k);
    while (!heap_.empty()) {
      const auto [distance, element] = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
      if (mark_.data[element] == kSettled) continue;  // was offered nearer before
      mark_.data[element] = kSettled;
      const auto e = static_cast<std::ptrdiff_t>(element);
      const std::ptrdiff_t plane = Dims == 3 ? phi_.plane : 0;
      const int k = plane == 0 ? 0 : static_cast<int>(e / plane);
      const int j = static_cast<int>((e - k * plane) / phi_.row);
      offer_neighbours(static_cast<int>(e - k * plane - j * phi_.row), j, k);
    }
  }

 private:
  void offer_neighbours(int i, int j, int k) {
    const int place[3] = {i, j, k};
    const std::ptrdiff_t e = i + j * phi_.row + k * phi_.plane;
    for (int a = 0; a < Dims; ++a) {
      if (place[a] > 0) offer(place, a, -1, e);
      if (place[a] + 1 < samples_[static_cast<std::size_t>(a)]) offer(place, a, 1, e);
    }
  }
  void offer(const int* from, int axis, int way, std::ptrdiff_t e) {
    e += way * stride_[axis];
    if (mark_.data[e] == kSettled) return;
    int place[3] = {from[0], from[1], from[2]};
    place[axis] += way;
    const T side = phi_.data[e] < 0 ? T(-1) : T(1);
    Upwind<T> axes[Dims];
    int count = 0;
    for (int a = 0; a < Dims; ++a) {
      const int last = samples_[static_cast<std::size_t>(a)] - 1;
      int step = 0;
      T near = limit_;
      for (const int s : {-1, 1}) {
        if (place[a] + s < 0 || place[a] + s > last || mark_.data[e + s * stride_[a]] != kSettled) continue;
        const T u = side * phi_.data[e + s * stride_[a]];
        if (step == 0 || u < near) step = s, near = u;
      }
      if (step == 0) continue;
      const int beyond = place[a] + 2 * step;
      axes[count++] = beyond >= 0 && beyond <= last && mark_.data[e + 2 * step * stride_[a]] == kSettled
                          ? second_order(near, side * phi_.data[e + 2 * step * stride_[a]])
                          : first_order(near);
    }
    const T u = solve_upwind(axes, count, h_);
    if (!(u < side * phi_.data[e])) return;
    phi_.data[e] = side * u;
    heap_.emplace_back(u, static_cast<std::uint32_t>(e));
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  Index samples_;
  T h_, limit_;
  std::vector<std::pair<T, std::uint32_t>>& heap_;
  View<std::uint8_t> mark_;
  View<T> phi_;
  std::ptrdiff_t stride_[Dims]{};
};

}  // namespace selkie::grid::detail
