// Where particles may be: inside the box and outside of solids. Ways out of solids for those that a step has
// brought into one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "selkie/fluids/liquid/detail/taps.h"
#include "selkie/fluids/liquid/model.h"
#include "selkie/fluids/liquid/solids.h"

namespace selkie::liquid::detail {

template <class Real>
struct Walls {
  std::array<Real, 3> low{}, high{};  // where particles are kept, in cells
  std::array<std::array<bool, 2>, 3> open{};

  explicit Walls(const Model& model) {
    for (int axis = 0; axis < model.shape.dims(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      low[a] = static_cast<Real>(kMargin);
      high[a] = static_cast<Real>(model.shape.cells()[a] - kMargin);
      for (const bool side : {false, true}) open[a][side] = model.side(axis, side) == Side::open;
    }
  }
};

template <class Real, int Dims>
std::array<Real, 3> kept_inside(std::array<Real, 3> x, const Walls<Real>& walls) {
  for (std::size_t a = 0; a < Dims; ++a) x[a] = std::min(std::max(x[a], walls.low[a]), walls.high[a]);
  return x;
}

// A particle that an open side let through.
template <class Real, int Dims>
bool has_left(const std::array<Real, 3>& x, const Walls<Real>& walls) {
  for (std::size_t a = 0; a < Dims; ++a)
    if ((walls.open[a][0] && x[a] < walls.low[a]) || (walls.open[a][1] && x[a] > walls.high[a])) return true;
  return false;
}

// Distances that particles keep from solids, in cells: enough that float places stay outside.
constexpr double kClearance = 0.02;
constexpr int kAttempts = 8;

// Whether a particle was clear of all solids, had to be moved, or found no room.
enum class PushOut { clear, moved, stuck };

// The place outside all solids nearest to x, by steps along the distance's gradient.
template <class Real, int Dims>
PushOut push_out(const grid::Shape& shape, Colliders colliders, double time, const Buffer<Real>& nodes,
                 const Walls<Real>& walls, std::array<Real, 3>& x) {
  const double dx = shape.cell_size();
  // What corners say is within half a cell of the truth near the solid.
  if (double(plain_distance_at(shape, nodes, x)) > 0.75 * dx) return PushOut::clear;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Vec3 at = world_of(shape, Vec3(double(x[0]), double(x[1]), Dims == 3 ? double(x[2]) : 0.0));
    const ports::FieldSample solid = nearest_solid(colliders, at, time);
    if (!(solid.distance < 0.5 * kClearance * dx)) return attempt == 0 ? PushOut::clear : PushOut::moved;
    const double way = (kClearance * dx - solid.distance) / dx;
    for (std::size_t a = 0; a < Dims; ++a)
      x[a] += static_cast<Real>(way * solid.normal[static_cast<Eigen::Index>(a)]);
    x = kept_inside<Real, Dims>(x, walls);
  }
  const Vec3 at = world_of(shape, Vec3(double(x[0]), double(x[1]), Dims == 3 ? double(x[2]) : 0.0));
  return nearest_solid(colliders, at, time).distance >= 0 ? PushOut::moved : PushOut::stuck;
}

// The way out for a particle that solids leave no room for: to the nearest cell that has some. From cell to
// cell it goes through open faces, and besides along the side of the solid that presses on it: not where the
// solid's normal points the other way, which is beyond its middle. So what two bodies squeeze out from
// between them leaves at their rim, and none passes through a plate.
template <class Real, int Dims>
class WayOut {
 public:
  WayOut(const grid::Shape& shape, Colliders colliders, double time, const PlacedSolids<Real>& solids,
         const Walls<Real>& walls)
      : shape_(shape), colliders_(colliders), time_(time), solids_(solids), walls_(walls) {}

  // `x` keeps its place within a cell as far as it can. False: there is no room within reach.
  bool find(std::array<Real, 3>& x) {
    for (std::size_t a = 0; a < Dims; ++a) {
      first_[a] = static_cast<int>(x[a]);
      within_[a] = x[a] - static_cast<Real>(first_[a]);
    }
    const Vec3 pressed = normal_at(x);
    seen_.fill(false);
    ways_.clear();
    visit({0, 0, 0}, 0);
    for (std::size_t n = 0; n < ways_.size(); ++n) {
      const Way way = ways_[n];
      const grid::Index cell = cell_of(way.cell);
      if (has_room(cell, x)) return true;
      if (way.faces == kReach) continue;
      for (std::size_t a = 0; a < Dims; ++a)
        for (const int side : {-1, 1}) {
          Offset next = way.cell;
          next[a] = static_cast<std::int8_t>(next[a] + side);
          const grid::Index to = cell_of(next);
          if (to[a] < 0 || to[a] >= shape_.cells()[a] || flag(next)) continue;
          const grid::Index& face = side > 0 ? to : cell;
          const bool open =
              solids_.open[a][static_cast<std::size_t>(shape_.at(face[0], face[1], face[2]))] > 0;
          if (open || normal_at(place_in(to)).dot(pressed) > -0.5) visit(next, way.faces + 1);
        }
    }
    return false;
  }

