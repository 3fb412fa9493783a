// Domains of the projection study.
#pragma once

#include <functional>

#include "selkie/core/random.h"
#include "selkie/grid/projection.h"
#include "selkie/grid/solid_fractions.h"
#include "selkie/studies/study.h"

namespace selkie::studies::projection_cases {

using namespace selkie::grid;

using Distance = std::function<double(const Vec3&)>;

// A container or obstacle in the unit square or cube with everything a projection needs.
template <class T>
struct Case {
  Shape shape;
  CellKinds kinds;
  FaceField<T> open, velocity, solid_velocity;
  Buffer<T> surface, pressure;
  bool has_surface = false;

  Case(int dims, int n, const OpenSides& sides)
      : shape(dims, {n, n, n}, 1.0 / n), kinds(all_fluid(shape, sides)) {
    open.assign(shape, T(1));
    velocity.assign(shape, T(0));
    solid_velocity.assign(shape, T(0));
    surface.assign(shape.size(), T(0));
    pressure.assign(shape.size(), T(0));
  }
  // `outside` is positive where fluid may be.
  void set_solid(const Distance& outside, bool clamp) {
    Buffer<T> nodes;
    sample_nodes<T>(shape, outside, nodes);
    open_fractions<T>(shape, view(shape, std::as_const(nodes)), {.clamp = clamp}, view(shape, open),
                      view(shape, kinds));
  }
  // Liquid where `level` is negative, air elsewhere, ghosts included.
  void set_surface(const Distance& level) {
    has_surface = true;
    const Index n = shape.cells();
    const int deep = shape.dims() == 3 ? 1 : 0;
    for (int k = -deep; k < n[2] + deep; ++k)
      for (int j = -1; j <= n[1]; ++j)
        for (int i = -1; i <= n[0]; ++i) {
          const auto at = static_cast<std::size_t>(shape.at(i, j, k));
          surface[at] = static_cast<T>(level(shape.position(Place::cell, i, j, k)));
          if (surface[at] >= 0 && kinds[at] == code_of(CellKind::fluid)) kinds[at] = code_of(CellKind::air);
        }
  }
  ProjectionInputs<T> inputs() const {
    ProjectionInputs<T> in;
    in.domain = {shape, view(shape, kinds), view(shape, open), {}};
    if (has_surface) in.domain.surface = view(shape, surface);
    in.solid_velocity = view(shape, solid_velocity);
    return in;
  }
  ProjectionReport run(double tolerance) {
    ProjectionWork<T> work;
    return project<T, T>(inputs(), {.tolerance = tolerance}, view(shape, velocity), view(shape, pressure),
                         work);
  }
  bool is_fluid(int i, int j, int k) const {
    return kinds[static_cast<std::size_t>(shape.at(i, j, k))] == code_of(CellKind::fluid);
  }
};

template <class Body>
void for_cells(const Shape& shape, Body&& body) {
  const Index n = shape.cells();
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) body(i, j, k);
}

template <class T>
void fill_random(Case<T>& c) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(c.shape.dims()); ++a)
    for (std::size_t n = 0; n < c.shape.size(); ++n)
      c.velocity.component[a][n] = static_cast<T>(random_uniform(5, a, n, -1, 1));
}

Table rest_table();
Table balance_table();
Table pocket_table();
Table order_table();
Table iteration_table(const std::vector<int>& sizes);

std::string number(double value);  // three digits

}  // namespace selkie::studies::projection_cases
