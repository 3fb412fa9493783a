// Laws at one point; see material.h. The kernels of detail/law.h at single precision of width: one element.
#include "selkie/solids/fem/material.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/math/svd.h"
#include "selkie/solids/fem/detail/law.h"

namespace selkie::fem {
namespace {

template <int D>
detail::Small<D, double> small(const Matrix<D>& m) {
  detail::Small<D, double> s;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) s[i][j] = m(i, j);
  return s;
}

template <int D>
Matrix<D> matrix(const detail::Small<D, double>& s) {
  Matrix<D> m;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) m(i, j) = s[i][j];
  return m;
}

template <int D>
auto decompose(const Matrix<D>& f) {
  if constexpr (D == 2)
    return svd2(f);
  else
    return svd3(f);
}

// Calls visit(i, j, n) for the pairs of axes in the order of Tangent.
template <int D, class Visit>
void each_pair(Visit&& visit) {
  for (int i = 0, n = 0; i < D; ++i)
    for (int j = i + 1; j < D; ++j, ++n) visit(i, j, static_cast<std::size_t>(n));
}

template <int D>
using Stretches = Eigen::Matrix<double, D, 1>;

template <int D>
void fill_hooke(const Lame& lame, Tangent<D>& t) {
  t.stretch = Matrix<D>::Constant(lame.lambda) + 2 * lame.mu * Matrix<D>::Identity();
  t.flip.fill(2 * lame.mu);
  t.twist.fill(0);
}

// The stress of the law grows with the rotation's change where stretches nearly cancel; beyond this they
// count as equal and opposite.
constexpr double kLeastSum = 1e-9;

template <int D>
void fill_corotational(const Lame& lame, const Stretches<D>& s, Tangent<D>& t) {
  fill_hooke(lame, t);
  const double pull = 2 * lame.lambda * (s.sum() - D) - 4 * lame.mu;
  each_pair<D>([&](int i, int j, std::size_t n) {
    t.twist[n] = 2 * lame.mu + pull / std::max(s[i] + s[j], kLeastSum);
  });
}

template <int D>
void fill_green(const Lame& lame, const Stretches<D>& s, Tangent<D>& t) {
  const double pressure = lame.lambda * 0.5 * (s.squaredNorm() - D);
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j)
      t.stretch(i, j) =
          lame.lambda * s[i] * s[j] + (i == j ? pressure + lame.mu * (3 * s[i] * s[i] - 1) : 0.0);
  each_pair<D>([&](int i, int j, std::size_t n) {
    const double squares = s[i] * s[i] + s[j] * s[j] - 1, mixed = s[i] * s[j];
    t.flip[n] = pressure + lame.mu * (squares + mixed);
    t.twist[n] = pressure + lame.mu * (squares - mixed);
  });
}

template <int D>
void fill_neo_hookean(const Lame& lame, const Stretches<D>& s, Tangent<D>& t) {
  const detail::NeoHookean nh(lame);
  const double sum = s.squaredNorm() + nh.third(D) + 1;
  const double along = nh.mu - nh.mu / sum;
  const double across = nh.lambda * (s.prod() - nh.rest);
  auto others = [&](int i, int j) {  // product of the stretches besides i and j
    double rest = 1;
    for (int k = 0; k < D; ++k)
      if (k != i && k != j) rest *= s[k];
    return rest;
  };
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j)
      t.stretch(i, j) = 2 * nh.mu * s[i] * s[j] / (sum * sum) + nh.lambda * others(i, i) * others(j, j) +
                        (i == j ? along : across * others(i, j));
  each_pair<D>([&](int i, int j, std::size_t n) {
    t.flip[n] = along - across * others(i, j);
    t.twist[n] = along + across * others(i, j);
  });
}

