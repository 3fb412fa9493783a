// Particles sorted into layers of cells along z, so that many threads can add to the grid and give the same
// bits as one: blocks of layers that lie apart run at the same time, each in its fixed order.
#pragma once

#include <cstdint>
#include <span>

#include "selkie/core/buffer.h"
#include "selkie/core/parallel.h"
#include "selkie/grid/shape.h"

namespace selkie::vortex_method {

struct Layers {
  Buffer<std::uint32_t> order;  // particles, layer by layer, in the order of their numbers
  Buffer<std::uint32_t> first;  // of each layer in `order`, and the end
  Buffer<std::uint32_t> layer;  // of each particle

  // False if a particle is not inside the box or not finite.
  [[nodiscard]] bool sort(const grid::Shape& shape, std::span<const Vec3> positions);

  // A particle reaches from two layers below its own to two above, so blocks of four that have one between
  // them do not meet.
  static constexpr std::size_t kBlock = 4;

  // body(particle) for all; calls at the same time never reach a common cell.
  template <class Body>
  void for_each(Body&& body) const {
    const std::size_t layers = first.size() - 1, blocks = (layers + kBlock - 1) / kBlock;
    for (const std::size_t colour : {std::size_t{0}, std::size_t{1}})
      parallel_blocks((blocks + 1 - colour) / 2, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
          const std::size_t low = (2 * b + colour) * kBlock;
          const std::size_t high = low + kBlock < layers ? low + kBlock : layers;
          for (std::uint32_t n = first[low]; n < first[high]; ++n) body(std::size_t{order[n]});
        }
      });
  }
};

}  // namespace selkie::vortex_method
