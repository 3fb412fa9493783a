// See coupled_system.h. Assembled and solved by Eigen: a reference shares no code with what it judges.
#include "selkie/coupling/coupled_system.h"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <unsupported/Eigen/IterativeSolvers>
#include <vector>

#include "selkie/core/check.h"

namespace selkie::coupling {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;
using Columns = Eigen::SparseMatrix<double>;

void add_block(const SparseRows& block, int row, int column, double factor, Triplets& out) {
  for (int r = 0; r < block.outerSize(); ++r)
    for (SparseRows::InnerIterator it(block, r); it; ++it)
      out.emplace_back(row + static_cast<int>(it.row()), column + static_cast<int>(it.col()),
                       factor * it.value());
}

SparseRows diagonal(const Vector& values) {
  SparseRows matrix(values.size(), values.size());
  matrix.reserve(Eigen::VectorXi::Ones(values.size()));
  for (int n = 0; n < values.size(); ++n) matrix.insert(n, n) = values[n];
  return matrix;
}

SparseRows body_matrix(const CoupledSystem& s) {
  return SparseRows(diagonal(s.mass_factor() * s.mass) + s.stiffness_factor() * s.stiffness);
}

// [ a11  α a12 ; α a12ᵀ  α² a22 ] with the right side (c1, α c2).
void join(const SparseRows& a11, const SparseRows& a12, const SparseRows& a22, const Vector& c1,
          const Vector& c2, double scale, CoupledMatrix& out) {
  const double length = c2.norm();
  out.scale = scale > 0 ? scale : length > 0 && c1.norm() > 0 ? c1.norm() / length : 1;
  const int n1 = static_cast<int>(a11.rows()), n2 = static_cast<int>(a22.rows());
  Triplets entries;
  add_block(a11, 0, 0, 1, entries);
  add_block(a12, 0, n1, out.scale, entries);
  add_block(SparseRows(a12.transpose()), n1, 0, out.scale, entries);
  add_block(a22, n1, n1, out.scale * out.scale, entries);
  out.matrix.resize(n1 + n2, n1 + n2);
  out.matrix.setFromTriplets(entries.begin(), entries.end());
  out.rhs.resize(n1 + n2);
  out.rhs << c1, out.scale * c2;
}

// Z₂ and Z₁⁻¹ of the split S = Z₁ + Z₂. [Zarifi17 §5.2.1]
struct Split {
  Vector z1_inverse;
  SparseRows z2;
};
Split split_of(const CoupledSystem& s, double share) {
  return {(share * s.mass_factor() * s.mass).cwiseInverse(),
          SparseRows(diagonal((1 - share) * s.mass_factor() * s.mass) + s.stiffness_factor() * s.stiffness)};
}

void assemble_positive(const CoupledSystem& s, const FormOptions& options, CoupledMatrix& out) {
  const Split split = split_of(s, options.mass_share);
  const SparseRows jt = s.jacobian.transpose();
  const SparseRows scaled_j = split.z1_inverse.asDiagonal() * s.jacobian;
  const SparseRows scaled_z2 = split.z1_inverse.asDiagonal() * split.z2;
  const Vector scaled_w = split.z1_inverse.cwiseProduct(s.w);
  join(SparseRows(s.b + SparseRows(jt * scaled_j)), SparseRows(-jt * scaled_z2),
       SparseRows(split.z2 + SparseRows(split.z2 * scaled_z2)), s.flux + jt * scaled_w,
       -(split.z2 * scaled_w), options.scale, out);
}

void assemble_schur(const CoupledSystem& s, CoupledMatrix& out) {
  const Eigen::SimplicialLLT<Columns> body{Columns(body_matrix(s))};
  const SparseRows jt = s.jacobian.transpose();
  const Columns answers = body.solve(Columns(s.jacobian));
  out.matrix = s.b + SparseRows(jt * SparseRows(answers));
  out.rhs = s.flux + jt * body.solve(s.w);
}

void assemble_stress(const CoupledSystem& s, const FormOptions& options, CoupledMatrix& out) {
  const double zm = s.mass_factor(), zk = s.stiffness_factor();
  const SparseRows jt = s.jacobian.transpose(), qt = s.root.transpose();
  const Vector inverse_mass = s.mass.cwiseInverse();
  const SparseRows mass_j = inverse_mass.asDiagonal() * s.jacobian;
  const SparseRows mass_qt = inverse_mass.asDiagonal() * qt;
  const Vector mass_w = inverse_mass.cwiseProduct(s.w);
  const SparseRows identity = diagonal(Vector::Constant(s.root.rows(), zk));
  join(SparseRows(s.b + SparseRows(jt * mass_j) / zm), SparseRows(-(zk / zm) * SparseRows(jt * mass_qt)),
       SparseRows(identity + zk * zk / zm * SparseRows(s.root * mass_qt)), s.flux + jt * mass_w / zm,
       -(zk / zm) * (s.root * mass_w), options.scale, out);
}

// MINRES wants a positive preconditioner. The blocks of the diagonal are one, the body's with its sign
// turned: its exact inverse would leave three clusters of eigenvalues. B is factorised incompletely, S, which
// is small, in full.
class BlockDiagonal {
 public:
  void set_pressures(Eigen::Index count) { pressures_ = count; }

