// Stability limits. For K = Σ k n nᵀ over springs, (a − b)² ≤ (1 + c) a² + (1 + 1/c) b² with c = √(m_i/m_j)
// bounds ω² by the largest norm over vertices of Σ k (w_i + √(w_i w_j)) n nᵀ, w the inverse masses (0 if
// pinned): a block form of Gershgorin's circles (HY-30), exact for the chain, and a third of the plain row
// sum where springs point everywhere. The same with b bounds the damping rate β. Integrators that freeze the
// springs' directions (HY-31) are implicit along the springs only: a taut spring's stiffness across itself,
// tension / l, stays explicit and limits them like the explicit ones.
// [Müller08 §3.2–3.4 for the limits; RK4's with damping from the half disc |z| ≤ 2.6 inside its region]
#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/solids/mass_spring/altitude_springs.h"
#include "selkie/solids/mass_spring/inversion_guard.h"
#include "selkie/solids/mass_spring/spring_law.h"
#include "selkie/solids/mass_spring/step.h"

namespace selkie::mass_spring {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMargin = 0.9;

struct Rates {
  double omega = 0;       // 1/s, ≥ every angular frequency
  bool undamped = false;  // something without damping takes part
  double beta = 0;        // 1/s, ≥ every damping rate in ẍ + βẋ + ω²x = 0
  double fastest() const { return (beta + std::sqrt(beta * beta + 4 * omega * omega)) / 2; }
};

// Upper bound of the largest eigenvalue of a symmetric matrix given as xx, yy, zz, xy, xz, yz: the smaller of
// the Frobenius norm (exact for one direction) and the row-sum norm (exact for no preferred direction).
double norm_bound(const double* m) {
  const double squares = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
  const double mixed = m[3] * m[3] + m[4] * m[4] + m[5] * m[5];
  const double xy = std::abs(m[3]), xz = std::abs(m[4]), yz = std::abs(m[5]);
  const double rows = std::max({m[0] + xy + xz, m[1] + xy + yz, m[2] + xz + yz});
  return std::min(std::sqrt(squares + 2 * mixed), rows);
}

// m += axial·n nᵀ + transverse·(I − n nᵀ).
void add_projector(double* m, const Vec3& n, double axial, double transverse) {
  const double difference = axial - transverse;
  for (int c = 0; c < 3; ++c) m[c] += difference * n[c] * n[c] + transverse;
  m[3] += difference * n.x() * n.y();
  m[4] += difference * n.x() * n.z();
  m[5] += difference * n.y() * n.z();
}

// Which part of the elastic stiffness an integrator treats explicitly.
enum class ExplicitPart { all, across_springs };

// The same for the guard's K g gᵀ over four corners: (Σ g·u)² ≤ Σ (g_i·u_i)²/p_i for any shares p of one,
// here p_i ∝ |g_i| √w_i. Its curvature −K (τ − J) ∂²J/∂x² is bounded by the norms of its blocks and stays
// explicit in every integrator that has a limit. Tetrahedra that are on their way to be squeezed within a few
// steps `h` count as well. False if there are none.
bool add_guard_bounds(const Model& model, const Params& params, const State& state, ExplicitPart part,
                      double h, Work& work) {
  constexpr double kWatched = 0.95, kClose = 1.2;  // shares of the volume at rest, and of the threshold
  constexpr double kAhead = 4;                     // steps
  const Buffer<Vec3>& x = state.positions;
  const double threshold = params.inversion_threshold;
  bool any = false;
  for (const std::uint32_t t : find_squeezed_at_once(model, x, kWatched, work)) {
    const geometry::Tet& tet = model.guard.tets[t];
    const double k = guard_stiffness(model, params, t);
    const double ratio = volume_ratio(model.guard, t, [&](std::uint32_t i) -> const Vec3& { return x[i]; });
    const double push = k * guard_push(params, std::max(0.0, threshold - ratio));
    const std::array<Vec3, 4> gradients = volume_gradients(model.guard, t, x);
    double rate = 0;
    for (std::size_t i = 0; i < 4; ++i) rate += gradients[i].dot(state.velocities[tet[i]]);
    if (ratio > kClose * threshold && ratio + kAhead * h * rate > threshold) continue;
    any = true;
    std::array<double, 4> root{}, size{};
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      root[i] = state.pinned[tet[i]] != 0 ? 0 : std::sqrt(model.inverse_masses[tet[i]]);
      size[i] = gradients[i].norm();
      sum += root[i] * size[i];
    }
    for (std::size_t i = 0; i < 4; ++i) {
      // ∂²J/∂x_i∂x_j is the cross product with the edge opposite to ij, over 6 V0.
      double across = 0;
      for (std::size_t j = 0; j < 4; ++j) {
        if (j == i) continue;
        const std::size_t m = i != 0 && j != 0 ? 0 : (i != 1 && j != 1 ? 1 : 2), n = 6 - i - j - m;
        across +=
            root[j] * push * std::abs(model.guard.inverse_determinants[t]) * (x[tet[m]] - x[tet[n]]).norm();
      }
      const Vec3 direction = size[i] > 0 ? Vec3(gradients[i] / size[i]) : Vec3(Vec3::UnitX());
      const double along = part == ExplicitPart::all ? k * size[i] * sum : 0;
      add_projector(work.bounds[tet[i]].data(), direction, root[i] * (along + across), root[i] * across);
    }
  }
  return any;
}

