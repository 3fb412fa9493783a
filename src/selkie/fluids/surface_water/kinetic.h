// Reference solver: first-order kinetic finite volumes on the triangles of the mesh [Angst07 §4.3.3; SW-07 …
// SW-09, E4, E5]. The distribution is uniform on a square, so that half-fluxes are closed forms; each face
// uses its own in-plane normal of a shared edge, which is the extension to curved meshes. Positive below its
// step limit, exact in mass and right about shocks; kept to compare with, since its limit is strict and
// collapses on slivers. A rim is a wall.
#pragma once

#include <span>

#include "selkie/fluids/surface_water/metric.h"

namespace selkie::surface_water {

struct KineticState {
  Buffer<double> depth;   // m, per face
  Buffer<Vec2> velocity;  // m/s, in the face's frame
};

// Net flux of depth and momentum (in the edge's normal and tangent) from a cell with depth η and velocity
// (normal, tangential) through its edge; `out`: the half that leaves it, else the half that comes towards it.
struct KineticFlux {
  double depth = 0, normal = 0, tangential = 0;
};
KineticFlux kinetic_half_flux(double eta, double normal, double tangential, double gravity, bool out);

// Longest step that keeps depths positive: Δt Σ ℓ(|u·n| + √(1.5 g η)) ≤ A for every face.
double kinetic_step_limit(const Complex& complex, const Metric& metric, double gravity,
                          const KineticState& state);

// `bottom` is the depth of the bottom per face.
void kinetic_step(const Complex& complex, const Metric& metric, double gravity,
                  std::span<const double> bottom, double dt, const KineticState& from, KineticState& to);

}  // namespace selkie::surface_water
