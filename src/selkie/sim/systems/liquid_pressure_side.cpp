// See liquid_pressure_side.h.
#include "selkie/sim/systems/liquid_pressure_side.h"

#include <cmath>

namespace selkie::sim {

void LiquidPressureSide::spread(std::span<const double> x, double factor, Buffer<float>& field) const {
  for (std::size_t n = 0; n < elements_.size(); ++n) field[elements_[n]] = static_cast<float>(factor * x[n]);
}
void LiquidPressureSide::collect(const Buffer<float>& field, double factor, std::span<double> y) const {
  for (std::size_t n = 0; n < elements_.size(); ++n) y[n] = factor * static_cast<double>(field[elements_[n]]);
}

void LiquidPressureSide::begin(const liquid::Model& model, const liquid::Params& params, double dt,
                               liquid::State<float>& state, liquid::Work<float>& work) {
  const grid::Shape& shape = model.shape;
  elements_.clear();
  const grid::Index n = shape.cells();
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) {
        const auto at = static_cast<std::uint32_t>(shape.at(i, j, k));
        if (work.flow.kinds[at] == grid::code_of(grid::CellKind::fluid)) elements_.push_back(at);
      }
  in_.assign(shape.size(), 0), out_.assign(shape.size(), 0);
  // The solver's pressure is pΔt/(ρΔx), its rows are fluxes over the area of a face.
  const double pressure = dt / (params.density * shape.cell_size());
  const double area = std::pow(shape.cell_size(), shape.dims() - 1);
  right_.resize(elements_.size());
  collect(work.flow.projection.right, area, right_);
  side_.unknowns = static_cast<int>(elements_.size());
  side_.rhs = right_;
  auto& solver = work.flow.projection.solver;
  side_.apply_b = [this, &solver, &shape, pressure, area](std::span<const double> x, std::span<double> y) {
    spread(x, pressure, in_);
    solver.multiply(grid::view(shape, std::as_const(in_)), grid::view(shape, out_));
    collect(out_, area, y);
  };
  side_.precondition = [this, &solver, &shape, pressure, area](std::span<const double> r, std::span<double> z) {
    spread(r, 1 / area, in_);
    solver.precondition(grid::view(shape, std::as_const(in_)), grid::view(shape, out_));
    collect(out_, 1 / pressure, z);
  };
  side_.accept = [this, &state, pressure](std::span<const double> p) { spread(p, pressure, state.pressure); };
}

}  // namespace selkie::sim
