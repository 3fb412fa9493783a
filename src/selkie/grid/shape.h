// Shape: the index box that all fields of a uniform grid share, in 2-D and 3-D. Cell (i,j,k) owns its low
// faces and its low corner, so a cell field, a face field and a node field have the same size and the same
// strides.
//
// Layout: x fastest, one ghost layer all around (none along z in 2-D, where cells[2] is 1). Rows start
// aligned for vector loads; the element at i = -1 is the last pad of the row before, so that padding costs
// little.
//   i = -1 ghost | 0 … n-1 cells | n high face, high ghost
#pragma once

#include <array>
#include <cstddef>

#include "selkie/core/check.h"
#include "selkie/math/types.h"

namespace selkie::grid {

using Index = std::array<int, 3>;

// Where a sample sits in its cell.
enum class Place { cell, face_x, face_y, face_z, node };
constexpr Place face_place(int axis) { return static_cast<Place>(1 + axis); }

class Shape {
 public:
  Shape() = default;
  // dims is 2 or 3; cells[2] is ignored in 2-D. cell_size in m; origin is the low corner of cell (0,0,0).
  Shape(int dims, Index cells, double cell_size, const Vec3& origin = Vec3::Zero())
      : dims_(dims), cells_(cells), cell_size_(cell_size), origin_(origin) {
    SELKIE_CHECK(dims == 2 || dims == 3, "a grid has two or three dimensions");
    if (dims == 2) cells_[2] = 1;
    for (const int n : cells_) SELKIE_CHECK(n >= 1, "a grid has cells");
    SELKIE_CHECK(cell_size > 0, "cells have a size");
    row_ = (cells_[0] + 2 + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
    plane_ = row_ * (cells_[1] + 2);
    // One row before (0,0,0) within its plane, one plane below it, and the ghost at i = -1 in front of all.
    first_ = kRowAlignment + row_ + (dims == 3 ? plane_ : 0);
    size_ =
        static_cast<std::size_t>(kRowAlignment + plane_ * (dims == 3 ? cells_[2] + 2 : 1) + kRowAlignment);
  }

  int dims() const { return dims_; }
  const Index& cells() const { return cells_; }
  std::size_t cell_count() const {
    return static_cast<std::size_t>(cells_[0]) * static_cast<std::size_t>(cells_[1]) *
           static_cast<std::size_t>(cells_[2]);
  }
  double cell_size() const { return cell_size_; }
  const Vec3& origin() const { return origin_; }
  Vec3 extent() const { return cell_size_ * Vec3(cells_[0], cells_[1], dims_ == 3 ? cells_[2] : 0); }

  // Elements a field needs, padding included; distance in elements between neighbours along an axis.
  std::size_t size() const { return size_; }
  std::ptrdiff_t row() const { return row_; }
  std::ptrdiff_t plane() const { return plane_; }
  std::ptrdiff_t stride(int axis) const { return axis == 0 ? 1 : axis == 1 ? row_ : plane_; }
  std::ptrdiff_t first() const { return first_; }  // of element (0,0,0)
  std::ptrdiff_t at(int i, int j, int k) const { return first_ + i + j * row_ + k * plane_; }

  // World position of a sample, in m. In 2-D samples lie in the plane z = origin.z.
  Vec3 position(Place place, int i, int j, int k) const {
    return origin_ + cell_size_ * (Vec3(i, j, k) + offset(place));
  }
  // Of a sample from its cell's low corner, in cells.
  Vec3 offset(Place place) const {
    const double half_z = dims_ == 3 ? 0.5 : 0;
    switch (place) {
      case Place::cell:
        return {0.5, 0.5, half_z};
      case Place::face_x:
        return {0, 0.5, half_z};
      case Place::face_y:
        return {0.5, 0, half_z};
      case Place::face_z:
        return {0.5, 0.5, 0};
      case Place::node:
        break;
    }
    return Vec3::Zero();
  }
  // Samples along each axis: one more than cells where the samples include both ends.
  Index samples(Place place) const {
    Index n = cells_;
    for (int axis = 0; axis < dims_; ++axis)
      if (place == face_place(axis) || place == Place::node) ++n[static_cast<std::size_t>(axis)];
    return n;
  }

  friend bool operator==(const Shape& a, const Shape& b) {
    return a.dims_ == b.dims_ && a.cells_ == b.cells_ && a.cell_size_ == b.cell_size_ &&
           a.origin_ == b.origin_;
  }

 private:
  static constexpr std::ptrdiff_t kRowAlignment = 8;  // elements: one AVX register of floats

  int dims_ = 3;
  Index cells_{1, 1, 1};
  double cell_size_ = 1;
  Vec3 origin_ = Vec3::Zero();
  std::ptrdiff_t row_ = 0, plane_ = 0, first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace selkie::grid
