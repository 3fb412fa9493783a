// Loops over a grid, cut into pieces that depend on the grid alone: the same bits for any number of threads.
#pragma once

#include "selkie/core/buffer.h"
#include "selkie/core/parallel.h"
#include "selkie/grid/shape.h"

namespace selkie::grid {

// Half-open box of indices.
struct Box {
  Index lo{0, 0, 0};
  Index hi{0, 0, 0};
};
inline Box sample_box(const Shape& shape, Place place) { return {{0, 0, 0}, shape.samples(place)}; }

// Rows a parallel piece holds: about 16 k elements, enough to amortise scheduling.
inline std::size_t rows_per_block(const Box& box) {
  const int length = box.hi[0] - box.lo[0];
  return static_cast<std::size_t>(length < 16384 ? 16384 / (length < 1 ? 1 : length) + 1 : 1);
}

// body(j, k) for every row of the box, in parallel.
template <class Body>
void for_each_row(const Box& box, Body&& body) {
  const int rows_y = box.hi[1] - box.lo[1], rows_z = box.hi[2] - box.lo[2];
  if (rows_y <= 0 || rows_z <= 0) return;
  const std::size_t rows = static_cast<std::size_t>(rows_y) * static_cast<std::size_t>(rows_z);
  parallel_blocks(rows, rows_per_block(box), [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r)
      body(box.lo[1] + static_cast<int>(r % static_cast<std::size_t>(rows_y)),
           box.lo[2] + static_cast<int>(r / static_cast<std::size_t>(rows_y)));
  });
}

// Sum and largest of row(j, k) over the rows of the box, in a fixed order; largest is 0 for an empty box.
template <class Row>
double sum_rows(const Box& box, Row&& row) {
  const int rows_y = box.hi[1] - box.lo[1], rows_z = box.hi[2] - box.lo[2];
  if (rows_y <= 0 || rows_z <= 0) return 0;
  const std::size_t rows = static_cast<std::size_t>(rows_y) * static_cast<std::size_t>(rows_z);
  return sum_blocks(
      rows,
      [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t r = begin; r < end; ++r)
          sum += row(box.lo[1] + static_cast<int>(r % static_cast<std::size_t>(rows_y)),
                     box.lo[2] + static_cast<int>(r / static_cast<std::size_t>(rows_y)));
        return sum;
      },
      rows_per_block(box));
}
template <class Row>
double max_rows(const Box& box, Row&& row) {
  const int rows_y = box.hi[1] - box.lo[1], rows_z = box.hi[2] - box.lo[2];
  if (rows_y <= 0 || rows_z <= 0) return 0;
  const std::size_t rows = static_cast<std::size_t>(rows_y) * static_cast<std::size_t>(rows_z);
  return max_blocks(
      rows, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double largest = 0;
        for (std::size_t r = begin; r < end; ++r) {
          const double value = row(box.lo[1] + static_cast<int>(r % static_cast<std::size_t>(rows_y)),
                                   box.lo[2] + static_cast<int>(r / static_cast<std::size_t>(rows_y)));
          if (value > largest || value != value) largest = value;  // NaN comes in and stays
        }
        return largest;
      },
      rows_per_block(box));
}

// field(i,j,k) = value(world position) at every sample, ends included.
template <class T, class Value>
void fill(const Shape& shape, Place place, Buffer<T>& field, Value&& value) {
  field.assign(shape.size(), T(0));
  T* const first = field.data() + shape.first();
  const Box box = sample_box(shape, place);
  for_each_row(box, [&](int j, int k) {
    for (int i = 0; i < box.hi[0]; ++i)
      first[i + j * shape.row() + k * shape.plane()] = static_cast<T>(value(shape.position(place, i, j, k)));
  });
}

}  // namespace selkie::grid
