// See motion.h.
#include "selkie/fluids/liquid/motion.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/fluids/liquid/detail/batch.h"
#include "selkie/fluids/liquid/detail/taps.h"
#include "selkie/fluids/liquid/detail/way_out.h"

namespace selkie::liquid {
namespace {

using detail::Faces;
using detail::kept_inside;
using detail::PushOut;
using detail::Walls;
constexpr std::size_t kChunk = 4096;

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
  double time, dt;  // end and length of the step
  const PlacedSolids<Real>& solids;
  State<Real>& state;
  std::uint32_t* key;
  const Walls<Real> walls{model};

  // Puts the particle there, or marks it as gone.
  void settle(std::size_t p, std::array<Real, 3> x, MotionReport& report) const {
    const auto [nx, ny, nz] = model.shape.cells();
    if (detail::has_left<Real, Dims>(x, walls)) {
      key[p] = kDropped;
      ++report.outflow;
      return;
    }
    x = kept_inside<Real, Dims>(x, walls);
    const std::array<Real, 3> start{state.particles.x[p], state.particles.y[p],
                                    Dims == 3 ? state.particles.z[p] : Real(0)};
    PushOut out = PushOut::clear;
    if (solids.any())
      out = detail::keep_out<Real, Dims>(model.shape, colliders, time, dt, solids, walls, start, x);
    if (out == PushOut::stuck) {
      x = start;
      if (!detail::WayOut<Real, Dims>(model.shape, colliders, time, solids, walls).find(x)) {
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
  const Mover<Real, Dims> mover{model, colliders, interval.t1(), interval.dt(), solids, state, key.data()};
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
    const Mover<Real, 3> mover{model, colliders, time, 0, solids, state, key.data()};
    return mover.run([](Places<Real>&) {});
  }
  const Mover<Real, 2> mover{model, colliders, time, 0, solids, state, key.data()};
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
