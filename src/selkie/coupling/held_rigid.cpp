// See held_rigid.h.
#include "selkie/coupling/held_rigid.h"

#include <limits>

namespace selkie::coupling {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

constexpr double kTwice = 1e-8;  // of the diagonal

}  // namespace

void HeldRigid::prepare(std::span<const RigidWeight> bodies, std::span<const RigidHold> holds) {
  factor_.reset();
  std::vector<Eigen::Triplet<double>> directions, answers;
  int row = 0;
  for (const RigidHold& hold : holds) {
    auto add = [&](int body, double sign, const Vec3& turn) {
      if (body < 0 || bodies[static_cast<std::size_t>(body)].inverse_mass == 0) return;
      const RigidWeight& weight = bodies[static_cast<std::size_t>(body)];
      const Vec3 answer = weight.inverse_inertia * turn;
      for (int axis = 0; axis < 3; ++axis) {
        directions.emplace_back(row, 6 * body + axis, sign * hold.linear[axis]);
        directions.emplace_back(row, 6 * body + 3 + axis, sign * turn[axis]);
        answers.emplace_back(6 * body + axis, row, sign * weight.inverse_mass * hold.linear[axis]);
        answers.emplace_back(6 * body + 3 + axis, row, sign * answer[axis]);
      }
    };
    add(hold.a, 1, hold.turn_a);
    add(hold.b, -1, hold.turn_b);
    ++row;
  }
  const auto unknowns = static_cast<Eigen::Index>(6 * bodies.size());
  directions_.resize(row, unknowns), answers_.resize(unknowns, row);
  directions_.setFromTriplets(directions.begin(), directions.end());
  answers_.setFromTriplets(answers.begin(), answers.end());
  if (row == 0) return;
  Sparse system = directions_ * answers_;
  const double largest = system.diagonal().maxCoeff();
  for (int r = 0; r < row; ++r)
    system.coeffRef(r, r) +=
        kTwice * std::max(system.coeff(r, r), kTwice * largest) + std::numeric_limits<double>::min();
  factor_ = std::make_shared<Eigen::SimplicialLDLT<Sparse>>(system);
}

void HeldRigid::project(std::span<double> changes) const {
  if (!factor_) return;
  Eigen::Map<Eigen::VectorXd> change(changes.data(), static_cast<Eigen::Index>(changes.size()));
  const Eigen::VectorXd impulses = factor_->solve(directions_ * change);
  change -= answers_ * impulses;
}

}  // namespace selkie::coupling
