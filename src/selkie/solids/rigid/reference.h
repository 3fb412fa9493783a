// Resting contacts all at once (RT-43): the linear complementarity problem 0 ≤ p ⟂ A p + u ≥ 0 of impulses p along
// the normals, with the velocities u before them. A slow reference for small systems without friction; A is
// singular where more than three contacts lie in a plane, so velocities are compared, not impulses.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "selkie/solids/rigid/state.h"

namespace selkie::rigid {

struct ReferenceContact {
  std::size_t a = 0;
  std::ptrdiff_t b = -1;  // -1: the world
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitY();  // from b to a
};

// a_ij: what an impulse at contact j changes the normal velocity of contact i by. [Baraff94; RT-43]
Eigen::MatrixXd contact_matrix(const State& state, std::span<const ReferenceContact> contacts);
Eigen::VectorXd normal_velocities(const State& state, std::span<const ReferenceContact> contacts);

// An active-set method on the equivalent quadratic program min ½ pᵀ A p + uᵀ p, p ≥ 0. [LawsonHanson74 §23]
Eigen::VectorXd solve_lcp(const Eigen::MatrixXd& a, const Eigen::VectorXd& u);

// Projected Gauss-Seidel from nothing: what the production solver does, sweep by sweep (RT-45).
Eigen::VectorXd gauss_seidel(const Eigen::MatrixXd& a, const Eigen::VectorXd& u, int sweeps);

void apply(std::span<const ReferenceContact> contacts, const Eigen::VectorXd& impulses, State& state);

}  // namespace selkie::rigid
