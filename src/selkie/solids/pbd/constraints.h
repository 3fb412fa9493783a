// Constraint functions C(p) and their gradients, as pure functions of the corners: distance (RT-30), dihedral
// angle with and without sign (RT-31), isometric bending, vertex against triangle (RT-32), volume of a
// tetrahedron (RT-33). [Müller08 §5.4; Bridson03 §4; Bergou06] Each is written once for doubles and for
// registers of them. The gradient of corner i is written to g[i].
#pragma once

#include <array>

#include "selkie/solids/pbd/detail/vector3.h"

namespace selkie::pbd {

template <class T, std::size_t N>
using Corners = std::array<Vector3<T>, N>;

// Too little to divide by; what is divided is then nothing, too.
inline constexpr double kTiny = 1e-200;

// |p₀ − p₁| − rest, m. Coincident points have no direction: zero gradients.
template <class T>
T distance_constraint(const Corners<T, 2>& p, const T& rest, Corners<T, 2>& g) {
  const Vector3<T> d = p[0] - p[1];
  const T length = Scalar<T>::root(dot(d, d));
  g[0] = (T{} + 1.0) / Scalar<T>::larger(length, T{} + kTiny) * d;
  g[1] = -g[0];
  return length - rest;
}

// Angle between the normals of the triangles (0, 1, 2) and (0, 1, 3), as in the notes: π for a flat sheet,
// never negative, less `rest`. The gradients written are q_i = √(1−d²) ∇_i C, d the cosine; √(1−d²) is
// returned in `sine` [Müller08 §5.4.2]. At d = ±1 the gradient has no limit, and acos has half the digits.
template <class T>
T dihedral_constraint(const Corners<T, 4>& p, const T& rest, Corners<T, 4>& q, T& sine) {
  const Vector3<T> p2 = p[1] - p[0], p3 = p[2] - p[0], p4 = p[3] - p[0];
  const Vector3<T> m1 = cross(p2, p3), m2 = cross(p2, p4);
  const T one = T{} + 1.0;
  const T inverse1 = one / Scalar<T>::larger(Scalar<T>::root(dot(m1, m1)), T{} + kTiny);
  const T inverse2 = one / Scalar<T>::larger(Scalar<T>::root(dot(m2, m2)), T{} + kTiny);
  const Vector3<T> n1 = inverse1 * m1, n2 = inverse2 * m2;
  const T d = dot(n1, n2);
  sine = Scalar<T>::root(Scalar<T>::larger(one - d * d, T{}));
  q[2] = inverse1 * (cross(p2, n2) + d * cross(n1, p2));
  q[3] = inverse2 * (cross(p2, n1) + d * cross(n2, p2));
  q[1] = -(inverse1 * (cross(p3, n2) + d * cross(n1, p3))) - inverse2 * (cross(p4, n1) + d * cross(n2, p4));
  q[0] = -q[1] - q[2] - q[3];
  return Scalar<T>::angle(sine, d) - rest;  // acos d
}

// The same angle with the sign of the fold, 0 for a flat sheet, less `rest`, in (−π, π]; regular but for
// triangles without area. [Bridson03 §4]
template <class T>
T signed_dihedral_constraint(const Corners<T, 4>& p, const T& rest, Corners<T, 4>& g) {
  const T one = T{} + 1.0, tiny = T{} + kTiny;
  const Vector3<T> e = p[1] - p[0];
  const Vector3<T> n1 = cross(p[2] - p[0], p[2] - p[1]), n2 = cross(p[3] - p[1], p[3] - p[0]);
  const T length = Scalar<T>::larger(Scalar<T>::root(dot(e, e)), tiny);
  const T square1 = Scalar<T>::larger(dot(n1, n1), tiny), square2 = Scalar<T>::larger(dot(n2, n2), tiny);
  const Vector3<T> u1 = one / square1 * n1, u2 = one / square2 * n2;
  g[2] = -(length * u1);
  g[3] = -(length * u2);
  g[0] = -(dot(p[2] - p[1], e) / length * u1) - dot(p[3] - p[1], e) / length * u2;
  g[1] = dot(p[2] - p[0], e) / length * u1 + dot(p[3] - p[0], e) / length * u2;
  T angle = Scalar<T>::angle(dot(cross(n1, n2), e) / length, dot(n1, n2)) - rest;
  const T turn = T{} + 2 * M_PI, half = T{} + M_PI;
  angle = angle > half ? angle - turn : angle;
  return angle <= -half ? angle + turn : angle;
}

// |Σ K_i p_i| − rest with the factors of isometric_factors(): ½C² is the bending energy of a hinge of a sheet
// that does not stretch [Bergou06], so a compliance is 1 over the bending stiffness (N·m). Σ|∇_i C|² is
// constant.
template <class T>
T isometric_constraint(const Corners<T, 4>& p, const std::array<T, 4>& k, const T& rest, Corners<T, 4>& g) {
  const Vector3<T> c = (k[0] * p[0] + k[1] * p[1]) + (k[2] * p[2] + k[3] * p[3]);
  const T size = Scalar<T>::root(dot(c, c));
  const Vector3<T> direction = (T{} + 1.0) / Scalar<T>::larger(size, T{} + kTiny) * c;
  for (std::size_t i = 0; i < 4; ++i) g[i] = k[i] * direction;
  return size - rest;
}
// K of the hinge with edge (0, 1) and opposite corners 2 and 3, from its flat or folded rest shape.
std::array<double, 4> isometric_factors(const std::array<Vec3, 4>& rest);

// Signed volume of a tetrahedron less `rest`, m³; inverted ones are negative and recover.
template <class T>
T volume_constraint(const Corners<T, 4>& p, const T& rest, Corners<T, 4>& g) {
  const T sixth = T{} + 1.0 / 6;
  const Vector3<T> a = p[1] - p[0], b = p[2] - p[0], c = p[3] - p[0];
  g[1] = sixth * cross(b, c);
  g[2] = sixth * cross(c, a);
  g[3] = sixth * cross(a, b);
  g[0] = -g[1] - g[2] - g[3];
  return dot(a, g[1]) - rest;
}

// Height of q over the triangle p on the side `side` (±1) less `thickness`: to be kept ≥ 0. Corners are
// (q, p₁, p₂, p₃). [Müller08 §5.4.3]
double triangle_constraint(const std::array<Vec3, 4>& corners, double side, double thickness,
                           std::array<Vec3, 4>& g);

}  // namespace selkie::pbd
