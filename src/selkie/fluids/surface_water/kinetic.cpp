// See kinetic.h.
#include "selkie/fluids/surface_water/kinetic.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/fluids/surface_water/detail/edge_frame.h"

namespace selkie::surface_water {

KineticFlux kinetic_half_flux(double eta, double normal, double tangential, double gravity, bool out) {
  if (!(eta > 0)) return {};
  const double s = std::sqrt(1.5 * gravity * eta);
  const double low = normal - s, high = normal + s;
  const double a = out ? std::max(0.0, low) : std::min(0.0, low),
               b = out ? std::max(0.0, high) : std::min(0.0, high);
  const double weight = eta / (2 * s), depth = weight * (b * b - a * a) / 2;
  return {depth, weight * (b * b * b - a * a * a) / 3, tangential * depth};
}

double kinetic_step_limit(const Complex& complex, const Metric& m, double gravity,
                          const KineticState& state) {
  const double fastest = deterministic_max(complex.face_count, 0.0, [&](std::size_t f) {
    double sum = 0;
    const double s = std::sqrt(1.5 * gravity * std::max(0.0, state.depth[f]));
    for (std::uint32_t c = 0; c < 3; ++c) {
      const EdgeFrame e = edge_frame(m, f, c);
      sum += e.length * (std::abs(state.velocity[f].dot(e.normal)) + s);
    }
    return sum / m.area[f];
  });
  return fastest > 0 ? 1 / fastest : 1e300;
}

void kinetic_step(const Complex& complex, const Metric& m, double gravity, std::span<const double> bottom,
                  double dt, const KineticState& from, KineticState& to) {
  parallel_for(complex.face_count, [&](std::size_t f) {
    const double eta = from.depth[f];
    double depth = 0;
    Vec2 momentum = Vec2::Zero();
    for (std::uint32_t c = 0; c < 3; ++c) {
      const EdgeFrame here = edge_frame(m, f, c);
      const double un = from.velocity[f].dot(here.normal), ut = from.velocity[f].dot(here.tangent);
      const std::uint32_t there = complex.across[c][f];
      double other_eta = eta, other_un = -un, other_ut = ut, other_bottom = bottom[f];  // a wall's mirror
      if (there != Corner::kNone) {
        const std::uint32_t g = Corner::face(there);
        const EdgeFrame e = edge_frame(m, g, Corner::corner(there));
        other_eta = from.depth[g], other_bottom = bottom[g];
        other_un = -from.velocity[g].dot(e.normal), other_ut = -from.velocity[g].dot(e.tangent);
      }
      // Hydrostatic reconstruction over the higher of the two bottoms, z = -H.
      const double high = std::max(-bottom[f], -other_bottom);
      const double own = std::max(0.0, eta - bottom[f] - high),
                   other = std::max(0.0, other_eta - other_bottom - high);
      const KineticFlux out = kinetic_half_flux(own, un, ut, gravity, true),
                        in = kinetic_half_flux(other, other_un, other_ut, gravity, false);
      depth += here.length * (out.depth + in.depth);
      const double pressure = 0.5 * gravity * (eta * eta - own * own);
      momentum += here.length * ((out.normal + in.normal + pressure) * here.normal +
                                 (out.tangential + in.tangential) * here.tangent);
    }
    // The pressure of the cell itself acts around a closed outline and cancels.
    const double next = eta - dt / m.area[f] * depth;
    const Vec2 carried = eta * from.velocity[f] - dt / m.area[f] * momentum;
    to.depth[f] = next;
    to.velocity[f] = next > 1e-12 ? Vec2(carried / next) : Vec2::Zero();
  });
}

}  // namespace selkie::surface_water
