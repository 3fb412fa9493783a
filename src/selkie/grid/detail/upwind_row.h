// Upwind differences along a row [Selle08 §2.2, eq. 2.3 with erratum E1]: φ + Σ_a |λ_a| (φ_upwind − φ), λ
// from the rays' displacement. Beyond a side that is not periodic the neighbour is the sample itself.
#pragma once

#include "selkie/grid/detail/rays.h"

namespace selkie::grid::detail {

// out: the value; lo and hi, if asked for: the range of the samples it is made of.
template <class T, int Dims, bool kBounds>
void upwind_row(const Samples& samples, const View<const T>& field, const Displacement<T, Dims>& ray,
                const Segment& s, T* __restrict out, T* __restrict lo, T* __restrict hi) {
  const T* const own = field.data + s.element;
  for (int l = 0; l < s.count; ++l) out[l] = own[l];
  if constexpr (kBounds)
    for (int l = 0; l < s.count; ++l) lo[l] = hi[l] = own[l];
  auto add = [&](int l, T along, T below, T above) {
    const T displacement = ray.sign * along;
    const T upwind = displacement < 0 ? below : above;
    const T size = displacement < 0 ? -displacement : displacement;
    out[l] += size * (upwind - own[l]);
    if constexpr (kBounds) {
      lo[l] = upwind < lo[l] ? upwind : lo[l];
      hi[l] = upwind > hi[l] ? upwind : hi[l];
    }
  };
  auto around = [&](std::size_t a, int index) {  // neighbours' indices
    const int last = samples.count[a] - 1, wrapped = samples.periodic[a] ? 1 : 0;
    return Pair{index > 0 ? index - 1 : wrapped * last, index < last ? index + 1 : (1 - wrapped) * last};
  };
  for (int axis = 1; axis < Dims; ++axis) {
    const Pair at = around(static_cast<std::size_t>(axis), s.index(axis));
    const std::ptrdiff_t stride = axis == 1 ? field.row : field.plane;
    const T* const below = own + (at.lo - s.index(axis)) * stride;
    const T* const above = own + (at.hi - s.index(axis)) * stride;
    for (int l = 0; l < s.count; ++l) add(l, ray.along[axis][l], below[l], above[l]);
  }
  const T* const row = own - s.i;
  const int first = s.i == 0 ? 1 : 0, end = s.i + s.count == samples.count[0] ? s.count - 1 : s.count;
  for (int l = first; l < end; ++l) add(l, ray.along[0][l], own[l - 1], own[l + 1]);
  auto add_end = [&](int l) {
    const Pair at = around(0, s.i + l);
    add(l, ray.along[0][l], row[at.lo], row[at.hi]);
  };
  if (first > 0) add_end(0);
  if (end < s.count && end >= first) add_end(end);
}

}  // namespace selkie::grid::detail
