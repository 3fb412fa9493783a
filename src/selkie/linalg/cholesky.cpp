// Sparse Cholesky: METIS ordering, one of several factorisations, refinement in the original matrix.
#include "selkie/linalg/cholesky.h"

#include <metis.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "selkie/core/check.h"
#include "selkie/linalg/detail/spd_factor.h"
#include "selkie/linalg/detail/supernodal_factor.h"
#include "selkie/linalg/detail/vector_passes.h"

namespace selkie::linalg {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

class SimplicialFactor final : public detail::SpdFactor {
 public:
  void analyse(const Sparse& upper) override { llt_.analyzePattern(upper); }
  bool factorize(const Sparse& upper) override {
    llt_.factorize(upper);
    return llt_.info() == Eigen::Success;
  }
  void solve(std::span<double> x) override {
    Eigen::Map<Eigen::VectorXd> v(x.data(), static_cast<Eigen::Index>(x.size()));
    llt_.matrixL().solveInPlace(v);
    llt_.matrixU().solveInPlace(v);
  }
  std::size_t nonzeros() const override {
    return static_cast<std::size_t>(llt_.matrixL().nestedExpression().nonZeros());
  }

 private:
  // Upper triangle in natural order: the one combination that Eigen factorises without copying its input.
  Eigen::SimplicialLLT<Sparse, Eigen::Upper, Eigen::NaturalOrdering<int>> llt_;
};

// Nested dissection of the graph whose lower adjacency `visit(j, sink)` lists: returns place_of[old] = new.
template <class VisitColumn>
std::vector<int> nested_dissection(std::size_t count, VisitColumn&& visit) {
  std::vector<idx_t> begin(count + 1, 0);
  for (std::size_t j = 0; j < count; ++j) visit(j, [&](std::size_t i) { ++begin[i + 1], ++begin[j + 1]; });
  for (std::size_t v = 0; v < count; ++v) begin[v + 1] += begin[v];
  std::vector<idx_t> neighbour(static_cast<std::size_t>(begin[count])), next(begin.begin(), begin.end());
  for (std::size_t j = 0; j < count; ++j)
    visit(j, [&](std::size_t i) {
      neighbour[static_cast<std::size_t>(next[i]++)] = static_cast<idx_t>(j);
      neighbour[static_cast<std::size_t>(next[j]++)] = static_cast<idx_t>(i);
    });

  auto vertex_count = static_cast<idx_t>(count);
  std::vector<idx_t> old_of_new(count), new_of_old(count);
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;  // the same ordering, hence the same bits, every time
  const bool trivial = neighbour.empty();
  const int status = trivial ? METIS_ERROR
                             : METIS_NodeND(&vertex_count, begin.data(), neighbour.data(), nullptr, options,
                                            old_of_new.data(), new_of_old.data());
  // A graph without edges needs no ordering, and any order is correct should METIS give up.
  if (status != METIS_OK)
    for (std::size_t v = 0; v < count; ++v) new_of_old[v] = static_cast<idx_t>(v);
  return {new_of_old.begin(), new_of_old.end()};
}

bool same_pattern(const Sparse& a, const Sparse& b) {
  return a.rows() == b.rows() && a.nonZeros() == b.nonZeros() &&
         std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.outerSize() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

// A few units of round-off per sum of a row.
constexpr double kBackwardError = 1e-15;

double largest(std::span<const double> v) {
  return deterministic_max(v.size(), 0, [&](std::size_t i) { return std::abs(v[i]); });
}

std::unique_ptr<detail::SpdFactor> make_factor(CholeskyBackend backend) {
  if (backend == CholeskyBackend::supernodal) return std::make_unique<detail::SupernodalFactor>();
  if (backend == CholeskyBackend::simplicial) return std::make_unique<SimplicialFactor>();
  return detail::make_cholmod_factor();
}

}  // namespace

#ifndef SELKIE_CHOLMOD
std::unique_ptr<detail::SpdFactor> detail::make_cholmod_factor() { return nullptr; }
#endif

bool is_available(CholeskyBackend backend) { return make_factor(backend) != nullptr; }

struct SparseCholesky::Impl {
  std::unique_ptr<detail::SpdFactor> factor;
  Sparse lower;                  // A in the caller's order, for refinement
  Sparse incoming;               // block matrices are converted into this
  std::vector<int> place;        // place[old] = new
  Sparse permuted;               // upper triangle of P A Pᵀ
  std::vector<int> destination;  // where each value of `lower` goes in `permuted`
  Buffer<double> residual, correction;
  double norm = 0;  // ‖A‖∞
  int analyses = 0;
  bool factorised = false;