  template <class Matrix>
  BlockDiagonal& analyzePattern(const Matrix&) {
    return *this;
  }
  template <class Matrix>
  BlockDiagonal& factorize(const Matrix& matrix) {
    const Columns whole = matrix;
    const Eigen::Index rest = whole.rows() - pressures_;
    liquid_.compute(Columns(whole.topLeftCorner(pressures_, pressures_)));
    if (rest > 0) body_.compute(-Columns(whole.bottomRightCorner(rest, rest)));
    info_ = liquid_.info() != Eigen::Success ? liquid_.info() : rest > 0 ? body_.info() : Eigen::Success;
    return *this;
  }
  template <class Matrix>
  BlockDiagonal& compute(const Matrix& matrix) {
    return factorize(matrix);
  }
  template <class Right>
  Vector solve(const Right& right) const {
    const Vector r = right;
    Vector z(r.size());
    z.head(pressures_) = liquid_.solve(Vector(r.head(pressures_)));
    if (r.size() > pressures_)
      z.tail(r.size() - pressures_) = body_.solve(Vector(r.tail(r.size() - pressures_)));
    return z;
  }
  Eigen::ComputationInfo info() const { return info_; }

 private:
  Eigen::Index pressures_ = 0;
  Eigen::IncompleteCholesky<double> liquid_;
  Eigen::SimplicialLLT<Columns> body_;
  Eigen::ComputationInfo info_ = Eigen::Success;
};

template <class Method>
linalg::SolveReport iterate(const CoupledMatrix& m, Method& method, const SolverOptions& options, Vector& x) {
  linalg::SolveReport report;
  if (method.info() != Eigen::Success) {
    report.reason = linalg::StopReason::factorization_failed;
    return report;
  }
  method.setTolerance(options.tolerance);
  method.setMaxIterations(options.max_iterations);
  x = method.solve(m.rhs);
  report.iterations = static_cast<int>(method.iterations());
  return report;
}

// It stops by the residual in the preconditioner's norm, in which rows of pressures and forces weigh as their
// blocks do. Until the plain one is there, too, what is left is solved for again.
linalg::SolveReport iterate_minres(const CoupledMatrix& m, const SolverOptions& options, Vector& x) {
  SELKIE_CHECK(m.form == CoupledForm::indefinite, "MINRES is for the indefinite form");
  constexpr int kRounds = 6;
  Eigen::MINRES<SparseRows, Eigen::Lower | Eigen::Upper, BlockDiagonal> method;
  method.preconditioner().set_pressures(m.pressures);
  method.compute(m.matrix);
  linalg::SolveReport report;
  CoupledMatrix left = m;
  x = Vector::Zero(m.rhs.size());
  for (int round = 0; round < kRounds; ++round) {
    SolverOptions rest = options;
    rest.max_iterations -= report.iterations;
    Vector change;
    const linalg::SolveReport part = iterate(left, method, rest, change);
    report.iterations += part.iterations;
    report.reason = part.reason;
    if (report.reason != linalg::StopReason::converged) break;
    x += change;
    left.rhs = m.rhs - m.matrix * x;
    if (left.rhs.norm() <= options.tolerance * m.rhs.norm() || report.iterations >= options.max_iterations)
      break;
  }
  return report;
}

template <class Factor>
linalg::SolveReport factorize(const CoupledMatrix& m, Vector& x) {
  const Columns columns = m.matrix;
  Factor factor;
  factor.compute(columns);
  linalg::SolveReport report;
  if (factor.info() != Eigen::Success) {
    report.reason = linalg::StopReason::factorization_failed;
    return report;
  }
  x = factor.solve(m.rhs);
  x += factor.solve(Vector(m.rhs - m.matrix * x));  // one round of refinement: rows differ by decades
  return report;
}

}  // namespace

