// The pass over all springs, four at a time as in forces.cpp, and what guard and altitude springs add. Per
// vertex two symmetric matrices are summed, of K and of the damping, each with two numbers beside it that say
// how fast its norm can rise: when the ends of a spring part by δ, k n nᵀ + (T/l)(I − n nᵀ) changes by no
// more than k δ_across/l for the turning and k δ_along/l for the tension, together √2 k δ/l, k the steepest
// slope of its law (to first order).
#include "selkie/solids/mass_spring/rate_bounds.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/solids/mass_spring/altitude_springs.h"
#include "selkie/solids/mass_spring/detail/spring_lanes.h"
#include "selkie/solids/mass_spring/inversion_guard.h"
#include "selkie/solids/mass_spring/spring_law.h"

namespace selkie::mass_spring {
namespace {

using detail::all;
using detail::difference;
using detail::Lanes;
using detail::larger;
using detail::load;
using detail::Mask;
using detail::store;
using detail::sums;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Places in one matrix of Work::bounds: xx, yy, zz, straying, xy, xz, yz, ageing.
constexpr std::size_t kStraying = 3, kMixed = 4, kAgeing = 7, kDamping = 8;

// Upper bound of the largest eigenvalue: the smaller of the Frobenius norm (exact for one direction) and the
// row-sum norm (exact for no preferred direction).
double norm_bound(const double* m) {
  const double squares = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
  const double mixed = m[4] * m[4] + m[5] * m[5] + m[6] * m[6];
  const double xy = std::abs(m[4]), xz = std::abs(m[5]), yz = std::abs(m[6]);
  const double rows = std::max({m[0] + xy + xz, m[1] + xy + yz, m[2] + xz + yz});
  return std::min(std::sqrt(squares + 2 * mixed), rows);
}

// m += axial·n nᵀ + transverse·(I − n nᵀ).
void add_projector(double* m, const Vec3& n, double axial, double transverse) {
  const double difference = axial - transverse;
  for (int c = 0; c < 3; ++c) m[c] += difference * n[c] * n[c] + transverse;
  m[kMixed] += difference * n.x() * n.y();
  m[kMixed + 1] += difference * n.x() * n.z();
  m[kMixed + 2] += difference * n.y() * n.z();
}

// Everything a chunk reads and writes, as raw pointers.
struct Pass {
  const SpringEnds* ends;
  const double* rest_length;
  const double* stiffness;
  const double* damping;
  const double* x;
  const double* v;
  const double* root;  // √w
  double* bounds;
  double k, b;
  double steepest;  // branch of the law, relative to k: a spring may cross a knee within the step
  double b_across;  // share of the damping that acts across the springs
  bool coming_tension;
  const Params* params;
};

// What four springs contribute, before it is weighed with the masses of their ends.
struct Terms {
  Lanes inverse;                                  // 1/l
  Lanes along, across, straying, ageing;          // of K; along: beyond `across`
  Lanes b_along, b_across, b_straying, b_ageing;  // of the damping
};

inline void add(double* place, double weight, const Lanes& term) {
  store(place, load(place) + all(weight) * term);
}

// Adds spring k of four to its ends; d its difference vector.
template <int k, bool damped>
inline void add_spring(const Pass& pass, const SpringEnds& ends, const Lanes& d, const Terms& t) {
  auto spread = [](const Lanes& a) { return __builtin_shufflevector(a, a, k, k, k, k); };
  auto with = [](const Lanes& a, const Lanes& last) {
    return __builtin_shufflevector(a, last, k, k, k, 4 + k);
  };
  const Lanes n = t.inverse[k] == 0 ? Lanes{1, 0, 0, 0} : spread(t.inverse) * d;
  const Lanes squares = n * n;
  const Lanes mixed = __builtin_shufflevector(n, n, 0, 0, 1, 3) * __builtin_shufflevector(n, n, 1, 2, 2, 3);
  const Lanes zero = all(0);
  const Lanes diagonal = spread(t.along) * squares + with(t.across, t.straying);
  const Lanes off = spread(t.along) * mixed + with(zero, t.ageing);
  [[maybe_unused]] Lanes b_diagonal = zero, b_off = zero;
  if constexpr (damped) {
    b_diagonal = spread(t.b_along) * squares + with(t.b_across, t.b_straying);
    b_off = spread(t.b_along) * mixed + with(zero, t.b_ageing);
  }
  const double sum = pass.root[ends[0]] + pass.root[ends[1]];
  for (const std::uint32_t i : ends) {
    double* m = pass.bounds + 16 * std::size_t{i};
    const double weight = pass.root[i] * sum;  // w_i + √(w_i w_j)
    add(m, weight, diagonal);
    add(m + kMixed, weight, off);
    if constexpr (damped) {
      add(m + kDamping, weight, b_diagonal);
      add(m + kDamping + kMixed, weight, b_off);
    }
  }
}

// Where the springs' own stiffness is implicit a step may be long enough for a slack spring to be pulled taut
// within it: tension² that the relative motion of two ends alone can build up, v² k m with m = 1/(w_i + w_j).
inline Lanes coming_tension(const Pass& pass, const SpringEnds* ends, const std::array<std::size_t, 4>& at,
                            const Lanes& stiffness_times_speed_square) {
  Lanes square = all(0);
  for (std::size_t n = 0; n < 4; ++n) {
    const double a = pass.root[ends[at[n]][0]], b = pass.root[ends[at[n]][1]], w = a * a + b * b;
    square[n] = w > 0 ? std::sqrt(stiffness_times_speed_square[n] / w) : 0;
  }
  return square;
}

// `count` springs from s on, at most four; what lies beyond is read as if the last one were repeated.
template <bool hooke, bool damped>
inline void four_springs(const Pass& pass, std::size_t s, std::size_t count) {
  const SpringEnds* ends = pass.ends + s;
  std::array<std::size_t, 4> at{};
  for (std::size_t k = 0; k < 4; ++k) at[k] = std::min(k, count - 1);
  auto values = [&](const double* array) {
    return count == 4 ? load(array + s)
                      : Lanes{array[s], array[s + at[1]], array[s + at[2]], array[s + at[3]]};
  };
  const Lanes d0 = difference(pass.x, ends[0]), d1 = difference(pass.x, ends[at[1]]),
              d2 = difference(pass.x, ends[at[2]]), d3 = difference(pass.x, ends[at[3]]);
  const Lanes u0 = difference(pass.v, ends[0]), u1 = difference(pass.v, ends[at[1]]),
              u2 = difference(pass.v, ends[at[2]]), u3 = difference(pass.v, ends[at[3]]);
  const Lanes square = sums(d0 * d0, d1 * d1, d2 * d2, d3 * d3);
  const Lanes speed_square = sums(u0 * u0, u1 * u1, u2 * u2, u3 * u3);
  const Lanes least = all(1e-280);
  const Mask usable = square > least;  // a spring of no length gets some direction
  const Lanes l0 = values(pass.rest_length), k = all(pass.k) * values(pass.stiffness);
  Terms t{};
  const Lanes fragile = detail::inverse_sqrt(larger(square, least));  // huge for one of no length
  t.inverse = detail::keep(usable, fragile);
  const Lanes speed = speed_square * detail::inverse_sqrt(larger(speed_square, least));
  Lanes across;  // tension / l
  if constexpr (hooke)
    across = k - k * l0 * t.inverse;
  else
    across = k * detail::unit_tension(*pass.params, l0, square * t.inverse) * t.inverse;
  const Lanes axial = all(pass.steepest) * k;
  across = larger(all(0), across);
  if (pass.coming_tension) across += coming_tension(pass, ends, at, k * speed_square) * t.inverse;
  t.across = detail::keep(usable, across);
  t.along = axial - t.across;
  const Lanes turning = all(std::numbers::sqrt2) * axial * fragile;
  t.straying = all(2) * turning;  // both ends stray
  t.ageing = turning * speed;
  if constexpr (damped) {
    const Lanes b = all(pass.b) * values(pass.damping);
    t.b_across = all(pass.b_across) * b;
    t.b_along = b - t.b_across;
    const Lanes b_turning = t.b_along * fragile;
    t.b_straying = all(2) * b_turning;
    t.b_ageing = b_turning * speed;
  }
  add_spring<0, damped>(pass, ends[0], d0, t);
  if (count > 1) add_spring<1, damped>(pass, ends[1], d1, t);
  if (count > 2) add_spring<2, damped>(pass, ends[2], d2, t);
  if (count > 3) add_spring<3, damped>(pass, ends[3], d3, t);
}

template <bool hooke, bool damped>
void run(const Model& model, const Pass& pass, Work& work) {
  run_chunks(model.schedule, work.chunk_done, [&pass](const Chunk& chunk) {
    const Pass mine = pass;  // a copy that no store can reach, see forces.cpp
    for (const auto& [begin, end] : chunk.opens)
      std::memset(static_cast<void*>(mine.bounds + 16 * std::size_t{begin}), 0,
                  (end - begin) * 16 * sizeof(double));
    std::size_t s = chunk.begin;
    for (; s + 4 <= chunk.end; s += 4) four_springs<hooke, damped>(mine, s, 4);
    if (s < chunk.end) four_springs<hooke, damped>(mine, s, chunk.end - s);
  });
}

void add_spring_bounds(const Model& model, const Params& params, const State& state, ExplicitPart part,
                       Work& work) {
  work.root_mobilities.resize(model.vertex_count);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    work.root_mobilities[i] = state.pinned[i] != 0 ? 0 : std::sqrt(model.inverse_masses[i]);
  });
  const DampingScale damping = damping_scale(model, params);
  const double steepest = part == ExplicitPart::across_springs
                              ? 0
                              : std::max({1.0, params.tension_slope, params.compression_factor,
                                          params.compression_factor * params.compression_slope});
  const Pass pass{model.springs.data(),
                  model.rest_lengths.data(),
                  model.relative_stiffness.data(),
                  damping.relative,
                  state.positions.data()->data(),
                  state.velocities.data()->data(),
                  work.root_mobilities.data(),
                  work.bounds.data()->data(),
                  params.stiffness,
                  damping.factor,
                  steepest,
                  params.directional_damping ? 0.0 : 1.0,
                  part == ExplicitPart::across_springs,
                  &params};
  const bool damped = damping.factor != 0;
  if (is_linear_law(params))
    damped ? run<true, true>(model, pass, work) : run<true, false>(model, pass, work);
  else
    damped ? run<false, true>(model, pass, work) : run<false, false>(model, pass, work);
}

