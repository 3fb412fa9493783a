// In which order a body's springs lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "selkie/solids/mass_spring/model.h"

namespace selkie::mass_spring::detail {

struct SpringOrder {
  std::vector<std::uint32_t> springs;  // places in the list given
  std::vector<EvenSprings> even;
};
SpringOrder order_springs(std::size_t vertex_count, std::span<const SpringInput> springs);

}  // namespace selkie::mass_spring::detail