 private:
  static constexpr int kReach = 8;  // faces crossed
  static constexpr int kSpan = 2 * kReach + 1;
  using Offset = std::array<std::int8_t, 3>;  // from the first cell
  struct Way {
    Offset cell;
    int faces;
  };

  bool& flag(const Offset& c) {
    return seen_[static_cast<std::size_t>(
        c[0] + kReach + kSpan * (c[1] + kReach + (Dims == 3 ? kSpan * (c[2] + kReach) : 0)))];
  }
  void visit(const Offset& cell, int faces) {
    flag(cell) = true;
    ways_.push_back({cell, faces});
  }
  grid::Index cell_of(const Offset& offset) const {
    grid::Index cell{0, 0, 0};
    for (std::size_t a = 0; a < Dims; ++a) cell[a] = first_[a] + offset[a];
    return cell;
  }
  // The particle's place in another cell.
  std::array<Real, 3> place_in(const grid::Index& cell) const {
    std::array<Real, 3> y{0, 0, 0};
    for (std::size_t a = 0; a < Dims; ++a) y[a] = within_[a] + static_cast<Real>(cell[a]);
    return kept_inside<Real, Dims>(y, walls_);
  }
  // Exact: where a plate is as thin as a cell, distances at corners have no slope.
  Vec3 normal_at(const std::array<Real, 3>& x) const {
    const Vec3 at = world_of(shape_, Vec3(double(x[0]), double(x[1]), Dims == 3 ? double(x[2]) : 0.0));
    return nearest_solid(colliders_, at, time_).normal;
  }
  bool has_room(const grid::Index& cell, std::array<Real, 3>& x) const {
    std::array<Real, 3> y = place_in(cell);
    if (double(plain_distance_at(shape_, solids_.nodes, y)) < -2 * shape_.cell_size()) return false;
    if (push_out<Real, Dims>(shape_, colliders_, time_, solids_.nodes, walls_, y) == PushOut::stuck)
      return false;
    for (std::size_t a = 0; a < Dims; ++a)
      if (static_cast<int>(y[a]) != cell[a]) return false;
    x = y;
    return true;
  }

  const grid::Shape& shape_;
  Colliders colliders_;
  double time_;
  const PlacedSolids<Real>& solids_;
  const Walls<Real>& walls_;
  grid::Index first_{0, 0, 0};
  std::array<Real, 3> within_{0, 0, 0};
  std::array<bool, static_cast<std::size_t>(kSpan* kSpan*(Dims == 3 ? kSpan : 1))> seen_{};
  std::vector<Way> ways_;
};

// What solids in between make of a particle's step from `start` to `x`, as they are at the end of it. Seen
// from the solid, which moves as well, the way is looked at every half of a cell, so that a plate of one cell
// stops it however fast it is; and a particle that ends inside a plate leaves it on the side it came from.
template <class Real, int Dims>
PushOut keep_out(const grid::Shape& shape, Colliders colliders, double time, double dt,
                 const PlacedSolids<Real>& solids, const Walls<Real>& walls, std::array<Real, 3> start,
                 std::array<Real, 3>& x) {
  constexpr double kStride = 0.5, kInside = -0.2;  // cells
  const double dx = shape.cell_size();
  double way2 = 0;
  for (std::size_t a = 0; a < Dims; ++a) way2 += std::pow(double(x[a]) - double(start[a]), 2);
  const double way = std::sqrt(way2);
  // Corners are within half a cell of the truth near the solid.
  if (double(plain_distance_at(shape, solids.nodes, x)) > (0.75 + way) * dx) return PushOut::clear;
  auto world = [&](const std::array<Real, 3>& y) {
    return world_of(shape, Vec3(double(y[0]), double(y[1]), Dims == 3 ? double(y[2]) : 0.0));
  };
  const bool ends_inside = nearest_solid(colliders, world(x), time).distance < 0.5 * kClearance * dx;
  if (!ends_inside && way < kStride) return PushOut::clear;

  const ports::FieldSample from = nearest_solid(colliders, world(start), time);
  for (std::size_t a = 0; a < Dims; ++a)
    start[a] += static_cast<Real>(dt / dx * from.velocity[static_cast<Eigen::Index>(a)]);
  start = kept_inside<Real, Dims>(start, walls);
  const int strides = static_cast<int>(way / kStride);
  bool stopped = false;
  for (int k = 1; k <= strides && !stopped; ++k) {
    std::array<Real, 3> y = start;
    for (std::size_t a = 0; a < Dims; ++a)
      y[a] += static_cast<Real>(k) / static_cast<Real>(strides + 1) * (x[a] - start[a]);
    stopped = nearest_solid(colliders, world(y), time).distance < kInside * dx;
    if (stopped) x = y;
  }
  if (!stopped && !ends_inside) return PushOut::clear;
  if (nearest_solid(colliders, world(x), time)
          .normal.dot(nearest_solid(colliders, world(start), time).normal) < 0)
    x = start;
  const PushOut out = push_out<Real, Dims>(shape, colliders, time, solids.nodes, walls, x);
  return out == PushOut::clear ? PushOut::moved : out;
}

}  // namespace selkie::liquid::detail