// The same for altitude springs, which are fixed lines during a step: nothing acts across them.
void add_altitude_bounds(const Model& model, const Params& params, const State& state, Work& work) {
  choose_altitudes(model, params, state.positions, work);
  for (std::size_t t = 0; t < model.altitudes.tets.size(); ++t) {
    const geometry::Tet& tet = model.altitudes.tets[t];
    const ChosenAltitude& spring = work.altitudes[t];
    std::array<double, 4> share{};
    for (std::size_t i = 0; i < 4; ++i)
      share[i] = state.pinned[tet[i]] != 0
                     ? 0
                     : std::abs(spring.weights[i]) * std::sqrt(model.inverse_masses[tet[i]]);
    const double sum = share[0] + share[1] + share[2] + share[3];
    for (std::size_t i = 0; i < 4; ++i) {
      add_projector(work.bounds[tet[i]].data(), spring.direction, spring.stiffness * share[i] * sum, 0);
      add_projector(work.bounds[tet[i]].data() + 6, spring.direction, spring.damping * share[i] * sum, 0);
    }
  }
}

Rates bound_rates(const Model& model, const Params& params, const State& state, ExplicitPart part,
                  Work& work) {
  work.bounds.assign(model.vertex_count, {});
  const DampingScale damping = damping_scale(model, params);
  // The steepest branch of the law: a spring may cross a knee within the step.
  const double steepest = part == ExplicitPart::across_springs
                              ? 0
                              : std::max({1.0, params.tension_slope, params.compression_factor,
                                          params.compression_factor * params.compression_slope});
  auto mobility = [&](std::uint32_t i) { return state.pinned[i] != 0 ? 0 : model.inverse_masses[i]; };
  run_chunks(model.schedule, work.chunk_done, [&](const Chunk& chunk) {
    for (std::size_t s = chunk.begin; s < chunk.end; ++s) {
      const auto [i, j] = model.springs[s];
      const Vec3 d = state.positions[j] - state.positions[i];
      const double l = d.norm();
      const Vec3 n = l > 0 ? Vec3(d / l) : Vec3(Vec3::UnitX());
      const double k = params.stiffness * model.relative_stiffness[s];
      const double across = l > 0 ? std::max(0.0, tension(params, k, model.rest_lengths[s], l) / l) : 0;
      const double b = damping.factor * damping.relative[s];
      const double b_across = params.directional_damping ? 0 : b;
      const double wi = mobility(i), wj = mobility(j), both = std::sqrt(wi * wj);
      add_projector(work.bounds[i].data(), n, (wi + both) * steepest * k, (wi + both) * across);
      add_projector(work.bounds[j].data(), n, (wj + both) * steepest * k, (wj + both) * across);
      add_projector(work.bounds[i].data() + 6, n, (wi + both) * b, (wi + both) * b_across);
      add_projector(work.bounds[j].data() + 6, n, (wj + both) * b, (wj + both) * b_across);
    }
  });
  if (part == ExplicitPart::all) add_altitude_bounds(model, params, state, work);
  auto largest_omega = [&] {
    return std::sqrt(deterministic_max(model.vertex_count, 0,
                                       [&](std::size_t i) { return norm_bound(work.bounds[i].data()); }));
  };
  Rates rates;
  rates.omega = largest_omega();
  if (has_guard(model, params) && rates.omega > 0) {
    rates.undamped = add_guard_bounds(model, params, state, part, 2 / rates.omega, work);
    if (rates.undamped) rates.omega = largest_omega();
  }
  rates.beta = deterministic_max(model.vertex_count, 0,
                                 [&](std::size_t i) { return norm_bound(work.bounds[i].data() + 6); });
  return rates;
}

