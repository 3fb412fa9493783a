// See squeezed.h. When each edge vector e_k of a tetrahedron changes by at most q, its determinant changes by
// at most q Σ|e_i||e_j| + q² Σ|e_k| + q³ ≤ q S + q² √(3S) + q³ with S = Σ|e_k|². Volumes are computed four at
// a time.
#include "selkie/solids/mass_spring/squeezed.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/solids/mass_spring/detail/lanes.h"

namespace selkie::mass_spring {
namespace {

using detail::all;
using detail::keep;
using detail::Lanes;
using detail::load;
using detail::Mask;
using detail::sums;

constexpr std::size_t kBlock = 2048;  // tetrahedra handed out together
// How far a coordinate may stray until the list is made anew, as a share of the mean edge: twice that in each
// of three coordinates, q, is 2.6 % of an edge. More makes the list longer, less makes it anew more often.
constexpr double kStray = 0.0075;
constexpr Mask kXyz = {-1, -1, -1, 0};
constexpr Mask kNotSign = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};

inline Lanes turn_left(const Lanes& v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3); }   // y z x
inline Lanes turn_right(const Lanes& v) { return __builtin_shufflevector(v, v, 2, 0, 1, 3); }  // z x y

// Per tetrahedron, in three lanes: what adds up to (e1 × e2)·e3, and to |e1|² + |e2|² + |e3|².
struct Terms {
  Lanes determinant;
  Lanes squares;
};
inline Terms terms_of(const double* x, const geometry::Tet& tet) {
  const Lanes origin = load(x + 3 * std::size_t{tet[0]});
  const Lanes e1 = load(x + 3 * std::size_t{tet[1]}) - origin;
  const Lanes e2 = load(x + 3 * std::size_t{tet[2]}) - origin;
  const Lanes e3 = load(x + 3 * std::size_t{tet[3]}) - origin;
  const Lanes turned_cross = e1 * turn_left(e2) - turn_left(e1) * e2;  // e1 × e2 as z x y
  return {keep(kXyz, turned_cross * turn_right(e3)), keep(kXyz, e1 * e1 + e2 * e2 + e3 * e3)};
}

// Which of four tetrahedra are, or after a change by `q` of their edges may be, below the threshold.
struct Question {
  const InversionGuard& guard;
  const double* x;
  double threshold;
  double q;  // m; 0: only those that are
};
inline Mask ask(const Question& question, const std::array<std::uint32_t, 4>& t) {
  const std::vector<geometry::Tet>& tets = question.guard.tets;
  const std::vector<double>& factors = question.guard.inverse_determinants;
  const Terms a = terms_of(question.x, tets[t[0]]), b = terms_of(question.x, tets[t[1]]);
  const Terms c = terms_of(question.x, tets[t[2]]), d = terms_of(question.x, tets[t[3]]);
  const Lanes factor = {factors[t[0]], factors[t[1]], factors[t[2]], factors[t[3]]};
  Lanes ratio = factor * sums(a.determinant, b.determinant, c.determinant, d.determinant);
  if (question.q > 0) {
    const Lanes s = sums(a.squares, b.squares, c.squares, d.squares), q = all(question.q);
    Lanes root;
    for (int k = 0; k < 4; ++k) root[k] = std::sqrt(3 * s[k]);
    const Lanes size = reinterpret_cast<Lanes>(reinterpret_cast<Mask>(factor) & kNotSign);
    ratio -= all(1 + 1e-9) * size * q * (s + q * (root + q)) + all(1e-9);  // rounded up
  }
  return ~(ratio >= all(question.threshold));  // lost positions count as squeezed
}

// Writes those of tet(0) … tet(count − 1) of which the answer is yes to `out`, which may be where they come
// from; returns how many.
template <class TetAt>
std::uint32_t sieve(const Question& question, std::size_t count, TetAt&& tet, std::uint32_t* out) {
  std::uint32_t found = 0;
  for (std::size_t k = 0; k < count; k += 4) {
    std::array<std::uint32_t, 4> t;
    for (std::size_t j = 0; j < 4; ++j) t[j] = tet(std::min(k + j, count - 1));
    const Mask yes = ask(question, t);
    if ((yes[0] | yes[1] | yes[2] | yes[3]) == 0) continue;
    for (std::size_t j = 0; j < 4 && k + j < count; ++j)
      if (yes[j] != 0) out[found++] = t[j];
  }
  return found;
}