constexpr double kAhead = 4;  // steps over which a tetrahedron is seen coming

// The same for the guard's K g gᵀ over four corners: (Σ g·u)² ≤ Σ (g_i·u_i)²/p_i for any shares p of one,
// here p_i ∝ |g_i| √w_i. Its curvature −K (τ − J) ∂²J/∂x² is bounded by the norms of its blocks and stays
// explicit in every integrator that has a limit. Tetrahedra that are on their way to be squeezed within a few
// steps `h` count as well. False if there are none.
bool add_guard_bounds(const Model& model, const Params& params, const State& state, ExplicitPart part,
                      double h, Work& work) {
  constexpr double kWatched = 0.95, kClose = 1.2;  // shares of the volume at rest, and of the threshold
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
      add_projector(work.bounds[tet[i]].data() + kDamping, spring.direction, spring.damping * share[i] * sum,
                    0);
    }
  }
}

// Largest of two numbers per vertex in one pass. NaN wins.
template <class Body>
std::array<double, 2> largest_pair(std::size_t count, Work& work, Body&& body) {
  auto take = [](double& largest, double value) {
    if (value > largest || value != value) largest = value;
  };
  work.block_maxima.assign((count + kDefaultBlock - 1) / kDefaultBlock, {0, 0});
  parallel_blocks(count, kDefaultBlock, [&](std::size_t begin, std::size_t end) {
    std::array<double, 2> mine{0, 0};
    for (std::size_t i = begin; i < end; ++i) {
      const std::array<double, 2> pair = body(i);
      take(mine[0], pair[0]), take(mine[1], pair[1]);
    }
    work.block_maxima[begin / kDefaultBlock] = mine;
  });
  std::array<double, 2> largest{0, 0};
  for (const auto& pair : work.block_maxima) take(largest[0], pair[0]), take(largest[1], pair[1]);
  return largest;
}

