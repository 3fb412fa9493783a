// See advect.h.
#include "selkie/fluids/surface_water/advect.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"

namespace selkie::surface_water {
namespace {

constexpr std::size_t kBlock = 1024;

// Corner c of a face in its frame.
inline Vec2 corner_at(const Metric& m, std::size_t f, std::uint32_t c) {
  return c == 0 ? Vec2(0, 0) : c == 1 ? Vec2(m.length[f], 0) : Vec2(m.apex_x[f], m.apex_y[f]);
}
// The edge opposite to corner c, from the corner after it to the one before.
inline Vec2 opposite_edge(const Metric& m, std::size_t f, std::uint32_t c) {
  return corner_at(m, f, last_corner(c)) - corner_at(m, f, next_corner(c));
}

// A path under way. `rates_in(face, cos, sin)` gives the rates in a face that was just entered.
template <class RatesIn>
TraceEnd follow(const Complex& complex, const Metric& metric, std::uint32_t f, const double (&beta)[3],
                double time, double b1, double b2, RatesIn&& rates_in) {
  TraceEnd at{f, {beta[0], beta[1], beta[2]}, 1, 0, 0, 0};
  std::uint32_t entry = 3;  // corner opposite to the edge of entry
  while (true) {
    const double rate[3] = {-b1 - b2, b1, b2};
    // Backwards, coordinates with a positive rate fall; the first to reach zero is left through.
    double way = time;
    std::uint32_t exit = 3;
    for (std::uint32_t c = 0; c < 3; ++c)
      if (rate[c] > 0 && at.beta[c] < way * rate[c]) way = at.beta[c] / rate[c], exit = c;
    if (exit == entry && exit != 3) {  // thrown back at once: stop at the edge
      at.left = time;
      return at;
    }
    for (std::uint32_t c = 0; c < 3; ++c) at.beta[c] = std::max(0.0, at.beta[c] - way * rate[c]);
    time -= way;
    if (exit != 3) at.beta[exit] = 0;
    const double sum = at.beta[0] + at.beta[1] + at.beta[2];
    for (double& b : at.beta) b /= sum;
    if (exit == 3) return at;
    const std::uint32_t there = complex.across[exit][at.face];
    if (there == Corner::kNone || at.crossings == kMostCrossings) {
      at.left = time;
      return at;
    }
    const std::uint32_t g = Corner::face(there), c = Corner::corner(there);
    // The edge runs the other way in the next face; what turns it there turns it back here.
    const Vec2 here = opposite_edge(metric, at.face, exit), other = -opposite_edge(metric, g, c);
    const double size = 1 / std::sqrt(here.squaredNorm() * other.squaredNorm());
    const double cos = size * here.dot(other), sin = size * (other[0] * here[1] - other[1] * here[0]);
    const double turned = at.cos * cos - at.sin * sin;
    at.sin = at.sin * cos + at.cos * sin, at.cos = turned;
    const double after = at.beta[next_corner(exit)], before = at.beta[last_corner(exit)];
    at.beta[c] = 0, at.beta[next_corner(c)] = before, at.beta[last_corner(c)] = after;
    at.face = g, entry = c, ++at.crossings;
    const Vec2 next = rates_in(g, at);
    b1 = next[0], b2 = next[1];
  }
}

// The fan entry whose wedge holds a direction of the disc, and the direction as rates of its face.
struct WedgeRates {
  std::uint32_t entry = 0;
  double a = 0, b = 0;  // along the edges to the next and to the last corner
};
WedgeRates wedge_of(const Complex& complex, const Metric& m, std::size_t v, const Vec2& direction) {
  WedgeRates best;
  double inside = -1e300;
  for (std::uint32_t e = complex.fan_begin[v]; e < complex.fan_begin[v + 1]; ++e) {
    const DiscWedge w = disc_wedge(complex, m, v, e);
    const double det = w.ux * w.wy - w.uy * w.wx;
    if (!(det > 0)) continue;
    const double a = (direction[0] * w.wy - direction[1] * w.wx) / det;
    const double b = (w.ux * direction[1] - w.uy * direction[0]) / det;
    if (std::min(a, b) > inside) inside = std::min(a, b), best = {e, a, b};
  }
  return best;
}

// Rates (B₁, B₂) of a face as those along the edges from corner c to the next and to the last one.
inline Vec2 along_edges(std::uint32_t c, double b1, double b2) {
  const double b0 = -b1 - b2;
  return Vec2(c == 0 ? b1 : c == 1 ? b2 : b0, c == 0 ? b2 : c == 1 ? b0 : b1);
}

// visit(entry, face, corner, wedge) around a vertex. A wedge ends where the next begins, so inside the mesh
// every edge is read once; corners are told apart by choices, not by indices into small arrays: those went
// through memory and cost more than the arithmetic.
template <class Visit>
inline void for_each_wedge(const Complex& complex, const Metric& m, std::size_t v, Visit&& visit) {
  const std::uint32_t first = complex.fan_begin[v], last = complex.fan_begin[v + 1];
  const std::uint32_t* const fan = complex.fan.data();
  if (complex.rim[v]) {
    for (std::uint32_t e = first; e < last; ++e)
      visit(e, Corner::face(fan[e]), Corner::corner(fan[e]), disc_wedge(complex, m, v, e));
    return;
  }
  const double *x = m.disc_x.data(), *y = m.disc_y.data();
  double ux = x[first], uy = y[first];
  for (std::uint32_t e = first; e < last; ++e) {
    const std::uint32_t next = e + 1 < last ? e + 1 : first;
    const double wx = x[next], wy = y[next];
    visit(e, Corner::face(fan[e]), Corner::corner(fan[e]), DiscWedge{ux, uy, wx, wy});
    ux = wx, uy = wy;
  }
}

}  // namespace

TraceEnd trace(const Complex& complex, const Metric& metric, std::span<const FaceRates> rates,
               std::uint32_t f, const double (&beta)[3], double time) {
  return follow(complex, metric, f, beta, time, rates[f].face[0], rates[f].face[1],
                [&](std::uint32_t g, const TraceEnd&) { return Vec2(rates[g].face[0], rates[g].face[1]); });
}

TraceEnd trace_straight(const Complex& complex, const Metric& metric, std::uint32_t f,
                        const double (&beta)[3], Vec2 velocity, double time) {
  const Vec2 start = rates_of(metric, f, velocity);
  return follow(complex, metric, f, beta, time, start[0], start[1], [&](std::uint32_t g, const TraceEnd& at) {
    const Vec2 turned(at.cos * velocity[0] + at.sin * velocity[1],
                      at.cos * velocity[1] - at.sin * velocity[0]);
    return rates_of(metric, g, turned);
  });
}

TraceEnd trace_vertex(const Complex& complex, const Metric& m, std::span<const FaceRates> rates,
                      std::size_t v, double time) {
  // The vertex's velocity is read back from its first corner.
  const std::uint32_t e0 = complex.fan_begin[v], p = complex.fan[e0];
  const std::uint32_t f0 = Corner::face(p), c0 = Corner::corner(p);
  const double* r = rates[f0].corner[c0];
  const double start[3] = {-r[0] - r[1], r[0], r[1]};
  const DiscWedge w = disc_wedge(complex, m, v, e0);
  const double a0 = start[next_corner(c0)], b0 = start[last_corner(c0)];
  const WedgeRates in = wedge_of(complex, m, v, -Vec2(a0 * w.ux + b0 * w.wx, a0 * w.uy + b0 * w.wy));
  const std::uint32_t f = Corner::face(complex.fan[in.entry]), c = Corner::corner(complex.fan[in.entry]);
  double beta[3] = {0, 0, 0}, rate[3];
  beta[c] = 1;
  rate[next_corner(c)] = -in.a, rate[last_corner(c)] = -in.b, rate[c] = in.a + in.b;
  return follow(complex, m, f, beta, time, rate[1], rate[2],
                [&](std::uint32_t g, const TraceEnd&) { return Vec2(rates[g].face[0], rates[g].face[1]); });
}

Vec2 vertex_velocity(const Complex& complex, const Metric& m, std::span<const double> rate_1,
                     std::span<const double> rate_2, std::size_t v) {
  double x = 0, y = 0;
  for_each_wedge(complex, m, v, [&](std::uint32_t e, std::uint32_t f, std::uint32_t c, const DiscWedge& w) {
    const Vec2 r = along_edges(c, rate_1[f], rate_2[f]);
    const double a = m.share[e] * r[0], b = m.share[e] * r[1];
    x += a * w.ux + b * w.wx, y += a * w.uy + b * w.wy;
  });
  return Vec2(x, y);
}

void interpolate_to_corners(const Complex& complex, const Metric& m, std::span<const double> rate_1,
                            std::span<const double> rate_2, std::span<FaceRates> rates) {
  parallel_blocks(complex.face_count, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) rates[f].face[0] = rate_1[f], rates[f].face[1] = rate_2[f];
  });
  parallel_blocks(complex.vertex_count, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Vec2 at = vertex_velocity(complex, m, rate_1, rate_2, v);
      for_each_wedge(complex, m, v, [&](std::uint32_t, std::uint32_t f, std::uint32_t c, const DiscWedge& w) {
        const double det = w.ux * w.wy - w.uy * w.wx, inverse = 1 / det;
        const double a = inverse * (at[0] * w.wy - at[1] * w.wx), b = inverse * (w.ux * at[1] - w.uy * at[0]);
        double* const out = rates[f].corner[c];
        const bool flat = !(det > 0);  // a corner that its fan has folded flat
        const double own = -a - b;
        out[0] = flat ? rate_1[f] : c == 0 ? a : c == 1 ? own : b;
        out[1] = flat ? rate_2[f] : c == 0 ? b : c == 1 ? a : own;
      });
    }
  });
}

void advect_velocity(const Complex& complex, const Metric& m, std::span<const FaceRates> rates, double dt,
                     std::span<double> velocity_x, std::span<double> velocity_y) {
  constexpr double kMiddle[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
  parallel_blocks(complex.face_count, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) {
      const TraceEnd at = trace(complex, m, rates, static_cast<std::uint32_t>(f), kMiddle, dt);
      const Vec2 v = vector_of(m, at.face, interpolate(rates[at.face], at.beta));
      velocity_x[f] = at.cos * v[0] - at.sin * v[1];
      velocity_y[f] = at.sin * v[0] + at.cos * v[1];
    }
  });
}

void advect_scalar(const Complex& complex, const Metric& m, std::span<const FaceRates> rates, double dt,
                   std::span<const double> from, std::span<double> to) {
  parallel_blocks(complex.vertex_count, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const TraceEnd at = trace_vertex(complex, m, rates, v, dt);
      to[v] = 0;
      for (std::size_t k = 0; k < 3; ++k) to[v] += at.beta[k] * from[complex.vertex[k][at.face]];
    }
  });
}

}  // namespace selkie::surface_water
