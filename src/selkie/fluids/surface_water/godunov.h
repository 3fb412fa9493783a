// Reference: Godunov's method for one quantity that water carries along, on the triangles of the mesh
// [Angst07 §4.3.1, §4.3.2; SW-07, SW-08]. Between two cells stands a Riemann problem; its exact solution at
// the interface gives the flux. The update telescopes, so the total is kept to rounding; below the step limit
// no value appears that was not there. A rim is a wall.
#pragma once

#include <array>
#include <span>

#include "selkie/fluids/surface_water/metric.h"

namespace selkie::surface_water {

// Flux of q_t + s q_x = 0 through the place of a jump from `left` to `right`.
inline double riemann_flux(double left, double right, double speed) {
  return speed * (speed > 0 ? left : right);
}

// Speeds of the waves of shallow water along a normal: v·n - c, v·n, v·n + c with c = √(-a_n η).
std::array<double, 3> wave_speeds(double normal_velocity, double depth, double normal_acceleration);

// Longest step in which no wave crosses a cell: max |λ| Δt ≤ Δx in one dimension.
double godunov_step_limit(std::span<const double> speeds, double spacing);

// The same for transport on triangles: no more leaves a face than it holds. `velocity` in the frames of the
// faces.
double godunov_step_limit(const Complex& complex, const Metric& metric, std::span<const Vec2> velocity);

// Carries the mean values `from` of the faces for `dt` seconds.
void godunov_step(const Complex& complex, const Metric& metric, std::span<const Vec2> velocity, double dt,
                  std::span<const double> from, std::span<double> to);

}  // namespace selkie::surface_water