CoupledMatrix assemble(const CoupledSystem& system, CoupledForm form, const FormOptions& options) {
  CoupledMatrix out;
  out.form = form;
  out.pressures = system.b.rows();
  out.mass_share = options.mass_share;
  switch (form) {
    case CoupledForm::indefinite:
      join(system.b, SparseRows(system.jacobian.transpose()), SparseRows(-body_matrix(system)), system.flux,
           system.w, options.scale, out);
      break;
    case CoupledForm::positive:
      assemble_positive(system, options, out);
      break;
    case CoupledForm::schur:
      assemble_schur(system, out);
      break;
    case CoupledForm::stress:
      SELKIE_CHECK(system.root.cols() == system.mass.size(), "the stress-like form needs Q");
      assemble_stress(system, options, out);
      break;
  }
  return out;
}

CoupledSolution read_solution(const CoupledSystem& system, const CoupledMatrix& matrix,
                              const Vector& unknowns) {
  const auto pressures = system.b.rows();
  CoupledSolution out;
  out.pressure = unknowns.head(pressures);
  const Vector force = system.jacobian * out.pressure - system.w;
  const Vector second = matrix.scale * unknowns.tail(unknowns.size() - pressures);
  switch (matrix.form) {
    case CoupledForm::indefinite:
      out.velocity = second;
      break;
    case CoupledForm::positive: {
      const Split split = split_of(system, matrix.mass_share);
      out.velocity = split.z1_inverse.cwiseProduct(force - split.z2 * second);
      break;
    }
    case CoupledForm::schur:
      out.velocity = solve_body(system, force);
      break;
    case CoupledForm::stress:
      out.velocity = (force - system.stiffness_factor() * (system.root.transpose() * second))
                         .cwiseQuotient(system.mass_factor() * system.mass);
      break;
  }
  return out;
}

linalg::SolveReport solve(const CoupledMatrix& matrix, CoupledSolver solver, const SolverOptions& options,
                          Vector& unknowns) {
  linalg::SolveReport report;
  switch (solver) {
    case CoupledSolver::direct:
      report = matrix.form == CoupledForm::indefinite
                   ? factorize<Eigen::SparseLU<Columns>>(matrix, unknowns)
                   : factorize<Eigen::SimplicialLLT<Columns>>(matrix, unknowns);
      break;
    case CoupledSolver::incomplete_cholesky: {
      SELKIE_CHECK(matrix.form != CoupledForm::indefinite,
                   "conjugate gradients need a positive definite matrix");
      Eigen::ConjugateGradient<SparseRows, Eigen::Lower | Eigen::Upper, Eigen::IncompleteCholesky<double>>
          method(matrix.matrix);
      report = iterate(matrix, method, options, unknowns);
      break;
    }
    case CoupledSolver::bicgstab: {
      Eigen::BiCGSTAB<SparseRows, Eigen::IncompleteLUT<double>> method(matrix.matrix);
      report = iterate(matrix, method, options, unknowns);
      break;
    }
    case CoupledSolver::minres: {
      report = iterate_minres(matrix, options, unknowns);
      break;
    }
  }
  if (report.reason != linalg::StopReason::converged) return report;
  const double length = matrix.rhs.norm();
  report.initial_residual = 1;
  report.residual = length > 0 ? (matrix.rhs - matrix.matrix * unknowns).norm() / length : 0;
  if (!(report.residual <= 10 * options.tolerance)) report.reason = linalg::StopReason::iteration_limit;
  if (!unknowns.allFinite()) report.reason = linalg::StopReason::not_finite;
  return report;
}

struct BodyFactor::Impl {
  Eigen::SimplicialLLT<Columns> factor;
};
BodyFactor::BodyFactor(const CoupledSystem& system) : impl_(std::make_unique<Impl>()) {
  impl_->factor.compute(Columns(body_matrix(system)));
  SELKIE_CHECK(impl_->factor.info() == Eigen::Success, "a body's matrix is positive definite");
}
BodyFactor::~BodyFactor() = default;

void BodyFactor::solve(std::span<const double> force, std::span<double> velocity) const {
  const auto size = static_cast<Eigen::Index>(force.size());
  Eigen::Map<Vector>(velocity.data(), size) =
      impl_->factor.solve(Eigen::Map<const Vector>(force.data(), size));
}

Vector solve_body(const CoupledSystem& system, const Vector& force) {
  Vector velocity(force.size());
  BodyFactor(system).solve({force.data(), static_cast<std::size_t>(force.size())},
                           {velocity.data(), static_cast<std::size_t>(force.size())});
  return velocity;
}

double imbalance(const CoupledSystem& system, const CoupledSolution& solution) {
  const Vector liquid =
      system.b * solution.pressure + system.jacobian.transpose() * solution.velocity - system.flux;
  const Vector body =
      system.jacobian * solution.pressure - body_matrix(system) * solution.velocity - system.w;
  return std::max(liquid.norm() / std::max(system.flux.norm(), 1e-300),
                  body.norm() / std::max(system.w.norm(), 1e-300));
}

}  // namespace selkie::coupling
