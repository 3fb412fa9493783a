// See motion.h.
#include "selkie/fluids/liquid/motion.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
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

// x + Δt u, in cells; `scale` is Δt/Δx.
template <class Real, int Dims>
std::array<Real, 3> along(const std::array<Real, 3>& x, const std::array<Real, 3>& u, Real scale,
                          const Walls<Real>& walls) {
  std::array<Real, 3> y = x;
  for (std::size_t a = 0; a < Dims; ++a) y[a] += scale * u[a];
  return kept_inside<Real, Dims>(y, walls);
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

// The place outside all solids nearest to x, by steps along the distance's gradient; false where there is
// none near.
template <class Real, int Dims>
bool push_out(const grid::Shape& shape, Colliders colliders, double time, const Buffer<Real>& nodes,
              const Walls<Real>& walls, std::array<Real, 3>& x) {
  const double dx = shape.cell_size();
  // What corners say is within half a cell of the truth near the solid.
  if (double(plain_distance_at(shape, nodes, x)) > 0.75 * dx) return true;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Vec3 at = world_of(shape, Vec3(double(x[0]), double(x[1]), Dims == 3 ? double(x[2]) : 0.0));
    const ports::FieldSample solid = nearest_solid(colliders, at, time);
    if (!(solid.distance < 0.5 * kClearance * dx)) return true;
    const double way = (kClearance * dx - solid.distance) / dx;
    for (std::size_t a = 0; a < Dims; ++a)
      x[a] += static_cast<Real>(way * solid.normal[static_cast<Eigen::Index>(a)]);
    x = kept_inside<Real, Dims>(x, walls);
  }
  const Vec3 at = world_of(shape, Vec3(double(x[0]), double(x[1]), Dims == 3 ? double(x[2]) : 0.0));
  return nearest_solid(colliders, at, time).distance >= 0;
}

template <class Real, int Dims>
std::array<Real, 3> moved(const Faces<Real, Dims>& faces, const Walls<Real>& walls, Motion motion, Real scale,
                          const std::array<Real, 3>& x) {
  const auto k1 = detail::sample<Real, Dims>(faces, x);
  const auto k2 = detail::sample<Real, Dims>(faces, along<Real, Dims>(x, k1, scale / 2, walls));
  std::array<Real, 3> mean = k2;
  if (motion == Motion::third_order) {  // [Ralston62]: 2/9, 3/9, 4/9 at 0, 1/2, 3/4
    const auto k3 = detail::sample<Real, Dims>(faces, along<Real, Dims>(x, k2, Real(0.75) * scale, walls));
    for (std::size_t a = 0; a < Dims; ++a) mean[a] = (2 * k1[a] + 3 * k2[a] + 4 * k3[a]) / 9;
  }
  std::array<Real, 3> y = x;
  for (std::size_t a = 0; a < Dims; ++a) y[a] += scale * mean[a];
  return y;
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

  std::array<Real, 3> place(std::size_t p) const {
    return {state.particles.x[p], state.particles.y[p], Dims == 3 ? state.particles.z[p] : Real(0.5)};
  }
  // Puts the particle there, or marks it as gone.
  void settle(std::size_t p, std::array<Real, 3> x, MotionReport& report) const {
    const auto [nx, ny, nz] = model.shape.cells();
    if (has_left<Real, Dims>(x, walls)) {
      key[p] = kDropped;
      ++report.outflow;
      return;
    }
    x = kept_inside<Real, Dims>(x, walls);
    if (solids.any() && !push_out<Real, Dims>(model.shape, colliders, time, solids.nodes, walls, x)) {
      key[p] = kDropped;
      ++report.crushed;
      return;
    }
    state.particles.x[p] = x[0], state.particles.y[p] = x[1];
    if (Dims == 3) state.particles.z[p] = x[2];
    key[p] = static_cast<std::uint32_t>(static_cast<int>(x[0]) +
                                        nx * (static_cast<int>(x[1]) + ny * (Dims == 3 ? static_cast<int>(x[2]) : 0)));
  }

  // `next(p)`: where particle p goes.
  template <class Next>
  MotionReport run(Next&& next) const {
    const std::size_t count = state.particles.size(), chunks = (count + kChunk - 1) / kChunk;
    // Counts are integers below 2⁵³: their sums in double are exact.
    const double outflow = sum_blocks(
        chunks,
        [&](std::size_t begin, std::size_t end) {
          MotionReport report;
          for (std::size_t p = begin * kChunk; p < std::min(count, end * kChunk); ++p)
            settle(p, next(p), report);
          return static_cast<double>(report.outflow);
        },
        1);
    const double gone = deterministic_sum(count, [&](std::size_t p) { return key[p] == kDropped ? 1.0 : 0.0; });
    return {static_cast<std::uint64_t>(outflow), static_cast<std::uint64_t>(gone - outflow)};
  }
};

template <class Real, int Dims>
MotionReport move_in(const Model& model, const Params& params, Colliders colliders, Interval interval,
                     const PlacedSolids<Real>& solids, State<Real>& state, Buffer<std::uint32_t>& key) {
  const Mover<Real, Dims> mover{model, colliders, interval.t1(), solids, state, key.data()};
  const std::array<const Buffer<Real>*, 3> fields{&state.velocity_x, &state.velocity_y, &state.velocity_z};
  const Faces<Real, Dims> faces(model.shape, fields);
  const Real scale = static_cast<Real>(interval.dt() / model.shape.cell_size());
  return mover.run([&](std::size_t p) {
    return moved<Real, Dims>(faces, mover.walls, params.motion, scale, mover.place(p));
  });
}

}  // namespace

template <class Real>
MotionReport move_particles(const Model& model, const Params& params, Colliders colliders, Interval interval,
                            const PlacedSolids<Real>& solids, State<Real>& state,
                            Buffer<std::uint32_t>& key) {
  const ProfileZone zone("liquid.move");
  if (key.size() < state.particles.size()) key.resize(state.particles.size());
  return model.shape.dims() == 3
             ? move_in<Real, 3>(model, params, colliders, interval, solids, state, key)
             : move_in<Real, 2>(model, params, colliders, interval, solids, state, key);
}

template <class Real>
MotionReport leave_solids(const Model& model, Colliders colliders, double time,
                          const PlacedSolids<Real>& solids, State<Real>& state, Buffer<std::uint32_t>& key) {
  if (key.size() < state.particles.size()) key.resize(state.particles.size());
  if (model.shape.dims() == 3) {
    const Mover<Real, 3> mover{model, colliders, time, solids, state, key.data()};
    return mover.run([&](std::size_t p) { return mover.place(p); });
  }
  const Mover<Real, 2> mover{model, colliders, time, solids, state, key.data()};
  return mover.run([&](std::size_t p) { return mover.place(p); });
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
