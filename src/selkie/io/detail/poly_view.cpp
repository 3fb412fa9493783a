// See poly_view.h.
#include "selkie/io/detail/poly_view.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <variant>

#include "selkie/core/error.h"

namespace selkie::io::detail {
namespace {

PolyView view_of(const ports::TriangleSurface& s) {
  return {.positions = s.positions, .triangles = s.triangles, .lines = {}, .attributes = s.attributes};
}

PolyView view_of(const ports::Points& s) {
  return {.positions = s.positions,
          .triangles = {},
          .lines = {},
          .attributes = s.attributes,
          .radius = s.radius,
          .is_cloud = true};
}

PolyView view_of(const ports::Curves& s) {
  return {.positions = s.positions,
          .triangles = {},
          .lines = s.lines,
          .attributes = s.attributes,
          .radius = s.radius};
}

PolyView view_of(const ports::Vectors& s) {
  return {.positions = s.origins,
          .triangles = {},
          .lines = {},
          .attributes = {{.name = s.name, .unit = s.unit, .components = 3, .values = numbers_of(s.values)}},
          .is_cloud = true};
}

// Two triangles per cell, their normals up (+y).
PolyView view_of(const ports::HeightSurface& s) {
  const auto columns = static_cast<std::size_t>(std::max(s.samples[0], 0));
  const auto rows = static_cast<std::size_t>(std::max(s.samples[1], 0));
  check_length("height surface", "heights", 1, s.heights.size(), columns * rows);
  PolyView view{.positions = {}, .triangles = {}, .lines = {}, .attributes = s.attributes};
  view.made_positions.reserve(columns * rows);
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t i = 0; i < columns; ++i)
      view.made_positions.push_back(s.origin + Vec3(static_cast<double>(i) * s.spacing,
                                                    s.heights[j * columns + i],
                                                    static_cast<double>(j) * s.spacing));
  for (std::size_t j = 0; j + 1 < rows; ++j) {
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      const auto corner = static_cast<std::uint32_t>(j * columns + i);
      const auto below = static_cast<std::uint32_t>(corner + columns);
      view.made_triangles.push_back({corner, below, corner + 1});
      view.made_triangles.push_back({corner + 1, below, below + 1});
    }
  }
  view.positions = view.made_positions;
  view.triangles = view.made_triangles;
  return view;
}

PolyView view_of(const ports::Volume&) {
  throw InputError("a volume has no surface, line or point form", "Write volumes as VDB or VTK files.");
}

template <std::size_t N>
std::span<const std::uint32_t> flat(std::span<const std::array<std::uint32_t, N>> elements) {
  return elements.empty() ? std::span<const std::uint32_t>()
                          : std::span(elements.front().data(), N * elements.size());
}

}  // namespace

PolyView poly_view(const ports::Drawable& drawable) {
  PolyView view = std::visit([](const auto& shape) { return view_of(shape); }, drawable.shape);
  for (const ports::Attribute& a : view.attributes)
    check_length(drawable.name, a.name, a.components, a.values.size(), view.positions.size());
  check_indices(drawable.name, flat(view.triangles), view.positions.size());
  check_indices(drawable.name, flat(view.lines), view.positions.size());
  return view;
}

void check_length(const std::string& owner, const std::string& array, int components, std::size_t values,
                  std::size_t count) {
  if (components != 1 && components != 3)
    throw InputError(owner + ": '" + array + "' has " + std::to_string(components) + " components",
                     "Give 1 or 3 components per element.");
  const std::size_t expected = static_cast<std::size_t>(components) * count;
  if (values != expected)
    throw InputError(owner + ": '" + array + "' has " + std::to_string(values) + " values where " +
                         std::to_string(expected) + " are needed",
                     "Give components × elements values.");
}

void check_indices(const std::string& owner, std::span<const std::uint32_t> indices,
                   std::size_t vertex_count) {
  if (vertex_count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw InputError(owner + ": more than 2^31 - 1 vertices", "Split the drawable into parts.");
  std::uint32_t highest = 0;
  for (const std::uint32_t index : indices) highest = std::max(highest, index);
  if (!indices.empty() && highest >= vertex_count)
    throw InputError(owner + ": index " + std::to_string(highest) + " points past its " +
                         std::to_string(vertex_count) + " vertices",
                     "Indices count from 0.");
}

std::span<const double> numbers_of(std::span<const Vec3> vectors) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  return vectors.empty() ? std::span<const double>()
                         : std::span<const double>(vectors.front().data(), 3 * vectors.size());
}

template <class T>
void put_values(std::span<const double> values, std::byte* out) {
  for (const double value : values) {
    const T converted = static_cast<T>(value);
    std::memcpy(out, &converted, sizeof(T));
    out += sizeof(T);
  }
}
template void put_values<float>(std::span<const double>, std::byte*);
template void put_values<double>(std::span<const double>, std::byte*);

std::string printable(const std::string& text) {
  std::string result = text;
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return result;
}

}  // namespace selkie::io::detail
