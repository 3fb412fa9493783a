// See state.h and model.h.
#include "selkie/fluids/shallow_water/state.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "selkie/core/error.h"
#include "selkie/core/parallel.h"

namespace selkie::shallow_water {
namespace {

constexpr double kHighest = 1e6;  // m: beyond it float loses centimetres

// Ghosts of a cell field as in a mirror; rows first, then whole lines.
template <class T>
void mirror_ghosts(const Grid& grid, Buffer<T>& field) {
  const auto [nx, nz] = grid.cells;
  auto at = [&](int i, int j) -> T& { return field[static_cast<std::size_t>(grid.at(i, j))]; };
  for (int j = 0; j < nz; ++j)
    for (int layer = 0; layer < Grid::kGhosts; ++layer) {
      at(-1 - layer, j) = at(std::min(layer, nx - 1), j);
      at(nx + layer, j) = at(std::max(nx - 1 - layer, 0), j);
    }
  for (int layer = 0; layer < Grid::kGhosts; ++layer)
    for (int i = -Grid::kGhosts; i < nx + Grid::kGhosts; ++i) {
      at(i, -1 - layer) = at(i, std::min(layer, nz - 1));
      at(i, nz + layer) = at(i, std::max(nz - 1 - layer, 0));
    }
}

// Sum of body(i, j) over the cells, row by row in a fixed order.
template <class Body>
double sum_cells(const Grid& grid, Body&& body) {
  return sum_blocks(
      static_cast<std::size_t>(grid.cells[1]),
      [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t j = begin; j < end; ++j)
          for (int i = 0; i < grid.cells[0]; ++i) sum += body(i, static_cast<int>(j));
        return sum;
      },
      16);
}

}  // namespace

template <class Real>
Model<Real> make_model(const Grid& grid, FunctionRef<double(double, double)> ground) {
  Model<Real> model;
  model.grid = grid;
  model.ground.assign(grid.size(), Real(0));
  for (int j = 0; j < grid.cells[1]; ++j)
    for (int i = 0; i < grid.cells[0]; ++i) {
      const double height = ground(grid.x(i), grid.z(j));
      if (!(std::abs(height) <= kHighest)) {
        std::ostringstream what;
        what << "the ground at x = " << grid.x(i) << ", z = " << grid.z(j) << " (cell " << i << ", " << j
             << ") is " << height << " m";
        throw InputError(what.str(), "every height must be a number between -1e6 and 1e6 m");
      }
      model.ground[static_cast<std::size_t>(grid.at(i, j))] = static_cast<Real>(height);
    }
  mirror_ghosts(grid, model.ground);
  return model;
}

template <class Real>
void add_wall(Model<Real>& model, FunctionRef<bool(const Vec3&)> inside) {
  const Grid& grid = model.grid;
  Buffer<std::uint8_t> walls = model.walls;
  if (walls.empty()) walls.assign(grid.size(), 0);
  bool any = !model.walls.empty();
  for (int j = 0; j < grid.cells[1]; ++j)
    for (int i = 0; i < grid.cells[0]; ++i) {
      const auto at = static_cast<std::size_t>(grid.at(i, j));
      if (!inside(Vec3(grid.x(i), static_cast<double>(model.ground[at]), grid.z(j)))) continue;
      walls[at] = 1;
      any = true;
    }
  if (!any) return;
  mirror_ghosts(grid, walls);
  model.walls = walls;
}

template <class Real>
State<Real> make_state(const Model<Real>& model) {
  State<Real> state;
  // Negative ghosts: absorbing sides begin with what is inside.
  state.depth.assign(model.grid.size(), Real(-1));
  for (int j = 0; j < model.grid.cells[1]; ++j)
    std::fill_n(state.depth.data() + model.grid.at(0, j), model.grid.cells[0], Real(0));
  state.flow_x.assign(model.grid.size(), Real(0));
  state.flow_z.assign(model.grid.size(), Real(0));
  return state;
}

