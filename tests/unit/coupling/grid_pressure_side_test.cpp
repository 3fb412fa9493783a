// The pressure of the last step as where a solve begins: in Pa, however long that step was.
#include "selkie/coupling/grid_pressure_side.h"

#include <gtest/gtest.h>

namespace selkie::coupling {
namespace {

TEST(GridPressureSide, AGuessIsThePressureOfAStepOfAnotherLength) {
  const grid::Shape shape(2, {4, 4, 1}, 0.25);
  grid::OpenSides open{};
  open[1][1] = true;
  const grid::CellKinds kinds = grid::all_fluid(shape, open);
  grid::PressureDomain<double> domain;
  domain.shape = shape;
  domain.kinds = grid::view(shape, kinds);
  const double density = 1000, dt = 0.01, dt_before = 0.004, pressure = 700;
  GridPressureSide side;
  side.build(domain, dt, density);
  Buffer<double> field(shape.size(), pressure * dt_before / (density * shape.cell_size()));
  side.set_guess(grid::view(shape, std::as_const(field)), dt_before);
  const ports::PressureSide port = side.side({});
  ASSERT_EQ(port.guess.size(), 16u);
  for (const double p : port.guess) EXPECT_NEAR(p, pressure, 1e-9);
}

}  // namespace
}  // namespace selkie::coupling
