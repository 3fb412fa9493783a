// Signed singular value decomposition and polar decomposition of 2×2 and 3×3 matrices (RT-26), accurate for
// zero, rank-deficient, inverted and badly scaled input. By one-sided Jacobi rotations, which keep small
// singular values accurate where the eigenvalues of FᵀF would not. [Golub13 §8.6.3] [Irving04 §5]
#pragma once

#include "selkie/math/types.h"

namespace selkie {

// F = U diag(sigma) Vᵀ with det U = det V = +1 and sigma₀ ≥ … ≥ |sigma_last|; the last carries the sign of
// det F.
struct Svd3 {
  Mat3 u, v;
  Vec3 sigma;
};
struct Svd2 {
  Mat2 u, v;
  Vec2 sigma;
};
// Input that is not finite gives u = v = identity and sigma = NaN.
Svd3 svd3(const Mat3& f);
Svd2 svd2(const Mat2& f);

// F = rotation · stretch, stretch symmetric, det rotation = +1: the rotation nearest to F. An inverted F (det
// < 0) yields a stretch with one negative eigenvalue, along the direction of least stretch.
struct Polar3 {
  Mat3 rotation, stretch;
};
struct Polar2 {
  Mat2 rotation, stretch;
};
// Where F does not determine the rotation (zero or rank one, or two stretches equal but of opposite sign),
// the free part is taken from `previous`. Input that is not finite keeps `previous` and gives a NaN stretch.
Polar3 polar3(const Mat3& f, const Mat3& previous = Mat3::Identity());
Polar2 polar2(const Mat2& f, const Mat2& previous = Mat2::Identity());

}  // namespace selkie
