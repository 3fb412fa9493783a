// The checks of mesh_check.h. Sizes are compared with the element's own longest edge, so that a mesh in
// millimetres is judged like one in kilometres.
#include "selkie/geometry/mesh_check.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "selkie/core/error.h"
#include "selkie/geometry/detail/findings.h"
#include "selkie/geometry/self_intersection.h"

namespace selkie::geometry {
namespace {

using detail::Findings;

// Round-off of a cross or triple product, relative to the longest edge squared or cubed, with some margin.
constexpr double kFlat = 1e-12;

template <class Element>
std::string element_text(const std::string& name, const Element& element) {
  std::string text = name + " (";
  for (std::size_t k = 0; k < element.size(); ++k) text += (k ? ", " : "") + std::to_string(element[k]);
  return text + ")";
}
template <class Element>
std::string element_text(std::string_view kind, std::size_t index, const Element& element) {
  return element_text(std::string(kind) + " " + std::to_string(index), element);
}

std::string edge_text(const Segment& edge) {
  return "edge " + std::to_string(edge[0]) + "-" + std::to_string(edge[1]);
}

template <class Element>
double longest_edge(const std::vector<Vec3>& x, const Element& element) {
  double longest = 0;
  for (std::size_t a = 0; a < element.size(); ++a)
    for (std::size_t b = a + 1; b < element.size(); ++b)
      longest = std::max(longest, (x[element[a]] - x[element[b]]).norm());
  return longest;
}

// What every mesh needs before anything else may be computed from it; true when the indices are in range.
template <class Element>
bool check_basics(const std::vector<Vec3>& positions, const std::vector<Element>& elements,
                  std::string_view kind, Findings& findings) {
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (std::any_of(elements[i].begin(), elements[i].end(),
                    [&](std::uint32_t vertex) { return vertex >= positions.size(); }))
      findings.add(Trouble::index_out_of_range, [&] {
        return element_text(kind, i, elements[i]) + ", but there are " + std::to_string(positions.size()) +
               " vertices";
      });
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (!positions[i].allFinite())
      findings.add(Trouble::non_finite_vertex, [&] { return "vertex " + std::to_string(i); });
  return findings.count(Trouble::index_out_of_range) == 0;
}

template <class Element>
void check_usage(std::size_t vertex_count, const std::vector<Element>& elements, Findings& findings) {
  std::vector<bool> used(vertex_count, false);
  for (const Element& element : elements)
    for (const std::uint32_t vertex : element) used[vertex] = true;
  for (std::size_t i = 0; i < vertex_count; ++i)
    if (!used[i]) findings.add(Trouble::unreferenced_vertex, [&] { return "vertex " + std::to_string(i); });
}

void check_areas(const TriangleMesh& mesh, Findings& findings) {
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const Triangle& t = mesh.triangles[i];
    const double longest = longest_edge(mesh.positions, t);
    const double twice_area =
        2 * triangle_area(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]);
    if (twice_area <= kFlat * longest * longest)
      findings.add(Trouble::zero_area_triangle, [&] { return element_text("triangle", i, t); });
  }
}

void check_volumes(const TetMesh& mesh, Findings& findings) {
  for (std::size_t i = 0; i < mesh.tets.size(); ++i) {
    const Tet& t = mesh.tets[i];
    const auto& x = mesh.positions;
    const double longest = longest_edge(x, t);
    const double six_volumes = 6 * signed_volume(x[t[0]], x[t[1]], x[t[2]], x[t[3]]);
    const double flat = kFlat * longest * longest * longest;
    if (std::abs(six_volumes) <= flat)
      findings.add(Trouble::degenerate_tet, [&] { return element_text("tetrahedron", i, t); });
    else if (six_volumes < 0)
      findings.add(Trouble::inverted_tet, [&] { return element_text("tetrahedron", i, t); });
  }
}

template <class Element>
void check_duplicates(const std::vector<Element>& elements, std::string_view kind, Trouble trouble,
                      Findings& findings) {
  std::vector<std::pair<Element, std::size_t>> sorted(elements.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sorted[i] = {elements[i], i};
    std::sort(sorted[i].first.begin(), sorted[i].first.end());
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> repeats;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].first == sorted[i - 1].first) repeats.push_back(sorted[i].second);
  std::sort(repeats.begin(), repeats.end());
  for (const std::size_t i : repeats)
    findings.add(trouble, [&] { return element_text(kind, i, elements[i]); });
}

// Tetrahedra that fill space once meet at a face at most two at a time, one on each side of it.
void check_overlaps(const TetMesh& mesh, Findings& findings) {
  struct Side {
    Triangle face;
    bool behind;
    bool operator<(const Side& other) const { return face < other.face; }
  };
  std::vector<Side> sides;
  sides.reserve(4 * mesh.tets.size());
  for (const Tet& t : mesh.tets) {
    const double volume =
        signed_volume(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]], mesh.positions[t[3]]);
    for (Triangle face : faces_of(t)) {
      bool odd = volume < 0;
      for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {0, 1}})
        if (face[a] > face[b]) std::swap(face[a], face[b]), odd = !odd;
      sides.push_back({face, odd});
    }
  }
  std::sort(sides.begin(), sides.end());
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    std::size_t behind = 0;
    for (end = begin; end < sides.size() && sides[end].face == sides[begin].face; ++end)
      behind += sides[end].behind;
    if (behind <= 1 && end - begin - behind <= 1) continue;
    findings.add(Trouble::overlapping_tets, [&] {
      return element_text("face", sides[begin].face) + " with " + std::to_string(behind) + " and " +
             std::to_string(end - begin - behind) + " on its sides";
    });
  }
}