template <int D>
void make_positive(Tangent<D>& t) {
  for (double& value : t.flip) value = std::max(value, 0.0);
  for (double& value : t.twist) value = std::max(value, 0.0);
  Eigen::SelfAdjointEigenSolver<Matrix<D>> eigen;
  eigen.computeDirect(t.stretch);
  if (eigen.eigenvalues()[0] >= 0) return;
  t.stretch =
      eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace

Lame lame(double young, double poisson) {
  if (!(young > 0) || !std::isfinite(young))
    throw InputError("Young's modulus is " + number_text(young) + " Pa",
                     "it must be positive: rubber has about 1e7, a soft toy 1e4");
  if (!(poisson > -1 && poisson < 0.5))
    throw InputError("Poisson's ratio is " + number_text(poisson),
                     "it must lie between -1 and 0.5; at 0.5 nothing could be compressed: use up to 0.49");
  return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

template <int D>
Matrix<D> rotation_of(const Matrix<D>& f) {
  if constexpr (D == 2)
    return polar2(f).rotation;
  else
    return polar3(f).rotation;
}

template <int D>
double energy_density(Law law, const Lame& lame, const Matrix<D>& f) {
  const Matrix<D> r = law == Law::corotational ? rotation_of<D>(f) : Matrix<D>(Matrix<D>::Identity());
  return detail::energy_of<D, double>(law, lame, small<D>(f), small<D>(r));
}

template <int D>
Matrix<D> stress(Law law, const Lame& lame, const Matrix<D>& f) {
  if (law == Law::corotational) return rotated_stress<D>(lame, rotation_of<D>(f), f);
  detail::Small<D, double> p;
  detail::stress_of<D, double>(law, lame, small<D>(f), {}, p);
  return matrix<D>(p);
}

template <int D>
Matrix<D> rotated_stress(const Lame& lame, const Matrix<D>& rotation, const Matrix<D>& f) {
  detail::Small<D, double> p;
  detail::stress_of<D, double>(Law::corotational, lame, small<D>(f), small<D>(rotation), p);
  return matrix<D>(p);
}

template <int D>
Tangent<D> tangent(Law law, const Lame& lame, const Matrix<D>& f, TangentKind kind) {
  Tangent<D> t;
  if (law == Law::linear || (law == Law::corotational && kind == TangentKind::frozen)) {
    fill_hooke(lame, t);
    t.u = law == Law::linear ? Matrix<D>(Matrix<D>::Identity()) : rotation_of<D>(f);
    t.v.setIdentity();
    return t;
  }
  const auto svd = decompose<D>(f);
  t.u = svd.u, t.v = svd.v;
  if (law == Law::corotational)
    fill_corotational<D>(lame, svd.sigma, t);
  else if (law == Law::green)
    fill_green<D>(lame, svd.sigma, t);
  else
    fill_neo_hookean<D>(lame, svd.sigma, t);
  if (kind != TangentKind::exact) make_positive(t);
  return t;
}

template <int D>
Matrix<D> apply(const Tangent<D>& t, const Matrix<D>& df) {
  const Matrix<D> local = t.u.transpose() * df * t.v;
  Matrix<D> dp;
  dp.diagonal() = t.stretch * local.diagonal();
  each_pair<D>([&](int i, int j, std::size_t n) {
    const double even = 0.5 * t.flip[n] * (local(i, j) + local(j, i));
    const double odd = 0.5 * t.twist[n] * (local(i, j) - local(j, i));
    dp(i, j) = even + odd;
    dp(j, i) = even - odd;
  });
  return t.u * dp * t.v.transpose();
}

template <int D>
Matrix<D> stiffness_block(const Tangent<D>& t, const Eigen::Matrix<double, D, 1>& gradient_a,
                          const Eigen::Matrix<double, D, 1>& gradient_b) {
  const Eigen::Matrix<double, D, 1> a = t.v.transpose() * gradient_a, b = t.v.transpose() * gradient_b;
  Matrix<D> k;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) k(i, j) = t.stretch(i, j) * a[i] * b[j];
  each_pair<D>([&](int i, int j, std::size_t n) {
    const double same = 0.5 * (t.flip[n] + t.twist[n]), crossed = 0.5 * (t.flip[n] - t.twist[n]);
    k(i, i) += same * a[j] * b[j];
    k(j, j) += same * a[i] * b[i];
    k(i, j) += crossed * a[j] * b[i];
    k(j, i) += crossed * a[i] * b[j];
  });
  return t.u * k * t.u.transpose();
}

#define SELKIE_FEM_INSTANTIATE(D)                                                              \
  template Matrix<D> rotation_of<D>(const Matrix<D>&);                                         \
  template double energy_density<D>(Law, const Lame&, const Matrix<D>&);                       \
  template Matrix<D> stress<D>(Law, const Lame&, const Matrix<D>&);                            \
  template Matrix<D> rotated_stress<D>(const Lame&, const Matrix<D>&, const Matrix<D>&);       \
  template Tangent<D> tangent<D>(Law, const Lame&, const Matrix<D>&, TangentKind);             \
  template Matrix<D> apply<D>(const Tangent<D>&, const Matrix<D>&);                            \
  template Matrix<D> stiffness_block<D>(const Tangent<D>&, const Eigen::Matrix<double, D, 1>&, \
                                        const Eigen::Matrix<double, D, 1>&);
SELKIE_FEM_INSTANTIATE(2)
SELKIE_FEM_INSTANTIATE(3)
#undef SELKIE_FEM_INSTANTIATE

}  // namespace selkie::fem
