// What the tests of advection share: a field with the flow that carries it, and two of them ready to use.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "selkie/core/random.h"
#include "selkie/grid/advect.h"
#include "selkie/grid/loops.h"

namespace selkie::grid {

// A field and the flow that carries it.
template <class T>
struct Carried {
  Shape shape;
  Place place = Place::cell;
  FaceField<T> velocity;
  Buffer<T> field, result;
  Flow<T> flow;
  AdvectWork<T> work;

  Carried(const Shape& s, Place at, double dt) : shape(s), place(at) {
    velocity.assign(shape);
    field.assign(shape.size(), T(0));
    // What is not written, and ghosts that are not wrapped, must not matter.
    result.assign(shape.size(), std::numeric_limits<T>::quiet_NaN());
    work.field.assign(shape.size(), std::numeric_limits<T>::quiet_NaN());
    work.upper = work.field;
    flow.dt = dt;
  }
  template <class Velocity>
  void set_velocity(Velocity&& u) {
    for (int axis = 0; axis < shape.dims(); ++axis)
      fill(shape, face_place(axis), velocity.component[static_cast<std::size_t>(axis)],
           [&](const Vec3& x) { return u(x)[axis]; });
  }
  template <class Value>
  void set_field(Value&& value) {
    fill(shape, place, field, value);
  }
  void step(const AdvectOptions& options) {
    const Carried& read = *this;
    for (int axis = 0; axis < shape.dims(); ++axis)
      wrap(shape, flow.periodic, view(shape, velocity.component[static_cast<std::size_t>(axis)]));
    wrap(shape, flow.periodic, view(shape, field));
    flow.velocity = view(shape, read.velocity);
    advect(shape, place, options, flow, view(shape, read.field), view(shape, result), work);
  }
  T at(int i, int j = 0, int k = 0) const { return view(shape, result)(i, j, k); }
  T before(int i, int j = 0, int k = 0) const { return view(shape, field)(i, j, k); }
  template <class Visit>
  void each(Visit&& visit) const {
    const Index n = shape.samples(place);
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i) visit(i, j, k);
  }
};

// Random values in (−1, 1) from a counter.
template <class T>
T random_value(std::uint64_t n) {
  return static_cast<T>(random_uniform(7, 0, n, -1, 1));
}

// A swirling flow with an unsteady look, and a rough field, on a box of unequal sides.
template <class T>
Carried<T> swirl(int dims, Place place, double cfl, Index cells = {37, 22, 19}) {
  const Shape shape(dims, cells, 0.1, Vec3(-1, 2, 0.5));
  Carried<T> box(shape, place, 0.1 * cfl);
  box.set_velocity([](const Vec3& x) {
    return Vec3(std::sin(2 * x.y() + 1), std::cos(3 * x.x()), 0.5 * std::sin(4 * x.x() + x.y()));
  });
  std::uint64_t n = 0;
  for (T& v : box.field) v = random_value<T>(n++);
  return box;
}

inline constexpr Place kPlaces[] = {Place::cell, Place::face_x, Place::face_y, Place::face_z, Place::node};
inline constexpr Scheme kLongRays[] = {Scheme::semi_lagrangian, Scheme::bfecc, Scheme::maccormack};
inline constexpr Scheme kSchemes[] = {Scheme::semi_lagrangian, Scheme::bfecc,
                                      Scheme::maccormack,      Scheme::upwind,
                                      Scheme::upwind_bfecc,    Scheme::upwind_maccormack};
inline constexpr Limiter kLimiters[] = {Limiter::none, Limiter::clamp, Limiter::revert};

}  // namespace selkie::grid
