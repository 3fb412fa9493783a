// Fast sweeping on tiles: each visit copies a tile with two layers around it, relaxes it alone, and writes it
// back; tiles whose surroundings changed are visited again until nothing changes. [Zhao05], cut into tiles
// so that threads need not meet. Visits of a pass see the state before the pass: the bits depend on the grid
// alone.
//   1: distances of first order (minimum over Godunov updates), which fix the order of causality;
//   2: distances of second order, each from neighbours that are nearer by (1). As that order has no cycles,
//      this ends, too, with every sample exactly what its neighbours make of it.
#pragma once

#include <array>
#include <limits>

#include "selkie/grid/detail/eikonal.h"
#include "selkie/grid/level_set.h"
#include "selkie/grid/loops.h"

namespace selkie::grid::detail {

inline constexpr std::uint8_t kOpen = 0, kSettled = 1;  // marks: to be found; beside the surface

template <class T, int Dims>
class DistanceTiles {
 public:
  DistanceTiles(const Shape& shape, Place place, T limit, DistanceWork<T>& work)
      : shape_(shape), samples_(shape.samples(place)), h_(T(shape.cell_size())), limit_(limit), work_(work) {
    for (std::size_t a = 0; a < 3; ++a) count_[a] = (samples_[a] + kSize[a] - 1) / kSize[a];
    work.due.assign(tile_count(), 0), work.next_due.assign(tile_count(), 0);
  }

  // `first` holds distances where marks say settled, ± limit elsewhere. Leaves the distances in `phi`.
  int run(const View<T>& phi) {
    const View<T> first = view(shape_, work_.first), second = view(shape_, work_.second);
    parallel_for(
        tile_count(),
        [&](std::size_t tile) {
          const Box box = box_of(tile);
          copy(box, first, phi);
          work_.next_due[tile] = has_settled(box) ? std::uint8_t(kAllSides | kReached) : std::uint8_t(0);
        },
        4);
    int passes = relax_all<1>(first, phi);
    // Every tile the first order reached, once, and again where neighbours changed.
    for (std::size_t tile = 0; tile < tile_count(); ++tile)
      work_.next_due[tile] = (work_.due[tile] & kReached) != 0 ? std::uint8_t(kAllSides | kReached) : 0;
    parallel_for(
        tile_count(), [&](std::size_t tile) { copy(box_of(tile), first, second); }, 4);
    passes += relax_all<2>(second, phi);
    return passes;
  }

 private:
  static constexpr std::array<int, 3> kSize =
      Dims == 3 ? std::array<int, 3>{16, 8, 8} : std::array<int, 3>{32, 32, 1};
  static constexpr int kHalo = 2, kHaloZ = Dims == 3 ? 2 : 0;
  static constexpr int kRow = kSize[0] + 2 * kHalo, kPlane = kRow * (kSize[1] + 2 * kHalo);
  static constexpr int kLocal = kPlane * (kSize[2] + 2 * kHaloZ);
  static constexpr int kCells = kSize[0] * kSize[1] * kSize[2];
  static constexpr std::uint8_t kAllSides = 0x3f, kReached = 0x40;
  static constexpr std::uint8_t kInside = 1, kFixed = 2;  // of a local sample

  struct Local {
    T first[kLocal], value[kLocal];  // |distance|
    std::uint8_t flags[kLocal];
  };

  static constexpr int stride(int axis) { return axis == 0 ? 1 : axis == 1 ? kRow : kPlane; }
  static int at(int i, int j, int k) { return (i + kHalo) + (j + kHalo) * kRow + (k + kHaloZ) * kPlane; }

  std::size_t tile_count() const {
    return std::size_t(count_[0]) * std::size_t(count_[1]) * std::size_t(count_[2]);
  }
  Box box_of(std::size_t tile) const {
    const int t = static_cast<int>(tile);
    const Index index{t % count_[0], t / count_[0] % count_[1], t / (count_[0] * count_[1])};
    Box box;
    for (std::size_t a = 0; a < 3; ++a)
      box.lo[a] = index[a] * kSize[a], box.hi[a] = std::min(box.lo[a] + kSize[a], samples_[a]);
    return box;
  }
  void copy(const Box& box, const View<const T>& from, const View<T>& to) const {
    for (int k = box.lo[2]; k < box.hi[2]; ++k)
      for (int j = box.lo[1]; j < box.hi[1]; ++j)
        std::copy(from.line(j, k) + box.lo[0], from.line(j, k) + box.hi[0], to.line(j, k) + box.lo[0]);
  }
  bool has_settled(const Box& box) const {
    const View<const std::uint8_t> mark = view(shape_, std::as_const(work_.marks));
    for (int k = box.lo[2]; k < box.hi[2]; ++k)
      for (int j = box.lo[1]; j < box.hi[1]; ++j)
        for (int i = box.lo[0]; i < box.hi[0]; ++i)
          if (mark(i, j, k) == kSettled) return true;
    return false;
  }

