// See edge_flux.h.
#include "selkie/fluids/surface_water/edge_flux.h"

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "selkie/core/error.h"

namespace selkie::surface_water {
namespace {

// Distance of the circumcentre from the edge opposite to corner c: half its length times the cotangent.
double to_edge(const Metric& m, std::size_t f, std::uint32_t c) {
  return 0.5 * m.edge[next_corner(c)][f] / std::tan(m.angle[c][f]);
}

}  // namespace

EdgeFlux make_edge_flux(const Complex& complex, const Metric& m) {
  if (!complex.closed) throw InputError("edge fluxes need a closed mesh", "close it, or use the leapfrog");
  for (std::size_t f = 0; f < complex.face_count; ++f)
    for (std::size_t c = 0; c < 3; ++c)
      if (m.angle[c][f] >= 0.5 * std::numbers::pi)
        throw InputError("triangle " + std::to_string(f) + " is not acute: its circumcentre lies outside",
                         "edge fluxes need acute triangles; use the leapfrog");
  EdgeFlux mesh;
  mesh.of_face.resize(complex.face_count);
  for (std::uint32_t f = 0; f < complex.face_count; ++f)
    for (std::uint32_t c = 0; c < 3; ++c) {
      const std::uint32_t there = complex.across[c][f], g = Corner::face(there), d = Corner::corner(there);
      if (g < f) continue;
      mesh.of_face[f][c] = mesh.of_face[g][d] = static_cast<std::uint32_t>(mesh.edges.size());
      mesh.edges.push_back({f, g, m.edge[next_corner(c)][f], to_edge(m, f, c) + to_edge(m, g, d)});
    }
  return mesh;
}

void edge_flux_step(const EdgeFlux& mesh, const Metric& m, double gravity, double dt, std::span<double> depth,
                    std::span<double> velocity) {
  for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
    const EdgeFlux::Edge& edge = mesh.edges[e];
    velocity[e] -= dt * gravity * (depth[edge.to] - depth[edge.from]) / edge.distance;
  }
  std::vector<double> flux(mesh.edges.size());
  for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
    const EdgeFlux::Edge& edge = mesh.edges[e];
    flux[e] = edge.length * velocity[e] * 0.5 * (depth[edge.from] + depth[edge.to]);
  }
  for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
    const EdgeFlux::Edge& edge = mesh.edges[e];
    depth[edge.from] -= dt * flux[e] / m.area[edge.from];
    depth[edge.to] += dt * flux[e] / m.area[edge.to];
  }
}

Vec2 reconstruct(const EdgeFlux& mesh, const Metric& m, std::span<const double> velocity, std::size_t f) {
  Mat2 matrix = Mat2::Zero();
  Vec2 right = Vec2::Zero();
  const Corners2 x = corners_of(m, f);
  for (std::uint32_t c = 0; c < 3; ++c) {
    const Vec2 along = (x.at[last_corner(c)] - x.at[next_corner(c)]).normalized(), out(along[1], -along[0]);
    const std::uint32_t e = mesh.of_face[f][c];
    const double speed = mesh.edges[e].from == f ? velocity[e] : -velocity[e];
    matrix += out * out.transpose();
    right += speed * out;
  }
  return matrix.inverse() * right;
}

}  // namespace selkie::surface_water
