// See energy.h.
#include "selkie/fluids/liquid/energy.h"

#include <algorithm>

#include "selkie/grid/loops.h"

namespace selkie::liquid {
namespace {

// Of the liquid at cell centres, by the share of each cell that lies below the surface.
template <class Real>
Energy grid_energy(const Model& model, const Params& params, const Vec3& gravity, const State<Real>& state,
                   const PlacedSolids<Real>& solids) {
  const grid::Shape& shape = model.shape;
  const auto u = velocity_views(model, state);
  const auto phi = grid::view(shape, state.surface);
  const double mass = params.density * model.cell_volume(), dx = shape.cell_size();
  auto share = [&](int i, int j, int k) {
    double value = double(phi(i, j, k));
    if (solids.any())
      value = std::max(
          value, -double(plain_distance_at<Real>(shape, solids.nodes,
                                                 {static_cast<Real>(i + 0.5), static_cast<Real>(j + 0.5),
                                                  static_cast<Real>(k + (shape.dims() == 3 ? 0.5 : 0))})));
    return std::clamp(0.5 - value / dx, 0.0, 1.0);
  };
  const grid::Box box = grid::sample_box(shape, grid::Place::cell);
  Energy sum;
  sum.kinetic = 0.25 * mass * grid::sum_rows(box, [&](int j, int k) {
                  double row = 0;
                  for (int i = 0; i < box.hi[0]; ++i) {
                    const double part = share(i, j, k);
                    for (int axis = 0; axis < shape.dims() && part > 0; ++axis) {
                      const Real* const face = &u[static_cast<std::size_t>(axis)](i, j, k);
                      row += part * (double(face[0]) * double(face[0]) +
                                     double(face[shape.stride(axis)]) * double(face[shape.stride(axis)]));
                    }
                  }
                  return row;
                });
  sum.potential = -mass * grid::sum_rows(box, [&](int j, int k) {
    double row = 0;
    for (int i = 0; i < box.hi[0]; ++i)
      row += share(i, j, k) * gravity.dot(shape.position(grid::Place::cell, i, j, k) - shape.origin());
    return row;
  });
  return sum;
}

}  // namespace

template <class Real>
Energy energy(const Model& model, const Params& params, const Vec3& gravity, const State<Real>& state,
              const PlacedSolids<Real>& solids) {
  // Where particles do not stand for all of the liquid the grid does.
  if (model.tracker == Tracker::level_set || params.band > 0)
    return grid_energy(model, params, gravity, state, solids);
  const double mass = params.density * model.particle_volume();
  const Particles<Real>& p = state.particles;
  const int dims = model.shape.dims();
  Energy sum;
  sum.kinetic = 0.5 * mass * deterministic_sum(p.size(), [&](std::size_t n) {
                  double v2 = 0;
                  for (std::size_t a = 0; a < static_cast<std::size_t>(dims); ++a)
                    v2 += double((*p.velocity()[a])[n]) * double((*p.velocity()[a])[n]);
                  return v2;
                });
  sum.potential = -mass * deterministic_sum(p.size(), [&](std::size_t n) {
    return gravity.dot(model.shape.cell_size() * place_of(p, n));
  });
  return sum;
}

template Energy energy<float>(const Model&, const Params&, const Vec3&, const State<float>&,
                              const PlacedSolids<float>&);
template Energy energy<double>(const Model&, const Params&, const Vec3&, const State<double>&,
                               const PlacedSolids<double>&);

}  // namespace selkie::liquid