  // Visits due tiles until none is due. `from` and `to` are equal on entry, and at the end.
  template <int Order>
  int relax_all(const View<T>& from, const View<T>& to) {
    int passes = 0;
    while (plan_visits()) {
      ++passes;
      parallel_for(
          work_.tiles.size(),
          [&](std::size_t n) {
            const std::size_t tile = work_.tiles[n];
            work_.next_due[tile] = visit<Order>(box_of(tile), from, to);
          },
          2);
      parallel_for(
          work_.tiles.size(), [&](std::size_t n) { copy(box_of(work_.tiles[n]), to, from); }, 4);
    }
    return passes;
  }

  // A tile is due if a neighbour changed near their common side; in the first pass next_due says "all".
  bool plan_visits() {
    work_.tiles.clear();
    const int steps[3] = {1, count_[0], count_[0] * count_[1]};
    for (int t = 0; t < static_cast<int>(tile_count()); ++t) {
      const Index index{t % count_[0], t / count_[0] % count_[1], t / (count_[0] * count_[1])};
      bool due = work_.next_due[std::size_t(t)] == (kAllSides | kReached);
      for (int a = 0; a < Dims; ++a) {
        const auto axis = static_cast<std::size_t>(a);
        due = due || (index[axis] > 0 && (work_.next_due[std::size_t(t - steps[a])] >> (2 * a + 1) & 1) != 0);
        due = due || (index[axis] + 1 < count_[axis] &&
                      (work_.next_due[std::size_t(t + steps[a])] >> (2 * a) & 1) != 0);
      }
      if (due) work_.tiles.push_back(static_cast<std::uint32_t>(t));
    }
    for (const std::uint32_t tile : work_.tiles) work_.due[tile] = std::uint8_t(kReached);
    std::fill(work_.next_due.begin(), work_.next_due.end(), std::uint8_t(0));
    return !work_.tiles.empty();
  }

  // Relaxes a tile; says at which sides it changed.
  template <int Order>
  std::uint8_t visit(const Box& box, const View<const T>& from, const View<T>& to) const {
    Local local;
    const T nearest = load<Order>(box, from, local);
    if (!(nearest < limit_)) return 0;
    if constexpr (Order == 1)
      relax_first_order(box, local);
    else
      relax_second_order(box, local);
    return store(box, local, from, to);
  }

  // Samples beyond the grid are at the limit and fixed.
  template <int Order>
  T load(const Box& box, const View<const T>& from, Local& local) const {
    const View<const T> first = view(shape_, std::as_const(work_.first));
    const View<const std::uint8_t> mark = view(shape_, std::as_const(work_.marks));
    T nearest = limit_;
    for (int k = -kHaloZ; k < kSize[2] + kHaloZ; ++k)
      for (int j = -kHalo; j < kSize[1] + kHalo; ++j) {
        const int y = box.lo[1] + j, z = box.lo[2] + k, row = at(0, j, k);
        const bool there = y >= 0 && y < samples_[1] && z >= 0 && z < samples_[2];
        for (int i = -kHalo; i < kSize[0] + kHalo; ++i) {
          const int x = box.lo[0] + i;
          if (!there || x < 0 || x >= samples_[0]) {
            local.value[row + i] = local.first[row + i] = limit_, local.flags[row + i] = kFixed;
            continue;
          }
          const T value = from(x, y, z);
          local.value[row + i] = std::abs(value);
          if constexpr (Order == 2) local.first[row + i] = std::abs(first(x, y, z));
          local.flags[row + i] =
              std::uint8_t((value < 0 ? kInside : 0) | (mark(x, y, z) == kSettled ? kFixed : 0));
          nearest = std::min(nearest, local.value[row + i]);
        }
      }
    return nearest;
  }

