// Rotations of eight deformation gradients at once (RT-26). In 3-D Newton's iteration X ← ½(X + X⁻ᵀ), which
// converges quadratically to the nearest rotation where det F > 0; lanes for which it would not do (inverted
// or nearly flat elements, not finite) are taken one by one by the signed singular value decomposition.
#pragma once

#include "selkie/solids/fem/detail/gather.h"
#include "selkie/solids/fem/material.h"

namespace selkie::fem::detail {

template <int D>
inline Matrix<D> lane_of(const LaneMatrix<D>& m, int lane) {
  Matrix<D> one;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) one(i, j) = m[i][j][lane];
  return one;
}

template <int D>
inline void set_lane(LaneMatrix<D>& m, int lane, const Matrix<D>& one) {
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) m[i][j][lane] = one(i, j);
}

template <int D>
inline void replace_lanes(const LaneMatrix<D>& f, const Mask& bad, LaneMatrix<D>& r) {
  for (int l = 0; l < 8; ++l)
    if (bad[l] != 0) set_lane<D>(r, l, rotation_of<D>(lane_of<D>(f, l)));
}

// In the plane the nearest rotation is that of the sum of F and its cofactors.
inline void polar(const LaneMatrix<2>& f, LaneMatrix<2>& r) {
  const Lanes c = f[0][0] + f[1][1], s = f[1][0] - f[0][1];
  const Lanes square = c * c + s * s;
  Lanes length{};
  for (int l = 0; l < 8; ++l) length[l] = std::sqrt(square[l]);
  const Lanes size = larger(product<2, Lanes>(f, f), all(1e-300));
  const Mask bad = !(square > 1e-20 * size);
  r[0][0] = r[1][1] = c / length;
  r[1][0] = s / length;
  r[0][1] = -r[1][0];
  if (any(bad)) replace_lanes<2>(f, bad, r);
}

// Elements squeezed to less than this share of ‖F‖³ count as flat.
inline constexpr double kNearlyFlat = 1e-4;
// A change of X whose square sum is below this leaves an error below round-off after it.
inline constexpr double kSettled = 1e-15;
inline constexpr int kMostPolarIterations = 10;

inline void polar(const LaneMatrix<3>& f, LaneMatrix<3>& r) {
  LaneMatrix<3> c;
  cofactor<3, Lanes>(f, c);
  Lanes det = determinant<3, Lanes>(f, c);
  const Lanes squares = product<3, Lanes>(f, f);
  // det² against ‖F‖⁶; the sign is checked apart.
  const Mask upright = det > kNearlyFlat * kNearlyFlat;
  const Mask wide = det * det > (kNearlyFlat * kNearlyFlat) * (squares * squares * squares);
  Mask bad = ~(upright & wide);
  r = f;
  for (int n = 0; n < kMostPolarIterations; ++n) {
    if (n > 0) {
      cofactor<3, Lanes>(r, c);
      det = determinant<3, Lanes>(r, c);
    }
    const Lanes share = 0.5 / det;
    Lanes change{};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const Lanes next = madd(share, c[i][j], 0.5 * r[i][j]);
        const Lanes d = next - r[i][j];
        change = madd(d, d, change);
        r[i][j] = next;
      }
    const Mask open = ~(change < kSettled) & ~bad;
    if (!any(open)) break;
    if (n + 1 == kMostPolarIterations) bad = bad | open;
  }
  if (any(bad)) replace_lanes<3>(f, bad, r);
}

}  // namespace selkie::fem::detail
