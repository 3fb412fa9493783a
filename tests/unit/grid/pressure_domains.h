// Pressure problems for the tests of the projection.
#pragma once

#include <cmath>

#include "selkie/core/random.h"
#include "selkie/grid/projection.h"
#include "selkie/grid/solid_fractions.h"

namespace selkie::grid::test {

constexpr OpenSides kClosed{};
constexpr OpenSides kOpenTop{{{false, false}, {false, true}, {false, false}}};  // +y

// Owns what a PressureDomain views.
template <class T>
struct OwnedDomain {
  Shape shape;
  CellKinds kinds;
  FaceField<T> open;
  Buffer<T> surface;
  bool has_surface = false;

  OwnedDomain(const Shape& s, const OpenSides& sides) : shape(s), kinds(all_fluid(s, sides)) {
    open.assign(s, T(1));
    surface.assign(s.size(), T(0));
  }
  PressureDomain<T> domain() const {
    PressureDomain<T> d{shape, view(shape, kinds), view(shape, open), {}};
    if (has_surface) d.surface = view(shape, surface);
    return d;
  }
  View<std::uint8_t> kind() { return view(shape, kinds); }
  FaceViews<T> weight() { return view(shape, open); }
};

template <class Body>
void for_cells(const Shape& shape, Body&& body) {
  const Index n = shape.cells();
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) body(i, j, k);
}

// Random kinds and face shares, a third of the faces closed, with a pocket that nothing joins.
template <class T>
OwnedDomain<T> random_domain(const Shape& shape, std::uint64_t seed, const OpenSides& sides) {
  OwnedDomain<T> d(shape, sides);
  std::uint64_t count = 0;
  for_cells(shape, [&](int i, int j, int k) {
    const double kind = random_uniform(seed, 1, count);
    if (kind < 0.1) d.kind()(i, j, k) = code_of(CellKind::solid);
    if (kind > 0.97 && sides != kClosed) d.kind()(i, j, k) = code_of(CellKind::air);
    for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dims()); ++a) {
      const double w = random_uniform(seed, 2 + a, count);
      d.weight()[a](i, j, k) = static_cast<T>(w < 0.3 ? 0.0 : w < 0.7 ? 1.0 : w);
    }
    ++count;
  });
  // A sealed box of two cells.
  if (shape.cells()[0] > 4 && shape.cells()[1] > 3) {
    d.kind()(2, 1, 0) = d.kind()(3, 1, 0) = code_of(CellKind::fluid);
    for (const int i : {2, 3})
      for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dims()); ++a) {
        T* face = &d.weight()[a](i, 1, 0);
        face[0] = face[shape.stride(static_cast<int>(a))] = 0;
      }
    d.weight()[0](3, 1, 0) = T(0.5);
  }
  return d;
}

template <class T>
Buffer<T> random_cells(const Shape& shape, std::uint64_t seed) {
  Buffer<T> values(shape.size(), T(0));
  std::uint64_t count = 0;
  for_cells(shape, [&](int i, int j, int k) {
    values[static_cast<std::size_t>(shape.at(i, j, k))] =
        static_cast<T>(random_uniform(seed, 9, count++, -1, 1));
  });
  return values;
}

template <class T>
FaceField<T> random_faces(const Shape& shape, std::uint64_t seed) {
  FaceField<T> u;
  u.assign(shape, T(0));
  for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dims()); ++a)
    for (std::size_t n = 0; n < shape.size(); ++n)
      u.component[a][n] = static_cast<T>(random_uniform(seed, 20 + a, n, -1, 1));
  return u;
}

template <class T>
double dot_cells(const Shape& shape, const Buffer<T>& a, const Buffer<T>& b) {
  double sum = 0;
  for_cells(shape, [&](int i, int j, int k) {
    const auto at = static_cast<std::size_t>(shape.at(i, j, k));
    sum += static_cast<double>(a[at]) * static_cast<double>(b[at]);
  });
  return sum;
}

// Fluid cells only, and those that a solver may call active.
template <class T>
void keep_fluid(const OwnedDomain<T>& d, Buffer<T>& values) {
  for_cells(d.shape, [&](int i, int j, int k) {
    const auto at = static_cast<std::size_t>(d.shape.at(i, j, k));
    if (d.kinds[at] != code_of(CellKind::fluid)) values[at] = 0;
  });
}

}  // namespace selkie::grid::test
