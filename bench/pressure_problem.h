// The pressure problem that pressure_bench and its peer solve: N³ cells, walls all around but for the open
// side +z, random face velocities in [−1, 1] (walls 0); optionally a sphere of whole cells and a thin plate
// of closed faces. Plain arrays, so that the peer needs nothing of Selkie.
#pragma once

#include <cstddef>
#include <cstdint>

namespace selkie::bench {

struct PressureProblem {
  int n;
  bool obstacles;

  bool solid(int i, int j, int k) const {
    if (i < 0 || j < 0 || k < 0 || i >= n || j >= n || k > n) return true;
    if (k == n || !obstacles) return false;
    const double x = (i + 0.5) / n - 0.5, y = (j + 0.5) / n - 0.5, z = (k + 0.5) / n - 0.4;
    return x * x + y * y + z * z < 0.04;
  }
  bool air(int k) const { return k == n; }
  // Whether the low face of a cell along an axis is open: 1 or 0.
  int open(int axis, int i, int j, int k) const {
    if (solid(i, j, k) || solid(i - (axis == 0), j - (axis == 1), k - (axis == 2))) return 0;
    const bool on_plate = obstacles && axis == 0 && i == 3 * n / 4 + 1 && j >= n / 4 && j < 3 * n / 4 &&
                          k >= n / 4 && k < 3 * n / 4;
    return on_plate ? 0 : 1;
  }
  double velocity(int axis, int i, int j, int k) const {
    std::uint32_t x = static_cast<std::uint32_t>(((axis * (n + 1) + k) * (n + 1) + j) * (n + 1) + i) + 12345u;
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
    return (x >> 8) * (2.0 / 16777216.0) - 1;
  }
  double right(int i, int j, int k) const {
    if (solid(i, j, k)) return 0;
    double b = 0;
    const int at[3] = {i, j, k};
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side) {
        int f[3] = {at[0], at[1], at[2]};
        f[axis] += side;
        if (open(axis, f[0], f[1], f[2]) != 0) b += (side == 0 ? 1 : -1) * velocity(axis, f[0], f[1], f[2]);
      }
    return b;
  }
};

}  // namespace selkie::bench
