// See solid_fractions.h.
#include "selkie/grid/solid_fractions.h"

#include <array>

#include "selkie/grid/loops.h"

namespace selkie::grid {

double open_edge(double a, double b) {
  if (a >= 0 && b >= 0) return 1;
  if (a < 0 && b < 0) return 0;
  return a < 0 ? b / (b - a) : a / (a - b);
}

double open_square(double a, double b, double c, double d) {
  const std::array<double, 4> corner{a, b, c, d};
  int open = 0;
  for (const double value : corner) open += value >= 0;
  if (open == 0 || open == 4) return open / 4;
  // The corner cut off at n: half the product of the edge shares that have its sign.
  auto cut = [&](std::size_t n) {
    const double here = corner[n], next = corner[(n + 1) % 4], last = corner[(n + 3) % 4];
    return 0.5 * (here / (here - next)) * (here / (here - last));
  };
  if (open == 2 && (a >= 0) != (c >= 0)) {  // neighbours: a trapezoid between two cut edges
    for (std::size_t n = 0; n < 4; ++n)
      if (corner[n] >= 0 && corner[(n + 1) % 4] >= 0)
        return 0.5 * (open_edge(corner[n], corner[(n + 3) % 4]) +
                      open_edge(corner[(n + 1) % 4], corner[(n + 2) % 4]));
  }
  const bool few_open = open == 1 || (open == 2 && a + b + c + d < 0);
  double area = 0;
  for (std::size_t n = 0; n < 4; ++n)
    if ((corner[n] >= 0) == few_open) area += cut(n);
  return few_open ? area : 1 - area;
}

template <class T>
void sample_nodes(const Shape& shape, FunctionRef<double(const Vec3&)> distance, Buffer<T>& nodes) {
  fill(shape, Place::node, nodes, [&](const Vec3& x) { return distance(x); });
}

namespace {

template <class T>
double mean_of_cell(const Shape& shape, const View<const T>& nodes, int i, int j, int k) {
  double sum = 0;
  const int layers = shape.dims() == 3 ? 2 : 1;
  for (int c = 0; c < layers; ++c)
    for (int b = 0; b < 2; ++b)
      for (int a = 0; a < 2; ++a) sum += static_cast<double>(nodes(i + a, j + b, k + c));
  return sum / (4 * layers);
}

template <class T>
double open_share(const Shape& shape, const View<const T>& nodes, int axis, int i, int j, int k) {
  auto at = [&](int a, int b, int c) { return static_cast<double>(nodes(i + a, j + b, k + c)); };
  if (shape.dims() == 2)
    return axis == 0 ? open_edge(at(0, 0, 0), at(0, 1, 0)) : open_edge(at(0, 0, 0), at(1, 0, 0));
  if (axis == 0) return open_square(at(0, 0, 0), at(0, 1, 0), at(0, 1, 1), at(0, 0, 1));
  if (axis == 1) return open_square(at(0, 0, 0), at(1, 0, 0), at(1, 0, 1), at(0, 0, 1));
  return open_square(at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0));
}

double clamped(double share) { return share < kSmallestShare ? 0 : share > 1 - kSmallestShare ? 1 : share; }

// share(open, axis, i, j, k) of every face.
template <class T, class Share>
void set_shares(const Shape& shape, const FaceViews<T>& open, Share&& share) {
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const Box box = sample_box(shape, face_place(axis));
    const View<T> faces = open[static_cast<std::size_t>(axis)];
    for_each_row(box, [&](int j, int k) {
      for (int i = 0; i < box.hi[0]; ++i)
        faces(i, j, k) = static_cast<T>(share(faces(i, j, k), axis, i, j, k));
    });
  }
}

// Fluid cells for which is_solid(i, j, k) become solid.
template <class IsSolid>
void mark_solid(const Shape& shape, View<std::uint8_t> kinds, IsSolid&& is_solid) {
  for_each_row(sample_box(shape, Place::cell), [&](int j, int k) {
    for (int i = 0; i < shape.cells()[0]; ++i)
      if (kinds(i, j, k) == code_of(CellKind::fluid) && is_solid(i, j, k))
        kinds(i, j, k) = code_of(CellKind::solid);
  });
}

