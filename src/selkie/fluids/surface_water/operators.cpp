// See operators.h.
#include "selkie/fluids/surface_water/operators.h"

#include "selkie/core/parallel.h"

namespace selkie::surface_water {
namespace {

// result_i = (1/A_i) Σ over the fan of term(face, corner).
template <class Term>
void gather(const Complex& complex, const Metric& m, std::span<double> result, Term&& term) {
  parallel_blocks(complex.vertex_count, 2048, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      double sum = 0;
      for (std::uint32_t e = complex.fan_begin[v]; e < complex.fan_begin[v + 1]; ++e)
        sum += term(Corner::face(complex.fan[e]), Corner::corner(complex.fan[e]));
      result[v] = sum / m.dual_area[v];
    }
  });
}

}  // namespace

void divergence(const Complex& complex, const Metric& m, std::span<const double> velocity_x,
                std::span<const double> velocity_y, std::span<double> result) {
  gather(complex, m, result, [&](std::uint32_t f, std::uint32_t c) {
    return -m.area[f] * Vec2(velocity_x[f], velocity_y[f]).dot(basis_gradient(m, f, c));
  });
}

void flux_divergence(const Complex& complex, const Metric& m, std::span<const double> depth,
                     std::span<const double> velocity_x, std::span<const double> velocity_y,
                     std::span<double> result) {
  gather(complex, m, result, [&](std::uint32_t f, std::uint32_t c) {
    // s_ij = (A/3)(∇φ_j - ∇φ_i) leads from i to j across the segment between them [SW-05].
    const Vec2 v(velocity_x[f], velocity_y[f]);
    const double own = v.dot(basis_gradient(m, f, c)), eta = depth[complex.vertex[c][f]];
    double sum = 0;
    for (const std::uint32_t d : {next_corner(c), last_corner(c)})
      sum += 0.5 * (eta + depth[complex.vertex[d][f]]) * (v.dot(basis_gradient(m, f, d)) - own);
    return m.area[f] / 3 * sum;
  });
}

void laplacian(const Complex& complex, const Metric& m, std::span<const double> values,
               std::span<double> result) {
  gather(complex, m, result, [&](std::uint32_t f, std::uint32_t c) {
    return -m.area[f] * gradient(complex, m, values, f).dot(basis_gradient(m, f, c));
  });
}

}  // namespace selkie::surface_water
