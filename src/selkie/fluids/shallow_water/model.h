// Model of a sheet of water on a height field: its grid, its ground and what its four sides are. Fixed once
// built.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/core/function_ref.h"
#include "selkie/math/types.h"

namespace selkie::shallow_water {

// Cells (i, j) of one size over a rectangle; i runs along world x, j along world z, heights along y. Two
// ghost layers all around. Rows start aligned; the ghosts at i = -2, -1 are the last elements of the row
// before.
struct Grid {
  std::array<int, 2> cells{1, 1};
  double cell_size = 1;        // m
  Vec3 origin = Vec3::Zero();  // low corner of cell (0,0); heights are measured from y = 0

  static constexpr int kGhosts = 2;
  static constexpr std::ptrdiff_t kAlignment = 16;  // elements

  std::ptrdiff_t row() const { return (cells[0] + 2 * kGhosts + kAlignment - 1) / kAlignment * kAlignment; }
  std::ptrdiff_t first() const { return kAlignment + kGhosts * row(); }
  std::ptrdiff_t at(int i, int j) const { return first() + i + j * row(); }
  std::size_t size() const {
    return static_cast<std::size_t>(2 * kAlignment + row() * (cells[1] + 2 * kGhosts));
  }
  std::size_t cell_count() const {
    return static_cast<std::size_t>(cells[0]) * static_cast<std::size_t>(cells[1]);
  }
  double cell_area() const { return cell_size * cell_size; }
  double x(int i) const { return origin.x() + (i + 0.5) * cell_size; }
  double z(int j) const { return origin.z() + (j + 0.5) * cell_size; }
};

enum class Method {
  conservative,     // finite volumes: volume to round-off, shocks at the right speed [RT-61]
  semi_lagrangian,  // staggered, advected heights: simple and damped, loses volume [RT-55]
};
constexpr auto describe(Method*) {
  return std::array<std::string_view, 2>{"conservative", "semi-lagrangian"};
}

enum class SideKind {
  closed,     // a wall: everything comes back [RT-56]
  absorbing,  // first-order Higdon: waves leave [RT-57]; also the free outflow [RT-58]
  inflow,     // a discharge per metre of width comes in [RT-58]
  level,      // the height of the water is given
  sea,        // open water with a level that may swing: waves come in, others leave
};
constexpr auto describe(SideKind*) {
  return std::array<std::string_view, 5>{"closed", "absorbing", "inflow", "level", "sea"};
}

enum SideIndex : std::size_t { kLowX, kHighX, kLowZ, kHighZ, kSideCount };

// Part [from, to] of a side (m, along it) is of the kind; the rest is closed.
struct Side {
  SideKind kind = SideKind::closed;
  double from = -1e300, to = 1e300;
};

template <class Real>
struct Model {
  Grid grid;
  Method method = Method::conservative;
  std::array<Side, kSideCount> sides{};
  Buffer<Real> ground;         // m, of grid.size(), the ghosts included
  Buffer<std::uint8_t> walls;  // 1: no water here; of grid.size(), or empty where there are none

  bool wall(int i, int j) const {
    return !walls.empty() && walls[static_cast<std::size_t>(grid.at(i, j))] != 0;
  }
};

// Ground heights from a function of (x, z); beyond the sides it goes on as in a mirror. Every height must be
// finite and within ±1e6 m: the first that is not throws an InputError naming its cell.
template <class Real>
Model<Real> make_model(const Grid& grid, FunctionRef<double(double x, double z)> ground);

// Makes the cells whose middle, at the height of the ground, `inside` accepts walls from the ground to the
// sky.
template <class Real>
void add_wall(Model<Real>& model, FunctionRef<bool(const Vec3& point)> inside);

}  // namespace selkie::shallow_water