  template <class Order>
  bool factorize(const Sparse& a, Order&& order);
  void analyse_permuted();
  double row_sum_norm();
  bool backward_stable(std::span<const double> b, std::span<const double> x) const;
  double residual_norm(std::span<const double> b, std::span<const double> x);
  void solve_once(std::span<const double> b, std::span<double> x, bool add);
};

template <class Order>
bool SparseCholesky::Impl::factorize(const Sparse& a, Order&& order) {
  SELKIE_CHECK(a.rows() == a.cols() && a.isCompressed(), "a square, compressed lower triangle");
  if (analyses == 0 || !same_pattern(a, lower)) {
    lower = a;
    place = order();
    analyse_permuted();
    ++analyses;
  } else {
    std::copy_n(a.valuePtr(), a.nonZeros(), lower.valuePtr());
  }
  for (std::size_t k = 0; k < destination.size(); ++k)
    permuted.valuePtr()[destination[k]] = lower.valuePtr()[k];
  factorised = std::all_of(lower.valuePtr(), lower.valuePtr() + lower.nonZeros(),
                           [](double value) { return std::isfinite(value); }) &&
               factor->factorize(permuted);
  if (factorised) norm = row_sum_norm();
  return factorised;
}

double SparseCholesky::Impl::row_sum_norm() {
  std::fill(residual.begin(), residual.end(), 0.0);
  for (Eigen::Index j = 0; j < lower.cols(); ++j)
    for (int k = lower.outerIndexPtr()[j]; k < lower.outerIndexPtr()[j + 1]; ++k) {
      const int i = lower.innerIndexPtr()[k];
      const double size = std::abs(lower.valuePtr()[k]);
      residual[static_cast<std::size_t>(i)] += size;
      if (i != j) residual[static_cast<std::size_t>(j)] += size;
    }
  return largest(residual);
}

// Normwise backward error ‖r‖ / (‖A‖‖x‖ + ‖b‖) at round-off level. [Higham02 §7.1]
bool SparseCholesky::Impl::backward_stable(std::span<const double> b, std::span<const double> x) const {
  return largest(residual) <= kBackwardError * (norm * largest(x) + largest(b));
}

// Builds the permuted pattern together with the map of values: it is filled with their numbers first.
void SparseCholesky::Impl::analyse_permuted() {
  const auto n = lower.cols();
  const auto count = static_cast<std::size_t>(lower.nonZeros());
  std::vector<Eigen::Triplet<double>> numbered;
  numbered.reserve(count);
  for (Eigen::Index j = 0; j < n; ++j)
    for (int k = lower.outerIndexPtr()[j]; k < lower.outerIndexPtr()[j + 1]; ++k) {
      const int row = lower.innerIndexPtr()[k];
      SELKIE_CHECK(row >= j, "only the lower triangle");
      const int p = place[static_cast<std::size_t>(row)], q = place[static_cast<std::size_t>(j)];
      numbered.emplace_back(std::min(p, q), std::max(p, q), static_cast<double>(k));
    }
  permuted.resize(n, n);
  permuted.setFromTriplets(numbered.begin(), numbered.end());
  destination.resize(count);
  for (std::size_t k = 0; k < count; ++k)
    destination[static_cast<std::size_t>(permuted.valuePtr()[k])] = static_cast<int>(k);
  residual.assign(static_cast<std::size_t>(n), 0.0);
  correction.assign(static_cast<std::size_t>(n), 0.0);
  factor->analyse(permuted);
}

// residual = b − A x from the lower triangle; returns its norm.
double SparseCholesky::Impl::residual_norm(std::span<const double> b, std::span<const double> x) {
  double* r = residual.data();
  std::copy(b.begin(), b.end(), r);
  for (Eigen::Index j = 0; j < lower.cols(); ++j) {
    double column_sum = 0;
    for (int k = lower.outerIndexPtr()[j]; k < lower.outerIndexPtr()[j + 1]; ++k) {
      const int i = lower.innerIndexPtr()[k];
      const double value = lower.valuePtr()[k];
      r[i] -= value * x[static_cast<std::size_t>(j)];
      if (i != j) column_sum += value * x[static_cast<std::size_t>(i)];
    }
    r[j] -= column_sum;
  }
  return std::sqrt(detail::squared_norm(residual));
}

// x = or += A⁻¹ b by the factor alone.
void SparseCholesky::Impl::solve_once(std::span<const double> b, std::span<double> x, bool add) {
  for (std::size_t i = 0; i < b.size(); ++i) correction[static_cast<std::size_t>(place[i])] = b[i];
  factor->solve(correction);
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double value = correction[static_cast<std::size_t>(place[i])];
    x[i] = add ? x[i] + value : value;
  }
}

