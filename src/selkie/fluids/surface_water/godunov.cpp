// See godunov.h.
#include "selkie/fluids/surface_water/godunov.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/fluids/surface_water/detail/edge_frame.h"

namespace selkie::surface_water {
namespace {

// Speed out of face f through the edge opposite to corner c: the mean of both faces' own, each with its own
// normal in its own plane. Seen from the other side it is the same to the bit with the other sign.
double speed_out(const Complex& complex, const Metric& m, std::span<const Vec2> velocity, std::size_t f,
                 std::uint32_t c, const EdgeFrame& edge) {
  const std::uint32_t there = complex.across[c][f];
  if (there == Corner::kNone) return 0;
  const std::uint32_t g = Corner::face(there);
  return 0.5 *
         (velocity[f].dot(edge.normal) - velocity[g].dot(edge_frame(m, g, Corner::corner(there)).normal));
}

}  // namespace

std::array<double, 3> wave_speeds(double normal_velocity, double depth, double normal_acceleration) {
  const double c = std::sqrt(std::max(0.0, -normal_acceleration * depth));
  return {normal_velocity - c, normal_velocity, normal_velocity + c};
}

double godunov_step_limit(std::span<const double> speeds, double spacing) {
  double fastest = 0;
  for (const double s : speeds) fastest = std::max(fastest, std::abs(s));
  return fastest > 0 ? spacing / fastest : 1e300;
}

double godunov_step_limit(const Complex& complex, const Metric& m, std::span<const Vec2> velocity) {
  const double fastest = deterministic_max(complex.face_count, 0.0, [&](std::size_t f) {
    double leaving = 0;
    for (std::uint32_t c = 0; c < 3; ++c) {
      const EdgeFrame edge = edge_frame(m, f, c);
      leaving += edge.length * std::max(0.0, speed_out(complex, m, velocity, f, c, edge));
    }
    return leaving / m.area[f];
  });
  return fastest > 0 ? 1 / fastest : 1e300;
}

void godunov_step(const Complex& complex, const Metric& m, std::span<const Vec2> velocity, double dt,
                  std::span<const double> from, std::span<double> to) {
  parallel_for(complex.face_count, [&](std::size_t f) {
    double out = 0;
    for (std::uint32_t c = 0; c < 3; ++c) {
      const std::uint32_t there = complex.across[c][f];
      if (there == Corner::kNone) continue;
      const EdgeFrame edge = edge_frame(m, f, c);
      const double speed = speed_out(complex, m, velocity, f, c, edge);
      out += edge.length * riemann_flux(from[f], from[Corner::face(there)], speed);
    }
    to[f] = from[f] - dt / m.area[f] * out;
  });
}

}  // namespace selkie::surface_water
