// Upwind solution of |∇u| = 1 at one sample, and what a sample beside the surface knows of it. u is the
// distance on the sample's own side of the surface, so that values across it are negative.
//   second order along an axis: (3u − 4u₁ + u₂)/2h = (u − t)/(2h/3), t = (4u₁ − u₂)/3   [Sethian96]
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace selkie::grid::detail {

// What one axis contributes: Σ weight (u − value)² = h² over the axes whose `near` lies below u.
template <class T>
struct Upwind {
  T near;    // u of the neighbour towards the surface
  T value;   // what u is compared with: near, or t
  T weight;  // 1, or 9/4 in second order
};

template <class T>
Upwind<T> first_order(T near) {
  return {near, near, T(1)};
}
// u₂ lies beyond u₁; only where u falls towards the surface do the two make a difference of second order.
template <class T>
Upwind<T> second_order(T near, T beyond) {
  if (!(beyond <= near)) return first_order(near);
  return {near, (T(4) * near - beyond) / T(3), T(9) / T(4)};
}

// The largest set of axes that is consistent with its own answer: u not below any neighbour it came from.
template <class T>
T solve_upwind(Upwind<T>* axes, int count, T h) {
  if (count > 1 && axes[1].near < axes[0].near) std::swap(axes[0], axes[1]);
  if (count > 2 && axes[2].near < axes[1].near) {
    std::swap(axes[1], axes[2]);
    if (axes[1].near < axes[0].near) std::swap(axes[0], axes[1]);
  }
  const T base = axes[0].value;  // differences of distances, not distances: float would lose them in squares
  for (; count > 1; --count) {
    T a = 0, b = 0, c = -h * h;
    for (int n = 0; n < count; ++n) {
      const T t = axes[n].value - base;
      a += axes[n].weight, b += axes[n].weight * t, c += axes[n].weight * t * t;
    }
    const T discriminant = b * b - a * c;
    if (discriminant < 0) continue;
    const T u = base + (b + std::sqrt(discriminant)) / a;
    if (u >= axes[count - 1].near) return u;
  }
  const T u = axes[0].weight == T(1) ? base + h : base + T(2) / T(3) * h;
  return u >= axes[0].near ? u : axes[0].near + h;
}

// The neighbourhood of a sample: element offsets, and which neighbours exist.
template <int Dims>
struct Around {
  std::ptrdiff_t stride[Dims];
  bool has[Dims][2];  // low, high
};

// Whether a neighbour along an axis lies on the other side of the surface.
template <class T, int Dims>
bool beside_surface(const T* f, const Around<Dims>& around) {
  const bool inside = *f < 0;
  for (int a = 0; a < Dims; ++a)
    if ((around.has[a][0] && (f[-around.stride[a]] < 0) != inside) ||
        (around.has[a][1] && (f[around.stride[a]] < 0) != inside))
      return true;
  return false;
}

// A piece of the surface as a sample beside it sees it, in cells: the nearest point as an offset from the
// sample, the unit normal towards φ > 0, and the second fundamental form on the tangent plane.
template <class T>
struct Foot {
  T offset[3]{};
  T normal[3]{};
  T bend[6]{};  // xx, yy, zz, xy, xz, yz; 1/cells
  T distance = 0;
};

// The foot of a sample beside the surface. [Russo00], [Chopp01] in spirit
// Along the gradient φ is a parabola: u − g s + ½ s² nᵀHn = 0. Deviating from Russo and Smereka's u/g, that
// keeps third order also where φ is no distance yet. An axis across which φ has a kink contributes its upwind
// slope and no curvature.
template <class T, int Dims>
Foot<T> foot_of(const T* f, const Around<Dims>& around) {
  constexpr T kSmooth = T(0.4);  // of the largest slope: a radius of two and a half cells
  const T side = *f < 0 ? T(-1) : T(1), u = side * *f;
  T low[Dims], high[Dims], upwind[Dims], steepest = 0, crossings = 0;
  for (int a = 0; a < Dims; ++a) {
    const std::ptrdiff_t step = around.stride[a];
    low[a] = around.has[a][0] ? side * f[-step] : around.has[a][1] ? T(2) * u - side * f[step] : u;
    high[a] = around.has[a][1] ? side * f[step] : T(2) * u - low[a];
    upwind[a] = std::max({u - low[a], u - high[a], T(0)});
    steepest = std::max(steepest, upwind[a]);
    const T beyond = std::min(around.has[a][0] ? low[a] : u, around.has[a][1] ? high[a] : u);
    if (beyond <= 0 && u > 0) crossings += (u - beyond) / u * ((u - beyond) / u);
  }
  T slope[3]{}, bend[6]{}, g2 = 0;
  bool smooth[Dims];
  for (int a = 0; a < Dims; ++a) {
    bend[a] = low[a] - T(2) * u + high[a];
    smooth[a] = std::abs(bend[a]) <= kSmooth * steepest;
    if (!smooth[a]) bend[a] = 0;
    slope[a] = smooth[a] ? T(0.5) * (high[a] - low[a]) : (low[a] <= high[a] ? upwind[a] : -upwind[a]);
    g2 += slope[a] * slope[a];
  }
  Foot<T> foot;
  // Distance to the plane through the crossings: never far off.
  const T plane = u > 0 ? T(1) / std::sqrt(crossings) : T(0);
  if (!(g2 > 0)) {
    foot.distance = plane;
    return foot;
  }
  for (int a = 0; a < Dims; ++a)
    for (int b = 0; b < a; ++b) {
      if (!smooth[a] || !smooth[b] || !around.has[a][0] || !around.has[a][1] || !around.has[b][0] ||
          !around.has[b][1])
        continue;
      const std::ptrdiff_t p = around.stride[a] + around.stride[b], m = around.stride[a] - around.stride[b];
      const T mixed = T(0.25) * side * (f[p] + f[-p] - f[m] - f[-m]);
      if (std::abs(mixed) <= kSmooth * steepest) bend[2 + a + b] = mixed;
    }
  const T g = std::sqrt(g2);
  T n[3], along[3];  // unit normal of u, H n / g
  for (int a = 0; a < 3; ++a) n[a] = slope[a] / g;
  along[0] = (bend[0] * n[0] + bend[3] * n[1] + bend[4] * n[2]) / g;
  along[1] = (bend[3] * n[0] + bend[1] * n[1] + bend[5] * n[2]) / g;
  along[2] = (bend[4] * n[0] + bend[5] * n[1] + bend[2] * n[2]) / g;
  const T normal_bend = along[0] * n[0] + along[1] * n[1] + along[2] * n[2];
  const T root = std::max(T(1) - T(2) * normal_bend * u / g, T(0.25));
  foot.distance = std::clamp(T(2) * u / (g * (T(1) + std::sqrt(root))), T(0.3) * plane, T(1.2) * plane);
  // Form on the tangent plane, P H P / g, with the sign of φ.
  constexpr int kFirst[6] = {0, 1, 2, 0, 0, 1}, kSecond[6] = {0, 1, 2, 1, 2, 2};
  for (int e = 0; e < 6; ++e) {
    const int a = kFirst[e], b = kSecond[e];
    foot.bend[e] = side * (bend[e] / g - along[a] * n[b] - along[b] * n[a] + normal_bend * n[a] * n[b]);
  }
  // The normal at the foot, from which the sample is seen: ∇u changes by −s H n on the way.
  T m[3], length = 0;
  for (int a = 0; a < 3; ++a) {
    m[a] = n[a] - foot.distance * (along[a] - normal_bend * n[a]);
    length += m[a] * m[a];
  }
  length = std::sqrt(length);
  for (int a = 0; a < 3; ++a) {
    foot.offset[a] = -foot.distance * m[a] / length;
    foot.normal[a] = side * m[a] / length;
  }
  return foot;
}

}  // namespace selkie::grid::detail