// Equal coordinates only; nearly equal ones are a matter of taste.
void check_distinct(const std::vector<Vec3>& positions, Findings& findings) {
  std::vector<std::uint32_t> order(positions.size());
  std::iota(order.begin(), order.end(), 0u);
  auto key = [&](std::uint32_t v) {
    return std::tuple(positions[v].x(), positions[v].y(), positions[v].z());
  };
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
  std::vector<Segment> repeats;  // the later vertex, and the one before it at the same place
  for (std::size_t i = 1; i < order.size(); ++i)
    if (key(order[i]) == key(order[i - 1])) repeats.push_back({order[i], order[i - 1]});
  std::sort(repeats.begin(), repeats.end());
  for (const auto& [later, earlier] : repeats)
    findings.add(Trouble::duplicate_vertex, [later = later, earlier = earlier] {
      return "vertex " + std::to_string(later) + ", where vertex " + std::to_string(earlier) + " is";
    });
}

void check_self_intersections(const TriangleMesh& mesh, Findings& findings) {
  const SelfIntersections found = find_self_intersections(mesh);
  for (std::size_t i = 0; i < found.pairs; ++i)
    findings.add(Trouble::self_intersection, [&] {
      return element_text("triangle", found.first[0], mesh.triangles[found.first[0]]) + " and " +
             element_text("triangle", found.first[1], mesh.triangles[found.first[1]]);
    });
}

struct EdgeUse {
  Segment edge;
  std::size_t triangles;
};
std::vector<EdgeUse> edge_uses(const std::vector<Triangle>& triangles) {
  std::vector<Segment> sides;
  sides.reserve(triangles.size() * 3);
  for (const Triangle& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b)});
    }
  std::sort(sides.begin(), sides.end());
  std::vector<EdgeUse> uses;
  for (const Segment& side : sides) {
    if (!uses.empty() && uses.back().edge == side)
      ++uses.back().triangles;
    else
      uses.push_back({side, 1});
  }
  return uses;
}

void check_manifold(const std::vector<EdgeUse>& uses, Findings& findings) {
  for (const EdgeUse& use : uses)
    if (use.triangles > 2)
      findings.add(Trouble::non_manifold_edge, [&] {
        return edge_text(use.edge) + " with " + std::to_string(use.triangles) + " triangles";
      });
}

// Counts connected loops of boundary edges rather than the edges: a user mends holes one by one.
void check_holes(std::size_t vertex_count, const std::vector<EdgeUse>& uses, Findings& findings) {
  std::vector<std::uint32_t> parent(vertex_count);
  std::iota(parent.begin(), parent.end(), 0u);
  auto root = [&](std::uint32_t vertex) {
    while (parent[vertex] != vertex) vertex = parent[vertex] = parent[parent[vertex]];
    return vertex;
  };
  for (const EdgeUse& use : uses)
    if (use.triangles == 1) parent[root(use.edge[0])] = root(use.edge[1]);
  std::vector<bool> seen(vertex_count, false);
  for (const EdgeUse& use : uses) {
    if (use.triangles != 1 || seen[root(use.edge[0])]) continue;
    seen[root(use.edge[0])] = true;
    findings.add(Trouble::hole, [&] { return edge_text(use.edge); });
  }
}

bool runs_along(const Triangle& t, std::uint32_t from, std::uint32_t to) {
  for (std::size_t k = 0; k < 3; ++k)
    if (t[k] == from && t[(k + 1) % 3] == to) return true;
  return false;
}

