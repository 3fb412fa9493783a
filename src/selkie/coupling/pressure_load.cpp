// See pressure_load.h.
#include "selkie/coupling/pressure_load.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace selkie::coupling {
namespace {

using grid::Index;

// The unknowns that make the pressure of a patch, with their weights; one may come several times.
struct Reconstruction {
  struct Term {
    std::int32_t unknown;
    double weight;
  };
  std::vector<Term> terms;

  void add(std::int32_t unknown, double weight) { terms.push_back({unknown, weight}); }
};

// Share of a face above which the difference across it counts in full: speeds in it then stay below the body's.
constexpr double kWideFace = 0.5;

Index beside(Index cell, int axis, bool high) {
  cell[static_cast<std::size_t>(axis)] += high ? 1 : -1;
  return cell;
}
std::int32_t unknown_of(const ports::PressureCells& cells, const Index& cell) {
  return cells.unknown(cell[0], cell[1], cell[2]);
}
bool joined(const ports::PressureCells& cells, const Index& cell, int axis, bool high) {
  return (cells.joined(cell[0], cell[1], cell[2]) & ports::joined_bit(axis, high)) != 0 &&
         unknown_of(cells, beside(cell, axis, high)) >= 0;
}

// The cell whose pressure a patch feels. A cell that its solids leave no room for liquid (a corner that is
// cut off) has none; the patch then belongs to the nearest cell around, on the liquid's side of it, that has
// one. Without them the surface of a body that is wet all around would not be closed: a uniform pressure
// would push it, and a region of liquid without a free surface could only move along with what pushes.
bool find_wet_cell(const ports::PressureCells& cells, const grid::Patch& patch, const Vec3& x, Index& found) {
  found = patch.cell;
  if (unknown_of(cells, found) >= 0) return true;
  if ((cells.joined(found[0], found[1], found[2]) & ports::kShut) == 0) return false;  // air: no pressure
  double least = std::numeric_limits<double>::infinity();
  const int depth = cells.shape.dims() == 3 ? 1 : 0;
  for (int k = -depth; k <= depth; ++k)
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) {
        const Index other{patch.cell[0] + i, patch.cell[1] + j, patch.cell[2] + k};
        if (!grid::inside(cells.shape, other) || unknown_of(cells, other) < 0) continue;
        const Vec3 way = cells.shape.position(grid::Place::cell, other[0], other[1], other[2]) - x;
        if (way.dot(patch.area) >= 0 || way.squaredNorm() >= least) continue;
        least = way.squaredNorm(), found = other;
      }
  return std::isfinite(least);
}

// How much the difference with the neighbour on a side counts.
double trust(const ports::PressureCells& cells, const Index& cell, int axis, bool high) {
  if (!joined(cells, cell, axis, high)) return 0;
  if (!cells.open_share) return 1;
  return std::min(1.0, cells.open_share(axis, high ? beside(cell, axis, true) : cell) / kWideFace);
}
double trust(const ports::PressureCells& cells, const Index& cell, int axis) {
  return std::min(1.0, trust(cells, cell, axis, false) + trust(cells, cell, axis, true));
}

// Adds `way` (in cells) times the slope of the pressure along an axis at a cell: the mean of the differences
// with its neighbours, times trust(cells, cell, axis).
void add_slope(const ports::PressureCells& cells, const Index& cell, int axis, double way, Reconstruction& r) {
  const double low = trust(cells, cell, axis, false), high = trust(cells, cell, axis, true);
  const double all = std::max(1.0, low + high);
  for (const bool side : {false, true}) {
    const double weight = way * (side ? high : low) / all;
    if (weight == 0) continue;
    r.add(unknown_of(cells, beside(cell, axis, side)), side ? weight : -weight);
    r.add(unknown_of(cells, cell), side ? -weight : weight);
  }
}

// p at x: p_c + Σ_axis (x − x_c) ∂p, with ∂p as far as possible from the cell's own neighbours and otherwise
// from the cells beside it, which is a difference of second order.
void reconstruct(const ports::PressureCells& cells, const Index& cell, const Vec3& x, LoadOrder order,
                 Reconstruction& r) {
  r.terms.clear();
  r.add(unknown_of(cells, cell), 1);
  if (order == LoadOrder::cell) return;
  const Vec3 away =
      (x - cells.shape.position(grid::Place::cell, cell[0], cell[1], cell[2])) / cells.shape.cell_size();
  const int dims = cells.shape.dims();
  for (int axis = 0; axis < dims; ++axis) {
    add_slope(cells, cell, axis, away[axis], r);
    const double rest = 1 - trust(cells, cell, axis);
    if (rest <= 0) continue;
    auto each_beside = [&](auto&& use) {
      for (int across = 0; across < dims; ++across)
        for (const bool side : {false, true})
          if (across != axis && joined(cells, cell, across, side)) use(beside(cell, across, side));
    };
    double sum = 0;
    each_beside([&](const Index& other) { sum += trust(cells, other, axis); });
    const double way = rest * away[axis] / std::max(1.0, sum);
    each_beside([&](const Index& other) { add_slope(cells, other, axis, way, r); });
  }
}

}  // namespace

ports::SparseRows pressure_jacobian(const ports::PressureCells& cells, int unknowns,
                                    const grid::SurfaceElements& surface,
                                    std::span<const grid::Patch> patches, LoadOrder order) {
  const int dims = cells.shape.dims();
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(patches.size() * static_cast<std::size_t>(dims * dims));
  Reconstruction r;
  for (const grid::Patch& patch : patches) {
    if (!grid::inside(cells.shape, patch.cell)) continue;
    const Vec3 middle = grid::centroid(surface, patch);
    Index cell;
    if (!find_wet_cell(cells, patch, middle, cell)) continue;
    reconstruct(cells, cell, middle, order, r);
    for (int corner = 0; corner < dims; ++corner) {
      const auto c = static_cast<std::size_t>(corner);
      const std::uint32_t vertex =
          dims == 3 ? surface.triangles[patch.element][c] : surface.segments[patch.element][c];
      for (int axis = 0; axis < dims; ++axis)
        for (const auto& [unknown, weight] : r.terms)
          entries.emplace_back(dims * static_cast<int>(vertex) + axis, unknown,
                               patch.weights[corner] * patch.area[axis] * weight);
    }
  }
  ports::SparseRows jacobian(dims * static_cast<int>(surface.positions.size()), unknowns);
  jacobian.setFromTriplets(entries.begin(), entries.end());
  return jacobian;
}

}  // namespace selkie::coupling