template <class Real>
void fill_to_level(const Model<Real>& model, double level, FunctionRef<bool(double, double)> inside,
                   State<Real>& state) {
  const Grid& grid = model.grid;
  for (int j = 0; j < grid.cells[1]; ++j)
    for (int i = 0; i < grid.cells[0]; ++i) {
      const auto at = static_cast<std::size_t>(grid.at(i, j));
      if (model.wall(i, j) || !inside(grid.x(i), grid.z(j))) continue;
      const double depth = level - static_cast<double>(model.ground[at]);
      if (depth > static_cast<double>(state.depth[at])) state.depth[at] = static_cast<Real>(depth);
    }
}

template <class Real>
double volume(const Model<Real>& model, const State<Real>& state) {
  const Grid& grid = model.grid;
  return grid.cell_area() * sum_cells(grid, [&](int i, int j) {
           const auto at = static_cast<std::size_t>(grid.at(i, j));
           const double body = state.displaced.empty() ? 0.0 : static_cast<double>(state.displaced[at]);
           return static_cast<double>(state.depth[at]) - body;
         });
}

template <class Real>
Diagnostics diagnose(const Model<Real>& model, const State<Real>& state, double gravity, double dry_depth) {
  const Grid& grid = model.grid;
  const double area = grid.cell_area();
  const bool at_faces = model.method == Method::semi_lagrangian;
  auto place = [&](int i, int j) { return static_cast<std::size_t>(grid.at(i, j)); };
  auto depth = [&](int i, int j) { return static_cast<double>(state.depth[place(i, j)]); };
  // Discharge of a cell.
  auto flow = [&](const Buffer<Real>& field, int i, int j, int di, int dj) {
    const auto here = static_cast<double>(field[place(i, j)]);
    if (!at_faces) return here;
    return 0.5 * depth(i, j) * (here + static_cast<double>(field[place(i + di, j + dj)]));
  };
  Diagnostics d;
  d.volume = volume(model, state);
  d.flow_x = area * sum_cells(grid, [&](int i, int j) { return flow(state.flow_x, i, j, 1, 0); });
  d.flow_z = area * sum_cells(grid, [&](int i, int j) { return flow(state.flow_z, i, j, 0, 1); });
  d.kinetic = 0.5 * area * sum_cells(grid, [&](int i, int j) {
                const double h = depth(i, j), x = flow(state.flow_x, i, j, 1, 0),
                             z = flow(state.flow_z, i, j, 0, 1);
                return h > dry_depth ? (x * x + z * z) / h : 0.0;
              });
  d.potential = gravity * area * sum_cells(grid, [&](int i, int j) {
                  const double h = depth(i, j), b = static_cast<double>(model.ground[place(i, j)]);
                  return h * (b + 0.5 * h);
                });
  d.wet_area = area * sum_cells(grid, [&](int i, int j) { return depth(i, j) > dry_depth ? 1.0 : 0.0; });
  for (int j = 0; j < grid.cells[1]; ++j)
    for (int i = 0; i < grid.cells[0]; ++i) {
      const double h = depth(i, j);
      d.deepest = std::max(d.deepest, h);
      if (h > dry_depth)
        d.top_speed = std::max(
            d.top_speed, std::hypot(flow(state.flow_x, i, j, 1, 0), flow(state.flow_z, i, j, 0, 1)) / h);
    }
  return d;
}

#define SELKIE_STATE(Real)                                                                                  \
  template Model<Real> make_model(const Grid&, FunctionRef<double(double, double)>);                        \
  template void add_wall(Model<Real>&, FunctionRef<bool(const Vec3&)>);                                     \
  template State<Real> make_state(const Model<Real>&);                                                      \
  template void fill_to_level(const Model<Real>&, double, FunctionRef<bool(double, double)>, State<Real>&); \
  template double volume(const Model<Real>&, const State<Real>&);                                           \
  template Diagnostics diagnose(const Model<Real>&, const State<Real>&, double, double);
SELKIE_STATE(float)
SELKIE_STATE(double)
#undef SELKIE_STATE

}  // namespace selkie::shallow_water
