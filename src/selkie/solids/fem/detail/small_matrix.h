// D × D matrices of scalars T, where T is a double or a register of doubles (one per element): what the
// element kernels are written in, so that one source serves single elements and vector code.
#pragma once

#include <array>

#include "selkie/math/lanes.h"

namespace selkie::fem::detail {

using namespace lanes;

template <int D, class T>
using Small = std::array<std::array<T, D>, D>;

// A B
template <int D, class T>
inline void multiply(const Small<D, T>& a, const Small<D, T>& b, Small<D, T>& c) {
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      T sum = a[i][0] * b[0][j];
      for (int k = 1; k < D; ++k) sum = madd(a[i][k], b[k][j], sum);
      c[i][j] = sum;
    }
}

// Aᵀ B
template <int D, class T>
inline void multiply_tn(const Small<D, T>& a, const Small<D, T>& b, Small<D, T>& c) {
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      T sum = a[0][i] * b[0][j];
      for (int k = 1; k < D; ++k) sum = madd(a[k][i], b[k][j], sum);
      c[i][j] = sum;
    }
}

// A Bᵀ
template <int D, class T>
inline void multiply_nt(const Small<D, T>& a, const Small<D, T>& b, Small<D, T>& c) {
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      T sum = a[i][0] * b[j][0];
      for (int k = 1; k < D; ++k) sum = madd(a[i][k], b[j][k], sum);
      c[i][j] = sum;
    }
}

template <int D, class T>
inline T trace(const Small<D, T>& a) {
  T sum = a[0][0];
  for (int i = 1; i < D; ++i) sum = sum + a[i][i];
  return sum;
}

// Σ a_ij b_ij
template <int D, class T>
inline T product(const Small<D, T>& a, const Small<D, T>& b) {
  T sum = a[0][0] * b[0][0];
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j)
      if (i + j > 0) sum = madd(a[i][j], b[i][j], sum);
  return sum;
}

// ∂ det A / ∂A = det(A) A⁻ᵀ
template <int D, class T>
inline void cofactor(const Small<D, T>& a, Small<D, T>& c) {
  if constexpr (D == 2) {
    c[0][0] = a[1][1], c[0][1] = -a[1][0], c[1][0] = -a[0][1], c[1][1] = a[0][0];
  } else {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        c[i][j] = a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1];
      }
  }
}

// det A by its first row, given the cofactors.
template <int D, class T>
inline T determinant(const Small<D, T>& a, const Small<D, T>& cofactors) {
  T sum = a[0][0] * cofactors[0][0];
  for (int j = 1; j < D; ++j) sum = madd(a[0][j], cofactors[0][j], sum);
  return sum;
}

}  // namespace selkie::fem::detail
