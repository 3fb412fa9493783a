// One sample of a field beside thin shells, with the visibility policy asked for each value it reads: average
// the velocity, trace until something is hit, interpolate from there. [Selle08 §4.4.1] HY-17
#pragma once

#include "selkie/grid/detail/rays.h"
#include "selkie/grid/visibility.h"

namespace selkie::grid::detail {

template <class T, int Dims, class Visibility>
double one_sided_value(const Shape& shape, const Transport<T, Dims>& field, const Visibility& visibility,
                       const View<const T>& phi, const Index& at) {
  const Vec3 origin = shape.position(field.place, at[0], at[1], at[2]);
  Vec3 target = origin;
  for (int axis = 0; axis < Dims; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const Place value = face_place(axis);
    double sum = 0;
    int terms = 0;
    each_source<T, Dims>(field.flow->velocity[a], field.faces[a], value, field.place, at,
                         [&](const Index& n, T u) {
                           sum += visibility.seen(origin, value, n[0], n[1], n[2], double(u));
                           ++terms;
                         });
    target[axis] -= field.flow->dt * sum / terms;
  }
  const Vec3 end = visibility.ray_end(origin, target);
  const Vec3 offset = (end - origin) / shape.cell_size();
  Displacement<double, Dims> ray;
  for (int axis = 0; axis < Dims; ++axis) ray.along[axis][0] = offset[axis];
  const RowLattice<double, Dims> samples(field.samples, field.place, field.place,
                                         {at[0], at[1], at[2], 1, 0});
  RayEnd<double, Dims, double> stencil;
  locate<double, Dims>(samples, ray, 0, stencil);
  double corner[1 << Dims];
  for (int n = 0; n < (1 << Dims); ++n) {
    std::ptrdiff_t element = at[0] + at[1] * phi.row + at[2] * phi.plane + stencil.offset[0];
    for (int axis = 0; axis < Dims; ++axis)
      element += (n >> axis & 1) * field.samples.step[static_cast<std::size_t>(axis)];
    const auto k = static_cast<int>(Dims == 3 ? element / phi.plane : 0);
    const auto j = static_cast<int>((element - k * phi.plane) / phi.row);
    const auto i = static_cast<int>(element - k * phi.plane - j * phi.row);
    corner[n] = visibility.seen(end, field.place, i, j, k, double(phi.data[element]));
  }
  return blend<double, Dims>(corner, stencil.share);
}

}  // namespace selkie::grid::detail
