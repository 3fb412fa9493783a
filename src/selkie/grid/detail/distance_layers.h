// Distances by closest points: samples beside the surface hold a piece of it (its foot, normal and
// curvature); layer after layer, the samples around take the piece with the nearest foot that a neighbour
// knows, and their distance to it. [Tsai02; Ruuth08] A layer sees only labels of layers that are finished, or
// of the first round of its own: the bits depend on the grid alone.
#pragma once

#include <algorithm>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/grid/detail/eikonal.h"
#include "selkie/grid/level_set.h"

namespace selkie::grid::detail {

inline constexpr std::uint8_t kOpen = 0, kSettled = 1;  // marks: to be found; found
inline constexpr std::uint32_t kNoPiece = 0,
                               kQueued = 0xffffffffu;  // labels; otherwise number of a piece + 1

template <class T, int Dims>
class DistanceLayers {
 public:
  using Piece = typename DistanceWork<T>::Piece;
  using Entry = typename DistanceWork<T>::Entry;

  DistanceLayers(const Shape& shape, Place place, T limit, DistanceWork<T>& work, const View<T>& phi)
      : samples_(shape.samples(place)),
        h_(T(shape.cell_size())),
        limit_(limit),
        work_(work),
        label_(view(shape, work.labels)),
        phi_(phi) {}

  // φ holds distances at the samples that have a label, the first layer, and ± limit elsewhere.
  int run() {
    int layers = 0;
    for (work_.layer.swap(work_.next), expand(); !work_.layer.empty(); expand()) {
      ++layers;
      choose([this](const Index& at) { return nearest_around(at); });
      choose([this](const Index& at) { return nearest_beside(at); });
      measure();
    }
    return layers;
  }

 private:
  // The samples around those of the layer that are within the limit become the next layer.
  void expand() {
    work_.next.clear();
    const int reach_z = Dims == 3 ? 1 : 0;
    for (const Entry& entry : work_.layer) {
      if (!(std::abs(phi_(entry.at[0], entry.at[1], entry.at[2])) < limit_)) continue;
      const int low_z = std::max(entry.at[2] - reach_z, 0),
                high_z = std::min(entry.at[2] + reach_z, samples_[2] - 1);
      const int low_y = std::max(entry.at[1] - 1, 0), high_y = std::min(entry.at[1] + 1, samples_[1] - 1);
      const int low_x = std::max(entry.at[0] - 1, 0), high_x = std::min(entry.at[0] + 1, samples_[0] - 1);
      for (int k = low_z; k <= high_z; ++k)
        for (int j = low_y; j <= high_y; ++j) {
          std::uint32_t* const row = label_.line(j, k);
          for (int i = low_x; i <= high_x; ++i)
            if (row[i] == kNoPiece) {
              row[i] = kQueued;
              work_.next.push_back({{i, j, k}});
            }
        }
    }
    work_.layer.swap(work_.next);
  }

  // A label for every sample of the layer, of which none is seen before all have theirs.
  template <class Choice>
  void choose(Choice&& choice) {
    work_.chosen.resize(work_.layer.size());
    parallel_for(
        work_.layer.size(), [&](std::size_t n) { work_.chosen[n] = choice(work_.layer[n].at); }, 512);
    parallel_for(work_.layer.size(), [&](std::size_t n) {
      const Index& at = work_.layer[n].at;
      label_(at[0], at[1], at[2]) = work_.chosen[n];
    });
  }
  // The nearest foot that the layers before know, among all samples around.
  std::uint32_t nearest_around(const Index& at) const {
    const int reach_z = Dims == 3 ? 1 : 0;
    const int low_z = std::max(at[2] - reach_z, 0), high_z = std::min(at[2] + reach_z, samples_[2] - 1);
    const int low_y = std::max(at[1] - 1, 0), high_y = std::min(at[1] + 1, samples_[1] - 1);
    const int low_x = std::max(at[0] - 1, 0), high_x = std::min(at[0] + 1, samples_[0] - 1);
    const T x = T(at[0]), y = T(at[1]), z = T(at[2]);
    std::uint32_t best = kNoPiece, last = kNoPiece;
    T nearest = std::numeric_limits<T>::max();
    for (int k = low_z; k <= high_z; ++k)
      for (int j = low_y; j <= high_y; ++j) {
        const std::uint32_t* const row = label_.line(j, k);
        for (int i = low_x; i <= high_x; ++i) {
          const std::uint32_t label = row[i];
          if (label == kNoPiece || label == kQueued || label == last || label == best) continue;
          last = label;
          const T distance = square_to(label, x, y, z);
          if (distance < nearest || (distance == nearest && label < best)) best = label, nearest = distance;
        }
      }
    return best;
  }

