// Extrapolation: values of samples that have none of their own (faces in solids, cells beyond a surface) as
// the mean of their known neighbours, layer by layer (LE-20, RT-50). Which samples and from which neighbours
// is planned once; a plan serves as many fields and steps as the unknown samples stay the same.
#pragma once

#include <cstdint>
#include <vector>

#include "selkie/grid/field.h"

namespace selkie::grid {

struct FillPlan {
  struct Entry {
    std::uint32_t element;    // of the field's buffer
    std::uint8_t neighbours;  // bit 2·axis + (1 for the high side): known before this layer
  };
  std::vector<Entry> entries;     // by layer
  std::vector<std::size_t> ends;  // of each layer, in entries
};

// What a mark says of a sample.
inline constexpr std::uint8_t kUnknown = 0, kKnown = 1;

// Plans up to `layers` layers. `marks` holds kUnknown or kKnown for every sample of the place; it is used up.
void plan_fill(const Shape& shape, Place place, int layers, Buffer<std::uint8_t>& marks, FillPlan& plan);

// Fills the first `layers` layers of the plan. The same bits for any number of threads.
template <class T>
void fill_layers(const Shape& shape, const FillPlan& plan, int layers, Buffer<T>& field);

}  // namespace selkie::grid
