// See diffuse.h.
#include "selkie/fluids/smoke/diffuse.h"

#include <algorithm>

#include "selkie/grid/loops.h"

namespace selkie::smoke {
namespace {

// The system of one velocity component on its face lattice. Rows of prescribed faces are identities, and what
// they contribute to their neighbours stands on the right side, so that the matrix stays symmetric.
template <class Real>
struct Component {
  const Model& model;
  int axis;
  double ratio;      // ν Δt / Δx²
  double implicit;   // share of it that acts on the new velocity
  const Real* open;  // open shares of faces, or null
  grid::Box box;

  bool prescribed(int i, int j, int k) const {
    const grid::Index at{i, j, k};
    const auto a = static_cast<std::size_t>(axis);
    // Faces on closed and wind sides; on open ones the velocity is free.
    if (at[a] == 0) return model.side(axis, false) != Side::open;
    if (at[a] == box.hi[a] - 1) return model.side(axis, true) != Side::open;
    return open != nullptr && open[model.shape.at(i, j, k)] == 0;
  }

  // body(stride, coefficient kind) for each neighbour: inside the lattice, or a wall across which the value
  // is mirrored.
  template <class Inside, class Wall>
  void each_neighbour(int i, int j, int k, Inside&& inside, Wall&& wall) const {
    const grid::Index at{i, j, k};
    for (int d = 0; d < model.shape.dims(); ++d) {
      const auto a = static_cast<std::size_t>(d);
      for (const bool high : {false, true}) {
        const bool edge = high ? at[a] == box.hi[a] - 1 : at[a] == 0;
        if (!edge)
          inside(high ? 1 : -1, d);
        else if (d != axis && model.side(d, high) == Side::closed)
          wall(d, high);
        // At other edges the normal derivative is zero: no neighbour.
      }
    }
  }
};

// The neighbour of a face on one side along axis d.
grid::Index beside(int i, int j, int k, int d, int side) {
  return {i + (d == 0 ? side : 0), j + (d == 1 ? side : 0), k + (d == 2 ? side : 0)};
}

// right = (1 + (1 − θ) ν Δt ∇²) u with all walls, and what known values add to the implicit part.
template <class Real>
void load(const Component<Real>& c, const std::array<std::array<Vec3, 2>, 3>& walls,
          const grid::View<const Real>& u, std::span<double> unknown, std::span<double> right) {
  const grid::Shape& shape = c.model.shape;
  std::fill(unknown.begin(), unknown.end(), 0.0), std::fill(right.begin(), right.end(), 0.0);
  const double before = (1 - c.implicit) * c.ratio, after = c.implicit * c.ratio;
  grid::for_each_row(c.box, [&](int j, int k) {
    for (int i = c.box.lo[0]; i < c.box.hi[0]; ++i) {
      const auto at = static_cast<std::size_t>(shape.at(i, j, k));
      const double here = u(i, j, k);
      unknown[at] = right[at] = here;
      if (c.prescribed(i, j, k)) continue;
      c.each_neighbour(
          i, j, k,
          [&](int side, int d) {
            const grid::Index n = beside(i, j, k, d, side);
            const double there = u(n[0], n[1], n[2]);
            right[at] += before * (there - here);
            if (c.prescribed(n[0], n[1], n[2])) right[at] += after * there;
          },
          [&](int d, bool high) {
            const double wall = walls[static_cast<std::size_t>(d)][high][c.axis];
            right[at] += 2 * (before * (wall - here) + after * wall);
          });
    }
  });
}

template <class Real>
void apply(const Component<Real>& c, std::span<const double> x, std::span<double> y) {
  const grid::Shape& shape = c.model.shape;
  const double after = c.implicit * c.ratio;
  std::copy(x.begin(), x.end(), y.begin());
  grid::for_each_row(c.box, [&](int j, int k) {
    for (int i = c.box.lo[0]; i < c.box.hi[0]; ++i) {
      if (c.prescribed(i, j, k)) continue;
      const std::ptrdiff_t at = shape.at(i, j, k);
      const double here = x[static_cast<std::size_t>(at)];
      double sum = 0;
      c.each_neighbour(
          i, j, k,
          [&](int side, int d) {
            const grid::Index n = beside(i, j, k, d, side);
            sum += c.prescribed(n[0], n[1], n[2])
                       ? here
                       : here - x[static_cast<std::size_t>(at + side * shape.stride(d))];
          },
          [&](int, bool) { sum += 2 * here; });
      y[static_cast<std::size_t>(at)] += after * sum;
    }
  });
}

}  // namespace

template <class Real>
linalg::SolveReport diffuse(const Model& model, const Params& params, double dt,
                            const std::array<Buffer<Real>, 3>& open, DiffuseWork& work, State<Real>& state) {
  const grid::Shape& shape = model.shape;
  const double ratio = params.viscosity * dt / (shape.cell_size() * shape.cell_size());
  const auto velocity = velocity_views(model, state);
  linalg::SolveReport worst;
  work.unknown.resize(shape.size()), work.right_side.resize(shape.size());
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const Component<Real> component{model,
                                    axis,
                                    ratio,
                                    params.reflect ? 0.5 : 1.0,
                                    open[a].empty() ? nullptr : open[a].data(),
                                    grid::sample_box(shape, grid::face_place(axis))};
    load<Real>(component, params.walls.velocities(), velocity[a], work.unknown.span(),
               work.right_side.span());
    const auto matrix = linalg::make_operator(
        shape.size(), [&](std::span<const double> x, std::span<double> y) { apply(component, x, y); });
    // The diagonal is nearly constant: a preconditioner would not pay.
    const auto none = linalg::make_preconditioner(
        [](std::span<const double> r, std::span<double> z) { std::copy(r.begin(), r.end(), z.begin()); });
    linalg::SolveReport report = linalg::pcg(
        matrix, none, work.right_side.span(), work.unknown.span(),
        {.tolerance = std::min(params.tolerance, 1e-6), .max_iterations = 500, .keep_history = false},
        work.pcg);
    grid::for_each_row(component.box, [&](int j, int k) {
      for (int i = 0; i < component.box.hi[0]; ++i)
        velocity[a](i, j, k) = static_cast<Real>(work.unknown[static_cast<std::size_t>(shape.at(i, j, k))]);
    });
    if (!report.converged() || report.iterations > worst.iterations) worst = report;
    if (!report.converged()) return worst;
  }
  return worst;
}

template linalg::SolveReport diffuse<float>(const Model&, const Params&, double,
                                            const std::array<Buffer<float>, 3>&, DiffuseWork&, State<float>&);
template linalg::SolveReport diffuse<double>(const Model&, const Params&, double,
                                             const std::array<Buffer<double>, 3>&, DiffuseWork&,
                                             State<double>&);

}  // namespace selkie::smoke
