// The force pass. Springs without order go four at a time: differences are formed as padded 3-vectors,
// squared lengths by one transposing sum, and the share s in f_i = s·(x_j − x_i) for four springs in one
// vector; then each spring adds s·d to its two ends in order. Even springs go in rows: their ends lie side by
// side, so that whole vectors are read and written. Per spring the pass moves 24 bytes (32 with damping) plus
// its share of the vertices. [Müller08 §3.1; E1]
#include "selkie/solids/mass_spring/forces.h"

#include <algorithm>
#include <cstring>

#include "selkie/core/check.h"
#include "selkie/core/profile.h"
#include "selkie/solids/mass_spring/altitude_springs.h"
#include "selkie/solids/mass_spring/detail/spring_lanes.h"
#include "selkie/solids/mass_spring/detail/triples.h"
#include "selkie/solids/mass_spring/inversion_guard.h"
#include "selkie/solids/mass_spring/spring_law.h"

namespace selkie::mass_spring {
namespace {

using namespace detail;

enum class Law { hooke, biphasic };
enum class Friction { none, along, full };

// Everything a chunk reads and writes, as raw pointers.
struct Pass {
  const SpringEnds* ends;
  const double* rest_length;
  const double* stiffness;
  const double* damping;
  const double* x;
  const double* v;
  double* f;
  double k, b;
  const Params* params;
  StrayWatch* watch;  // of the inversion guard; null without one
};

inline void add_pair(double* f, const SpringEnds& ends, const Lanes& force) {
  double* fi = f + 4 * std::size_t{ends[0]};
  double* fj = f + 4 * std::size_t{ends[1]};
  store(fi, load(fi) + force);
  store(fj, load(fj) - force);
}

// What a spring's elasticity gives to s in f_i = s·(x_j − x_i), for as many springs as V has lanes.
template <class V>
struct Elastic {
  V share;                         // tension / l
  V inverse;                       // 1/l
  decltype(V{} > V{}) has_length;  // a spring too short to have a direction gets s = 0 (RT-03)
};
template <Law law, class V>
inline Elastic<V> elastic(const Pass& pass, std::size_t s, const V& square) {
  const V l0 = load_as<V>(pass.rest_length + s);
  const V shortest = all_as<V>(kShortest) * l0;
  Elastic<V> e;
  e.has_length = (square > shortest * shortest) & (square > all_as<V>(1e-280));
  const V blunt = all_as<V>(kBlunt) * l0;
  const V blunt_square = larger(square, blunt * blunt);
  e.inverse = inverse_sqrt(blunt_square);
  const V k = all_as<V>(pass.k) * load_as<V>(pass.stiffness + s);
  if constexpr (law == Law::hooke)
    e.share = k - k * l0 * e.inverse;
  else
    e.share = k * unit_tension(*pass.params, l0, blunt_square * e.inverse) * e.inverse;
  return e;
}

template <Law law, Friction friction>
inline void four_springs(const Pass& pass, std::size_t s) {
  const SpringEnds* ends = pass.ends + s;
  const Lanes d0 = difference(pass.x, ends[0]), d1 = difference(pass.x, ends[1]),
              d2 = difference(pass.x, ends[2]), d3 = difference(pass.x, ends[3]);
  auto [share, inverse, has_length] = elastic<law>(pass, s, sums(d0 * d0, d1 * d1, d2 * d2, d3 * d3));

  if constexpr (friction == Friction::none) {
    share = keep(has_length, share);
    add_pair(pass.f, ends[0], all(share[0]) * d0);
    add_pair(pass.f, ends[1], all(share[1]) * d1);
    add_pair(pass.f, ends[2], all(share[2]) * d2);
    add_pair(pass.f, ends[3], all(share[3]) * d3);
    return;
  }
  const Lanes b = all(pass.b) * load(pass.damping + s);
  const Lanes u0 = difference(pass.v, ends[0]), u1 = difference(pass.v, ends[1]),
              u2 = difference(pass.v, ends[2]), u3 = difference(pass.v, ends[3]);
  if constexpr (friction == Friction::along) {
    share += b * sums(u0 * d0, u1 * d1, u2 * d2, u3 * d3) * (inverse * inverse);
    share = keep(has_length, share);
    add_pair(pass.f, ends[0], all(share[0]) * d0);
    add_pair(pass.f, ends[1], all(share[1]) * d1);
    add_pair(pass.f, ends[2], all(share[2]) * d2);
    add_pair(pass.f, ends[3], all(share[3]) * d3);
  } else {
    share = keep(has_length, share);
    add_pair(pass.f, ends[0], all(share[0]) * d0 + all(b[0]) * u0);
    add_pair(pass.f, ends[1], all(share[1]) * d1 + all(b[1]) * u1);
    add_pair(pass.f, ends[2], all(share[2]) * d2 + all(b[2]) * u2);
    add_pair(pass.f, ends[3], all(share[3]) * d3 + all(b[3]) * u3);
  }
}

// Rows of even springs [model.h], lanes `first` … of each. The vertices they lead from are read, and their
// forces written, once for all rows.
template <Law law, Friction friction, class V>
inline void even_rows(const Pass& pass, std::size_t begin, std::size_t end, std::size_t first) {
  const std::size_t i = pass.ends[begin][0] + first;
  const Triples<V> xi = load_triples<V>(pass.x + 3 * i);
  [[maybe_unused]] Triples<V> vi{};
  if constexpr (friction != Friction::none) vi = load_triples<V>(pass.v + 3 * i);
  Padded<V> sum{};
  for (std::size_t s = begin + first; s < end; s += kEvenVertices) {
    const std::size_t j = pass.ends[s][1];
    const Triples<V> d = load_triples<V>(pass.x + 3 * j) - xi;
    auto [share, inverse, has_length] = elastic<law>(pass, s, dots(d, d));
    Triples<V> force;
    if constexpr (friction == Friction::none) {
      force = scaled(keep(has_length, share), d);
    } else {
      const V b = all_as<V>(pass.b) * load_as<V>(pass.damping + s);
      const Triples<V> u = load_triples<V>(pass.v + 3 * j) - vi;
      if constexpr (friction == Friction::along) share += b * dots(u, d) * (inverse * inverse);
      force = scaled(keep(has_length, share), d);
      if constexpr (friction == Friction::full) force = force + scaled(b, u);
    }
    const Padded<V> f = padded(force);
    add_to(sum, f);
    subtract_from(pass.f + 4 * j, f);
  }
  add_to(pass.f + 4 * i, sum);
}

// What is left of springs that are no multiple of four.
void one_spring(const Pass& pass, std::size_t s, bool with_friction) {
  const auto [i, j] = pass.ends[s];
  const Eigen::Map<const Vec3> xi(pass.x + 3 * std::size_t{i}), xj(pass.x + 3 * std::size_t{j});
  const Eigen::Map<const Vec3> vi(pass.v + 3 * std::size_t{i}), vj(pass.v + 3 * std::size_t{j});
  const double b = with_friction ? pass.b * pass.damping[s] : 0;
  const Vec3 force =
      spring_force(*pass.params, pass.k * pass.stiffness[s], b, pass.rest_length[s], xi, xj, vi, vj);
  Eigen::Map<Vec3>(pass.f + 4 * std::size_t{i}) += force;
  Eigen::Map<Vec3>(pass.f + 4 * std::size_t{j}) -= force;
}

// The whole rows that lie in a chunk.
EvenSprings rows_within(const EvenSprings& rows, const Chunk& chunk) {
  const auto chunk_begin = static_cast<std::uint32_t>(chunk.begin),
             chunk_end = static_cast<std::uint32_t>(chunk.end);
  const std::uint32_t cut = chunk_begin > rows.begin ? chunk_begin - rows.begin : 0;
  const std::uint32_t end = std::min(rows.end, chunk_end);
  return {rows.begin + (cut + kEvenVertices - 1) / kEvenVertices * kEvenVertices,
          rows.begin + (end - rows.begin) / kEvenVertices * kEvenVertices};
}

template <Law law, Friction friction>
inline void springs(const Pass& pass, std::size_t begin, std::size_t end) {
  std::size_t s = begin;
  for (; s + 4 <= end; s += 4) four_springs<law, friction>(pass, s);
  for (; s < end; ++s) one_spring(pass, s, friction != Friction::none);
}

template <Law law, Friction friction>
void run(const Model& model, const Pass& pass, Work& work) {
  run_chunks(model.schedule, work.chunk_done, [&](const Chunk& chunk) {
    for (const auto& [begin, end] : chunk.opens) {
      std::memset(static_cast<void*>(pass.f + 4 * std::size_t{begin}), 0, (end - begin) * sizeof(Vec4));
      if (pass.watch != nullptr) pass.watch->look(begin, end);
    }
    // A copy that no store can reach: through `pass` every pointer would be read again after each store.
    const Pass mine = pass;
    std::size_t s = chunk.begin;
    for (auto even = std::ranges::upper_bound(model.even_springs, s, {}, &EvenSprings::end);
         even != model.even_springs.end() && even->begin < chunk.end; ++even) {
      const EvenSprings rows = rows_within(*even, chunk);
      if (rows.begin >= rows.end) continue;
      springs<law, friction>(mine, s, rows.begin);
      for (std::size_t first = 0; first < kEvenVertices; first += kLanes<WidestLanes>)
        even_rows<law, friction, WidestLanes>(mine, rows.begin, rows.end, first);
      s = rows.end;
    }
    springs<law, friction>(mine, s, chunk.end);
  });
}

}  // namespace

void accumulate_forces(const Model& model, const Params& params, const Buffer<Vec3>& x, const Buffer<Vec3>& v,
                       Buffer<Vec4>& f, Work& work, ForceTerms terms) {
  const ProfileZone zone("mass_spring.forces");
  SELKIE_CHECK(x.size() == model.vertex_count && v.size() == model.vertex_count, "one value per vertex");
  // Chunks of springs set their vertices to zero themselves.
  if (model.springs.empty() || f.size() != model.vertex_count) f.assign(model.vertex_count, Vec4::Zero());
  if (model.springs.empty()) return;

  const DampingScale damping = damping_scale(model, params);
  StrayWatch watch(model, x, params.inversion_threshold, work.watched);
  const Pass pass{model.springs.data(),
                  model.rest_lengths.data(),
                  model.relative_stiffness.data(),
                  damping.relative,
                  x.data()->data(),
                  v.data()->data(),
                  f.data()->data(),
                  params.stiffness,
                  damping.factor,
                  &params,
                  has_guard(model, params) ? &watch : nullptr};
  const bool hooke = is_linear_law(params);
  const Friction friction = terms == ForceTerms::elastic_only || damping.factor == 0 ? Friction::none
                            : params.directional_damping                             ? Friction::along
                                                                                     : Friction::full;
  switch (friction) {
    case Friction::none:
      hooke ? run<Law::hooke, Friction::none>(model, pass, work)
            : run<Law::biphasic, Friction::none>(model, pass, work);
      break;
    case Friction::along:
      hooke ? run<Law::hooke, Friction::along>(model, pass, work)
            : run<Law::biphasic, Friction::along>(model, pass, work);
      break;
    case Friction::full:
      hooke ? run<Law::hooke, Friction::full>(model, pass, work)
            : run<Law::biphasic, Friction::full>(model, pass, work);
      break;
  }
  add_guard_forces(model, params, x, f, work, watch.stayed());
  // A step has chosen its altitude springs. Whoever asks outside of one, and of more than one body or state,
  // chooses before each question: what was chosen for other positions or parameters cannot be told from here.
  if (work.altitudes.size() != model.altitudes.tets.size()) choose_altitudes(model, params, x, work);
  add_altitude_forces(model, x, v, f, work, terms);
}

}  // namespace selkie::mass_spring
