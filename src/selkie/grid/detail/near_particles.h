// Particles around a point of a grid whose particles are sorted by cells, walls being mirrors.
#pragma once

#include <algorithm>
#include <array>

#include "selkie/grid/particle_surface.h"

namespace selkie::grid::detail {

template <class T>
class NearParticles {
 public:
  NearParticles(const Shape& shape, const std::array<bool, 6>& mirror, const SortedParticles<T>& particles)
      : cells_(shape.cells()), dims_(shape.dims()), mirror_(mirror), particles_(particles) {}

  std::array<float, 3> position(std::size_t p) const {
    return {float(particles_.position[0][p]), float(particles_.position[1][p]),
            dims_ == 3 ? float(particles_.position[2][p]) : 0.0f};
  }

  // A particle or its image is at sign · position + offset, along each axis.
  struct Image {
    std::array<float, 3> sign, offset;
    std::array<float, 3> of(const std::array<float, 3>& x) const {
      return {sign[0] * x[0] + offset[0], sign[1] * x[1] + offset[1], sign[2] * x[2] + offset[2]};
    }
  };

  // visit(begin, end, image) for runs of particles in the cells no farther than `layers` from cell `at`.
  template <class Visit>
  void each_run(const Index& at, int layers, Visit&& visit) const {
    Image image{{1, 1, 1}, {0, 0, 0}};
    const int layers_z = dims_ == 3 ? layers : 0;
    for (int c = at[2] - layers_z; c <= at[2] + layers_z; ++c) {
      const int k = dims_ == 3 ? reflect(2, c, image) : 0;
      if (k < 0) continue;
      for (int b = at[1] - layers; b <= at[1] + layers; ++b) {
        const int j = reflect(1, b, image);
        if (j < 0) continue;
        const int n = cells_[0], low = at[0] - layers, high = at[0] + layers;
        if (low < 0 && mirror_[0]) row(j, k, 0, std::min(-1 - low, n - 1), Image(with(image, -1, 0)), visit);
        row(j, k, std::max(low, 0), std::min(high, n - 1), Image(with(image, 1, 0)), visit);
        if (high >= n && mirror_[1])
          row(j, k, std::max(2 * n - 1 - high, 0), n - 1, Image(with(image, -1, 2 * float(n))), visit);
      }
    }
  }

 private:
  static Image with(Image image, float sign, float offset) {
    image.sign[0] = sign, image.offset[0] = offset;
    return image;
  }
  // The row that stands for one beyond a wall; −1 if there is none.
  int reflect(int axis, int index, Image& image) const {
    const auto a = static_cast<std::size_t>(axis);
    const int n = cells_[a];
    image.sign[a] = 1, image.offset[a] = 0;
    if (index >= 0 && index < n) return index;
    const bool high = index >= n;
    if (!mirror_[2 * a + (high ? 1 : 0)]) return -1;
    image.sign[a] = -1, image.offset[a] = high ? 2 * float(n) : 0.0f;
    const int there = high ? 2 * n - 1 - index : -1 - index;
    return there >= 0 && there < n ? there : -1;
  }
  template <class Visit>
  void row(int j, int k, int low, int high, const Image& image, Visit&& visit) const {
    if (low > high) return;
    const std::size_t first =
        std::size_t(cells_[0]) * (std::size_t(j) + std::size_t(cells_[1]) * std::size_t(k));
    const std::uint32_t begin = particles_.start[first + std::size_t(low)],
                        end = particles_.start[first + std::size_t(high) + 1];
    if (begin < end) visit(begin, end, image);
  }

  Index cells_;
  int dims_;
  std::array<bool, 6> mirror_;
  const SortedParticles<T>& particles_;
};

}  // namespace selkie::grid::detail