// Spreads a side over each connected part; the smaller group of a part is the flipped one. Surfaces that
// have one side only (a Möbius strip) leave edges where the sides still disagree; those count as well.
void check_orientation(const TriangleMesh& mesh, Findings& findings) {
  const std::vector<EdgePair> pairs = edge_pairs(mesh.triangles);
  std::vector<Segment> links;
  std::vector<bool> disagree;
  for (const EdgePair& pair : pairs) {
    const auto [a, b] = pair.triangles;
    links.push_back({a, b});
    disagree.push_back(runs_along(mesh.triangles[a], pair.edge[0], pair.edge[1]) ==
                       runs_along(mesh.triangles[b], pair.edge[0], pair.edge[1]));
  }
  if (std::none_of(disagree.begin(), disagree.end(), [](bool d) { return d; })) return;

  std::vector<std::vector<std::pair<std::uint32_t, bool>>> neighbours(mesh.triangles.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    neighbours[links[i][0]].push_back({links[i][1], disagree[i]});
    neighbours[links[i][1]].push_back({links[i][0], disagree[i]});
  }
  std::vector<signed char> side(mesh.triangles.size(), 0);
  std::vector<std::uint32_t> flipped, part;
  for (std::uint32_t seed = 0; seed < side.size(); ++seed) {
    if (side[seed] != 0) continue;
    side[seed] = 1;
    part.assign(1, seed);
    for (std::size_t next = 0; next < part.size(); ++next)
      for (const auto& [other, differs] : neighbours[part[next]]) {
        if (side[other] != 0) continue;
        side[other] = static_cast<signed char>(differs ? -side[part[next]] : side[part[next]]);
        part.push_back(other);
      }
    const auto backs = std::count_if(part.begin(), part.end(), [&](std::uint32_t t) { return side[t] < 0; });
    const signed char minority = 2 * static_cast<std::size_t>(backs) <= part.size() ? -1 : 1;
    for (const std::uint32_t t : part)
      if (side[t] == minority) flipped.push_back(t);
  }
  std::sort(flipped.begin(), flipped.end());
  for (const std::uint32_t t : flipped)
    findings.add(Trouble::flipped_face, [&] { return element_text("triangle", t, mesh.triangles[t]); });
  for (std::size_t i = 0; i < links.size(); ++i)
    if (disagree[i] != (side[links[i][0]] != side[links[i][1]]))
      findings.add(Trouble::flipped_face,
                   [&] { return edge_text(pairs[i].edge) + " of a surface with one side only"; });
}

template <class Mesh>
void require_clean(const Mesh& mesh, const std::string& source, const MeshRequirements& want) {
  const MeshReport report = check_mesh(mesh, want);
  if (!report.clean())
    throw InputError(SourceLocation{source}, "the mesh has " + report.text(), report.remedy());
}

}  // namespace

MeshReport check_mesh(const TriangleMesh& mesh, const MeshRequirements& want) {
  Findings findings;
  if (!check_basics(mesh.positions, mesh.triangles, "triangle", findings)) return findings.report();
  const bool finite = findings.count(Trouble::non_finite_vertex) == 0;
  if (want.non_degenerate && finite) check_areas(mesh, findings);
  if (want.no_duplicates) check_duplicates(mesh.triangles, "triangle", Trouble::duplicate_triangle, findings);
  if (want.manifold || want.closed) {
    const std::vector<EdgeUse> uses = edge_uses(mesh.triangles);
    if (want.manifold) check_manifold(uses, findings);
    if (want.closed) check_holes(mesh.positions.size(), uses, findings);
  }
  if (want.oriented) check_orientation(mesh, findings);
  if (want.closed && want.oriented && findings.report().clean() && volume(mesh) < 0)
    findings.add(Trouble::inside_out, [] { return std::string("triangle 0"); });
  if (want.all_vertices_used) check_usage(mesh.positions.size(), mesh.triangles, findings);
  if (want.distinct_vertices && finite) check_distinct(mesh.positions, findings);
  if (want.no_self_intersections && findings.report().clean()) check_self_intersections(mesh, findings);
  return findings.report();
}

MeshReport check_mesh(const TetMesh& mesh, const MeshRequirements& want) {
  Findings findings;
  if (!check_basics(mesh.positions, mesh.tets, "tetrahedron", findings)) return findings.report();
  const bool finite = findings.count(Trouble::non_finite_vertex) == 0;
  if (want.non_degenerate && finite) check_volumes(mesh, findings);
  if (want.no_duplicates) {
    check_duplicates(mesh.tets, "tetrahedron", Trouble::duplicate_tet, findings);
    if (findings.report().clean()) check_overlaps(mesh, findings);
  }
  if (want.all_vertices_used) check_usage(mesh.positions.size(), mesh.tets, findings);
  if (want.distinct_vertices && finite) check_distinct(mesh.positions, findings);
  return findings.report();
}

MeshReport check_mesh(const SegmentMesh& mesh, const MeshRequirements& want) {
  Findings findings;
  if (!check_basics(mesh.positions, mesh.segments, "segment", findings)) return findings.report();
  if (want.non_degenerate)
    for (std::size_t i = 0; i < mesh.segments.size(); ++i) {
      const Segment& s = mesh.segments[i];
      if (mesh.positions[s[0]] == mesh.positions[s[1]])
        findings.add(Trouble::zero_length_segment, [&] { return element_text("segment", i, s); });
    }
  if (want.no_duplicates) check_duplicates(mesh.segments, "segment", Trouble::duplicate_segment, findings);
  if (want.all_vertices_used) check_usage(mesh.positions.size(), mesh.segments, findings);
  return findings.report();
}

void require_valid(const TriangleMesh& mesh, const std::string& source, const MeshRequirements& want) {
  require_clean(mesh, source, want);
}
void require_valid(const TetMesh& mesh, const std::string& source, const MeshRequirements& want) {
  require_clean(mesh, source, want);
}
void require_valid(const SegmentMesh& mesh, const std::string& source, const MeshRequirements& want) {
  require_clean(mesh, source, want);
}

}  // namespace selkie::geometry
