// Laws of elastic materials at one point: energy density Ψ(F), stress P = ∂Ψ/∂F (first Piola-Kirchhoff) and
// its derivative, for triangles (plane strain, D = 2) and tetrahedra (D = 3). Legend: F deformation gradient,
// R its rotation, ε strain, μ and λ Lamé's constants.
//   linear        Ψ = μ|ε|² + ½λ tr²ε,  ε = ½(F + Fᵀ) − I                             (RT-24, LE-23)
//   corotational  the same in the rotated frame: μ|F − R|² + ½λ tr²(RᵀF − I)          (RT-25, LE-28)
//   green         ε = ½(FᵀF − I): St. Venant and Kirchhoff's; weak under compression  (RT-22)
//   neo-hookean   stable under inversion, at rest for F = I [Smith18 §3]
// [Müller08 ch. 4] All derivatives are given in the frame of the singular vectors, where they are nearly
// diagonal, so that negative eigenvalues are clamped without an iteration over 9 × 9 matrices [Smith19].
#pragma once

#include <array>
#include <string_view>

#include "selkie/math/types.h"

namespace selkie::fem {

enum class Law { linear, corotational, green, neo_hookean };
constexpr auto describe(Law*) {
  return std::array<std::string_view, 4>{"linear", "corotational", "green", "neo-hookean"};
}
inline constexpr std::array<Law, 4> kAllLaws{Law::linear, Law::corotational, Law::green, Law::neo_hookean};

struct Lame {
  double mu = 0;      // Pa
  double lambda = 0;  // Pa
};
// From Young's modulus (Pa) and Poisson's ratio. Throws InputError unless E > 0 and −1 < ν < ½.
Lame lame(double young, double poisson);

template <int D>
using Matrix = Eigen::Matrix<double, D, D>;

// The rotation nearest to F, det = +1 also for inverted and flat F (RT-26).
template <int D>
Matrix<D> rotation_of(const Matrix<D>& f);

template <int D>
double energy_density(Law law, const Lame& lame, const Matrix<D>& f);  // J/m³
template <int D>
Matrix<D> stress(Law law, const Lame& lame, const Matrix<D>& f);  // Pa

// Corotational stress for a rotation found in any way. Only the nearest rotation gives forces without torque
// (RT-25).
template <int D>
Matrix<D> rotated_stress(const Lame& lame, const Matrix<D>& rotation, const Matrix<D>& f);

// ∂P/∂F. In the frame dF' = Uᵀ dF V stretches couple among themselves only,
//   dP'_ii = Σ_j stretch_ij dF'_jj,
// and each pair of off-diagonals splits into its symmetric and skew half:
//   dP'_ij = flip·½(dF'_ij + dF'_ji) + twist·½(dF'_ij − dF'_ji).
// Pairs come in the order (0,1), (0,2), (1,2).
template <int D>
struct Tangent {
  static constexpr int kPairs = D * (D - 1) / 2;
  Matrix<D> u, v;
  Matrix<D> stretch;
  std::array<double, kPairs> flip, twist;
};

enum class TangentKind {
  exact,
  positive,  // negative eigenvalues set to zero
  frozen,    // corotational: the rotation does not change (warped stiffness, RT-25); others: positive
};
template <int D>
Tangent<D> tangent(Law law, const Lame& lame, const Matrix<D>& f, TangentKind kind);

// dP for a change dF.
template <int D>
Matrix<D> apply(const Tangent<D>& tangent, const Matrix<D>& df);

// Block (a, b) of an element's stiffness: −∂f_a/∂x_b per volume, with the gradients of the corners' shape
// functions.
template <int D>
Matrix<D> stiffness_block(const Tangent<D>& tangent, const Eigen::Matrix<double, D, 1>& gradient_a,
                          const Eigen::Matrix<double, D, 1>& gradient_b);

}  // namespace selkie::fem
