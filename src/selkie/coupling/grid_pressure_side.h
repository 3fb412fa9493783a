// A liquid on a grid as one side of a coupled solve: the pressure solver's matrix and multigrid cycle for
// vectors of unknowns in SI units. [LE-37; ports/sides.h]
//
//   B = (Δt/ρΔx) · area of a face · A,  A, and p Δt/(ρΔx), as in grid/pressure.h
#pragma once

#include <span>
#include <vector>

#include "selkie/grid/pressure.h"
#include "selkie/ports/sides.h"
#include "selkie/ports/wet_body.h"

namespace selkie::coupling {

class GridPressureSide {
 public:
  // Fluid cells with an open face become unknowns, in the order of the grid. Of the views those of open faces
  // are read afterwards, by pressure_cells().
  template <class T>
  void build(const grid::PressureDomain<T>& domain, double dt, double density);

  int unknowns() const { return static_cast<int>(cells_.size()); }
  std::span<const grid::Index> cells() const { return cells_; }
  const ports::PressureCells& pressure_cells() const { return pressure_cells_; }

  // Right side E u* from the flux balance of grid/projection.h (m/s).
  void set_balance(grid::View<const double> balance);
  // Takes out of the right side what a wanted divergence (1/s), part of the balance, adds up to in each
  // closed region: there is no room to grow, and bodies must not be squeezed to make some.
  template <class T>
  void cancel_in_closed(grid::View<const T> source);
  // p Δt/(ρΔx) of the unknowns' cells, for grid::subtract_gradient, and back, of a step of length `dt`: where
  // the solve begins.
  template <class T>
  void to_field(std::span<const double> pressure, grid::View<T> field) const {
    for (std::size_t n = 0; n < cells_.size(); ++n)
      field(cells_[n][0], cells_[n][1], cells_[n][2]) = static_cast<T>(to_field_ * pressure[n]);
  }
  template <class T>
  void set_guess(grid::View<const T> field, double dt) {
    guess_.resize(cells_.size());
    const double to_field = to_field_ * dt / dt_;
    for (std::size_t n = 0; n < cells_.size(); ++n)
      guess_[n] = static_cast<double>(field(cells_[n][0], cells_[n][1], cells_[n][2])) / to_field;
  }

  // B as a matrix, for solvers that want one.
  const ports::SparseRows& matrix();

  // Refers to this object; `accept` takes the pressures in Pa.
  ports::PressureSide side(std::function<void(std::span<const double>)> accept);

 private:
  template <class T>
  void number_cells(const grid::PressureDomain<T>& domain);
  template <class T>
  void find_closed_regions(const grid::PressureDomain<T>& domain);
  // Mean of value(n) over the cells n of each closed region.
  template <class Value>
  std::vector<double> closed_means(Value&& value) const;
  void remove_closed_means(std::span<double> z) const;
  void apply(std::span<const double> x, std::span<double> y);
  void gather(grid::View<const double> field, double factor, std::span<double> vector) const;
  void scatter(std::span<const double> vector, double factor, grid::View<double> field) const;

  grid::Shape shape_;
  double dt_ = 1;        // s
  double to_field_ = 1;  // Δt/(ρΔx)
  double face_ = 1;      // m² (2-D: m)
  std::vector<grid::Index> cells_;
  Buffer<std::int32_t> unknown_;
  Buffer<std::uint8_t> joined_;
  ports::PressureCells pressure_cells_;
  Buffer<double> in_, out_;
  std::vector<double> rhs_, guess_;
  std::vector<std::int32_t> closed_region_;  // of each unknown; empty: none
  int closed_regions_ = 0;
  grid::PressureSolver<double> solver_;
  ports::SparseRows matrix_;  // filled by matrix()
};

}  // namespace selkie::coupling
