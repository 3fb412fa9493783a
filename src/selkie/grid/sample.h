// Multilinear interpolation of one field on its own lattice; queries are clamped to the lattice [LE-03].
// Linear fields are reproduced to round-off inside it.
#pragma once

#include <algorithm>

#include "selkie/grid/field.h"

namespace selkie::grid {

// A lattice: where samples of one Place lie, and how many there are.
struct Lattice {
  Vec3 first = Vec3::Zero();  // world position of sample (0,0,0), in m
  double inverse_size = 1;    // 1/m
  Index samples{1, 1, 1};
  int dims = 3;

  Lattice() = default;
  Lattice(const Shape& shape, Place place)
      : first(shape.position(place, 0, 0, 0)),
        inverse_size(1 / shape.cell_size()),
        samples(shape.samples(place)),
        dims(shape.dims()) {}
};

// The 2^d samples around a point and their weights; shared by value, gradient, bounds and scatter.
struct Stencil {
  Index base{0, 0, 0};
  std::array<double, 3> share{0, 0, 0};  // of the upper neighbour along each axis
};
inline Stencil stencil_at(const Lattice& lattice, const Vec3& point) {
  Stencil s;
  for (int axis = 0; axis < lattice.dims; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const int last = lattice.samples[a] - 1;
    const double x =
        std::clamp((point[axis] - lattice.first[axis]) * lattice.inverse_size, 0.0, double(last));
    s.base[a] = std::min(static_cast<int>(x), std::max(last - 1, 0));
    s.share[a] = x - s.base[a];
  }
  return s;
}

template <class T>
double interpolate(const View<const T>& field, const Lattice& lattice, const Vec3& point) {
  const Stencil s = stencil_at(lattice, point);
  const double a = s.share[0], b = s.share[1], c = s.share[2];
  const std::ptrdiff_t right = lattice.samples[0] > 1 ? 1 : 0, up = lattice.samples[1] > 1 ? field.row : 0,
                       back = lattice.dims == 3 && lattice.samples[2] > 1 ? field.plane : 0;
  const T* const f = &field(s.base[0], s.base[1], s.base[2]);
  auto along_x = [&](const T* p) { return (1 - a) * double(p[0]) + a * double(p[right]); };
  auto along_y = [&](const T* p) { return (1 - b) * along_x(p) + b * along_x(p + up); };
  return lattice.dims == 2 ? along_y(f) : (1 - c) * along_y(f) + c * along_y(f + back);
}

// Velocity of a staggered field at a world point, each component on its own lattice.
template <class T>
Vec3 velocity_at(const Shape& shape, const FaceViews<const T>& faces, const Vec3& point) {
  Vec3 u = Vec3::Zero();
  for (int axis = 0; axis < shape.dims(); ++axis)
    u[axis] = interpolate(faces[static_cast<std::size_t>(axis)], Lattice(shape, face_place(axis)), point);
  return u;
}

}  // namespace selkie::grid
