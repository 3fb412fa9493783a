// Reference solver: depths at circumcentres, normal velocities on edges, the C-grid of triangle meshes
// [Angst07 §4.2.2; SW-06]. Only for meshes whose triangles are all acute, where circumcentres lie inside;
// without advection, which would need whole vectors.
#pragma once

#include <span>
#include <vector>

#include "selkie/fluids/surface_water/metric.h"

namespace selkie::surface_water {

struct EdgeFlux {
  struct Edge {
    std::uint32_t from, to;   // faces; the velocity is positive from the first to the second
    double length, distance;  // m: of the edge, and between the circumcentres, unfolded
  };
  std::vector<Edge> edges;
  std::vector<std::array<std::uint32_t, 3>> of_face;  // edge opposite to each corner
};

// Throws InputError for a triangle that is not acute, and for open meshes.
EdgeFlux make_edge_flux(const Complex& complex, const Metric& metric);

// One leapfrog step of depths (per face) and edge velocities over a level bottom.
void edge_flux_step(const EdgeFlux& mesh, const Metric& metric, double gravity, double dt,
                    std::span<double> depth, std::span<double> velocity);

// Full vector of a face from its three edges, by least squares, in its frame.
Vec2 reconstruct(const EdgeFlux& mesh, const Metric& metric, std::span<const double> velocity, std::size_t f);

}  // namespace selkie::surface_water