// The same in parallel, each block into its own part of `out`, which are then joined.
template <class TetAt>
std::size_t sieve_blocks(const Question& question, std::size_t count, TetAt&& tet, Buffer<std::uint32_t>& out,
                         Buffer<std::uint32_t>& found_in_block) {
  const std::size_t blocks = (count + kBlock - 1) / kBlock;
  found_in_block.resize(blocks);
  parallel_blocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
    auto from_begin = [&](std::size_t k) { return tet(begin + k); };
    found_in_block[begin / kBlock] = sieve(question, end - begin, from_begin, out.data() + begin);
  });
  std::size_t found = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::uint32_t* from = out.data() + block * kBlock;
    if (found != block * kBlock) std::copy(from, from + found_in_block[block], out.data() + found);
    found += found_in_block[block];
  }
  return found;
}

std::uint32_t itself(std::size_t t) { return static_cast<std::uint32_t>(t); }

double stray_limit(const Model& model) { return kStray * model.mean_rest_length; }

}  // namespace

StrayWatch::StrayWatch(const Model& model, const Buffer<Vec3>& x, double threshold,
                       const WatchedTets& watched)
    : shift_(all(0)),
      limit_(all(stray_limit(model))),
      strayed_(watched.threshold != threshold || x.size() != watched.seen.size()) {
  if (!stayed() || x.size() == 0) return;
  now_ = x.data()->data();
  then_ = watched.seen.data()->data();
  shift_ = load(now_) - load(then_);
}

void StrayWatch::look(std::size_t begin, std::size_t end) {
  if (!stayed()) return;
  const double *now = now_, *then = then_;
  const Lanes shift = shift_, limit = limit_;
  Mask within = kXyz;
  for (std::size_t i = begin; i < end; ++i) {
    const Lanes moved = (load(now + 3 * i) - load(then + 3 * i)) - shift;
    within &= reinterpret_cast<Lanes>(reinterpret_cast<Mask>(moved) & kNotSign) <= limit;  // false for NaN
  }
  if (within[0] == 0 || within[1] == 0 || within[2] == 0) strayed_.store(true, std::memory_order_relaxed);
}

std::span<const std::uint32_t> find_squeezed(const Model& model, const Buffer<Vec3>& x, double threshold,
                                             Work& work) {
  StrayWatch watch(model, x, threshold, work.watched);
  parallel_blocks(x.size(), kDefaultBlock,
                  [&](std::size_t begin, std::size_t end) { watch.look(begin, end); });
  return find_squeezed(model, x, threshold, work, watch.stayed());
}

std::span<const std::uint32_t> find_squeezed(const Model& model, const Buffer<Vec3>& x, double threshold,
                                             Work& work, bool stayed) {
  WatchedTets& watched = work.watched;
  if (!stayed) {
    watched.seen = x;
    watched.threshold = threshold;
    watched.tets.resize(model.guard.tets.size());
    const double q = 2 * std::sqrt(3.0) * stray_limit(model);
    const Question soon{model.guard, x.data()->data(), threshold, q};
    watched.count = sieve_blocks(soon, model.guard.tets.size(), itself, watched.tets, work.squeezed_in_block);
  }
  work.squeezed.resize(model.guard.tets.size());
  const Question now{model.guard, x.data()->data(), threshold, 0};
  const std::size_t found = sieve_blocks(
      now, watched.count, [&](std::size_t k) { return watched.tets[k]; }, work.squeezed,
      work.squeezed_in_block);
  return work.squeezed.span().first(found);
}

std::span<const std::uint32_t> find_squeezed_at_once(const Model& model, const Buffer<Vec3>& x,
                                                     double threshold, Work& work) {
  work.squeezed.resize(model.guard.tets.size());
  const Question now{model.guard, x.data()->data(), threshold, 0};
  const std::size_t found =
      sieve_blocks(now, model.guard.tets.size(), itself, work.squeezed, work.squeezed_in_block);
  return work.squeezed.span().first(found);
}

}  // namespace selkie::mass_spring
