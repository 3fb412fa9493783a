// See tension.h.
#include "selkie/fluids/liquid/tension.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/profile.h"
#include "selkie/grid/loops.h"

namespace selkie::liquid {
namespace {

// One pass of the binomial (1 2 1)/4 along each axis.
template <class Real>
void smooth(const grid::Shape& shape, Buffer<Real>& field, Buffer<Real>& scratch) {
  if (scratch.size() != shape.size()) scratch.assign(shape.size(), Real(0));
  const grid::Box box = grid::sample_box(shape, grid::Place::cell);
  for (int axis = 0; axis < shape.dims(); ++axis) {
    std::copy(field.begin(), field.end(), scratch.begin());
    const auto from = grid::view(shape, std::as_const(scratch));
    const auto to = grid::view(shape, field);
    const int last = box.hi[static_cast<std::size_t>(axis)] - 1;
    grid::for_each_row(box, [&](int j, int k) {
      for (int i = 0; i < box.hi[0]; ++i) {
        const int at = axis == 0 ? i : axis == 1 ? j : k;
        const Real* const f = &from(i, j, k);
        const Real low = at > 0 ? f[-shape.stride(axis)] : f[0], high = at < last ? f[shape.stride(axis)] : f[0];
        to(i, j, k) = Real(0.25) * (low + 2 * f[0] + high);
      }
    });
  }
}

}  // namespace

double tension_step_limit(const Model& model, const Params& params) {
  if (!(params.surface_tension > 0)) return std::numeric_limits<double>::infinity();
  // Air weighs nothing: half of the sum of both densities is half that of the liquid.
  return std::sqrt(params.density * std::pow(model.shape.cell_size(), 3) / (4 * M_PI * params.surface_tension));
}

template <class Real>
void add_tension(const Model& model, const Params& params, const PlacedSolids<Real>& solids, double dt,
                 State<Real>& state, const FlowWork<Real>& flow, TensionWork<Real>& work) {
  const ProfileZone zone("liquid.tension");
  const grid::Shape& shape = model.shape;
  work.distance = state.surface;
  if (work.curvature.size() != shape.size()) work.curvature.assign(shape.size(), Real(0));
  if (model.tracker == Tracker::particles) {  // a level set is a distance already
    for (int pass = 0; pass < 2; ++pass) smooth(shape, work.distance, work.curvature);
    (void)grid::redistance<Real>(shape, grid::Place::cell, {}, grid::view(shape, work.distance), work.redistance);
  }
  grid::curvature<Real>(shape, grid::Place::cell, grid::view(shape, std::as_const(work.distance)), 3,
                        grid::view(shape, work.curvature));
  const auto phi = grid::view(shape, std::as_const(state.surface));
  const auto kappa = grid::view(shape, std::as_const(work.curvature));
  const auto kinds = grid::view(shape, flow.kinds);
  // p Δt/(ρΔx), as the solver has it.
  const double scale = params.surface_tension * dt / (params.density * shape.cell_size());
  constexpr auto fluid = grid::code_of(grid::CellKind::fluid), air = grid::code_of(grid::CellKind::air);
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const auto u = grid::view(shape, *state.velocity()[a]);
    grid::Box box = grid::sample_box(shape, grid::face_place(axis));
    box.lo[a] = 1, --box.hi[a];
    const std::ptrdiff_t step = shape.stride(axis);
    grid::for_each_row(box, [&](int j, int k) {
      for (int i = box.lo[0]; i < box.hi[0]; ++i) {
        const std::uint8_t *high = &kinds(i, j, k), *low = high - step;
        const bool up = *low == fluid && *high == air;  // liquid below the face
        if (!up && !(*low == air && *high == fluid)) continue;
        if (solids.any() && !(solids.open[a][static_cast<std::size_t>(shape.at(i, j, k))] > 0)) continue;
        const Real *p = &phi(i, j, k), *c = &kappa(i, j, k);
        const Real inside = up ? p[-step] : p[0], outside = up ? p[0] : p[-step];
        const double bend = grid::surface_curvature(double(p[-step]), double(p[0]), double(c[-step]), double(c[0]));
        const double theta = double(grid::surface_distance(inside, outside));
        u(i, j, k) -= static_cast<Real>((up ? 1 : -1) * scale * bend / theta);
      }
    });
  }
}

template void add_tension<float>(const Model&, const Params&, const PlacedSolids<float>&, double, State<float>&,
                                 const FlowWork<float>&, TensionWork<float>&);
template void add_tension<double>(const Model&, const Params&, const PlacedSolids<double>&, double,
                                  State<double>&, const FlowWork<double>&, TensionWork<double>&);

}  // namespace selkie::liquid
