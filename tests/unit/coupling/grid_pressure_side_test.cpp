// The liquid of a grid as a side of a Group: where a solve begins, and B as a matrix.
#include "selkie/coupling/grid_pressure_side.h"

#include <gtest/gtest.h>

#include "selkie/core/random.h"
#include "selkie/grid/pressure_reference.h"

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

// The matrix found by seven products against one that is assembled face by face, with faces of any share.
TEST(GridPressureSide, ItsMatrixIsTheAssembledOne) {
  for (const int dims : {2, 3}) {
    const grid::Shape shape(dims, {9, 8, dims == 3 ? 7 : 1}, 0.1);
    grid::OpenSides sides{};
    sides[1][1] = true;
    grid::CellKinds kinds = grid::all_fluid(shape, sides);
    grid::FaceField<double> open;
    open.assign(shape, 1);
    for (std::size_t a = 0; a < static_cast<std::size_t>(dims); ++a)
      for (std::size_t n = 0; n < shape.size(); ++n) open.component[a][n] = random_uniform(7, a, n, 0.1, 1);
    grid::view(shape, kinds)(4, 3, dims == 3 ? 3 : 0) = code_of(grid::CellKind::solid);
    grid::PressureDomain<double> domain;
    domain.shape = shape;
    domain.kinds = grid::view(shape, kinds);
    domain.open = grid::view(shape, std::as_const(open));
    const double density = 800, dt = 0.02;
    GridPressureSide side;
    side.build(domain, dt, density);
    const double face = dims == 3 ? 0.01 : 0.1;
    Eigen::SparseMatrix<double> lower;
    grid::assemble(domain).matrix.to_lower(lower);
    const Eigen::SparseMatrix<double> both = lower.selfadjointView<Eigen::Lower>();
    const Eigen::MatrixXd expected = dt / (density * 0.1) * face * Eigen::MatrixXd(both);
    const Eigen::MatrixXd found = side.side({}).assemble_b();
    ASSERT_EQ(found.rows(), expected.rows());
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-14 * expected.cwiseAbs().maxCoeff());
  }
}

}  // namespace
}  // namespace selkie::coupling
