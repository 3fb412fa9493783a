// Jacobi and block-Jacobi preconditioners; incomplete Cholesky has its own file.
#include "selkie/linalg/preconditioners.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"
#include "selkie/linalg/detail/vector_passes.h"

namespace selkie::linalg {
namespace {

bool usable(double pivot) { return pivot > 0 && std::isfinite(pivot); }

// Counts are exact in double, so core's sum serves for them as well.
template <class Replaced>
int count_replaced(std::size_t count, Replaced&& replaced) {
  return static_cast<int>(detail::fused_sum(count, [&](std::size_t i) { return replaced(i) ? 1.0 : 0.0; }));
}

}  // namespace

void IdentityPreconditioner::apply(std::span<const double> r, std::span<double> z) const {
  std::copy(r.begin(), r.end(), z.begin());
}

int JacobiPreconditioner::refresh(std::span<const double> diagonal) {
  if (inverse_.size() != diagonal.size()) inverse_.assign(diagonal.size(), 1.0);
  return count_replaced(diagonal.size(), [&](std::size_t k) {
    const bool ok = usable(diagonal[k]);
    inverse_[k] = ok ? 1 / diagonal[k] : 1;
    return !ok;
  });
}

template <int B>
int JacobiPreconditioner::refresh(const BlockSparseSymmetric<B>& a) {
  if (inverse_.size() != a.size()) inverse_.assign(a.size(), 1.0);
  return count_replaced(a.size(), [&](std::size_t k) {
    const auto c = static_cast<Eigen::Index>(k % B);
    const double pivot = a.diagonal(k / B)(c, c);
    const bool ok = usable(pivot);
    inverse_[k] = ok ? 1 / pivot : 1;
    return !ok;
  });
}

void JacobiPreconditioner::apply(std::span<const double> r, std::span<double> z) const {
  SELKIE_CHECK(r.size() == inverse_.size() && z.size() == r.size(), "vectors of the matrix's size");
  parallel_for(r.size(), [&](std::size_t k) { z[k] = inverse_.data()[k] * r[k]; });
}

double JacobiPreconditioner::apply_dot(std::span<const double> r, std::span<double> z) const {
  SELKIE_CHECK(r.size() == inverse_.size() && z.size() == r.size(), "vectors of the matrix's size");
  return detail::fused_sum(r.size(),
                           [source = r.data(), target = z.data(), inverse = inverse_.data()](std::size_t k) {
                             target[k] = inverse[k] * source[k];
                             return source[k] * target[k];
                           });
}

template int JacobiPreconditioner::refresh(const BlockSparseSymmetric<1>&);
template int JacobiPreconditioner::refresh(const BlockSparseSymmetric<2>&);
template int JacobiPreconditioner::refresh(const BlockSparseSymmetric<3>&);

template <int B>
int BlockJacobiPreconditioner<B>::refresh(const BlockSparseSymmetric<B>& a) {
  using Block = Eigen::Matrix<double, B, B>;
  if (inverse_.size() != a.vertex_count()) inverse_.assign(a.vertex_count(), Block::Identity());
  return count_replaced(a.vertex_count(), [&](std::size_t i) {
    const Eigen::LLT<Block> factor(a.diagonal(i));
    if (factor.info() == Eigen::Success && a.diagonal(i).allFinite()) {
      inverse_[i] = factor.solve(Block::Identity());
      return false;
    }
    inverse_[i].setZero();
    for (int c = 0; c < B; ++c) inverse_[i](c, c) = usable(a.diagonal(i)(c, c)) ? 1 / a.diagonal(i)(c, c) : 1;
    return true;
  });
}

template <int B>
void BlockJacobiPreconditioner<B>::apply(std::span<const double> r, std::span<double> z) const {
  apply_dot(r, z);
}

template <int B>
double BlockJacobiPreconditioner<B>::apply_dot(std::span<const double> r, std::span<double> z) const {
  SELKIE_CHECK(r.size() == B * inverse_.size() && z.size() == r.size(), "vectors of the matrix's size");
  using Vector = Eigen::Matrix<double, B, 1>;
  return detail::fused_sum(inverse_.size(),
                           [source = r.data(), target = z.data(), inverse = inverse_.data()](std::size_t i) {
                             const Vector ri = Eigen::Map<const Vector>(source + B * i);
                             const Vector zi = inverse[i] * ri;
                             Eigen::Map<Vector>{target + B* i} = zi;
                             double sum = 0;
                             for (int c = 0; c < B; ++c) sum += ri[c] * zi[c];
                             return sum;
                           });
}

template class BlockJacobiPreconditioner<1>;
template class BlockJacobiPreconditioner<2>;
template class BlockJacobiPreconditioner<3>;

}  // namespace selkie::linalg
