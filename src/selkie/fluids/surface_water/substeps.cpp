// Explicit sub-steps: depths by mass fluxes over the segments of the dual cells, then velocities from the new
// depths, which makes the pair a leapfrog. [Angst07 §5.3.2; SW-26, SW-39]
//
// One pass over faces updates velocities and leaves the next fluxes per corner; one pass over vertices sums
// them. Every flux is written once with both signs, so the volume is kept to round-off.
#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/fluids/surface_water/detail/lanes.h"
#include "selkie/fluids/surface_water/operators.h"
#include "selkie/fluids/surface_water/phases.h"

// The iterations of the loop that follows do not meet in memory.
#if defined(__clang__)
#define SELKIE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SELKIE_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace selkie::surface_water {
namespace {

constexpr std::size_t kBlock = 2048;

// m: a film that is thinner everywhere on a face stays. Limited fluxes empty a vertex ever more slowly and
// never quite; without this bound the 1e-290 m left above a shore fell at full speed, and advection carried
// that speed into the water's edge, which it held down.
constexpr double kFilm = 1e-6;

// Flux from i to j: mean depth times v·s_ij (`across`); none from a donor that is dry [SW-39]. Unlike the
// source's it never carries more than twice the donor's depth: at steep fronts the mean drew a thin donor far
// below zero. Smooth water is not touched. A donor-limited flux carries the donor's depth at most.
template <bool kDonor>
inline double flux(double eta_i, double eta_j, double across) {
  const double donor = across > 0 ? eta_i : eta_j, mean = 0.5 * (eta_i + eta_j);
  const double depth = std::min(mean, kDonor ? donor : 2 * donor);
  return donor > 0 ? depth * across : 0.0;
}

struct FaceArrays {
  const std::uint32_t *v0, *v1, *v2;
  const double *area, *g1x, *g1y, *g2x, *g2y, *pull, *force_x, *force_y, *slope_x, *slope_y, *depth;
  double *vx, *vy, *out0, *out1, *out2;
};
FaceArrays arrays_of(const Complex& complex, const Metric& m, const State& state, Work& w) {
  return {complex.vertex[0].data(),
          complex.vertex[1].data(),
          complex.vertex[2].data(),
          m.area.data(),
          m.g1x.data(),
          m.g1y.data(),
          m.g2x.data(),
          m.g2y.data(),
          w.pull.data(),
          w.force_x.data(),
          w.force_y.data(),
          w.slope_x.data(),
          w.slope_y.data(),
          state.depth.data(),
          w.velocity_x.data(),
          w.velocity_y.data(),
          w.outflow[0].data(),
          w.outflow[1].data(),
          w.outflow[2].data()};
}

// Share of a segment s_ij = (A/3)(∇φ_j - ∇φ_i) that counts, none longer than `longest` [SW-12, SW-44]. Fluxes
// are no longer adjoint to the gradient where one is cut; they still keep the volume.
inline double segment_share(double third, double gx, double gy, double longest) {
  const double length = third * std::sqrt(gx * gx + gy * gy);
  return length > longest ? longest / length : 1;
}

// v += δ (ā ∇h + share η̄ ∇a + a_τ), where -ā ∇H is part of the frozen force. Faces without more than a film
// have no velocity.
template <bool kPush, bool kFlux, bool kDonor, bool kCut = false>
void pass_faces(const FaceArrays& a, double delta, std::size_t begin, std::size_t end, double longest = 0) {
  SELKIE_INDEPENDENT
  for (std::size_t f = begin; f < end; ++f) {
    const double e0 = a.depth[a.v0[f]], e1 = a.depth[a.v1[f]], e2 = a.depth[a.v2[f]];
    double vx = a.vx[f], vy = a.vy[f];
    const double g1x = a.g1x[f], g1y = a.g1y[f], g2x = a.g2x[f], g2y = a.g2y[f];
    if constexpr (kPush) {
      const double d1 = e1 - e0, d2 = e2 - e0, mean = (e0 + e1 + e2) / 3;
      vx += delta * (a.pull[f] * (d1 * g1x + d2 * g2x) + mean * a.slope_x[f] + a.force_x[f]);
      vy += delta * (a.pull[f] * (d1 * g1y + d2 * g2y) + mean * a.slope_y[f] + a.force_y[f]);
      const double most = std::max(e0, std::max(e1, e2));
      vx = most > kFilm ? vx : 0, vy = most > kFilm ? vy : 0;
      a.vx[f] = vx, a.vy[f] = vy;
    }
    if constexpr (kFlux) {
      const double third = a.area[f] / 3;
      const double w1 = third * (vx * g1x + vy * g1y), w2 = third * (vx * g2x + vy * g2y), w0 = -w1 - w2;
      double s01 = w1 - w0, s12 = w2 - w1, s20 = w0 - w2;
      if constexpr (kCut) {
        s01 *= segment_share(third, 2 * g1x + g2x, 2 * g1y + g2y, longest);
        s12 *= segment_share(third, g2x - g1x, g2y - g1y, longest);
        s20 *= segment_share(third, g1x + 2 * g2x, g1y + 2 * g2y, longest);
      }
      const double q01 = flux<kDonor>(e0, e1, s01), q12 = flux<kDonor>(e1, e2, s12),
                   q20 = flux<kDonor>(e2, e0, s20);
      a.out0[f] = q01 - q20, a.out1[f] = q12 - q01, a.out2[f] = q20 - q12;
    }
  }
}

template <bool kPush, bool kFlux>
void faces(const FaceArrays& a, double delta, const Params& params, std::size_t count) {
  const bool donor = params.donor_limited;
  const double longest = params.longest_segment;
  parallel_blocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
    if (longest > 0 && donor)
      pass_faces<kPush, kFlux, true, true>(a, delta, begin, end, longest);
    else if (longest > 0)
      pass_faces<kPush, kFlux, false, true>(a, delta, begin, end, longest);
    else if (donor)
      pass_faces<kPush, kFlux, true>(a, delta, begin, end);
    else
      pass_faces<kPush, kFlux, false>(a, delta, begin, end);
  });
}

