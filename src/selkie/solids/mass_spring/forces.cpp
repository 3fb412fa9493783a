// The force pass: four springs at a time. Differences are formed as padded 3-vectors, squared lengths by one
// transposing sum, and the share s in f_i = s·(x_j − x_i) for four springs in one vector; then each spring
// adds s·d to its two ends in order. Per spring that moves 24 bytes (32 with damping) plus its share of the
// vertices. [Müller08 §3.1; E1]
#include "selkie/solids/mass_spring/forces.h"

#include <cstring>

#include "selkie/core/check.h"
#include "selkie/core/profile.h"
#include "selkie/solids/mass_spring/altitude_springs.h"
#include "selkie/solids/mass_spring/detail/spring_lanes.h"
#include "selkie/solids/mass_spring/inversion_guard.h"
#include "selkie/solids/mass_spring/spring_law.h"

namespace selkie::mass_spring {
namespace {

using detail::all;
using detail::difference;
using detail::inverse_sqrt;
using detail::keep;
using detail::Lanes;
using detail::larger;
using detail::load;
using detail::Mask;
using detail::store;
using detail::sums;
using detail::unit_tension;

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

template <Law law, Friction friction>
inline void four_springs(const Pass& pass, std::size_t s) {
  const SpringEnds* ends = pass.ends + s;
  const Lanes d0 = difference(pass.x, ends[0]), d1 = difference(pass.x, ends[1]),
              d2 = difference(pass.x, ends[2]), d3 = difference(pass.x, ends[3]);

  // Lengths, guarded: a spring too short to have a direction gets s = 0 (RT-03).
  const Lanes l0 = load(pass.rest_length + s);
  const Lanes square = sums(d0 * d0, d1 * d1, d2 * d2, d3 * d3);
  const Lanes shortest = all(kShortest) * l0;
  const Mask usable = (square > shortest * shortest) & (square > all(1e-280));
  const Lanes blunt = all(kBlunt) * l0;
  const Lanes blunt_square = larger(square, blunt * blunt);
  const Lanes inverse = inverse_sqrt(blunt_square);

  // Elastic share: tension / l.
  const Lanes k = all(pass.k) * load(pass.stiffness + s);
  Lanes share;
  if constexpr (law == Law::hooke)
    share = k - k * l0 * inverse;
  else
    share = k * unit_tension(*pass.params, l0, blunt_square * inverse) * inverse;

  if constexpr (friction == Friction::none) {
    share = keep(usable, share);
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
    share = keep(usable, share);
    add_pair(pass.f, ends[0], all(share[0]) * d0);
    add_pair(pass.f, ends[1], all(share[1]) * d1);
    add_pair(pass.f, ends[2], all(share[2]) * d2);
    add_pair(pass.f, ends[3], all(share[3]) * d3);
  } else {
    share = keep(usable, share);
    add_pair(pass.f, ends[0], all(share[0]) * d0 + all(b[0]) * u0);
    add_pair(pass.f, ends[1], all(share[1]) * d1 + all(b[1]) * u1);
    add_pair(pass.f, ends[2], all(share[2]) * d2 + all(b[2]) * u2);
    add_pair(pass.f, ends[3], all(share[3]) * d3 + all(b[3]) * u3);
  }
}

// The last springs of a body whose count is no multiple of four.
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

template <Law law, Friction friction>
void run(const Model& model, const Pass& pass, Work& work) {
  run_chunks(model.schedule, work.chunk_done, [&pass](const Chunk& chunk) {
    for (const auto& [begin, end] : chunk.opens) {
      std::memset(static_cast<void*>(pass.f + 4 * std::size_t{begin}), 0, (end - begin) * sizeof(Vec4));
      if (pass.watch != nullptr) pass.watch->look(begin, end);
    }
    // A copy that no store can reach: through `pass` every pointer would be read again after each store.
    const Pass mine = pass;
    std::size_t s = chunk.begin;
    for (; s + 4 <= chunk.end; s += 4) four_springs<law, friction>(mine, s);
    for (; s < chunk.end; ++s) one_spring(mine, s, friction != Friction::none);
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
  if (work.altitudes.size() != model.altitudes.tets.size()) choose_altitudes(model, params, x, work);
  add_altitude_forces(model, x, v, f, work, terms);
}

}  // namespace selkie::mass_spring
