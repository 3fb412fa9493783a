// One coupled solve of a liquid and its elastic bodies as assembled matrices, in every form of the source
// (LE-37 … LE-42) [Zarifi17 §5.1.3 – §5.3]: what the matrix-free group solve is compared with, and what the
// tables of conditioning and speed are made of.
//
//   [ B    Jᵀ ] [p]   [ E u* ]        S = (1/Δt + τ_M) M + (Δt + τ_K) K
//   [ J   −S  ] [v] = [  w   ]
//
// Legend: p pressures (Pa), v velocities of the free degrees of freedom (m/s), B the liquid's matrix (m³/(s
// Pa)), J force of pressures (m²), M lumped masses (kg), K stiffness (N/m), Q with K = Qᵀ Q, E u* flux into
// the cells (m³/s), w = −M v*/Δt + K x* − b − f_ext (N).
#pragma once

#include <memory>
#include <span>

#include "selkie/linalg/solve_report.h"
#include "selkie/ports/sides.h"

namespace selkie::coupling {

using ports::SparseRows;
using Vector = Eigen::VectorXd;

struct CoupledSystem {
  SparseRows b;
  SparseRows jacobian;
  SparseRows stiffness;
  SparseRows root;  // Q, for CoupledForm::stress only
  Vector mass;
  Vector flux;
  Vector w;
  double dt = 0;                 // s
  double mass_damping = 0;       // 1/s, τ_M
  double stiffness_damping = 0;  // s, τ_K

  double mass_factor() const { return 1 / dt + mass_damping; }
  double stiffness_factor() const { return dt + stiffness_damping; }
};

enum class CoupledForm {
  indefinite,  // the rows above (LE-37)
  positive,    // v duplicated, and eliminated where it meets the share Z₁ = σ (1/Δt + τ_M) M (LE-38)
  schur,       // (B + Jᵀ S⁻¹ J) p, dense where the body is wet: for small systems (LE-39)
  stress,      // unknowns z = Q v instead of v (LE-42)
};
struct FormOptions {
  double mass_share = 0.9;  // σ
  double scale = 0;         // α: unknowns are (p, v/α). 0: the ratio of the right sides (LE-41)
};

// Matrix and right side of a form, both triangles stored, and how to read its solution.
struct CoupledMatrix {
  CoupledForm form = CoupledForm::positive;
  SparseRows matrix;
  Vector rhs;
  Eigen::Index pressures = 0;  // how many of the unknowns, the first ones, are pressures
  double scale = 1;            // α in use
  double mass_share = 1;       // σ in use
};
CoupledMatrix assemble(const CoupledSystem& system, CoupledForm form, const FormOptions& options = {});

struct CoupledSolution {
  Vector pressure;
  Vector velocity;
};
CoupledSolution read_solution(const CoupledSystem& system, const CoupledMatrix& matrix,
                              const Vector& unknowns);

enum class CoupledSolver {
  direct,               // LU for the indefinite form, Cholesky for the others
  incomplete_cholesky,  // conjugate gradients; not for the indefinite form
  bicgstab,             // with incomplete LU
  minres,               // with a block preconditioner: incomplete Cholesky of B, Cholesky of S
};
struct SolverOptions {
  double tolerance = 1e-10;  // relative residual
  int max_iterations = 20000;
};
// Not converged if a factorisation breaks down, for instance Cholesky of what is not positive definite.
linalg::SolveReport solve(const CoupledMatrix& matrix, CoupledSolver solver, const SolverOptions& options,
                          Vector& unknowns);

// S v = force: the body by itself, factorised once.
class BodyFactor {
 public:
  explicit BodyFactor(const CoupledSystem& system);
  ~BodyFactor();
  void solve(std::span<const double> force, std::span<double> velocity) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
Vector solve_body(const CoupledSystem& system, const Vector& force);

// Post-solve residuals ‖B p + Jᵀ v − E u*‖ / ‖E u*‖ and ‖J p − S v − w‖ / ‖w‖, the larger.
double imbalance(const CoupledSystem& system, const CoupledSolution& solution);

}  // namespace selkie::coupling
