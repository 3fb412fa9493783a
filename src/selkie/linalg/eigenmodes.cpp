// See eigenmodes.h. With D = √M and w = D φ the problem is the ordinary one of the symmetric D⁻¹ K D⁻¹.
#include "selkie/linalg/eigenmodes.h"

#include <Spectra/SymEigsSolver.h>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

#include "selkie/core/check.h"
#include "selkie/core/profile.h"
#include "selkie/linalg/cholesky.h"

namespace selkie::linalg {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Problem {
  const Eigen::SparseMatrix<double>& lower;
  VectorXd roots;   // D
  MatrixXd barred;  // orthonormal columns: D × excluded

  Index size() const { return roots.size(); }
  MatrixXd stiffness_times(const MatrixXd& w) const {  // D⁻¹ K D⁻¹ w
    const MatrixXd phi = roots.cwiseInverse().asDiagonal() * w;
    return roots.cwiseInverse().asDiagonal() * (lower.selfadjointView<Eigen::Lower>() * phi);
  }
  void bar(VectorXd& w) const {
    if (barred.cols() > 0) w -= barred * (barred.transpose() * w);
  }
};

// P D (K + sM)⁻¹ D P, P the projector away from the barred directions: the interface Spectra asks for.
class ShiftedInverse {
 public:
  using Scalar = double;
  ShiftedInverse(const Problem& problem, SparseCholesky& factors)
      : problem_(problem), factors_(factors), in_(problem.size()), out_(problem.size()) {}
  Index rows() const { return problem_.size(); }
  Index cols() const { return problem_.size(); }
  void perform_op(const double* x, double* y) const {
    in_ = Eigen::Map<const VectorXd>(x, rows());
    problem_.bar(in_);
    in_ = problem_.roots.cwiseProduct(in_);
    const auto size = static_cast<std::size_t>(rows());
    const SolveReport report = factors_.solve({in_.data(), size}, {out_.data(), size});
    failed_ = failed_ || !report.converged();
    out_ = problem_.roots.cwiseProduct(out_);
    problem_.bar(out_);
    Eigen::Map<VectorXd>(y, rows()) = out_;
    ++solves_;
  }
  int solves() const { return solves_; }
  bool failed() const { return failed_; }

 private:
  const Problem& problem_;
  SparseCholesky& factors_;
  mutable VectorXd in_, out_;  // Spectra calls perform_op on a constant object
  mutable int solves_ = 0;
  mutable bool failed_ = false;
};

// The barred directions are moved to the upper end of the spectrum.
MatrixXd dense_modes(const Problem& problem, Index count) {
  MatrixXd a = problem.stiffness_times(MatrixXd::Identity(problem.size(), problem.size()));
  a = 0.5 * (a + a.transpose()).eval();
  const double beyond = 2 * a.cwiseAbs().rowwise().sum().maxCoeff();
  if (problem.barred.cols() > 0) a += beyond * problem.barred * problem.barred.transpose();
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(a).eigenvectors().leftCols(count);
}

// Sharpens the basis of the modes' space: orthonormal to round-off, with the best values in it (Ritz).
void refine(const Problem& problem, MatrixXd w, Eigenmodes& modes) {
  for (Index c = 0; c < w.cols(); ++c) {
    VectorXd column = w.col(c);
    problem.bar(column);
    w.col(c) = column;
  }
  w = Eigen::HouseholderQR<MatrixXd>(w).householderQ() * MatrixXd::Identity(w.rows(), w.cols());
  const MatrixXd small = w.transpose() * problem.stiffness_times(w);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> ritz(0.5 * (small + small.transpose()));
  modes.values = ritz.eigenvalues();
  modes.vectors = problem.roots.cwiseInverse().asDiagonal() * (w * ritz.eigenvectors());
  for (Index c = 0; c < w.cols(); ++c) {
    // Symmetric shapes have several largest entries; which of them wins must not hang on round-off.
    const double almost = (1 - 1e-6) * modes.vectors.col(c).cwiseAbs().maxCoeff();
    Index first = 0;
    while (std::abs(modes.vectors(first, c)) < almost) ++first;
    if (modes.vectors(first, c) < 0) modes.vectors.col(c) *= -1;
  }
}

bool factorize_shifted(const Problem& problem, double shift, SparseCholesky& factors) {
  Eigen::SparseMatrix<double> shifted = problem.lower;
  for (Index i = 0; i < problem.size(); ++i)
    shifted.coeffRef(i, i) += shift * problem.roots[i] * problem.roots[i];
  shifted.makeCompressed();
  return factors.factorize(shifted);
}

Eigenmodes failure(std::string trouble) { return {.ok = false, .trouble = std::move(trouble)}; }

}  // namespace

Eigenmodes lowest_eigenmodes(const Eigen::SparseMatrix<double>& lower, std::span<const double> masses,
                             const MatrixXd& excluded, const EigenmodeOptions& options) {
  const ProfileZone zone("linalg.eigenmodes");
  const Index size = lower.rows(), count = static_cast<Index>(options.count);
  SELKIE_CHECK(static_cast<std::size_t>(size) == masses.size(), "one mass per unknown");
  SELKIE_CHECK(count >= 1 && count + excluded.cols() <= size, "no more modes than unknowns");
  Problem problem{lower, Eigen::Map<const VectorXd>(masses.data(), size).cwiseSqrt(), {}};
  if (excluded.cols() > 0)
    problem.barred = Eigen::HouseholderQR<MatrixXd>(problem.roots.asDiagonal() * excluded).householderQ() *
                     MatrixXd::Identity(size, excluded.cols());
  Eigenmodes modes;
  constexpr Index kDense = 600;
  const Index krylov = std::max(2 * count + 1, count + 20);
  if (size <= kDense || krylov + excluded.cols() > size) {
    refine(problem, dense_modes(problem, count), modes);
    return modes;
  }
  SparseCholesky factors;
  if (!factorize_shifted(problem, options.shift, factors))
    return failure("the stiffness matrix is not positive definite");
  ShiftedInverse inverse(problem, factors);
  Spectra::SymEigsSolver<ShiftedInverse> lanczos(inverse, count, krylov);
  // A start that is the same everywhere and has something of every mode.
  VectorXd start(size);
  for (Index i = 0; i < size; ++i) start[i] = problem.roots[i] * (1 + 0.5 * std::sin(1.7 * double(i)));
  problem.bar(start);
  lanczos.init(start.data());
  const Index found = lanczos.compute(Spectra::SortRule::LargestAlge, 1000, options.tolerance);
  if (inverse.failed()) return failure("a solve with the stiffness matrix missed its tolerance");
  if (lanczos.info() != Spectra::CompInfo::Successful)
    return failure("only " + std::to_string(found) + " of " + std::to_string(count) + " modes converged");
  refine(problem, lanczos.eigenvectors(), modes);
  modes.solves = inverse.solves();
  return modes;
}

}  // namespace selkie::linalg
