// See semi_lagrangian.h. The thesis prints `=` where velocities and heights are changed: they are changed by
// addition (errata E34, E35); only the normal velocity of a wall is zero (E36).
#include "selkie/fluids/shallow_water/detail/semi_lagrangian.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/fluids/shallow_water/detail/sides.h"
#include "selkie/fluids/shallow_water/wet.h"

namespace selkie::shallow_water::detail {
namespace {

constexpr std::size_t kRowsPerBlock = 8;

template <class Real>
struct Solver {
  const Model<Real>& model;
  const Params& params;
  const Inputs& inputs;
  Real dt, dx, g;
  const State<Real>& from;
  State<Real>& to;
  Work<Real>& work;

  const Grid& grid() const { return model.grid; }
  std::size_t at(int i, int j) const { return static_cast<std::size_t>(grid().at(i, j)); }
  Real level(const Buffer<Real>& depth, std::size_t place) const {
    return depth[place] + model.ground[place];
  }

  template <class Body>
  void for_rows(int rows, Body&& body) const {
    parallel_blocks(static_cast<std::size_t>(rows), kRowsPerBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t j = begin; j < end; ++j) body(static_cast<int>(j));
    });
  }

  // What is not finite becomes 0, a place of the field: the check after the step finds it in the values.
  static Real within(Real x, int last) { return x > 0 ? std::min(x, static_cast<Real>(last)) : 0; }

  // Linear between the samples (0,0) … (last_i, last_j).
  Real sample(const Buffer<Real>& field, Real x, Real z, int last_i, int last_j) const {
    x = within(x, last_i), z = within(z, last_j);
    const int i = std::min(static_cast<int>(x), std::max(0, last_i - 1)),
              j = std::min(static_cast<int>(z), std::max(0, last_j - 1));
    const int i1 = std::min(i + 1, last_i), j1 = std::min(j + 1, last_j);
    const Real s = x - static_cast<Real>(i), t = z - static_cast<Real>(j);
    return (1 - t) * ((1 - s) * field[at(i, j)] + s * field[at(i1, j)]) +
           t * ((1 - s) * field[at(i, j1)] + s * field[at(i1, j1)]);
  }

  // The same of the depths; a wall has none, and what would come from there is the cell's own [RT-56].
  Real sample_depth(Real x, Real z, Real own, int last_i, int last_j) const {
    if (model.walls.empty()) return sample(from.depth, x, z, last_i, last_j);
    x = within(x, last_i), z = within(z, last_j);
    const int i = std::min(static_cast<int>(x), std::max(0, last_i - 1)),
              j = std::min(static_cast<int>(z), std::max(0, last_j - 1));
    const int i1 = std::min(i + 1, last_i), j1 = std::min(j + 1, last_j);
    const Real s = x - static_cast<Real>(i), t = z - static_cast<Real>(j);
    auto depth = [&](int a, int b) { return model.walls[at(a, b)] ? own : from.depth[at(a, b)]; };
    return (1 - t) * ((1 - s) * depth(i, j) + s * depth(i1, j)) +
           t * ((1 - s) * depth(i, j1) + s * depth(i1, j1));
  }

  // Nothing passes closed sides and the faces of walls, whatever friction, a push or a body has left there
  // since the last step, or advection has carried there along the side.
  void close(Buffer<Real>& flow_x, Buffer<Real>& flow_z) const {
    for (std::size_t s = 0; s < kSideCount; ++s) {
      const SideCells cells(grid(), s);
      Buffer<Real>& normal = cells.normal_is_x ? flow_x : flow_z;
      for (int k = 0; k < cells.length; ++k)
        if (!in_part(grid(), model.sides[s], s, k) || model.sides[s].kind == SideKind::closed)
          normal[side_face(cells, k)] = 0;
    }
    if (model.walls.empty()) return;
    const auto [nx, nz] = grid().cells;
    const auto row = static_cast<std::size_t>(grid().row());
    for_rows(nz + 1, [&, nx = nx, nz = nz](int j) {
      for (int i = 0; i <= nx; ++i) {
        const std::size_t here = at(i, j);
        if (j < nz && (model.walls[here] || model.walls[here - 1])) flow_x[here] = 0;
        if (i < nx && (model.walls[here] || model.walls[here - row])) flow_z[here] = 0;
      }
    });
  }
  // A side's faces are low faces, of its first cells or of the ghosts beyond.
  static std::size_t side_face(const SideCells& cells, int k) {
    return cells.sign > 0 ? cells.at(k, 0) : cells.at(k, -1);
  }

  // Everything at its own samples, back along the old velocity.
  void advect() const {
    const auto [nx, nz] = grid().cells;
    const Real back = dt / dx;
    close(to.flow_x, to.flow_z);
    const Buffer<Real>&u = to.flow_x, &w = to.flow_z;
    work.depth = from.depth, work.flow_x = u, work.flow_z = w;
    for_rows(nz + 1, [&, nx = nx, nz = nz](int j) {
      for (int i = 0; i <= nx; ++i) {
        const int il = std::max(i - 1, 0), jl = std::max(j - 1, 0), ic = std::min(i, nx - 1),
                  jc = std::min(j, nz - 1);
        if (i < nx && j < nz) {
          const Real x = Real(0.5) * (u[at(i, j)] + u[at(i + 1, j)]),
                     z = Real(0.5) * (w[at(i, j)] + w[at(i, j + 1)]);
          work.depth[at(i, j)] =
              sample_depth(i - back * x, j - back * z, from.depth[at(i, j)], nx - 1, nz - 1);
        }
        if (j < nz) {
          const Real z = Real(0.25) * (w[at(il, j)] + w[at(ic, j)] + w[at(il, j + 1)] + w[at(ic, j + 1)]);
          work.flow_x[at(i, j)] = sample(u, i - back * u[at(i, j)], j - back * z, nx, nz - 1);
        }
        if (i < nx) {
          const Real x = Real(0.25) * (u[at(i, jl)] + u[at(i, jc)] + u[at(i + 1, jl)] + u[at(i + 1, jc)]);
          work.flow_z[at(i, j)] = sample(w, i - back * x, j - back * w[at(i, j)], nx - 1, nz);
        }
      }
    });
    close(work.flow_x, work.flow_z);
  }

