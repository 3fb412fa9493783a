// See particles.h.
#include "selkie/fluids/vortex_method/particles.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/fluids/vortex_method/taps.h"
#include "selkie/grid/loops.h"

namespace selkie::vortex_method {
namespace {

// visit(cell, weight) for the 27 cells around a point.
template <class Visit>
void for_covered_cells(const grid::Shape& shape, const Vec3& point, Visit&& visit) {
  const Vec3 x = (point - shape.origin()) / shape.cell_size();
  std::array<Taps, 3> taps;
  for (std::size_t d = 0; d < 3; ++d) taps[d] = spline_taps(x[static_cast<int>(d)], shape.cells()[d], false);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t row = cell_number(shape, 0, taps[1].index[j], taps[2].index[k]);
      const double across = taps[1].weight[j] * taps[2].weight[k];
      for (std::size_t i = 0; i < 3; ++i)
        visit(row + static_cast<std::size_t>(taps[0].index[i]), across * taps[0].weight[i]);
    }
}

// One explicit pass: next = strength + rate Σ (neighbour − strength) over covered neighbours.
void diffuse_pass(const grid::Shape& shape, double rate, const Buffer<double>& cover,
                  const Buffer<Vec3>& strength, Buffer<Vec3>& next) {
  const grid::Index n = shape.cells();
  const std::array<std::size_t, 3> stride{1, cell_number(shape, 0, 1, 0), cell_number(shape, 0, 0, 1)};
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    for (int i = 0; i < n[0]; ++i) {
      const std::size_t cell = cell_number(shape, i, j, k);
      next[cell] = strength[cell];
      if (!(cover[cell] > 0)) continue;
      const grid::Index at{i, j, k};
      Vec3 inflow = Vec3::Zero();
      for (std::size_t d = 0; d < 3; ++d) {
        if (at[d] > 0 && cover[cell - stride[d]] > 0) inflow += strength[cell - stride[d]] - strength[cell];
        if (at[d] + 1 < n[d] && cover[cell + stride[d]] > 0)
          inflow += strength[cell + stride[d]] - strength[cell];
      }
      next[cell] += rate * inflow;
    }
  });
}

}  // namespace

Vec3 reflect_into_box(const grid::Shape& shape, const Vec3& point) {
  const Vec3 size = shape.extent();
  Vec3 x = point - shape.origin();
  for (int d = 0; d < 3; ++d) {
    if (x[d] >= 0 && x[d] <= size[d]) continue;
    x[d] = std::abs(std::remainder(x[d], 2 * size[d]));  // to −size … size, then mirrored at the low wall
  }
  // Adding the origin rounds: not beyond the walls that Layers::sort compares with.
  return (x + shape.origin()).cwiseMax(shape.origin()).cwiseMin(shape.origin() + size);
}

template <class Real>
bool diffuse(const Model& model, double viscosity, double dt, CellWork& work, State<Real>& state) {
  const grid::Shape& shape = model.shape;
  if (!work.layers.sort(shape, state.positions)) return false;
  work.strength.assign(shape.cell_count(), Vec3::Zero());
  work.cover.assign(shape.cell_count(), 0);
  work.next.assign(shape.cell_count(), Vec3::Zero());
  work.layers.for_each([&](std::size_t p) {
    for_covered_cells(shape, state.positions[p], [&](std::size_t cell, double weight) {
      work.strength[cell] += weight * state.strengths[p];
      work.cover[cell] += weight;
    });
  });
  const double amount = viscosity * dt / (shape.cell_size() * shape.cell_size());
  const int passes = std::max(1, static_cast<int>(std::ceil(amount / kDiffusePerPass)));
  work.first = work.strength;
  Buffer<Vec3>*now = &work.strength, *next = &work.next;
  for (int pass = 0; pass < passes; ++pass) {
    diffuse_pass(shape, amount / passes, work.cover, *now, *next);
    std::swap(now, next);
  }
  parallel_for(state.positions.size(), [&](std::size_t p) {
    for_covered_cells(shape, state.positions[p], [&](std::size_t cell, double weight) {
      if (weight > 0) state.strengths[p] += weight / work.cover[cell] * ((*now)[cell] - work.first[cell]);
    });
  });
  return true;
}

template <class Real>
bool remesh(const Model& model, double cutoff, CellWork& work, State<Real>& state) {
  const grid::Shape& shape = model.shape;
  if (!work.layers.sort(shape, state.positions)) return false;
  work.strength.assign(shape.cell_count(), Vec3::Zero());
  work.layers.for_each([&](std::size_t p) {
    const Vec3 x = (state.positions[p] - shape.origin()) / shape.cell_size();
    std::array<RemeshTaps, 3> taps;
    for (std::size_t d = 0; d < 3; ++d) taps[d] = remesh_taps(x[static_cast<int>(d)], shape.cells()[d]);
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t i = 0; i < 4; ++i) {
          Vec3 share = taps[0].weight[i] * taps[1].weight[j] * taps[2].weight[k] * state.strengths[p];
          // The image at a wall has its strength along the wall reversed.
          if (taps[0].mirrored[i]) share = Vec3(share.x(), -share.y(), -share.z());
          if (taps[1].mirrored[j]) share = Vec3(-share.x(), share.y(), -share.z());
          if (taps[2].mirrored[k]) share = Vec3(-share.x(), -share.y(), share.z());
          work.strength[cell_number(shape, taps[0].index[i], taps[1].index[j], taps[2].index[k])] += share;
        }
  });
  particles_from_cells(model, cutoff, work.strength, state);
  return true;
}

template <class Real>
void particles_from_cells(const Model& model, double cutoff, const Buffer<Vec3>& strength,
                          State<Real>& state) {
  const grid::Shape& shape = model.shape;
  const double strongest =
      deterministic_max(strength.size(), 0.0, [&](std::size_t cell) { return strength[cell].norm(); });
  state.positions.resize(0);
  state.strengths.resize(0);
  Vec3 left_out = Vec3::Zero();
  for (int k = 0; k < shape.cells()[2]; ++k)
    for (int j = 0; j < shape.cells()[1]; ++j)
      for (int i = 0; i < shape.cells()[0]; ++i) {
        const Vec3& here = strength[cell_number(shape, i, j, k)];
        if (here.norm() > cutoff * strongest) {
          state.positions.push_back(shape.position(grid::Place::cell, i, j, k));
          state.strengths.push_back(here);
        } else {
          left_out += here;
        }
      }
  if (state.strengths.empty()) return;
  const Vec3 each = left_out / static_cast<double>(state.strengths.size());
  for (Vec3& strength_of_one : state.strengths) strength_of_one += each;
}

#define SELKIE_INSTANTIATE(Real)                                                      \
  template bool diffuse<Real>(const Model&, double, double, CellWork&, State<Real>&); \
  template bool remesh<Real>(const Model&, double, CellWork&, State<Real>&);          \
  template void particles_from_cells<Real>(const Model&, double, const Buffer<Vec3>&, State<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::vortex_method
