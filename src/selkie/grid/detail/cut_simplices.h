// The part of a box in which a function, linear on the simplices of Kuhn's cut of the box, is negative: its
// volume, and the size of the surface where it is zero. A plane is met exactly.
#pragma once

#include <algorithm>
#include <array>

#include "selkie/math/types.h"

namespace selkie::grid::detail {

// Share of a triangle or tetrahedron in which a linear function with these corner values is negative.
inline double negative_share(std::array<double, 3> f) {
  std::sort(f.begin(), f.end());
  if (f[0] >= 0) return 0;
  if (f[2] < 0) return 1;
  if (f[1] >= 0) return f[0] / (f[0] - f[1]) * (f[0] / (f[0] - f[2]));
  return 1 - f[2] / (f[2] - f[0]) * (f[2] / (f[2] - f[1]));
}
inline double negative_share(std::array<double, 4> f) {
  std::sort(f.begin(), f.end());
  if (f[0] >= 0) return 0;
  if (f[3] < 0) return 1;
  if (f[1] >= 0) return f[0] / (f[0] - f[1]) * (f[0] / (f[0] - f[2])) * (f[0] / (f[0] - f[3]));
  if (f[2] < 0) return 1 - f[3] / (f[3] - f[0]) * (f[3] / (f[3] - f[1])) * (f[3] / (f[3] - f[2]));
  // Two and two: the wedge as three tetrahedra, in barycentric coordinates. t_ac: share of edge a–c.
  const double ac = f[0] / (f[0] - f[2]), ad = f[0] / (f[0] - f[3]);
  const double bc = f[1] / (f[1] - f[2]), bd = f[1] / (f[1] - f[3]);
  return ac * ad + ac * (1 - ad) * bd + (1 - ac) * bc * bd;
}

// Size of the zero of the function on the simplex: a length or an area.
inline double zero_size(const std::array<double, 3>& f, const std::array<Vec3, 3>& x) {
  Vec3 ends[2];
  int count = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3;
    if ((f[a] < 0) != (f[b] < 0)) ends[count++] = x[a] + f[a] / (f[a] - f[b]) * (x[b] - x[a]);
  }
  return count == 2 ? (ends[1] - ends[0]).norm() : 0;
}
inline double zero_size(const std::array<double, 4>& f, const std::array<Vec3, 4>& x) {
  std::array<std::size_t, 4> order{};  // those below zero first
  std::size_t below = 0;
  for (std::size_t a = 0; a < 4; ++a)
    if (f[a] < 0) order[below++] = a;
  std::size_t next = below;
  for (std::size_t a = 0; a < 4; ++a)
    if (!(f[a] < 0)) order[next++] = a;
  auto crossing = [&](std::size_t p, std::size_t q) {
    const std::size_t a = order[p], b = order[q];
    return Vec3(x[a] + f[a] / (f[a] - f[b]) * (x[b] - x[a]));
  };
  auto triangle = [](const Vec3& a, const Vec3& b, const Vec3& c) {
    return 0.5 * (b - a).cross(c - a).norm();
  };
  if (below == 0 || below == 4) return 0;
  if (below == 1) return triangle(crossing(0, 1), crossing(0, 2), crossing(0, 3));
  if (below == 3) return triangle(crossing(3, 0), crossing(3, 1), crossing(3, 2));
  const Vec3 a = crossing(0, 2), b = crossing(0, 3), c = crossing(1, 3), d = crossing(1, 2);
  return triangle(a, b, c) + triangle(a, c, d);
}

// Corner c of a box has bit a set on its high side along axis a. Kuhn's simplices run from corner 0 to the
// last along the axes, in every order of the axes.
template <int Dims, class Visit>
void each_simplex(Visit&& visit) {
  if constexpr (Dims == 2) {
    visit(std::array<std::size_t, 3>{0, 1, 3});
    visit(std::array<std::size_t, 3>{0, 2, 3});
  } else {
    constexpr std::size_t kFirst[6] = {1, 1, 2, 2, 4, 4}, kSecond[6] = {3, 5, 3, 6, 5, 6};
    for (int n = 0; n < 6; ++n) visit(std::array<std::size_t, 4>{0, kFirst[n], kSecond[n], 7});
  }
}

template <int Dims>
double negative_volume(const std::array<double, (1 << Dims)>& f, const Vec3& size) {
  double share = 0;
  each_simplex<Dims>([&](const auto& corners) {
    std::array<double, Dims + 1> values;
    for (std::size_t c = 0; c <= Dims; ++c) values[c] = f[corners[c]];
    share += negative_share(values);
  });
  return Dims == 2 ? share / 2 * size.x() * size.y() : share / 6 * size.x() * size.y() * size.z();
}
template <int Dims>
double zero_size(const std::array<double, (1 << Dims)>& f, const Vec3& size) {
  double sum = 0;
  each_simplex<Dims>([&](const auto& corners) {
    std::array<double, Dims + 1> values;
    std::array<Vec3, Dims + 1> places;
    for (std::size_t n = 0; n <= Dims; ++n) {
      const std::size_t c = corners[n];
      values[n] = f[c];
      places[n] = size.cwiseProduct(Vec3(double(c & 1), double(c >> 1 & 1), double(c >> 2 & 1)));
    }
    sum += zero_size(values, places);
  });
  return sum;
}

}  // namespace selkie::grid::detail