void pass_vertices(const Complex& complex, const Metric& m, double delta, const Work& w, State& to) {
  const double* out[3] = {w.outflow[0].data(), w.outflow[1].data(), w.outflow[2].data()};
  parallel_blocks(complex.vertex_count, kBlock, [&](std::size_t begin, std::size_t end) {
    const std::uint32_t *fan = complex.fan.data(), *first = complex.fan_begin.data();
    for (std::size_t v = begin; v < end; ++v) {
      double sum = 0;
      for (std::uint32_t e = first[v]; e < first[v + 1]; ++e)
        sum += out[Corner::corner(fan[e])][Corner::face(fan[e])];
      to.depth[v] -= delta * sum / m.dual_area[v];
    }
  });
}

// 1/s: how fast the flow crosses a face, towards its corner that is neared or left the fastest.
double crossing_rate(const Metric& m, const Work& w, std::size_t f) {
  const double w1 = w.velocity_x[f] * m.g1x[f] + w.velocity_y[f] * m.g1y[f];
  const double w2 = w.velocity_x[f] * m.g2x[f] + w.velocity_y[f] * m.g2y[f];
  return std::max(std::abs(w1 + w2), std::max(std::abs(w1), std::abs(w2)));
}

double fastest_crossing(const Complex& complex, const Metric& m, const Work& w) {
  const double *x = w.velocity_x.data(), *y = w.velocity_y.data(), *g1x = m.g1x.data(), *g1y = m.g1y.data(),
               *g2x = m.g2x.data(), *g2y = m.g2y.data();
  return detail::largest(complex.face_count, [=](std::size_t f) {
    const double w1 = std::abs(x[f] * g1x[f] + y[f] * g1y[f]), w2 = std::abs(x[f] * g2x[f] + y[f] * g2y[f]);
    const double w0 = std::abs(x[f] * (g1x[f] + g2x[f]) + y[f] * (g1y[f] + g2y[f]));
    const double larger = w1 > w2 ? w1 : w2;
    return w0 > larger ? w0 : larger;
  });
}

// Depths that were advected change by η∇·v alone [SW-27].
void change_advected(const Model& model, const Metric& m, double delta, State& to, Work& w) {
  divergence(model.complex, m, w.velocity_x, w.velocity_y, w.scalar_b);
  for (std::size_t v = 0; v < to.depth.size(); ++v) to.depth[v] *= 1 - delta * w.scalar_b[v];
}

}  // namespace

