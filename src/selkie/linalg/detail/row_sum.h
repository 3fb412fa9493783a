// Sums of block times vector along one row, for products and triangular solves. 3×3 blocks are the hot case:
// a column of a block and the entry after it fill one four-lane register; the fourth lane carries junk that
// is never read. Blocks must therefore lie in a Buffer, which pads its end.
#pragma once

#include <Eigen/Core>

namespace selkie::linalg::detail {

// Lanes are multiplied and added as IEEE numbers on every CPU, so the bits do not depend on the instruction
// set.
typedef double Lane4 __attribute__((vector_size(32)));
typedef double Lane4Unaligned __attribute__((vector_size(32), aligned(8), may_alias));

inline Lane4 load4(const double* p) { return *reinterpret_cast<const Lane4Unaligned*>(p); }

template <int B>
struct RowSum {
  using Vector = Eigen::Matrix<double, B, 1>;
  using BlockMap = Eigen::Map<const Eigen::Matrix<double, B, B>>;
  using VectorMap = Eigen::Map<const Vector>;
  Vector sum = Vector::Zero();

  void add(const double* block, const double* x) { sum += BlockMap(block) * VectorMap(x); }
  void add_transposed(const double* block, const double* x) {
    sum += BlockMap(block).transpose() * VectorMap(x);
  }
  Vector value() const { return sum; }
};

template <>
struct RowSum<3> {
  Lane4 sum{}, dot0{}, dot1{}, dot2{};

  void add(const double* block, const double* x) {
    sum += load4(block) * x[0];
    sum += load4(block + 3) * x[1];
    sum += load4(block + 6) * x[2];
  }
  // Products gather in their lanes; the horizontal sums wait until the end of the row.
  void add_transposed(const double* block, const double* x) {
    const Lane4 v{x[0], x[1], x[2], 0};
    dot0 += load4(block) * v;
    dot1 += load4(block + 3) * v;
    dot2 += load4(block + 6) * v;
  }
  Eigen::Vector3d value() const {
    return {sum[0] + ((dot0[0] + dot0[1]) + dot0[2]), sum[1] + ((dot1[0] + dot1[1]) + dot1[2]),
            sum[2] + ((dot2[0] + dot2[1]) + dot2[2])};
  }
};

}  // namespace selkie::linalg::detail
