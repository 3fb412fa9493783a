// Rays of a row of samples: how far they go, and the stencils they end in. Displacements are relative to the
// sample's own cell, so that float loses nothing far from the origin.
#pragma once

#include "selkie/grid/detail/interpolate_row.h"
#include "selkie/grid/detail/rows.h"

namespace selkie::grid::detail {

template <class T, int Dims>
struct Displacement {
  alignas(64) T along[Dims][kSegment];  // cells
};

// What the rows of one advection have in common.
template <class T, int Dims>
struct Field {
  Place place = Place::cell;
  Samples samples;               // of the place
  std::array<Samples, 3> faces;  // of the velocity components
  Samples cells;
  const Flow<T>* flow = nullptr;
  Trace trace = Trace::euler;
  T scale = 0;  // −Δt/Δx, s/m: cells that a velocity of 1 m/s carries back

  Field(const Shape& shape, Place at, const AdvectOptions& options, const Flow<T>& by)
      : place(at),
        samples(shape, at, by.periodic),
        cells(shape, Place::cell, by.periodic),
        flow(&by),
        trace(options.trace),
        scale(static_cast<T>(-by.dt / shape.cell_size())) {
    for (int axis = 0; axis < Dims; ++axis)
      faces[static_cast<std::size_t>(axis)] = Samples(shape, face_place(axis), by.periodic);
  }
};

// out = scale · velocity component `axis` at the samples: the plain average of the faces around each.
template <class T, int Dims>
void velocity_row(const Field<T, Dims>& field, int axis, const Segment& s, T* __restrict out) {
  const View<const T>& faces = field.flow->velocity[static_cast<std::size_t>(axis)];
  const Samples& of = field.faces[static_cast<std::size_t>(axis)];
  const Place value = face_place(axis);
  const Sources<T> from = sources<T, Dims>(faces, of, value, field.place, s);
  const T *const a = from.row[0], *const b = from.row[1], *const c = from.row[2], *const d = from.row[3];
  const T scale = field.scale / T(from.count);  // a power of two: exact
  if (from.count == 1)
    for (int l = 0; l < s.count; ++l) out[l] = scale * a[l];
  else if (from.count == 2)
    for (int l = 0; l < s.count; ++l) out[l] = scale * (a[l] + b[l]);
  else
    for (int l = 0; l < s.count; ++l) out[l] = scale * ((a[l] + b[l]) + (c[l] + d[l]));
  if (!from.ends) return;
  for (const int i : {0, of.count[0]}) {
    if (i < s.i || i >= s.i + s.count) continue;
    std::array<T, 4> term{};
    std::size_t terms = 0;
    each_source<T, Dims>(faces, of, value, field.place, {i, s.j, s.k},
                         [&](const Index&, T u) { term[terms++] = u; });
    out[i - s.i] = scale * ((term[0] + term[1]) + (term[2] + term[3]));
  }
}

// The stencil of a ray along one axis: base sample and share of the upper one. First, the axis along which
// own indices grow with l, then the others.
struct Axis {
  int own = 0;      // index of the first sample
  int growth = 0;   // of the own index from sample to sample
  int samples = 1;  // of the lattice the ray ends on
  bool periodic = false;
  std::int32_t stride = 1;
};
template <class T>
void locate_axis(const Axis& axis, const T* __restrict along, T sign, T shift, int count, T* __restrict share,
                 std::int32_t* __restrict offset) {
  constexpr T kFar = T(1 << 20);
  const int last = axis.samples - 1, top = last > 0 ? last - 1 : 0;
  const T top_share = last > 0 ? T(1) : T(0), inverse = T(1) / T(axis.samples);
  auto stencil = [&](int l, auto&& bound) {
    const T moved = sign * along[l] + shift;
    const T cut = moved < kFar ? (moved > -kFar ? moved : -kFar) : kFar;
    const auto toward_zero = static_cast<std::int32_t>(cut);
    const std::int32_t whole = toward_zero - (cut < T(toward_zero) ? 1 : 0);
    const std::int32_t own = axis.own + axis.growth * l;
    std::int32_t base = own + whole;
    T part = cut - T(whole);
    bound(base, part);
    share[l] = part + (moved - moved);  // adds nothing, or NaN where the velocity is not finite
    offset[l] += (base - own) * axis.stride;
  };
  if (axis.periodic)
    for (int l = 0; l < count; ++l)
      stencil(l, [&](std::int32_t& base, T&) {
        // The quotient may be one off by rounding; below 2²¹ it is no worse.
        base -= static_cast<std::int32_t>(T(base) * inverse) * axis.samples;
        base += base < 0 ? axis.samples : 0;
        base -= base >= axis.samples ? axis.samples : 0;
      });
  else
    for (int l = 0; l < count; ++l)
      stencil(l, [&](std::int32_t& base, T& part) {
        part = base < 0 ? T(0) : base >= last ? top_share : part;
        base = base < 0 ? 0 : base >= last ? top : base;
      });
}

// The stencils on the lattice `on` at sign · displacement; `value` is the place of the field to be read
// there.
template <class T, int Dims>
void locate(const Samples& on, Place value, Place place, const Displacement<T, Dims>& moved, T sign,
            const Segment& s, Ray<T, Dims>& ray) {
  for (int l = 0; l < s.count; ++l) ray.offset[l] = 0;
  for (int axis = 0; axis < Dims; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const T shift = T(0.5) * T(int(is_low(value, axis)) - int(is_low(place, axis)));
    const Axis lattice{s.index(axis), axis == 0 ? 1 : 0, on.count[a], on.periodic[a], on.stride[a]};
    locate_axis(lattice, moved.along[axis], sign, shift, s.count, ray.share[axis], ray.offset);
  }
}

// How far values come from (forward: direction 1) or go to (reverse: −1), in cells. In both cases the result
// is for sign 1. Midpoint: the velocity at x ∓ ½Δt u(x) carries.
template <class T, int Dims>
void trace_rays(const Field<T, Dims>& field, T direction, const Segment& s, Displacement<T, Dims>& moved) {
  for (int axis = 0; axis < Dims; ++axis) velocity_row<T, Dims>(field, axis, s, moved.along[axis]);
  if (field.trace == Trace::midpoint) {
    const Displacement<T, Dims> start = moved;
    Ray<T, Dims> half;
    for (int axis = 0; axis < Dims; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      locate<T, Dims>(field.faces[a], face_place(axis), field.place, start, direction / 2, s, half);
      interpolate_row<T, Dims>(field.flow->velocity[a].data + s.element, field.faces[a].step, half, s.count,
                               moved.along[axis]);
      for (int l = 0; l < s.count; ++l) moved.along[axis][l] *= field.scale;
    }
  }
  if (direction < 0)
    for (int axis = 0; axis < Dims; ++axis)
      for (int l = 0; l < s.count; ++l) moved.along[axis][l] = -moved.along[axis][l];
}

}  // namespace selkie::grid::detail