SubstepChoice choose_substeps(const Model& model, const Params& params, const Metric& m, double dt,
                              const State& state, const Work& work) {
  const Complex& complex = model.complex;
  const double *normal = work.normal.data(), *depth = state.depth.data(), *stiffness = m.stiffness.data();
  const double fastest = detail::largest(complex.vertex_count, [=](std::size_t v) {
    return std::abs(normal[v]) * (depth[v] > 0 ? depth[v] : 0 * depth[v]);
  });
  const double stiffest = detail::largest(complex.vertex_count, [=](std::size_t v) { return stiffness[v]; });
  auto count_of = [&](double lambda_c2) {  // δ ≤ 2/√(c²λ), with a margin for depths that still rise
    return std::ceil(dt * std::sqrt(lambda_c2) / (2 * 0.95));
  };
  // Water may cross half a triangle per sub-step, or depths at thin fronts overshoot.
  const double swift = params.more_substeps ? std::ceil(2 * dt * fastest_crossing(complex, m, work)) : 0;
  double bound = 3 * stiffest * fastest, count = count_of(bound);
  if (params.more_substeps && count > params.substeps) {
    // The same with each face's own wave speed.
    const double kappa = has_obtuse_pair(complex, m) ? 3 : 2;
    bound = kappa * deterministic_max(complex.vertex_count, 0.0, [&](std::size_t v) {
              double sum = 0;
              for (std::uint32_t e = complex.fan_begin[v]; e < complex.fan_begin[v + 1]; ++e) {
                const std::uint32_t f = Corner::face(complex.fan[e]);
                double speed = 0;
                for (std::size_t c = 0; c < 3; ++c) {
                  const std::uint32_t i = complex.vertex[c][f];
                  speed = std::max(speed, std::abs(work.normal[i]) * std::max(0.0, state.depth[i]));
                }
                sum += m.area[f] * speed * basis_gradient(m, f, Corner::corner(complex.fan[e])).squaredNorm();
              }
              return sum / m.dual_area[v];
            });
    count = std::max<double>({static_cast<double>(params.substeps), count_of(bound), swift});
  } else {
    count = std::max<double>(params.substeps, swift);
  }
  SubstepChoice choice;
  choice.count = std::isfinite(count) && count < 1e6 ? static_cast<int>(count) : 0;
  choice.limit = bound > 0 ? 2 / std::sqrt(bound) : 1e300;
  return choice;
}

void limit_speeds(const Model& model, const Metric& m, double dt, Work& w) {
  constexpr double kMost = 16;  // triangles crossed in a step
  if (fastest_crossing(model.complex, m, w) * dt <= kMost) return;
  parallel_for(model.complex.face_count, [&](std::size_t f) {
    const double fastest = crossing_rate(m, w, f);
    if (fastest * dt <= kMost) return;
    const double kept = kMost / (fastest * dt);
    w.velocity_x[f] *= kept, w.velocity_y[f] *= kept;
  });
}

void integrate_explicit(const Model& model, const Params& params, const Inputs& inputs, const Metric& m,
                        double dt, int count, State& to, Work& w) {
  const Complex& complex = model.complex;
  const double delta = dt / count;
  const FaceArrays a = arrays_of(complex, m, to, w);
  const bool advected = params.method == Method::advected_height;
  if (!advected) faces<false, true>(a, delta, params, complex.face_count);
  for (int k = 0; k < count; ++k) {
    if (advected)
      change_advected(model, m, delta, to, w);
    else
      pass_vertices(complex, m, delta, w, to);
    if (!inputs.sources.empty()) pour(inputs, m, delta, to);
    if (!complex.closed) pass_rim(model, inputs, m, delta, to, w);
    if (k + 1 < count && !advected)
      faces<true, true>(a, delta, params, complex.face_count);
    else
      faces<true, false>(a, delta, params, complex.face_count);
  }
}

void pour(const Inputs& inputs, const Metric& m, double dt, State& to) {
  for (const Source& source : inputs.sources) {
    double area = 0;
    for (const std::uint32_t v : source.vertices) area += m.dual_area[v];
    for (const std::uint32_t v : source.vertices) {
      double rise = source.rate * dt / area;
      if (rise < 0) rise = std::min(0.0, std::max(rise, -to.depth[v]));
      to.depth[v] += rise;
      to.poured += rise * m.dual_area[v];
    }
  }
}

void pass_rim(const Model& model, const Inputs& inputs, const Metric& m, double dt, State& to,
              const Work& w) {
  const Complex& complex = model.complex;
  if (model.rim == RimKind::wall) return;
  for (const std::uint32_t packed : complex.rim_edges) {
    const std::uint32_t f = Corner::face(packed), c = Corner::corner(packed);
    const std::uint32_t i = complex.vertex[next_corner(c)][f], j = complex.vertex[last_corner(c)][f];
    if (model.rim == RimKind::level) {
      for (const std::uint32_t v : {i, j}) {
        to.drained += (to.depth[v] - inputs.rim_depth) * m.dual_area[v];
        to.depth[v] = inputs.rim_depth;
      }
      continue;
    }
    // Length times outward velocity is -2A v·∇φ of the corner opposite to the edge.
    const double out = -2 * m.area[f] * Vec2(w.velocity_x[f], w.velocity_y[f]).dot(basis_gradient(m, f, c));
    if (out <= 0) continue;
    for (const std::uint32_t v : {i, j}) {
      const double fall =
          std::clamp(0.5 * out * to.depth[v] * dt / m.dual_area[v], 0.0, std::max(0.0, to.depth[v]));
      to.depth[v] -= fall;
      to.drained += fall * m.dual_area[v];
    }
  }
}

}  // namespace selkie::surface_water
