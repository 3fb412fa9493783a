// See motion.h.
#include "selkie/fluids/liquid/motion.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/fluids/liquid/detail/batch.h"
#include "selkie/fluids/liquid/detail/taps.h"

namespace selkie::liquid {
namespace {

using detail::Faces;
constexpr std::size_t kChunk = 4096;

template <class Real>
struct Walls {
  std::array<Real, 3> low{}, high{};  // where particles are kept, in cells
  std::array<std::array<bool, 2>, 3> open{};

  explicit Walls(const Model& model) {
    for (int axis = 0; axis < model.shape.dims(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      low[a] = static_cast<Real>(detail::kMargin);
      high[a] = static_cast<Real>(model.shape.cells()[a] - detail::kMargin);
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

template <class Real>
using Places = std::array<detail::Lanes<Real>, 3>;

template <class Real, int Dims>
void keep_lanes_inside(Places<Real>& x, const Walls<Real>& walls) {
  for (std::size_t a = 0; a < Dims; ++a) {
    x[a] = x[a] < walls.low[a] ? walls.low[a] - detail::Lanes<Real>{} : x[a];
    x[a] = x[a] > walls.high[a] ? walls.high[a] - detail::Lanes<Real>{} : x[a];
  }
}

// x + Δt u inside the walls; `scale` is Δt/Δx.
template <class Real, int Dims>
Places<Real> along(const Places<Real>& x, const Places<Real>& u, Real scale, const Walls<Real>& walls) {
  Places<Real> y = x;
  for (std::size_t a = 0; a < Dims; ++a) y[a] += scale * u[a];
  keep_lanes_inside<Real, Dims>(y, walls);
  return y;
}

// Where a batch of particles goes, walls not yet regarded.
template <class Real, int Dims>
void move_lanes(const Faces<Real, Dims>& faces, const Walls<Real>& walls, Motion motion, Real scale,
                Places<Real>& x) {
  Places<Real> k1{}, k2{};
  detail::sample_lanes<Real, Dims>(faces, x, k1);
  detail::sample_lanes<Real, Dims>(faces, along<Real, Dims>(x, k1, scale / 2, walls), k2);
  if (motion == Motion::third_order) {  // [Ralston62]: 2/9, 3/9, 4/9 at 0, 1/2, 3/4
    Places<Real> k3{};
    detail::sample_lanes<Real, Dims>(faces, along<Real, Dims>(x, k2, Real(0.75) * scale, walls), k3);
    for (std::size_t a = 0; a < Dims; ++a) k2[a] = (2 * k1[a] + 3 * k2[a] + 4 * k3[a]) / 9;
  }
  for (std::size_t a = 0; a < Dims; ++a) x[a] += scale * k2[a];
}

template <class Real, int Dims>
struct Mover {
  const Model& model;
  Colliders colliders;
  double time;
  const PlacedSolids<Real>& solids;
  State<Real>& state;
  std::uint32_t* key;
  const Walls<Real> walls{model};

  // Puts the particle there, or marks it as gone.
  void settle(std::size_t p, std::array<Real, 3> x, MotionReport& report) const {
    const auto [nx, ny, nz] = model.shape.cells();
    if (has_left<Real, Dims>(x, walls)) {
      key[p] = kDropped;
      ++report.outflow;
      return;
    }
    x = kept_inside<Real, Dims>(x, walls);
    const PushOut out = solids.any()
                            ? push_out<Real, Dims>(model.shape, colliders, time, solids.nodes, walls, x)
                            : PushOut::clear;
    if (out == PushOut::stuck) {
      x = {state.particles.x[p], state.particles.y[p], Dims == 3 ? state.particles.z[p] : Real(0)};
      if (!WayOut<Real, Dims>(model.shape, colliders, time, solids, walls).find(x)) {
        key[p] = kDropped;
        ++report.crushed;
        return;
      }
    }
    if (out != PushOut::clear) ++report.pushed;
    state.particles.x[p] = x[0], state.particles.y[p] = x[1];
    if (Dims == 3) state.particles.z[p] = x[2];
    key[p] = static_cast<std::uint32_t>(
        static_cast<int>(x[0]) +
        nx * (static_cast<int>(x[1]) + ny * (Dims == 3 ? static_cast<int>(x[2]) : 0)));
  }

  // Whether a particle can be lost or a solid be in its way.
  bool plain() const {
    bool any = solids.any();
    for (std::size_t a = 0; a < Dims; ++a) any = any || walls.open[a][0] || walls.open[a][1];
    return !any;
  }
  // The same as settle() for a batch where nothing is in the way.
  void settle_lanes(std::size_t p, Places<Real> x, int count) const {
    const auto [nx, ny, nz] = model.shape.cells();
    keep_lanes_inside<Real, Dims>(x, walls);
    auto whole = [](const detail::Lanes<Real>& v) {
      return __builtin_convertvector(v, detail::LaneCounts<Real>);
    };
    detail::LaneCounts<Real> cell = whole(x[0]) + nx * whole(x[1]);
    if constexpr (Dims == 3) cell += nx * ny * whole(x[2]);
    std::memcpy(key + p, &cell, static_cast<std::size_t>(count) * sizeof *key);
    for (std::size_t a = 0; a < Dims; ++a)
      detail::store_lanes<Real>(state.particles.position()[a]->data() + p, x[a], count);
  }

  // `next(x)` moves a batch of places.
  template <class Next>
  MotionReport run(Next&& next) const {
    constexpr int kLanes = detail::kLanes<Real>;
    const std::size_t count = state.particles.size(), chunks = (count + kChunk - 1) / kChunk;
    const bool simple = plain();
    std::vector<MotionReport> parts(chunks);
    parallel_for(
        chunks,
        [&](std::size_t chunk) {
          const std::size_t last = std::min(count, (chunk + 1) * kChunk);
          for (std::size_t p = chunk * kChunk; p < last; p += kLanes) {
            const int lanes = static_cast<int>(std::min<std::size_t>(last - p, kLanes));
            Places<Real> x{};
            for (std::size_t a = 0; a < Dims; ++a)
              x[a] = detail::load_lanes<Real>(state.particles.position()[a]->data() + p, lanes);
            next(x);
            if (simple)
              settle_lanes(p, x, lanes);
            else
              for (int l = 0; l < lanes; ++l)
                settle(p + static_cast<std::size_t>(l), {x[0][l], x[1][l], x[2][l]}, parts[chunk]);
          }
        },
        1);
    MotionReport report;
    for (const MotionReport& part : parts)
      report.outflow += part.outflow, report.crushed += part.crushed, report.pushed += part.pushed;
    return report;
  }
};

template <class Real, int Dims>
MotionReport move_in(const Model& model, const Params& params, Colliders colliders, Interval interval,
                     const PlacedSolids<Real>& solids, State<Real>& state, Buffer<std::uint32_t>& key) {
  const Mover<Real, Dims> mover{model, colliders, interval.t1(), solids, state, key.data()};
  const std::array<const Buffer<Real>*, 3> fields{&state.velocity_x, &state.velocity_y, &state.velocity_z};
  const Faces<Real, Dims> faces(model.shape, fields);
  const Real scale = static_cast<Real>(interval.dt() / model.shape.cell_size());
  return mover.run(
      [&](Places<Real>& x) { move_lanes<Real, Dims>(faces, mover.walls, params.motion, scale, x); });
}

}  // namespace

template <class Real>
MotionReport move_particles(const Model& model, const Params& params, Colliders colliders, Interval interval,
                            const PlacedSolids<Real>& solids, State<Real>& state,
                            Buffer<std::uint32_t>& key) {
  const ProfileZone zone("liquid.move");
  if (key.size() < state.particles.size()) key.resize(state.particles.size());
  return model.shape.dims() == 3 ? move_in<Real, 3>(model, params, colliders, interval, solids, state, key)
                                 : move_in<Real, 2>(model, params, colliders, interval, solids, state, key);
}

template <class Real>
MotionReport leave_solids(const Model& model, Colliders colliders, double time,
                          const PlacedSolids<Real>& solids, State<Real>& state, Buffer<std::uint32_t>& key) {
  if (key.size() < state.particles.size()) key.resize(state.particles.size());
  if (model.shape.dims() == 3) {
    const Mover<Real, 3> mover{model, colliders, time, solids, state, key.data()};
    return mover.run([](Places<Real>&) {});
  }
  const Mover<Real, 2> mover{model, colliders, time, solids, state, key.data()};
  return mover.run([](Places<Real>&) {});
}

#define SELKIE_INSTANTIATE(Real)                                                                       \
  template MotionReport move_particles<Real>(const Model&, const Params&, Colliders, Interval,         \
                                             const PlacedSolids<Real>&, State<Real>&,                  \
                                             Buffer<std::uint32_t>&);                                  \
  template MotionReport leave_solids<Real>(const Model&, Colliders, double, const PlacedSolids<Real>&, \
                                           State<Real>&, Buffer<std::uint32_t>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
