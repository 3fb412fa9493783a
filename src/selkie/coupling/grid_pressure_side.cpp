// See grid_pressure_side.h.
#include "selkie/coupling/grid_pressure_side.h"

#include "selkie/core/parallel.h"

namespace selkie::coupling {

void GridPressureSide::build(const grid::PressureDomain<double>& domain, double dt, double density) {
  shape_ = domain.shape;
  to_field_ = dt / (density * shape_.cell_size());
  face_ = shape_.dims() == 3 ? shape_.cell_size() * shape_.cell_size() : shape_.cell_size();
  unknown_.assign(shape_.size(), -1);
  in_.assign(shape_.size(), 0);
  out_.assign(shape_.size(), 0);
  cells_.clear();
  auto open = [&](std::size_t axis, int i, int j, int k) {
    return domain.open[axis].data == nullptr || domain.open[axis](i, j, k) > 0;
  };
  const grid::Index n = shape_.cells();
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) {
        if (domain.kinds(i, j, k) != code_of(grid::CellKind::fluid)) continue;
        bool reached = false;
        for (std::size_t a = 0; a < static_cast<std::size_t>(shape_.dims()); ++a) {
          grid::Index up{i, j, k}, down{i, j, k};
          ++up[a], --down[a];
          const auto solid = code_of(grid::CellKind::solid);
          reached |= open(a, i, j, k) && domain.kinds(down[0], down[1], down[2]) != solid;
          reached |= open(a, up[0], up[1], up[2]) && domain.kinds(up[0], up[1], up[2]) != solid;
        }
        if (!reached) continue;
        unknown_[static_cast<std::size_t>(shape_.at(i, j, k))] = unknowns();
        cells_.push_back({i, j, k});
      }
  rhs_.assign(cells_.size(), 0);
  solver_.build<double>(domain);
}

void GridPressureSide::gather(grid::View<const double> field, double factor, std::span<double> vector) const {
  parallel_for(cells_.size(), [&](std::size_t n) {
    const auto& [i, j, k] = cells_[n];
    vector[n] = factor * field(i, j, k);
  });
}
void GridPressureSide::scatter(std::span<const double> vector, double factor,
                               grid::View<double> field) const {
  parallel_for(cells_.size(), [&](std::size_t n) {
    const auto& [i, j, k] = cells_[n];
    field(i, j, k) = factor * vector[n];
  });
}

void GridPressureSide::set_balance(grid::View<const double> balance) { gather(balance, face_, rhs_); }

void GridPressureSide::to_field(std::span<const double> pressure, grid::View<double> field) const {
  scatter(pressure, to_field_, field);
}

ports::PressureSide GridPressureSide::side(std::function<void(std::span<const double>)> accept) {
  ports::PressureSide side;
  side.unknowns = unknowns();
  side.rhs = rhs_;
  // Cells without an unknown stay zero in in_; what they hold in out_ is not read.
  side.apply_b = [this](std::span<const double> x, std::span<double> y) {
    scatter(x, to_field_, view(shape_, in_));
    solver_.multiply(view(shape_, std::as_const(in_)), view(shape_, out_));
    gather(view(shape_, std::as_const(out_)), face_, y);
  };
  side.precondition = [this](std::span<const double> r, std::span<double> z) {
    scatter(r, 1 / face_, view(shape_, in_));
    solver_.precondition(view(shape_, std::as_const(in_)), view(shape_, out_));
    gather(view(shape_, std::as_const(out_)), 1 / to_field_, z);
  };
  side.accept = std::move(accept);
  return side;
}

}  // namespace selkie::coupling
