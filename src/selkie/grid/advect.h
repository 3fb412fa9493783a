// Advection on a uniform grid: one cell, face or node field, or a whole staggered velocity, carried over Δt
// by a frozen staggered velocity. [Selle08 §2] HY-01 … HY-06, RT-50, LE-14
//   f = A(φ),  b = A^R(f),  e = (b − φ)/2          A^R: the same rays with −V
//   BFECC φ' = A(φ − e)          MacCormack φ' = f − e
// A is multilinear interpolation at the ray's end (semi-Lagrangian), or the upwind difference with erratum
// E1. Velocity at a sample is the plain average of the faces around it. Limits: BFECC and MacCormack are only
// for reversible transport; upwind blocks are only stable while Σ|u_a| Δt/Δx ≤ 1; rays are cut at 2²⁰ cells.
// Samples that a velocity carries which is not finite are not finite either.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "selkie/core/describe.h"
#include "selkie/grid/field.h"

namespace selkie::grid {

enum class Scheme { semi_lagrangian, bfecc, maccormack, upwind, upwind_bfecc, upwind_maccormack };
constexpr auto describe(Scheme*) {
  return std::array<std::string_view, 6>{"semi-lagrangian", "bfecc",        "maccormack",
                                         "upwind",          "upwind-bfecc", "upwind-maccormack"};
}

// What becomes of a second-order value outside the range of the values that the first forward ray
// interpolates at time n: nothing, the nearest bound, or the first-order value (required at free surfaces,
// HY-05).
enum class Limiter { none, clamp, revert };
constexpr auto describe(Limiter*) { return std::array<std::string_view, 3>{"none", "clamp", "revert"}; }

// How a ray is traced: with the velocity at its start, or with that half-way along.
enum class Trace { euler, midpoint };
constexpr auto describe(Trace*) { return std::array<std::string_view, 2>{"euler", "midpoint"}; }

struct AdvectOptions {
  Scheme scheme = Scheme::maccormack;
  Limiter limiter = Limiter::revert;
  Trace trace = Trace::euler;
};
constexpr auto describe(AdvectOptions*) {
  return Members{
      member("scheme", &AdvectOptions::scheme, "", "how values are carried along the flow").live(),
      member("limiter", &AdvectOptions::limiter, "",
             "what becomes of a second-order value outside the range it was taken from")
          .live(),
      member("trace", &AdvectOptions::trace, "", "how the path of a value is traced back").live(),
  };
}
static_assert(complete<AdvectOptions>());

// The flow that carries: velocity in m/s, frozen over dt seconds.
// Along a periodic axis of n cells, sample n must equal sample 0 in all fields (wrap() makes it so, and
// advect() does so with what it writes). Otherwise rays end at the outermost samples, and ghosts are never
// read. Where a cell is marked in `first_order`, the samples on it and on its faces and corners take the
// first-order value (HY-06); no mask is a view of nothing.
template <class T>
struct Flow {
  FaceViews<const T> velocity;
  double dt = 0;  // s
  std::array<bool, 3> periodic{false, false, false};
  View<const std::uint8_t> first_order = {};
};

// Scratch: a field, and another for the upper bounds of a limited MacCormack. Kept by the caller, so that no
// step allocates after the first.
template <class T>
struct AdvectWork {
  Buffer<T> field, upper;
};

// Reads `from`, writes all samples of `to`, another field. T is float or double.
template <class T>
void advect(const Shape& shape, Place place, const AdvectOptions& options, const Flow<T>& flow,
            const ReadView<T>& from, const View<T>& to, AdvectWork<T>& work);

// The components of a velocity, each carried and limited by itself. `from` may be the flow's own velocity.
template <class T>
void advect_velocity(const Shape& shape, const AdvectOptions& options, const Flow<T>& flow,
                     const FaceViews<const T>& from, const FaceViews<T>& to, AdvectWork<T>& work);

// Copies sample 0 to sample n along each periodic axis of n cells.
template <class T>
void wrap(const Shape& shape, const std::array<bool, 3>& periodic, const View<T>& field);

// Marks cells no farther than `reach` (m; CFL·Δx by HY-06) from a solid, given its distance at cell centres;
// and the cells within `cells` layers of a side of the grid. Other marks stay.
template <class T>
void mark_near_solids(const Shape& shape, const View<const T>& distance, double reach,
                      const View<std::uint8_t>& marks);
void mark_near_side(const Shape& shape, int axis, bool high, int cells, const View<std::uint8_t>& marks);

}  // namespace selkie::grid