// Shares of whole cells: 0 at the faces of solid cells inside the grid, 1 elsewhere.
template <class T>
void close_faces_of_solid_cells(const Shape& shape, const View<std::uint8_t>& kinds,
                                const FaceViews<T>& open) {
  set_shares(shape, open, [&](T, int axis, int i, int j, int k) {
    const int at = Index{i, j, k}[static_cast<std::size_t>(axis)];
    const std::uint8_t* const cell = &kinds(i, j, k);
    const bool low = at > 0 && cell[-shape.stride(axis)] == code_of(CellKind::solid);
    const bool high = at < shape.cells()[static_cast<std::size_t>(axis)] && *cell == code_of(CellKind::solid);
    return low || high ? 0 : 1;
  });
}

}  // namespace

template <class T>
void clamp_shares(const Shape& shape, FaceViews<T> open) {
  set_shares(shape, open, [](T share, int, int, int, int) { return clamped(static_cast<double>(share)); });
}

template <class T>
void close_cells(const Shape& shape, FaceViews<const T> open, View<std::uint8_t> kinds) {
  mark_solid(shape, kinds, [&](int i, int j, int k) {
    for (int axis = 0; axis < shape.dims(); ++axis) {
      const T* face = &open[static_cast<std::size_t>(axis)](i, j, k);
      if (face[0] > 0 || face[shape.stride(axis)] > 0) return false;
    }
    return true;
  });
}

template <class T>
void open_fractions(const Shape& shape, View<const T> nodes, const FractionOptions& options,
                    FaceViews<T> open, View<std::uint8_t> kinds) {
  if (options.voxels) {
    mark_solid(shape, kinds, [&](int i, int j, int k) { return mean_of_cell(shape, nodes, i, j, k) < 0; });
    close_faces_of_solid_cells(shape, kinds, open);
    return;
  }
  set_shares(shape, open, [&](T, int axis, int i, int j, int k) {
    const double share = open_share(shape, nodes, axis, i, j, k);
    return options.clamp ? clamped(share) : share;
  });
  FaceViews<const T> reading;
  for (std::size_t a = 0; a < 3; ++a) reading[a] = open[a];
  close_cells<T>(shape, reading, kinds);
}

template <class T>
void sample_face_velocity(const Shape& shape, FunctionRef<Vec3(const Vec3&)> velocity, FaceViews<T> faces) {
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const Box box = sample_box(shape, face_place(axis));
    for_each_row(box, [&](int j, int k) {
      for (int i = 0; i < box.hi[0]; ++i)
        faces[static_cast<std::size_t>(axis)](i, j, k) =
            static_cast<T>(velocity(shape.position(face_place(axis), i, j, k))[axis]);
    });
  }
}

template void sample_nodes(const Shape&, FunctionRef<double(const Vec3&)>, Buffer<float>&);
template void sample_nodes(const Shape&, FunctionRef<double(const Vec3&)>, Buffer<double>&);
template void open_fractions(const Shape&, View<const float>, const FractionOptions&, FaceViews<float>,
                             View<std::uint8_t>);
template void open_fractions(const Shape&, View<const double>, const FractionOptions&, FaceViews<double>,
                             View<std::uint8_t>);
template void clamp_shares(const Shape&, FaceViews<float>);
template void clamp_shares(const Shape&, FaceViews<double>);
template void close_cells(const Shape&, FaceViews<const float>, View<std::uint8_t>);
template void close_cells(const Shape&, FaceViews<const double>, View<std::uint8_t>);
template void sample_face_velocity(const Shape&, FunctionRef<Vec3(const Vec3&)>, FaceViews<float>);
template void sample_face_velocity(const Shape&, FunctionRef<Vec3(const Vec3&)>, FaceViews<double>);

}  // namespace selkie::grid
