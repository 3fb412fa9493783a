// See loads.h.
#include "selkie/solids/fem/loads.h"

#include <algorithm>
#include <numeric>

namespace selkie::fem {
namespace {

// Edges that belong to one triangle, in its order.
std::vector<geometry::Segment> boundary_edges(std::span<const geometry::Triangle> triangles) {
  std::vector<geometry::Segment> all, boundary;
  for (const auto& [a, b, c] : triangles)
    for (const geometry::Segment& edge : {geometry::Segment{a, b}, {b, c}, {c, a}}) all.push_back(edge);
  std::sort(all.begin(), all.end());
  for (const geometry::Segment& edge : all)
    if (!std::binary_search(all.begin(), all.end(), geometry::Segment{edge[1], edge[0]}))
      boundary.push_back(edge);
  return boundary;
}

// Triangles that edges connect share a number, that of the lowest of them.
std::vector<std::size_t> components(std::span<const geometry::Triangle> triangles) {
  std::vector<std::size_t> parent(triangles.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  auto root = [&](std::size_t t) {
    while (parent[t] != t) t = parent[t] = parent[parent[t]];
    return t;
  };
  struct Side {
    geometry::Segment edge;
    std::size_t triangle;
    auto operator<=>(const Side&) const = default;
  };
  std::vector<Side> sides;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = triangles[t][k], b = triangles[t][(k + 1) % 3];
      sides.push_back({{std::min(a, b), std::max(a, b)}, t});
    }
  std::sort(sides.begin(), sides.end());
  for (std::size_t s = 1; s < sides.size(); ++s)
    if (sides[s].edge == sides[s - 1].edge) {
      const std::size_t p = root(sides[s - 1].triangle), q = root(sides[s].triangle);
      parent[std::max(p, q)] = std::min(p, q);
    }
  for (std::size_t t = 0; t < parent.size(); ++t) parent[t] = root(t);
  return parent;
}

}  // namespace

LoadedPart find_loaded_part(const Model& model, std::span<const std::uint8_t> chosen) {
  const std::vector<Vec3>& x = model.rest_positions;
  LoadedPart part;
  if (model.dimension == 3) {
    for (const geometry::Triangle& t : model.surface) {
      if (chosen[t[0]] == 0 || chosen[t[1]] == 0 || chosen[t[2]] == 0) continue;
      part.triangles.push_back(t);
      part.area += geometry::triangle_area(x[t[0]], x[t[1]], x[t[2]]);
    }
    return part;
  }
  for (const geometry::Segment& edge : boundary_edges(model.surface)) {
    if (chosen[edge[0]] == 0 || chosen[edge[1]] == 0) continue;
    part.edges.push_back(edge);
    part.area += model.thickness * (x[edge[1]] - x[edge[0]]).norm();
  }
  return part;
}

void add_traction(const Model& model, const LoadedPart& part, const Vec3& traction, std::span<Vec3> forces) {
  const std::vector<Vec3>& x = model.rest_positions;
  for (const auto& [a, b, c] : part.triangles)
    for (const std::uint32_t i : {a, b, c})
      forces[i] += geometry::triangle_area(x[a], x[b], x[c]) / 3 * traction;
  for (const geometry::Segment& edge : part.edges)
    for (const std::uint32_t i : edge)
      forces[i] += 0.5 * model.thickness * (x[edge[1]] - x[edge[0]]).norm() * traction;
}

void add_traction(const Model& model, std::span<const std::uint8_t> chosen, const Vec3& traction,
                  std::span<Vec3> forces) {
  add_traction(model, find_loaded_part(model, chosen), traction, forces);
}

void add_pressure(const Model& model, const LoadedPart& part, double pressure, std::span<const Vec3> x,
                  std::span<Vec3> forces) {
  for (const auto& [a, b, c] : part.triangles) {
    const Vec3 third = -pressure / 6 * (x[b] - x[a]).cross(x[c] - x[a]);
    for (const std::uint32_t i : {a, b, c}) forces[i] += third;
  }
  for (const auto& [a, b] : part.edges) {
    const Vec3 half = -pressure / 2 * model.thickness * (x[b] - x[a]).cross(Vec3::UnitZ());
    for (const std::uint32_t i : {a, b}) forces[i] += half;
  }
}

std::vector<geometry::Triangle> pressed_surface(std::span<const Vec3> positions,
                                                std::span<const geometry::Triangle> surface) {
  const std::vector<std::size_t> component = components(surface);
  std::vector<double> volume(surface.size(), 0.0);  // of each component, at its lowest triangle
  for (std::size_t t = 0; t < surface.size(); ++t)
    volume[component[t]] += geometry::signed_volume(positions[0], positions[surface[t][0]],
                                                    positions[surface[t][1]], positions[surface[t][2]]);
  std::vector<geometry::Triangle> walls;
  for (std::size_t t = 0; t < surface.size(); ++t)
    if (volume[component[t]] < 0) walls.push_back({surface[t][0], surface[t][2], surface[t][1]});
  return walls.empty() ? std::vector(surface.begin(), surface.end()) : walls;
}

}  // namespace selkie::fem
