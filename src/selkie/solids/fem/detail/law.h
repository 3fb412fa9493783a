// The laws of material.h as kernels over Small matrices: stress and energy density from F and, for the
// corotational law, its rotation R.
#pragma once

#include <cmath>

#include "selkie/solids/fem/detail/small_matrix.h"
#include "selkie/solids/fem/material.h"

namespace selkie::fem::detail {

// Constants of the stable Neo-Hookean law for which small strains obey Hooke's law with the given μ and λ
// [Smith18 §3.3]; plane strain is the same law with a third stretch of 1.
struct NeoHookean {
  double mu, lambda, rest;
  explicit NeoHookean(const Lame& lame)
      : mu(4.0 / 3 * lame.mu), lambda(lame.lambda + 5.0 / 6 * lame.mu), rest(1 + 0.75 * mu / lambda) {}
  static constexpr double third(int dimension) { return 3 - dimension; }  // out-of-plane part of tr FᵀF
};

// ε of the law: ½(F + Fᵀ) − I, ½(RᵀF + FᵀR) − I or ½(FᵀF − I).
template <int D, class T>
inline void strain(Law law, const Small<D, T>& f, const Small<D, T>& r, Small<D, T>& e) {
  if (law == Law::linear)
    e = f;
  else
    multiply_tn<D, T>(law == Law::corotational ? r : f, f, e);
  for (int i = 0; i < D; ++i) {
    for (int j = i + 1; j < D; ++j) e[i][j] = e[j][i] = 0.5 * (e[i][j] + e[j][i]);
    e[i][i] = law == Law::green ? 0.5 * (e[i][i] - 1.0) : e[i][i] - 1.0;
  }
  if (law == Law::green)
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j)
        if (i != j) e[i][j] = 0.5 * e[i][j];
}

template <int D, class T>
inline void stress_of(Law law, const Lame& lame, const Small<D, T>& f, const Small<D, T>& r, Small<D, T>& p) {
  if (law == Law::neo_hookean) {
    const NeoHookean nh(lame);
    Small<D, T> c;
    cofactor<D, T>(f, c);
    const T squares = product<D, T>(f, f) + NeoHookean::third(D);
    const T along = nh.mu - nh.mu / (squares + 1.0);
    const T across = nh.lambda * (determinant<D, T>(f, c) - nh.rest);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) p[i][j] = madd(along, f[i][j], across * c[i][j]);
    return;
  }
  Small<D, T> s;
  strain<D, T>(law, f, r, s);
  const T volumetric = lame.lambda * trace<D, T>(s);
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      s[i][j] = 2 * lame.mu * s[i][j];
      if (i == j) s[i][j] = s[i][j] + volumetric;
    }
  if (law == Law::linear)
    p = s;
  else
    multiply<D, T>(law == Law::corotational ? r : f, s, p);
}

template <int D, class T>
inline T energy_of(Law law, const Lame& lame, const Small<D, T>& f, const Small<D, T>& r) {
  if (law == Law::neo_hookean) {
    const NeoHookean nh(lame);
    Small<D, T> c;
    cofactor<D, T>(f, c);
    const T squares = product<D, T>(f, f) + NeoHookean::third(D);
    const T excess = determinant<D, T>(f, c) - nh.rest;
    // Zero at rest: Ψ(I) would be ½λ(1 − rest)² − ½μ ln 4.
    const double at_rest = 0.5 * nh.lambda * (1 - nh.rest) * (1 - nh.rest) - 0.5 * nh.mu * std::log(4.0);
    return 0.5 * nh.mu * (squares - 3.0 - logarithm(squares + 1.0)) + 0.5 * nh.lambda * excess * excess -
           at_rest;
  }
  Small<D, T> e;
  strain<D, T>(law, f, r, e);
  const T sum = trace<D, T>(e);
  return lame.mu * product<D, T>(e, e) + 0.5 * lame.lambda * sum * sum;
}

}  // namespace selkie::fem::detail
