// See pressure_load.h.
#include "selkie/coupling/pressure_load.h"

#include <array>
#include <vector>

namespace selkie::coupling {
namespace {

using grid::Index;

// The unknowns that make the pressure of a patch, with their weights: its cell and at most two neighbours an
// axis.
struct Reconstruction {
  std::array<std::int32_t, 7> unknown;
  std::array<double, 7> weight;
  std::size_t count = 0;

  void add(std::int32_t u, double w) {
    unknown[count] = u;
    weight[count++] = w;
  }
};

// Unknown of the neighbour on a side, if the cells are joined by an open face; else -1.
std::int32_t neighbour(const ports::PressureCells& cells, const Index& cell, int axis, bool high) {
  if ((cells.joined(cell[0], cell[1], cell[2]) & ports::joined_bit(axis, high)) == 0) return -1;
  Index other = cell;
  other[static_cast<std::size_t>(axis)] += high ? 1 : -1;
  return cells.unknown(other[0], other[1], other[2]);
}

// p at x: p_c + Σ_axis (x − x_c) ∂p, with ∂p from both neighbours, from one, or nothing.
Reconstruction reconstruct(const ports::PressureCells& cells, const Index& cell, const Vec3& x,
                           LoadOrder order) {
  Reconstruction r;
  double own = 1;
  if (order == LoadOrder::linear) {
    const Vec3 away =
        (x - cells.shape.position(grid::Place::cell, cell[0], cell[1], cell[2])) / cells.shape.cell_size();
    for (int axis = 0; axis < cells.shape.dims(); ++axis) {
      const std::int32_t low = neighbour(cells, cell, axis, false), high = neighbour(cells, cell, axis, true);
      const double step = away[axis] / (low >= 0 && high >= 0 ? 2 : 1);
      if (low >= 0) r.add(low, -step), own += step;
      if (high >= 0) r.add(high, step), own -= step;
    }
  }
  r.add(cells.unknown(cell[0], cell[1], cell[2]), own);
  return r;
}

}  // namespace

ports::SparseRows pressure_jacobian(const ports::PressureCells& cells, int unknowns,
                                    const grid::SurfaceElements& surface,
                                    std::span<const grid::Patch> patches, LoadOrder order) {
  const int dims = cells.shape.dims();
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(patches.size() * static_cast<std::size_t>(dims * dims));
  for (const grid::Patch& patch : patches) {
    if (!grid::inside(cells.shape, patch.cell)) continue;
    if (cells.unknown(patch.cell[0], patch.cell[1], patch.cell[2]) < 0) continue;  // air: no pressure
    const Reconstruction r = reconstruct(cells, patch.cell, grid::centroid(surface, patch), order);
    for (int corner = 0; corner < dims; ++corner) {
      const auto c = static_cast<std::size_t>(corner);
      const std::uint32_t vertex =
          dims == 3 ? surface.triangles[patch.element][c] : surface.segments[patch.element][c];
      for (int axis = 0; axis < dims; ++axis)
        for (std::size_t n = 0; n < r.count; ++n)
          entries.emplace_back(dims * static_cast<int>(vertex) + axis, r.unknown[n],
                               patch.weights[corner] * patch.area[axis] * r.weight[n]);
    }
  }
  ports::SparseRows jacobian(dims * static_cast<int>(surface.positions.size()), unknowns);
  jacobian.setFromTriplets(entries.begin(), entries.end());
  return jacobian;
}

}  // namespace selkie::coupling