  void relax_first_order(const Box& box, Local& local) const {
    const int n[3] = {box.hi[0] - box.lo[0], box.hi[1] - box.lo[1], box.hi[2] - box.lo[2]};
    constexpr int kDirections = 1 << Dims;
    for (int quiet = 0, sweep = 0; quiet < kDirections; ++sweep) {
      const int direction = sweep % kDirections;
      const bool back[3] = {(direction & 1) != 0, (direction & 2) != 0, (direction & 4) != 0};
      bool changed = false;
      for (int c = 0; c < n[2]; ++c)
        for (int b = 0; b < n[1]; ++b) {
          const int row = at(0, back[1] ? n[1] - 1 - b : b, back[2] ? n[2] - 1 - c : c);
          for (int a = 0; a < n[0]; ++a) changed |= lower(local, row + (back[0] ? n[0] - 1 - a : a));
        }
      quiet = changed ? 0 : quiet + 1;
    }
  }
  // The Godunov update of one sample; true if it became nearer.
  bool lower(Local& local, int e) const {
    if ((local.flags[e] & kFixed) != 0) return false;
    const T old = local.value[e];
    Upwind<T> axes[Dims];
    int count = 0;
    for (int a = 0; a < Dims; ++a) {
      const T near = std::min(local.value[e - stride(a)], local.value[e + stride(a)]);
      if (near < old) axes[count++] = first_order(near);
    }
    if (count == 0) return false;
    const T u = solve_upwind(axes, count, h_);
    if (!(u < old)) return false;
    local.value[e] = u;
    return true;
  }

  void relax_second_order(const Box& box, Local& local) const {
    std::array<std::pair<T, int>, kCells> order;
    std::size_t count = 0;
    for (int k = 0; k < box.hi[2] - box.lo[2]; ++k)
      for (int j = 0; j < box.hi[1] - box.lo[1]; ++j)
        for (int i = 0; i < box.hi[0] - box.lo[0]; ++i) {
          const int e = at(i, j, k);
          if ((local.flags[e] & kFixed) == 0 && local.first[e] < limit_) order[count++] = {local.first[e], e};
        }
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t n = 0; n < count; ++n) {
      const int e = order[n].second;
      local.value[e] = std::min(refined(local, e), limit_);
    }
  }
  // From the neighbours that are nearer by first order.
  T refined(const Local& local, int e) const {
    Upwind<T> axes[Dims];
    int count = 0;
    for (int a = 0; a < Dims; ++a) {
      const int low = e - stride(a), high = e + stride(a);
      const int step = local.first[low] < local.first[high] ? -stride(a) : stride(a);
      const int near = e + step, beyond = near + step;
      if (!(local.first[near] < local.first[e])) continue;
      const bool across = ((local.flags[near] ^ local.flags[beyond]) & kInside) != 0;
      const bool there = local.first[beyond] < limit_;
      if (there && (across || local.first[beyond] <= local.first[near]))
        axes[count++] =
            second_order(local.value[near], across ? -local.value[beyond] : local.value[beyond]);
      else
        axes[count++] = first_order(local.value[near]);
    }
    return count == 0 ? local.first[e] : solve_upwind(axes, count, h_);
  }

  std::uint8_t store(const Box& box, const Local& local, const View<const T>& from, const View<T>& to) const {
    unsigned sides = 0;
    const int n[3] = {box.hi[0] - box.lo[0], box.hi[1] - box.lo[1], box.hi[2] - box.lo[2]};
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i) {
          const int e = at(i, j, k), x = box.lo[0] + i, y = box.lo[1] + j, z = box.lo[2] + k;
          const T value = (local.flags[e] & kInside) != 0 ? -local.value[e] : local.value[e];
          if (value == from(x, y, z)) continue;
          to(x, y, z) = value;
          const int place[3] = {i, j, k};
          for (int a = 0; a < Dims; ++a) {
            if (place[a] < kHalo) sides |= 1u << (2 * a);
            if (place[a] >= n[a] - kHalo) sides |= 2u << (2 * a);
          }
        }
    return static_cast<std::uint8_t>(sides);
  }

  const Shape& shape_;
  Index samples_;
  std::array<int, 3> count_{1, 1, 1};
  T h_, limit_;
  DistanceWork<T>& work_;
};

}  // namespace selkie::grid::detail
