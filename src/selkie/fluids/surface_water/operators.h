// Discrete gradient, divergence and Laplacian: depth is linear on triangles, velocity constant, and one table
// of limited gradients drives all three, so that they stay adjoint to each other on any mesh. [Angst07
// §4.4.2; SW-10 … SW-14, E6 … E9]
#pragma once

#include <span>

#include "selkie/fluids/surface_water/metric.h"

namespace selkie::surface_water {

// Gradient of a function given at vertices, on face f in its frame.
inline Vec2 gradient(const Complex& complex, const Metric& m, std::span<const double> values, std::size_t f) {
  const double origin = values[complex.vertex[0][f]];
  const double d1 = values[complex.vertex[1][f]] - origin, d2 = values[complex.vertex[2][f]] - origin;
  return Vec2(d1 * m.g1x[f] + d2 * m.g2x[f], d1 * m.g1y[f] + d2 * m.g2y[f]);
}

// Gradient of the function that is 1 at corner c.
inline Vec2 basis_gradient(const Metric& m, std::size_t f, std::uint32_t c) {
  if (c == 1) return Vec2(m.g1x[f], m.g1y[f]);
  if (c == 2) return Vec2(m.g2x[f], m.g2y[f]);
  return Vec2(-m.g1x[f] - m.g2x[f], -m.g1y[f] - m.g2y[f]);
}

// (∇·v)_i = -(1/A_i) Σ A_k v_k·∇φ_ik [SW-13].
void divergence(const Complex& complex, const Metric& metric, std::span<const double> velocity_x,
                std::span<const double> velocity_y, std::span<double> result);

// ∇·(ηv) with the mean depth of the two vertices on each segment of the dual cells [SW-26].
void flux_divergence(const Complex& complex, const Metric& metric, std::span<const double> depth,
                     std::span<const double> velocity_x, std::span<const double> velocity_y,
                     std::span<double> result);

// ∇²f as divergence of the gradient: cotangent weights where nothing is limited [SW-14].
void laplacian(const Complex& complex, const Metric& metric, std::span<const double> values,
               std::span<double> result);

}  // namespace selkie::surface_water