// Every mode with damping b/k·ω² ≥ r·ω² is stable under explicit Euler for h < r, if not overdamped.
double smallest_damping_time(const Model& model, const Params& params) {
  const DampingScale damping = damping_scale(model, params);
  return -deterministic_max(model.spring_count(), -kInfinity, [&](std::size_t s) {
    const double k = params.stiffness * model.relative_stiffness[s];
    return k > 0 ? -damping.factor * damping.relative[s] / k : -kInfinity;
  });
}

}  // namespace

double stability_limit(const Model& model, const Params& params, const State& state, Work& work) {
  switch (params.integrator) {
    case Integrator::implicit_euler:
    case Integrator::implicit_euler_newton:
      return kInfinity;
    case Integrator::newmark_implicit:
    case Integrator::implicit_midpoint:
    case Integrator::implicit_springs: {  // damping is implicit and only helps
      const Rates across = bound_rates(model, params, state, ExplicitPart::across_springs, work);
      return across.omega == 0 ? kInfinity : 2 / across.omega;
    }
    default:
      break;
  }
  const Rates rates = bound_rates(model, params, state, ExplicitPart::all, work);
  if (rates.fastest() == 0) return kInfinity;
  switch (params.integrator) {
    case Integrator::explicit_euler: {  // growth √(1+ω²h²) per step: 1 % per radian at ωh = 0.02
      const double damped = rates.undamped ? 0 : smallest_damping_time(model, params);
      return std::max(std::min(damped, 2 / rates.fastest()), 0.02 / rates.fastest());
    }
    case Integrator::rk2:  // growth √(1+(ωh)⁴/4) per step: 1 % per radian at ωh = 0.43
      return std::min(0.43 / rates.omega, 2 / rates.fastest());
    case Integrator::rk4:
      return (rates.beta == 0 ? 2 * std::sqrt(2.0) : 2.6) / rates.fastest();
    case Integrator::newmark:  // damping is implicit and only helps
      return 2 / rates.omega;
    default:  // symplectic Euler, Verlet: 4 − 2hβ − h²ω² ≥ 0 (Jury's criterion with explicit damping)
      return 4 / (rates.beta + std::sqrt(rates.beta * rates.beta + 4 * rates.omega * rates.omega));
  }
}

double stability_limit(const Model& model, const Params& params, const State& state) {
  Work work;
  return stability_limit(model, params, state, work);
}
double step_limit(const Model& model, const Params& params, const State& state, Work& work) {
  return kMargin * stability_limit(model, params, state, work);
}
double step_limit(const Model& model, const Params& params, const State& state) {
  Work work;
  return step_limit(model, params, state, work);
}

}  // namespace selkie::mass_spring
