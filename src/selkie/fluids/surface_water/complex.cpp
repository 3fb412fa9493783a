// See complex.h.
#include "selkie/fluids/surface_water/complex.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "selkie/core/error.h"
#include "selkie/geometry/mesh_check.h"

namespace selkie::surface_water {
namespace {

using geometry::Triangle;
using geometry::TriangleMesh;

constexpr geometry::MeshRequirements requirements(bool open) {
  return {.closed = !open,
          .non_degenerate = true,
          .no_duplicates = true,
          .manifold = true,
          .oriented = true,
          .all_vertices_used = true};
}

// Joins faces across edges; the mesh is manifold and oriented.
void find_neighbours(Complex& complex) {
  struct Side {
    std::uint32_t low, high, packed;
  };
  std::vector<Side> sides;
  sides.reserve(3 * complex.face_count);
  for (std::uint32_t f = 0; f < complex.face_count; ++f)
    for (std::uint32_t c = 0; c < 3; ++c) {
      const auto [low, high] =
          std::minmax(complex.triangles[f][(c + 1) % 3], complex.triangles[f][(c + 2) % 3]);
      sides.push_back({low, high, Corner::pack(f, c)});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.low != b.low ? a.low < b.low : a.high != b.high ? a.high < b.high : a.packed < b.packed;
  });
  for (auto& across : complex.across) across.assign(complex.face_count, Corner::kNone);
  auto set = [&](std::uint32_t from, std::uint32_t to) {
    complex.across[Corner::corner(from)][Corner::face(from)] = to;
  };
  for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
    const Side &a = sides[i], &b = sides[i + 1];
    if (a.low == b.low && a.high == b.high) set(a.packed, b.packed), set(b.packed, a.packed), ++i;
  }
}

// The next corner of the same vertex, counter-clockwise; kNone at the rim.
std::uint32_t turn_left(const Complex& complex, std::uint32_t packed) {
  const std::uint32_t there = complex.across[next_corner(Corner::corner(packed))][Corner::face(packed)];
  return there == Corner::kNone ? there
                                : Corner::pack(Corner::face(there), next_corner(Corner::corner(there)));
}
std::uint32_t turn_right(const Complex& complex, std::uint32_t packed) {
  const std::uint32_t there = complex.across[last_corner(Corner::corner(packed))][Corner::face(packed)];
  return there == Corner::kNone ? there
                                : Corner::pack(Corner::face(there), last_corner(Corner::corner(there)));
}

void find_fans(Complex& complex, const std::string& source) {
  const std::size_t count = complex.vertex_count;
  std::vector<std::uint32_t> valence(count, 0), first(count, Corner::kNone);
  for (std::uint32_t f = 0; f < complex.face_count; ++f)
    for (std::uint32_t c = 0; c < 3; ++c) {
      const std::uint32_t v = complex.triangles[f][c];
      ++valence[v];
      if (first[v] == Corner::kNone) first[v] = Corner::pack(f, c);
    }
  complex.fan_begin.assign(count + 1, 0);
  complex.fan.assign(3 * complex.face_count, 0);
  complex.rim.assign(count, 0);
  for (std::size_t v = 0; v < count; ++v) {
    const std::uint32_t begin = complex.fan_begin[v];
    complex.fan_begin[v + 1] = begin + valence[v];
    std::uint32_t start = first[v];
    // An open fan starts at the rim, so that it can be walked in one turn.
    for (std::uint32_t at = turn_right(complex, start); at != first[v]; at = turn_right(complex, at)) {
      if (at == Corner::kNone) {
        complex.rim[v] = 1;
        break;
      }
      start = at;
    }
    if (!complex.rim[v]) start = first[v];
    std::uint32_t at = start, found = 0;
    do {
      if (found < valence[v]) complex.fan[begin + found] = at;
      ++found;
      at = turn_left(complex, at);
    } while (at != Corner::kNone && at != start && found <= valence[v]);
    if (found != valence[v])
      throw InputError(SourceLocation{source},
                       "the faces around vertex " + std::to_string(v) +
                           " form more than one fan: two parts of the mesh touch in a point",
                       "give each part a vertex of its own there");
  }
}

std::size_t count_components(const Complex& complex) {
  std::vector<std::uint32_t> parent(complex.vertex_count);
  std::iota(parent.begin(), parent.end(), 0u);
  auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const Triangle& t : complex.triangles)
    for (std::size_t c = 1; c < 3; ++c) parent[root(t[c])] = root(t[0]);
  std::size_t components = 0;
  for (std::uint32_t v = 0; v < complex.vertex_count; ++v) components += root(v) == v;
  return components;
}

}  // namespace

Complex make_complex(const TriangleMesh& mesh, const std::string& source, bool open) {
  if (mesh.triangles.empty())
    throw InputError(SourceLocation{source}, "the mesh for water has no triangles", "give a surface");
  geometry::MeshReport report = geometry::check_mesh(mesh, requirements(open));
  // Two sheets laid on each other enclose nothing: the sign of their volume is round-off.
  if (report.count(geometry::Trouble::inside_out) > 0 &&
      std::abs(geometry::volume(mesh)) < 1e-9 * std::pow(geometry::area(mesh), 1.5))
    std::erase_if(report.findings,
                  [](const geometry::Finding& f) { return f.trouble == geometry::Trouble::inside_out; });
  if (!report.clean())
    throw InputError(SourceLocation{source}, "the mesh has " + report.text(), report.remedy());
  if (mesh.triangles.size() >= (1u << 30))
    throw InputError(SourceLocation{source}, "the mesh has more than 2^30 triangles", "use a coarser one");
  Complex complex;
  complex.vertex_count = mesh.positions.size();
  complex.face_count = mesh.triangles.size();
  complex.triangles = mesh.triangles;
  for (std::size_t c = 0; c < 3; ++c) {
    complex.vertex[c].assign(complex.face_count, 0);
    for (std::size_t f = 0; f < complex.face_count; ++f) complex.vertex[c][f] = mesh.triangles[f][c];
  }
  find_neighbours(complex);
  for (std::uint32_t f = 0; f < complex.face_count; ++f)
    for (std::uint32_t c = 0; c < 3; ++c)
      if (complex.across[c][f] == Corner::kNone) complex.rim_edges.push_back(Corner::pack(f, c));
  complex.closed = complex.rim_edges.empty();
  find_fans(complex, source);
  complex.component_count = count_components(complex);
  complex.euler_characteristic = geometry::euler_characteristic(mesh);
  return complex;
}

void require_same_topology(const Complex& complex, const TriangleMesh& frame, const std::string& source) {
  if (frame.positions.size() != complex.vertex_count || frame.triangles != complex.triangles)
    throw InputError(
        SourceLocation{source},
        "the mesh has " + std::to_string(frame.positions.size()) + " vertices and " +
            std::to_string(frame.triangles.size()) + " triangles that are not those of the first frame (" +
            std::to_string(complex.vertex_count) + " and " + std::to_string(complex.face_count) + ")",
        "water follows a mesh that moves, not one whose triangles change: export every frame "
        "with the same vertices in the same order");
  for (std::size_t v = 0; v < frame.positions.size(); ++v)
    if (!frame.positions[v].allFinite())
      throw InputError(SourceLocation{source}, "vertex " + std::to_string(v) + " is not finite",
                       "export the frame again");
}

}  // namespace selkie::surface_water