// Fills in how long the rates hold. Every vertex has room up to the allowed rise of the largest.
void find_keeping(const Model& model, Rates& rates, Work& work) {
  const double k_room = (1 + kAllowedRise) * rates.omega * rates.omega,
               b_room = (1 + kAllowedRise / 2) * rates.beta;
  auto share = [](double rate, double room) { return rate == 0 ? 0 : rate / room; };
  const std::array<double, 2> worst = largest_pair(model.vertex_count, work, [&](std::size_t i) {
    const double *k = work.bounds[i].data(), *b = k + kDamping;  // the first entry is now the norm
    return std::array<double, 2>{
        std::max(share(k[kAgeing], k_room - k[0]), share(b[kAgeing], b_room - b[0])),
        std::max(share(k[kStraying], k_room - k[0]), share(b[kStraying], b_room - b[0]))};
  });
  rates.ageing = worst[0];
  rates.straying = worst[1];
}

}  // namespace

Rates bound_rates(const Model& model, const Params& params, const State& state, ExplicitPart part,
                  Work& work) {
  Rates rates;
  if (model.springs.empty()) return rates;
  if (work.bounds.size() != model.vertex_count) work.bounds.resize(model.vertex_count);
  add_spring_bounds(model, params, state, part, work);
  const bool altitudes = part == ExplicitPart::all && !model.altitudes.tets.empty();
  if (altitudes) add_altitude_bounds(model, params, state, work);
  const bool guarded = has_guard(model, params);
  if (guarded) {
    const double omega = std::sqrt(deterministic_max(
        model.vertex_count, 0, [&](std::size_t i) { return norm_bound(work.bounds[i].data()); }));
    if (omega > 0) rates.undamped = add_guard_bounds(model, params, state, part, 2 / omega, work);
  }
  const std::array<double, 2> norms = largest_pair(model.vertex_count, work, [&](std::size_t i) {
    double* m = work.bounds[i].data();
    m[0] = norm_bound(m);
    m[kDamping] = norm_bound(m + kDamping);
    return std::array<double, 2>{m[0], m[kDamping]};
  });
  rates.omega = std::sqrt(norms[0]);
  rates.beta = norms[1];
  // The explicit stiffness across springs can come from nothing, altitudes jump, and squeezed tetrahedra
  // stiffen.
  if (part != ExplicitPart::all || altitudes || rates.undamped) {
    rates.ageing = rates.straying = kInfinity;
    return rates;
  }
  find_keeping(model, rates, work);
  // No tetrahedron is about to be squeezed within kAhead steps of 2/ω; that is trusted for half of them.
  if (guarded) rates.ageing = std::max(rates.ageing, rates.omega / kAhead);
  return rates;
}

}  // namespace selkie::mass_spring
