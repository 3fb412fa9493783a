// What joints leave of the answer of rigid bodies to forces within a joint solve (LE-39). Joints hold some
// directions G of the bodies' velocities; with W = M⁻¹ the bodies' own answer, what is left of it is that of
// the constrained motion,
//
//   W − W Gᵀ (G W Gᵀ)⁻¹ G W,
//
// symmetric and never negative, so that the Group's solve keeps its form. Joints that hold a direction twice
// make G W Gᵀ singular: a hundred-millionth of its diagonal is added.
#pragma once

#include <Eigen/SparseCholesky>
#include <memory>
#include <span>
#include <vector>

#include "selkie/math/types.h"

namespace selkie::coupling {

// linear·(v_a − v_b) + turn_a·ω_a − turn_b·ω_b stays as it is.
struct RigidHold {
  int a = 0, b = -1;  // places of bodies; −1: the world
  Vec3 linear = Vec3::Zero(), turn_a = Vec3::Zero(), turn_b = Vec3::Zero();
};

struct RigidWeight {
  double inverse_mass = 0;              // 1/kg; 0: nothing moves it
  Mat3 inverse_inertia = Mat3::Zero();  // in the world's frame
};

class HeldRigid {
 public:
  void prepare(std::span<const RigidWeight> bodies, std::span<const RigidHold> holds);
  // Takes out of changes of velocity and angular velocity (six a body) what the joints do not let happen.
  void project(std::span<double> changes) const;

 private:
  Eigen::SparseMatrix<double> directions_, answers_;  // G, W Gᵀ; without rows: nothing is held
  std::shared_ptr<Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>> factor_;
};

}  // namespace selkie::coupling
