// The forms of a coupled solve as matrices of random data. [LE-38, LE-42; coupling/coupled_system.h]
#include "selkie/coupling/coupled_system.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "selkie/core/random.h"

namespace selkie::coupling {
namespace {

using Matrix = Eigen::MatrixXd;

CoupledSystem random_system() {
  RandomStream random{5, 2};
  auto dense = [&](int rows, int columns) {
    Matrix m(rows, columns);
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) m(r, c) = random.uniform(-1, 1);
    return m;
  };
  CoupledSystem s;
  const Matrix a = dense(7, 7);
  const Matrix root = dense(8, 6);
  s.b = Matrix(a * a.transpose() + Matrix::Identity(7, 7)).sparseView();
  s.jacobian = dense(6, 7).sparseView();
  s.root = root.sparseView();
  s.stiffness = Matrix(root.transpose() * root).sparseView();
  s.mass = Vector::LinSpaced(6, 0.5, 2);
  s.flux = dense(7, 1), s.w = dense(6, 1);
  s.dt = 0.3, s.mass_damping = 0.2, s.stiffness_damping = 0.1;
  return s;
}

// With T = diag(1, Q), z = Q v: Tᵀ A_stress T is the positive form with all of the mass in Z₁.
TEST(CoupledSystem, TheStressLikeFormIsThePositiveOneInOtherUnknowns) {
  const CoupledSystem s = random_system();
  const Matrix stress = Matrix(assemble(s, CoupledForm::stress, {.scale = 1}).matrix),
               positive = Matrix(assemble(s, CoupledForm::positive, {.mass_share = 1, .scale = 1}).matrix);
  Matrix t = Matrix::Zero(15, 13);
  t.topLeftCorner(7, 7).setIdentity();
  t.bottomRightCorner(8, 6) = Matrix(s.root);
  EXPECT_LT((t.transpose() * stress * t - positive).norm(), 1e-13 * positive.norm());
}

TEST(CoupledSystem, ThePositiveFormIsPositiveForEveryShareOfTheMass) {
  const CoupledSystem s = random_system();
  for (const double share : {0.1, 0.5, 0.9, 0.99}) {
    const Matrix matrix = Matrix(assemble(s, CoupledForm::positive, {.mass_share = share}).matrix);
    EXPECT_LT((matrix - matrix.transpose()).norm(), 1e-14 * matrix.norm()) << share;
    EXPECT_EQ(Eigen::LLT<Matrix>(matrix).info(), Eigen::Success) << share;
  }
}

}  // namespace
}  // namespace selkie::coupling
