// Stability limits of the integrators from the bounds of rate_bounds.h, and how long a limit is kept.
// Integrators that freeze the springs' directions (HY-31) are implicit along the springs only: a taut
// spring's stiffness across itself, tension / l, stays explicit and limits them like the explicit ones.
// [Müller08 §3.2–3.4 for the limits; RK4's with damping from the half disc |z| ≤ 2.6 inside its region]
#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/solids/mass_spring/detail/lanes.h"
#include "selkie/solids/mass_spring/inversion_guard.h"
#include "selkie/solids/mass_spring/rate_bounds.h"
#include "selkie/solids/mass_spring/spring_law.h"
#include "selkie/solids/mass_spring/step.h"

namespace selkie::mass_spring {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMargin = 0.9;

// Every mode with damping b/k·ω² ≥ r·ω² is stable under explicit Euler for h < r, if not overdamped. The
// altitude springs are those that `work` has chosen.
double smallest_damping_time(const Model& model, const Params& params, const Work& work) {
  const DampingScale damping = damping_scale(model, params);
  auto time = [](double b, double k) { return k > 0 ? b / k : kInfinity; };
  const double edges = -deterministic_max(model.spring_count(), -kInfinity, [&](std::size_t s) {
    return -time(damping.factor * damping.relative[s], params.stiffness * model.relative_stiffness[s]);
  });
  const double altitudes = -deterministic_max(model.altitudes.tets.size(), -kInfinity, [&](std::size_t t) {
    return -time(work.altitudes[t].damping, work.altitudes[t].stiffness);
  });
  return std::min(edges, altitudes);
}

// Explicit Euler amplifies an undamped mode by √(1+ω²h²) a step: 1 % per radian at this ωh.
constexpr double kGentle = 0.02;

// Newmark's methods mirror the axial velocity that they solve for, and take its direction at the start or the
// middle of the step: what a spring turns by becomes stretch, which rings undamped and is fed by the next
// turn. With 0.03 rad a step a rope's energy stays, with 0.1 it begins to rise, without a limit it grows to
// 10⁵⁷ J.
constexpr double kTurn = 0.05;  // rad, before the margin
bool is_newmark(Integrator integrator) {
  return integrator == Integrator::newmark || integrator == Integrator::newmark_implicit ||
         integrator == Integrator::implicit_midpoint;
}

// The fastest that a spring turns, or changes its length by its length: 1/s.
double fastest_turn(const Model& model, const State& state) {
  return deterministic_max(model.spring_count(), 0, [&](std::size_t s) {
    if (model.relative_stiffness[s] == 0) return 0.0;  // nor has it damping
    const auto [i, j] = model.springs[s];
    const double rest = model.rest_lengths[s] > 0 ? model.rest_lengths[s] : model.mean_rest_length;
    const double length = std::max((state.positions[j] - state.positions[i]).norm(), kBlunt * rest);
    return length > 0 ? (state.velocities[j] - state.velocities[i]).norm() / length : 0;
  });
}

// Found for every step: it takes one pass, and changes as soon as something moves.
double turn_limit(const Model& model, const Params& params, const State& state) {
  if (!is_newmark(params.integrator)) return kInfinity;
  const double turning = fastest_turn(model, state);
  return turning > 0 ? kTurn / turning : kInfinity;
}

// What a limit is and how long it may be kept [Rates].
struct Limit {
  double step = kInfinity;  // s
  double ageing = 0, straying = 0;
};

double longest_step(const Model& model, const Params& params, const Rates& rates, const Work& work) {
  if (rates.fastest() == 0) return kInfinity;
  switch (params.integrator) {
    case Integrator::explicit_euler: {
      const double damped = rates.undamped ? 0 : smallest_damping_time(model, params, work);
      return std::max(std::min(damped, 2 / rates.fastest()), kGentle / rates.fastest());
    }
    case Integrator::rk2:  // growth √(1+(ωh)⁴/4) per step: 1 % per radian at ωh = 0.43
      return std::min(0.43 / rates.omega, 2 / rates.fastest());
    case Integrator::rk4:
      return (rates.beta == 0 ? 2 * std::sqrt(2.0) : 2.6) / rates.fastest();
    case Integrator::newmark:  // damping is implicit and only helps
    case Integrator::newmark_implicit:
    case Integrator::implicit_midpoint:
    case Integrator::implicit_springs:
      return 2 / rates.omega;
    default:  // symplectic Euler, Verlet: 4 − 2hβ − h²ω² ≥ 0 (Jury's criterion with explicit damping)
      return 4 / (rates.beta + std::sqrt(rates.beta * rates.beta + 4 * rates.omega * rates.omega));
  }
}

Limit find_limit(const Model& model, const Params& params, const State& state, Work& work) {
  ExplicitPart part = ExplicitPart::all;
  switch (params.integrator) {
    case Integrator::implicit_euler:
    case Integrator::implicit_euler_newton:
      return {};
    case Integrator::newmark_implicit:
    case Integrator::implicit_midpoint:
    case Integrator::implicit_springs:
      part = ExplicitPart::across_springs;
      break;
    default:
      break;
  }
  Rates rates = bound_rates(model, params, state, part, work);
  // The undamped guard shortens explicit Euler's steps tenfold as soon as a tetrahedron is seen coming.
  if (params.integrator == Integrator::explicit_euler && has_guard(model, params)) rates.ageing = kInfinity;
  double longest = longest_step(model, params, rates, work);
  // Directional damping leaves swings of taut springs across themselves undamped, and those grow.
  if (params.integrator == Integrator::explicit_euler && rates.beta > 0 && params.directional_damping) {
    const Rates across = bound_rates(model, params, state, ExplicitPart::across_springs, work);
    if (across.omega > 0) longest = std::min(longest, kGentle / across.omega);
    rates.ageing = kInfinity;
  }
  return {longest, rates.ageing, rates.straying};
}

// Largest squared distance of a vertex from where its velocity at the time would have taken it. It is asked
// in every sub-step, hence four vertices at a time.
double largest_stray_square(const KeptLimit& kept, const State& state) {
  using namespace detail;
  const double *x = state.positions.data()->data(), *x0 = kept.positions.data()->data(),
               *v0 = kept.velocities.data()->data();
  const Lanes age = all(kept.age);
  return max_blocks(state.positions.size(), 0, [&](std::size_t begin, std::size_t end) {
    Lanes largest = all(0);
    std::size_t i = begin;
    for (; i + 4 <= end; i += 4) {
      auto stray_square = [&](std::size_t at) {
        const Lanes stray = load(x + at) - load(x0 + at) - age * load(v0 + at);
        return stray * stray;
      };
      const Lanes a = stray_square(3 * i), b = stray_square(3 * i + 4), c = stray_square(3 * i + 8);
      // From a = xyzx, b = yzxy, c = zxyz to the x, y and z of four vertices.
      const Lanes xs = __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 3, 6, 6), c, 0, 1, 2, 5);
      const Lanes ys = __builtin_shufflevector(__builtin_shufflevector(a, b, 1, 4, 7, 7), c, 0, 1, 2, 6);
      const Lanes zs = __builtin_shufflevector(__builtin_shufflevector(a, b, 2, 5, 5, 5), c, 0, 1, 4, 7);
      largest = larger(xs + ys + zs, largest);
    }
    double square = std::max({largest[0], largest[1], largest[2], largest[3]});
    for (; i < end; ++i)
      square = std::max(
          square, (state.positions[i] - kept.positions[i] - kept.age * kept.velocities[i]).squaredNorm());
    return square;
  });
}

