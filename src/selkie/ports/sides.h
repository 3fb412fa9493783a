// What strongly coupled systems offer each other inside a step. A fluid offers a PressureSide, a body a
// BodySide; a coupling adds sparse Jacobians between them; the Group owns numbering, vectors and the one
// solve (coupling/group_solve.h). Neither side names the other. [docs/architecture.md "Couplings"; LE-38]
//
// Legend: p pressures, v body velocities (degrees of freedom), J force of pressures on the dofs (J p) and, as
// its transpose, the flux of body motion into pressure rows; Z = Z₁ + Z₂ the body's system matrix.
#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <functional>
#include <span>

namespace selkie::ports {

// y = A x on spans of the side's own length. Empty: absent.
using Apply = std::function<void(std::span<const double> x, std::span<double> y)>;
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

struct PressureCells;

// After predict(): B p = rhs − (flux of bodies).
struct PressureSide {
  int unknowns = 0;
  const PressureCells* cells = nullptr;  // of a grid, for couplings that cut surfaces by it (ports/wet_body.h)
  std::span<const double> guess;         // where the solve begins; empty: where the last one ended
  Apply apply_b;                                  // SPD, or semidefinite with the coupling's help
  Apply precondition;                             // ≈ B⁻¹; empty: none
  std::span<const double> rhs;                    // unknowns
  // Regions of unknowns whose constant pressure B does not see, because nothing but bodies opens them: of each
  // unknown the number of its region, -1: none. Empty: there are none.
  std::span<const std::int32_t> closed_region;
  int closed_regions = 0;
  std::function<const SparseRows&()> assemble_b;  // for direct and incomplete-Cholesky solvers; may be empty
  std::function<void(std::span<const double> pressure)> accept;  // takes the solved pressure
};

// After predict(): (Z₁ + Z₂) v = −w + J p, with Z₁ cheap to invert (a share of the lumped mass) and Z₂ the
// rest (absent for rigid bodies, whose whole matrix is Z₁).
struct BodySide {
  int dofs = 0;
  Apply apply_z1_inverse;
  Apply apply_z2;             // empty for rigid bodies
  Apply precondition;         // ≈ (Z₂ + Z₂ Z₁⁻¹ Z₂)⁻¹, the body's own block; empty: none
  std::span<const double> w;  // dofs
  // −Z₁⁻¹ w, the velocity without any pressure, from a body that knows it and that has no Z₂; then w may be empty.
  std::span<const double> free_velocity;
  std::function<void(std::span<const double> velocity)> accept;
  std::function<void(std::span<const double> force)> accept_force;  // takes J p; may be empty
};

// One coupling's contribution: J has body dofs as rows and pressure unknowns as columns.
struct CouplingTerm {
  int pressure_side = 0;
  int body_side = 0;
  const SparseRows* jacobian = nullptr;
};

}  // namespace selkie::ports
