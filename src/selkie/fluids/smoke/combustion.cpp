// See combustion.h.
#include "selkie/fluids/smoke/combustion.h"

#include <cmath>

#include "selkie/grid/loops.h"

namespace selkie::smoke {

template <class Real>
void burn(const Model& model, const Params& params, double dt, State<Real>& state, Buffer<Real>& rate) {
  if (!model.burns || params.burn_rate == 0) return;
  const grid::Shape& shape = model.shape;
  const auto fuel = grid::view(shape, state.fuel), heat = grid::view(shape, state.temperature),
             smoke = grid::view(shape, state.density);
  const Real share = static_cast<Real>(-std::expm1(-params.burn_rate * dt));
  const Real expansion = rate.empty() ? Real(0) : static_cast<Real>(params.burn_expansion / dt);
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    Real *const y = fuel.line(j, k), *const t = heat.line(j, k), *const rho = smoke.line(j, k);
    Real* const out = expansion != 0 ? grid::view(shape, rate).line(j, k) : nullptr;
    for (int i = 0; i < shape.cells()[0]; ++i) {
      if (!(t[i] > static_cast<Real>(params.ignition)) || !(y[i] > 0)) continue;
      const Real burnt = share * y[i];
      y[i] -= burnt;
      t[i] += static_cast<Real>(params.heat) * burnt;
      rho[i] += static_cast<Real>(params.soot) * burnt;
      if (out) out[i] += expansion * burnt;
    }
  });
}

template <class Real>
void decay(const Params& params, double dt, State<Real>& state) {
  auto scale = [&](Buffer<Real>& field, double rate) {
    if (rate == 0) return;
    const Real factor = static_cast<Real>(std::exp(-rate * dt));
    parallel_for(field.size(), [&](std::size_t i) { field[i] *= factor; });
  };
  scale(state.density, params.dissipation);
  scale(state.temperature, params.cooling);
}

#define SELKIE_INSTANTIATE(Real)                                                              \
  template void burn<Real>(const Model&, const Params&, double, State<Real>&, Buffer<Real>&); \
  template void decay<Real>(const Params&, double, State<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::smoke
