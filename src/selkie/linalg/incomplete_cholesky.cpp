// Incomplete Cholesky without fill on B×B blocks, A ≈ L Lᵀ. [Saad03 §10.3] The factor is kept as U = Lᵀ in
// the slots of A's upper half, so that the forward solve gathers exactly like the lower part of a product and
// the backward solve streams through memory.
#include <Eigen/Cholesky>
#include <atomic>
#include <cmath>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"
#include "selkie/linalg/detail/row_sum.h"
#include "selkie/linalg/preconditioners.h"

namespace selkie::linalg {
namespace {

// A pivot below this share of the matrix's own diagonal is a breakdown: its inverse would swamp the rest.
constexpr double kSmallestPivot = 1e-10;
// Shifts tried after a breakdown: 0.001, 0.004, ... 16. At the last the blocks of a spring or element mesh
// dominate their rows.
constexpr double kFirstShift = 1e-3, kShiftGrowth = 4;
constexpr int kMaxRetries = 8;

// Inverse of the Cholesky factor of `d`; false if a pivot is too small for `reference`'s diagonal or not
// finite.
template <class Block>
bool inverse_factor(const Block& d, const Block& reference, Block& inverse) {
  constexpr int kSize = Block::RowsAtCompileTime;
  Block l = Block::Zero();
  for (int c = 0; c < kSize; ++c) {
    double pivot = d(c, c);
    for (int k = 0; k < c; ++k) pivot -= l(c, k) * l(c, k);
    if (!(pivot > kSmallestPivot * std::abs(reference(c, c))) || !std::isfinite(pivot)) return false;
    l(c, c) = std::sqrt(pivot);
    for (int r = c + 1; r < kSize; ++r) {
      double value = d(r, c);
      for (int k = 0; k < c; ++k) value -= l(r, k) * l(c, k);
      l(r, c) = value / l(c, c);
    }
  }
  inverse = l.template triangularView<Eigen::Lower>().solve(Block::Identity());
  return true;
}

}  // namespace

template <int B>
std::size_t IncompleteCholesky<B>::chunk_size() const {
  return chunk_ == kOneChunk ? std::max<std::size_t>(1, pattern_->vertex_count()) : chunk_;
}

template <int B>
IncompleteCholeskyReport IncompleteCholesky<B>::refresh(const BlockSparseSymmetric<B>& a) {
  pattern_ = a.shared_pattern();
  if (inverse_diagonal_.size() != a.vertex_count()) inverse_diagonal_.assign(a.vertex_count(), Block::Zero());
  if (upper_.size() != pattern_->slot_count()) upper_.assign(pattern_->slot_count(), Block::Zero());
  IncompleteCholeskyReport report;
  while (!(report.ok = factorize(a, report.shift)) && report.retries < kMaxRetries) {
    report.shift = report.retries == 0 ? kFirstShift : report.shift * kShiftGrowth;
    ++report.retries;
  }
  return report;
}

template <int B>
bool IncompleteCholesky<B>::factorize(const BlockSparseSymmetric<B>& a, double shift) {
  std::atomic<bool> ok = true;
  parallel_blocks(a.vertex_count(), chunk_size(), [&](std::size_t begin, std::size_t end) {
    if (!factorize_rows(a, shift, begin, end)) ok = false;
  });
  return ok;
}

template <int B>
bool IncompleteCholesky<B>::factorize_rows(const BlockSparseSymmetric<B>& a, double shift, std::size_t begin,
                                           std::size_t end) {
  const auto lower_begin = pattern_->lower_begin();
  const auto lower = pattern_->lower();
  for (std::size_t i = begin; i < end; ++i) {
    Block pivot = (1 + shift) * a.diagonal(i);
    for (std::uint32_t k = lower_begin[i]; k < lower_begin[i + 1]; ++k) {
      const std::uint32_t j = lower[k].column;
      if (j < begin) continue;
      // U_ji = L_jj⁻¹ (A_ji − Σ_m U_mjᵀ U_mi) over the rows m < j that reach both i and j.
      Block u = a.upper_blocks()[lower[k].slot];
      std::uint32_t mi = lower_begin[i], mj = lower_begin[j];
      while (mi < k && mj < lower_begin[j + 1]) {
        if (lower[mi].column < lower[mj].column) {
          ++mi;
        } else if (lower[mi].column > lower[mj].column) {
          ++mj;
        } else {
          if (lower[mi].column >= begin) u -= upper_[lower[mj].slot].transpose() * upper_[lower[mi].slot];
          ++mi, ++mj;
        }
      }
      u = (inverse_diagonal_[j] * u).eval();
      upper_[lower[k].slot] = u;
      pivot -= u.transpose() * u;
    }
    if (!inverse_factor(pivot, a.diagonal(i), inverse_diagonal_[i])) return false;
  }
  return true;
}

template <int B>
void IncompleteCholesky<B>::apply(std::span<const double> r, std::span<double> z) const {
  SELKIE_CHECK(pattern_ && r.size() == B * pattern_->vertex_count() && z.size() == r.size(),
               "vectors of the factorised matrix's size");
  parallel_blocks(pattern_->vertex_count(), chunk_size(),
                  [&](std::size_t begin, std::size_t end) { solve_rows(begin, end, r.data(), z.data()); });
}

template <int B>
void IncompleteCholesky<B>::solve_rows(std::size_t begin, std::size_t end, const double* r, double* z) const {
  using Vector = Eigen::Matrix<double, B, 1>;
  const auto lower_begin = pattern_->lower_begin(), upper_begin = pattern_->upper_begin();
  const auto lower = pattern_->lower();
  const auto column = pattern_->upper_column();

  // Forward: L y = r, with y in z.
  for (std::size_t i = begin; i < end; ++i) {
    detail::RowSum<B> known;
    for (std::uint32_t k = lower_begin[i]; k < lower_begin[i + 1]; ++k)
      if (lower[k].column >= begin)
        known.add_transposed(upper_.data()[lower[k].slot].data(), z + B * std::size_t{lower[k].column});
    const Vector rest = Eigen::Map<const Vector>(r + B * i) - known.value();
    Eigen::Map<Vector>{z + B* i} = inverse_diagonal_.data()[i] * rest;
  }
  // Backward: Lᵀ z = y.
  for (std::size_t i = end; i-- > begin;) {
    detail::RowSum<B> known;
    for (std::uint32_t s = upper_begin[i]; s < upper_begin[i + 1] && column[s] < end; ++s)
      known.add(upper_.data()[s].data(), z + B * std::size_t{column[s]});
    const Vector rest = Eigen::Map<const Vector>(z + B * i) - known.value();
    Eigen::Map<Vector>{z + B* i} = inverse_diagonal_.data()[i].transpose() * rest;
  }
}

template class IncompleteCholesky<1>;
template class IncompleteCholesky<2>;
template class IncompleteCholesky<3>;

}  // namespace selkie::linalg
