// The common view of all drawables that are points, lines or triangles, and the conversion of their arrays to
// file values: shared by the PLY and VTK writers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "selkie/ports/drawable.h"

namespace selkie::io::detail {

struct PolyView {
  std::span<const Vec3> positions;
  std::span<const std::array<std::uint32_t, 3>> triangles;
  std::span<const std::array<std::uint32_t, 2>> lines;
  std::vector<ports::Attribute> attributes;
  double radius = 0;      // m; 0: none given
  bool is_cloud = false;  // points without lines or triangles

  // Storage of what the drawable does not hold itself; the spans above may point into it.
  std::vector<Vec3> made_positions = {};
  std::vector<std::array<std::uint32_t, 3>> made_triangles = {};
};

// InputError when the drawable is a volume, an attribute's length does not fit, or an index is out of range.
PolyView poly_view(const ports::Drawable& drawable);

// InputError unless values hold components × count numbers and components are 1 or 3.
void check_length(const std::string& owner, const std::string& array, int components, std::size_t values,
                  std::size_t count);
// InputError when an index of `owner` reaches `vertex_count` or the vertices do not fit 31 bits.
void check_indices(const std::string& owner, std::span<const std::uint32_t> indices,
                   std::size_t vertex_count);

// The numbers of a Vec3 array, three per element.
std::span<const double> numbers_of(std::span<const Vec3> vectors);

// Writes `values` as T (float or double) from `out` on.
template <class T>
void put_values(std::span<const double> values, std::byte* out);

// Without control characters, so that a name or unit cannot break a text header.
std::string printable(const std::string& text);

}  // namespace selkie::io::detail
