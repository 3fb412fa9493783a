// What joints leave of the answer of rigid bodies to forces, against the dense system with the joints'
// impulses as unknowns. [LE-39; coupling/held_rigid.h]
#include "selkie/coupling/held_rigid.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "selkie/core/random.h"

namespace selkie::coupling {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

struct Chain {
  std::vector<RigidWeight> bodies;
  std::vector<RigidHold> holds;
  Matrix weights, directions;  // W and G

  // Three bodies, the first tied to the world at a point, the others to the one before; the last is welded.
  Chain() {
    RandomStream random{11, 3};
    auto vector = [&] {
      const double x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
      return Vec3(x, y, z);
    };
    for (int b = 0; b < 3; ++b) {
      Mat3 half;
      for (int c = 0; c < 3; ++c) half.col(c) = vector();
      bodies.push_back({random.uniform(0.1, 2), half * half.transpose() + 0.3 * Mat3::Identity()});
    }
    for (int b = 0; b < 3; ++b) {
      const Vec3 arm = vector(), other = vector();
      for (int k = 0; k < 3; ++k)
        holds.push_back({b, b - 1, Vec3::Unit(k), arm.cross(Vec3::Unit(k)), other.cross(Vec3::Unit(k))});
      for (int k = 0; b == 2 && k < 3; ++k)
        holds.push_back({b, b - 1, Vec3::Zero(), Vec3::Unit(k), Vec3::Unit(k)});
    }
    weights.setZero(18, 18);
    for (int b = 0; b < 3; ++b) {
      weights.block<3, 3>(6 * b, 6 * b) = bodies[static_cast<std::size_t>(b)].inverse_mass * Mat3::Identity();
      weights.block<3, 3>(6 * b + 3, 6 * b + 3) = bodies[static_cast<std::size_t>(b)].inverse_inertia;
    }
    directions.setZero(static_cast<Eigen::Index>(holds.size()), 18);
    for (std::size_t h = 0; h < holds.size(); ++h) {
      const auto row = static_cast<Eigen::Index>(h);
      directions.block<1, 3>(row, 6 * holds[h].a) = holds[h].linear.transpose();
      directions.block<1, 3>(row, 6 * holds[h].a + 3) = holds[h].turn_a.transpose();
      if (holds[h].b < 0) continue;
      directions.block<1, 3>(row, 6 * holds[h].b) = -holds[h].linear.transpose();
      directions.block<1, 3>(row, 6 * holds[h].b + 3) = -holds[h].turn_b.transpose();
    }
  }
  Vector answer(const Vector& force) const {
    HeldRigid held;
    held.prepare(bodies, holds);
    Vector change = weights * force;
    held.project({change.data(), static_cast<std::size_t>(change.size())});
    return change;
  }
};

TEST(HeldRigid, AgreesWithTheDenseSystemOfBodiesAndJoints) {
  const Chain chain;
  const Vector force = Vector::LinSpaced(18, -1, 2);
  const Eigen::Index rows = chain.directions.rows();
  Matrix kkt = Matrix::Zero(18 + rows, 18 + rows);
  kkt.topLeftCorner(18, 18) = chain.weights.inverse();
  kkt.topRightCorner(18, rows) = chain.directions.transpose();
  kkt.bottomLeftCorner(rows, 18) = chain.directions;
  Vector right = Vector::Zero(18 + rows);
  right.head(18) = force;
  const Vector expected = kkt.fullPivLu().solve(right).head(18), found = chain.answer(force);
  EXPECT_LT((found - expected).norm(), 1e-6 * expected.norm()) << "1e-8 of the joints' own share gives way";
  EXPECT_LT((chain.directions * found).norm(), 1e-6 * (chain.directions * (chain.weights * force)).norm());
}

TEST(HeldRigid, StaysSymmetricAndPositiveThoughDirectionsAreHeldTwice) {
  Chain chain;
  chain.holds.insert(chain.holds.end(), chain.holds.begin(), chain.holds.begin() + 5);
  chain.holds.push_back({0, -1, Vec3::Zero(), Vec3::Zero(), Vec3::Zero()});  // a row of nothing
  Matrix whole(18, 18);
  for (Eigen::Index c = 0; c < 18; ++c) whole.col(c) = chain.answer(Vector::Unit(18, c));
  EXPECT_TRUE(whole.allFinite());
  EXPECT_LT((whole - whole.transpose()).norm(), 1e-8 * whole.norm());
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(0.5 * (whole + whole.transpose())).eigenvalues().minCoeff(),
            -1e-9);
}

}  // namespace
}  // namespace selkie::coupling