  void change_heights() const {
    const auto [nx, nz] = grid().cells;
    for_rows(nz, [&, nx = nx](int j) {
      for (int i = 0; i < nx; ++i) {
        const std::size_t here = at(i, j);
        const Real out =
            (work.flow_x[at(i + 1, j)] - work.flow_x[here]) + (work.flow_z[at(i, j + 1)] - work.flow_z[here]);
        to.depth[here] = model.wall(i, j) ? from.depth[here] : work.depth[here] * (1 - dt / dx * out);
      }
    });
  }

  // Ghost heights: as inside at walls, Higdon's at absorbing sides, as given elsewhere. [RT-56, RT-57]
  void fill_ghost_heights() const {
    for (std::size_t s = 0; s < kSideCount; ++s) {
      const SideCells cells(grid(), s);
      const SideKind kind = model.sides[s].kind;
      for (int k = 0; k < cells.length; ++k) {
        const std::size_t first = cells.at(k, 0), ghost = cells.at(k, -1);
        const Real inside = level(to.depth, first);
        Real outside = inside;
        if (in_part(grid(), model.sides[s], s, k)) {
          if (kind == SideKind::absorbing && from.depth[ghost] > Real(-1)) {
            const Real c = std::sqrt(g * std::max(Real(0), to.depth[first]));
            outside = (dx * level(from.depth, ghost) + dt * c * inside) / (dx + dt * c);
          } else if (kind == SideKind::level || kind == SideKind::sea) {
            outside = static_cast<Real>(inputs.sides[s].end);
          }
        }
        to.depth[ghost] = std::max(Real(0), outside - model.ground[ghost]);
      }
    }
  }

  void flag() const {
    const auto [nx, nz] = grid().cells;
    work.wet.assign(grid().size(), 1);
    const ShoreRule<Real> rule{params.shore_margin, params.shore_depth};
    for_rows(nz, [&, nx = nx](int j) {
      for (int i = 0; i < nx; ++i)
        work.wet[at(i, j)] = model.wall(i, j) ? 0 : !rule.judge(model, to.depth, i, j).dry;
    });
  }

  // Flow through a face between two cells: none at walls and dry cells, none towards ground above the
  // surface.
  Real face(const Buffer<Real>& velocity, std::size_t low, std::size_t high, std::size_t place) const {
    if (!model.walls.empty() && (model.walls[low] || model.walls[high])) return 0;
    if (work.wet[low] == 0 || work.wet[high] == 0) return 0;
    const Real h_low = level(to.depth, low), h_high = level(to.depth, high);
    if (!(to.depth[high] > 0) && model.ground[high] >= h_low) return 0;
    if (!(to.depth[low] > 0) && model.ground[low] >= h_high) return 0;
    return velocity[place] + g * dt * (h_low - h_high) / dx;
  }

  void change_velocities() const {
    const auto [nx, nz] = grid().cells;
    const auto row = static_cast<std::size_t>(grid().row());
    for_rows(nz + 1, [&, nx = nx, nz = nz](int j) {
      for (int i = 0; i <= nx; ++i) {
        const std::size_t here = at(i, j);
        if (j < nz) to.flow_x[here] = face(work.flow_x, here - 1, here, here);
        if (i < nx) to.flow_z[here] = face(work.flow_z, here - row, here, here);
      }
    });
    for (std::size_t s = 0; s < kSideCount; ++s) close_side(s);
  }

  void close_side(std::size_t s) const {
    const SideCells cells(grid(), s);
    Buffer<Real>& normal = cells.normal_is_x ? to.flow_x : to.flow_z;
    for (int k = 0; k < cells.length; ++k) {
      const std::size_t first = cells.at(k, 0);
      const std::size_t place = side_face(cells, k);
      if (!in_part(grid(), model.sides[s], s, k) || model.sides[s].kind == SideKind::closed)
        normal[place] = 0;
      else if (model.sides[s].kind == SideKind::inflow)
        normal[place] = static_cast<Real>(cells.sign * inputs.sides[s].end /
                                          std::max(1e-2, static_cast<double>(to.depth[first])));
      work.side_flux[s][static_cast<std::size_t>(k)] =
          cells.sign * static_cast<double>(normal[place]) * static_cast<double>(to.depth[first]);
    }
  }
};

}  // namespace

template <class Real>
void step_semi_lagrangian(const Model<Real>& model, const Params& params, const Inputs& inputs, double dt,
                          const State<Real>& from, State<Real>& to, Work<Real>& work) {
  const Solver<Real> solver{model,
                            params,
                            inputs,
                            static_cast<Real>(dt),
                            static_cast<Real>(model.grid.cell_size),
                            static_cast<Real>(-inputs.gravity.y()),
                            from,
                            to,
                            work};
  solver.advect();
  solver.change_heights();
  solver.fill_ghost_heights();
  solver.flag();
  solver.change_velocities();
}

template void step_semi_lagrangian(const Model<float>&, const Params&, const Inputs&, double,
                                   const State<float>&, State<float>&, Work<float>&);
template void step_semi_lagrangian(const Model<double>&, const Params&, const Inputs&, double,
                                   const State<double>&, State<double>&, Work<double>&);

}  // namespace selkie::shallow_water::detail