// True while what is kept holds for `state`, too.
bool still_holds(const KeptLimit& kept, const State& state) {
  if (!kept.known) return false;
  const double left = 1 - kept.age * kept.ageing;
  if (!(left > 0)) return false;
  if (kept.straying == 0) return true;
  return std::sqrt(largest_stray_square(kept, state)) * kept.straying <= left;
}

}  // namespace

double stability_limit(const Model& model, const Params& params, const State& state, Work& work) {
  const ProfileZone zone("mass_spring.limit");
  return std::min(find_limit(model, params, state, work).step, turn_limit(model, params, state));
}
double stability_limit(const Model& model, const Params& params, const State& state, KeptLimit& kept,
                       Work& work) {
  const ProfileZone zone("mass_spring.limit");
  const double turning = turn_limit(model, params, state);
  if (still_holds(kept, state)) return std::min(kept.step, turning);
  const Limit limit = find_limit(model, params, state, work);
  kept.step = limit.step;
  kept.ageing = limit.ageing;
  kept.straying = limit.straying;
  kept.age = 0;
  kept.known = std::isfinite(limit.ageing) && std::isfinite(limit.straying);
  if (kept.known && kept.straying > 0) {
    kept.positions = state.positions;
    kept.velocities = state.velocities;
  }
  return std::min(kept.step, turning);
}
double margin_below(double stability_limit) { return kMargin * stability_limit; }

double stability_limit(const Model& model, const Params& params, const State& state) {
  Work work;
  return stability_limit(model, params, state, work);
}
double step_limit(const Model& model, const Params& params, const State& state, Work& work) {
  return margin_below(stability_limit(model, params, state, work));
}
double step_limit(const Model& model, const Params& params, const State& state) {
  Work work;
  return step_limit(model, params, state, work);
}

}  // namespace selkie::mass_spring
