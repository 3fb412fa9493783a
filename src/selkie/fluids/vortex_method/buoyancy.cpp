// See buoyancy.h.
#include "selkie/fluids/vortex_method/buoyancy.h"

#include <algorithm>

#include "selkie/core/parallel.h"
#include "selkie/grid/field.h"
#include "selkie/grid/loops.h"

namespace selkie::vortex_method {
namespace {

// Δt Δx³ β ∇ρ × up of each cell, by central differences; at walls the smoke continues evenly.
template <class Real>
void find_torques(const grid::Shape& shape, double scale, const Vec3& up, const Buffer<Real>& before,
                  const Buffer<Real>& after, Buffer<Vec3>& torque) {
  const grid::Index n = shape.cells();
  torque.assign(shape.cell_count(), Vec3::Zero());
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    for (int i = 0; i < n[0]; ++i) {
      Vec3 gradient;
      for (std::size_t d = 0; d < 3; ++d) {
        grid::Index low{i, j, k}, high = low;
        low[d] = std::max(low[d] - 1, 0), high[d] = std::min(high[d] + 1, n[d] - 1);
        const auto a = static_cast<std::size_t>(shape.at(low[0], low[1], low[2])),
                   b = static_cast<std::size_t>(shape.at(high[0], high[1], high[2]));
        gradient[static_cast<int>(d)] =
            0.5 * (double(before[b]) + double(after[b]) - double(before[a]) - double(after[a]));
      }
      torque[cell_number(shape, i, j, k)] = scale / (2 * shape.cell_size()) * gradient.cross(up);
    }
  });
}

std::size_t cell_of(const grid::Shape& shape, const Vec3& point) {
  const Vec3 x = (point - shape.origin()) / shape.cell_size();
  grid::Index at;
  for (std::size_t d = 0; d < 3; ++d)
    at[d] = std::clamp(static_cast<int>(x[static_cast<int>(d)]), 0, shape.cells()[d] - 1);
  return cell_number(shape, at[0], at[1], at[2]);
}

}  // namespace

template <class Real>
bool add_buoyancy(const Model& model, const Params& params, const Vec3& up, double dt,
                  const State<Real>& from, CellWork& work, State<Real>& to) {
  const grid::Shape& shape = model.shape;
  const double scale = dt * model.particle_volume() * params.buoyancy;
  find_torques(shape, scale, up, from.density, to.density, work.strength);
  // How many particles share a cell.
  work.cover.assign(shape.cell_count(), 0);
  if (!work.layers.sort(shape, to.positions)) return false;
  for (const Vec3& x : to.positions) work.cover[cell_of(shape, x)] += 1;
  for (std::size_t p = 0; p < to.positions.size(); ++p) {
    const std::size_t cell = cell_of(shape, to.positions[p]);
    to.strengths[p] += work.strength[cell] / work.cover[cell];
  }
  // New ones, in the order of the cells.
  const double strongest = deterministic_max(work.strength.size(), 0.0,
                                             [&](std::size_t cell) { return work.strength[cell].norm(); });
  Vec3 left_out = Vec3::Zero();
  for (int k = 0; k < shape.cells()[2]; ++k)
    for (int j = 0; j < shape.cells()[1]; ++j)
      for (int i = 0; i < shape.cells()[0]; ++i) {
        const std::size_t cell = cell_number(shape, i, j, k);
        if (work.cover[cell] > 0) continue;
        if (work.strength[cell].norm() > params.remesh_cutoff * strongest) {
          to.positions.push_back(shape.position(grid::Place::cell, i, j, k));
          to.strengths.push_back(work.strength[cell]);
        } else {
          left_out += work.strength[cell];
        }
      }
  if (to.strengths.empty()) return true;
  const Vec3 each = left_out / static_cast<double>(to.strengths.size());
  for (Vec3& strength : to.strengths) strength += each;
  return true;
}

template bool add_buoyancy<float>(const Model&, const Params&, const Vec3&, double, const State<float>&,
                                  CellWork&, State<float>&);
template bool add_buoyancy<double>(const Model&, const Params&, const Vec3&, double, const State<double>&,
                                   CellWork&, State<double>&);

}  // namespace selkie::vortex_method