  // Or one that a neighbour along an axis has, in this layer, too.
  std::uint32_t nearest_beside(const Index& at) const {
    const T x = T(at[0]), y = T(at[1]), z = T(at[2]);
    std::uint32_t best = label_(at[0], at[1], at[2]);  // none if all around were not finite
    T nearest = best == kNoPiece ? std::numeric_limits<T>::max() : square_to(best, x, y, z);
    for (int a = 0; a < Dims; ++a)
      for (const int way : {-1, 1}) {
        Index b = at;
        b[std::size_t(a)] += way;
        if (b[std::size_t(a)] < 0 || b[std::size_t(a)] >= samples_[std::size_t(a)]) continue;
        const std::uint32_t label = label_(b[0], b[1], b[2]);
        if (label == kNoPiece || label == kQueued || label == best) continue;
        const T distance = square_to(label, x, y, z);
        if (distance < nearest || (distance == nearest && label < best)) best = label, nearest = distance;
      }
    return best;
  }
  T square_to(std::uint32_t label, T x, T y, T z) const {
    const auto& foot = work_.feet[label - 1];
    const T a = x - foot[0], b = y - foot[1], c = z - foot[2];
    return a * a + b * b + c * c;
  }

  void measure() {
    parallel_for(
        work_.layer.size(),
        [&](std::size_t n) {
          if (work_.chosen[n] == kNoPiece) return;
          const Index& at = work_.layer[n].at;
          T& value = phi_(at[0], at[1], at[2]);
          const T side = value < 0 ? T(-1) : T(1);
          const std::uint32_t number = work_.chosen[n] - 1;
          value =
              side * std::min(h_ * distance_to(work_.feet[number], work_.pieces[number], at, side), limit_);
        },
        512);
  }

  // Distance in cells to a piece: a paraboloid over the tangent plane, no wider than a cell and a half.
  // With d = x − foot = dₙ n + t, a sphere of curvature κ is at dₙ + ½ κ t² / (1 + κ dₙ) + O(t⁴).
  static T distance_to(const std::array<T, 3>& foot, const Piece& piece, const Index& at, T side) {
    constexpr T kRadius = T(0.75), kLeast = T(0.1);
    const T d[3] = {T(at[0]) - foot[0], T(at[1]) - foot[1], T(at[2]) - foot[2]};
    const T along = d[0] * piece.normal[0] + d[1] * piece.normal[1] + d[2] * piece.normal[2];
    T t[3], t2 = 0;
    for (int a = 0; a < 3; ++a) t[a] = d[a] - along * piece.normal[a], t2 += t[a] * t[a];
    const T* const s = piece.bend;
    T form = s[0] * t[0] * t[0] + s[1] * t[1] * t[1] + s[2] * t[2] * t[2] +
             T(2) * (s[3] * t[0] * t[1] + s[4] * t[0] * t[2] + s[5] * t[1] * t[2]);
    const T wide = std::sqrt(t2), beyond = std::max(wide - kRadius, T(0));
    const T curvature = t2 > 0 ? form / t2 : T(0);
    if (beyond > 0) form *= kRadius * kRadius / t2;
    const T height = side * (along + T(0.5) * form / std::max(T(1) + curvature * along, T(0.3)));
    // Beyond the rim of the piece: past an edge of the surface.
    const T distance = beyond > 0 ? std::sqrt(height * height + beyond * beyond) : height;
    return std::max(distance, kLeast);
  }

  Index samples_;
  T h_, limit_;
  DistanceWork<T>& work_;
  View<std::uint32_t> label_;
  View<T> phi_;
};

}  // namespace selkie::grid::detail