SparseCholesky::SparseCholesky(CholeskyBackend backend) : impl_(std::make_unique<Impl>()) {
  impl_->factor = make_factor(backend);
  SELKIE_CHECK(impl_->factor, "this build has no CHOLMOD; ask is_available() first");
}
SparseCholesky::~SparseCholesky() = default;
SparseCholesky::SparseCholesky(SparseCholesky&&) noexcept = default;
SparseCholesky& SparseCholesky::operator=(SparseCholesky&&) noexcept = default;

bool SparseCholesky::factorize(const Sparse& lower) {
  return impl_->factorize(lower, [&] {
    return nested_dissection(static_cast<std::size_t>(lower.cols()), [&](std::size_t j, auto&& sink) {
      for (Sparse::InnerIterator it(lower, static_cast<Eigen::Index>(j)); it; ++it)
        if (it.row() != it.col()) sink(static_cast<std::size_t>(it.row()));
    });
  });
}

template <int B>
bool SparseCholesky::factorize(const BlockSparseSymmetric<B>& a) {
  a.to_lower(impl_->incoming);
  return impl_->factorize(impl_->incoming, [&] {
    const BlockPattern& pattern = a.pattern();
    const std::vector<int> vertex_place =
        nested_dissection(a.vertex_count(), [&](std::size_t i, auto&& sink) {
          for (auto s = pattern.upper_begin()[i]; s < pattern.upper_begin()[i + 1]; ++s)
            sink(std::size_t{pattern.upper_column()[s]});
        });
    std::vector<int> row_place(a.size());
    for (std::size_t k = 0; k < a.size(); ++k)
      row_place[k] = B * vertex_place[k / B] + static_cast<int>(k % B);
    return row_place;
  });
}
template bool SparseCholesky::factorize(const BlockSparseSymmetric<1>&);
template bool SparseCholesky::factorize(const BlockSparseSymmetric<2>&);
template bool SparseCholesky::factorize(const BlockSparseSymmetric<3>&);

SolveReport SparseCholesky::solve(std::span<const double> b, std::span<double> x,
                                  const CholeskyOptions& options) {
  SolveReport report;
  report.initial_residual = report.residual = 1;
  if (!impl_->factorised) {
    report.reason = StopReason::factorization_failed;
    return report;
  }
  SELKIE_CHECK(b.size() == size() && x.size() == size(), "vectors of the matrix's size");
  const double b_norm = std::sqrt(detail::squared_norm(b));
  if (b_norm == 0) {
    std::fill(x.begin(), x.end(), 0.0);
    report.residual = 0;
    return report;
  }
  impl_->solve_once(b, x, false);
  report.residual = impl_->residual_norm(b, x) / b_norm;
  while (report.residual > options.tolerance && report.iterations < options.max_refinements) {
    impl_->solve_once(impl_->residual, x, true);
    report.residual = impl_->residual_norm(b, x) / b_norm;
    ++report.iterations;
  }
  if (!std::isfinite(report.residual))
    report.reason = StopReason::not_finite;
  else if (report.residual > options.tolerance && !impl_->backward_stable(b, x))
    report.reason = StopReason::stagnated;
  return report;
}

std::size_t SparseCholesky::size() const { return static_cast<std::size_t>(impl_->lower.cols()); }
std::size_t SparseCholesky::factor_nonzeros() const {
  return impl_->factorised ? impl_->factor->nonzeros() : 0;
}
int SparseCholesky::analysis_count() const { return impl_->analyses; }

}  // namespace selkie::linalg
