// An elastic block in one of its modes of vibration, shared by tests of steps.
#pragma once

#include <Eigen/Eigenvalues>
#include <cmath>

#include "selkie/solids/fem/elements.h"
#include "support/fem_bodies.h"

namespace selkie::fem::testing {

struct Mode {
  Model model = block(1, 1000);
  State state = make_state(model);
  double omega = 0;       // rad/s
  Eigen::VectorXd shape;  // φ with φᵀMφ = 1

  // Bent by `size` φ and at rest.
  explicit Mode(const Params& params, double size) {
    Work work;
    find_tangents(model, params, state.positions, TangentKind::exact, work.tangent);
    linalg::BlockSparseSymmetric<3> k(model.pattern);
    assemble(model, work.tangent, 0, 1, k, work);
    Eigen::VectorXd roots(k.size());
    for (Eigen::Index n = 0; n < roots.size(); ++n)
      roots[n] = std::sqrt(model.inverse_masses[static_cast<std::size_t>(n / 3)]);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(roots.asDiagonal() * k.dense() *
                                                               roots.asDiagonal());
    const Eigen::Index chosen = 9;  // beyond the six rigid ones
    omega = std::sqrt(eigen.eigenvalues()[chosen]);
    shape = roots.cwiseProduct(eigen.eigenvectors().col(chosen));
    for (std::size_t i = 0; i < model.vertex_count; ++i) state.positions[i] += size * of_vertex(i);
  }

  Vec3 of_vertex(std::size_t i) const { return shape.segment<3>(static_cast<Eigen::Index>(3 * i)); }

  // φᵀM a: the mode's share of displacements or velocities.
  template <class Vectors>
  double share(const Vectors& a) const {
    double sum = 0;
    for (std::size_t i = 0; i < model.vertex_count; ++i) sum += model.masses[i] * of_vertex(i).dot(a[i]);
    return sum;
  }
  double displacement(const Buffer<Vec3>& x) const {
    std::vector<Vec3> moved(x.begin(), x.end());
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] -= model.rest_positions[i];
    return share(moved);
  }
};

}  // namespace selkie::fem::testing
