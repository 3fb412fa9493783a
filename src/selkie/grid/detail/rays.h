// Rays of a row of samples: the velocity at the samples, and how far it carries.
#pragma once

#include "selkie/grid/detail/interpolate_row.h"
#include "selkie/grid/detail/rows.h"

namespace selkie::grid::detail {

// What the rows of one advection have in common.
template <class T, int Dims>
struct Transport {
  Place place = Place::cell;
  Samples samples;               // of the place
  std::array<Samples, 3> faces;  // of the velocity components
  Samples cells;
  const Flow<T>* flow = nullptr;
  Trace trace = Trace::euler;
  T scale = 0;  // −Δt/Δx, s/m: cells that a velocity of 1 m/s carries back

  Transport(const Shape& shape, Place at, const AdvectOptions& options, const Flow<T>& by)
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
void velocity_row(const Transport<T, Dims>& field, int axis, const Segment& s, T* __restrict out) {
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

// How far values come from (direction 1), or go to in the same time (−1). Midpoint: the velocity at x ∓ ½Δt
// u(x) carries.
template <class T, int Dims>
void trace_rays(const Transport<T, Dims>& field, T direction, const Segment& s, Displacement<T, Dims>& ray) {
  for (int axis = 0; axis < Dims; ++axis) velocity_row<T, Dims>(field, axis, s, ray.along[axis]);
  if (field.trace == Trace::midpoint) {
    Displacement<T, Dims> half = ray;
    half.sign = direction / 2;
    for (int axis = 0; axis < Dims; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const RowLattice<T, Dims> faces(field.faces[a], face_place(axis), field.place, s);
      interpolate_row<T, Dims>(field.flow->velocity[a].data + s.element, faces, half, s.count,
                               ray.along[axis]);
      for (int l = 0; l < s.count; ++l) ray.along[axis][l] *= field.scale;
    }
  }
  ray.sign = direction;
}

}  // namespace selkie::grid::detail
