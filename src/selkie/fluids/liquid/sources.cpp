// See sources.h.
#include "selkie/fluids/liquid/sources.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/core/random.h"
#include "selkie/grid/loops.h"

namespace selkie::liquid {
namespace {

constexpr std::uint64_t kStream = 0x696e666c6f77;  // of random numbers
constexpr int kTries = 64;                         // places tried for a particle

struct Extent {
  Vec3 low, high;
};

Extent around(const Vec3& a, const Vec3& b, double radius) {
  return {a.cwiseMin(b) - Vec3::Constant(radius), a.cwiseMax(b) + Vec3::Constant(radius)};
}

// A box around the shape, cut to the domain where it has no end.
Extent extent_of(const geometry::AnalyticShape& shape, const grid::Shape& grid) {
  if (shape.ball) return around(shape.ball->center, shape.ball->center, shape.ball->radius);
  if (shape.box) return {shape.box->min, shape.box->max};
  if (shape.cylinder) return around(shape.cylinder->start, shape.cylinder->end, shape.cylinder->radius);
  if (shape.capsule) return around(shape.capsule->start, shape.capsule->end, shape.capsule->radius);
  if (shape.torus)
    return around(shape.torus->center, shape.torus->center,
                  shape.torus->major_radius + shape.torus->minor_radius);
  return {grid.origin(), grid.origin() + grid.extent()};
}

bool active(double start, const std::optional<double>& end, const Interval& interval) {
  return interval.t1() > start && (!end || interval.t0() < *end);
}

// Particles sent by time t.
std::uint64_t sent(double rate, double start, const std::optional<double>& end, double volume, double t) {
  const double until = end ? std::min(t, *end) : t;
  return until > start ? static_cast<std::uint64_t>(rate * (until - start) / volume) : 0;
}

Eigen::Isometry3d pose_of(const Pose& pose, std::size_t n, double time) {
  return pose ? pose(n, time) : Eigen::Isometry3d::Identity();
}

bool in_domain(const grid::Shape& shape, const Vec3& cells) {
  for (int a = 0; a < shape.dims(); ++a)
    if (!(cells[a] > 0) || !(cells[a] < shape.cells()[static_cast<std::size_t>(a)])) return false;
  return true;
}

// A random place in the shape at its pose; false where none was found in the free part of the domain.
bool find_place(const Model& model, const geometry::AnalyticShape& shape, const Eigen::Isometry3d& pose,
                Colliders colliders, double time, std::uint64_t stream, std::uint64_t ordinal, Vec3& cells) {
  const Extent extent = extent_of(shape, model.shape);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    Vec3 rest = Vec3::Zero();
    const std::uint64_t counter = ordinal * kTries + static_cast<std::uint64_t>(attempt);
    for (int a = 0; a < 3; ++a)
      rest[a] = extent.low[a] + (extent.high[a] - extent.low[a]) *
                                    random_uniform(kStream, 3 * stream + static_cast<std::uint64_t>(a), counter);
    if (model.shape.dims() == 2) rest.z() = model.shape.origin().z();
    if (geometry::signed_distance(shape, rest).distance > 0) continue;
    const Vec3 world = pose * rest;
    cells = cells_of(model.shape, world);
    if (!in_domain(model.shape, cells)) continue;
    if (!colliders.empty() &&
        nearest_solid(colliders, world, time).distance < 0.02 * model.shape.cell_size())
      continue;
    return true;
  }
  return false;
}

}  // namespace

template <class Real>
std::uint64_t add_inflow(const Model& model, std::span<const Inflow> inflows, Pose pose, Colliders colliders,
                         Interval interval, State<Real>& state) {
  const double volume = model.particle_volume();
  const auto dims = static_cast<std::size_t>(model.shape.dims());
  Particles<Real>& particles = state.particles;
  std::uint64_t added = 0;
  for (std::size_t n = 0; n < inflows.size(); ++n) {
    const Inflow& inflow = inflows[n];
    if (!active(inflow.start, inflow.end, interval)) continue;
    const std::uint64_t first = sent(inflow.rate, inflow.start, inflow.end, volume, interval.t0()),
                        last = sent(inflow.rate, inflow.start, inflow.end, volume, interval.t1());
    const Eigen::Isometry3d at = pose_of(pose, n, interval.t1());
    const Vec3 velocity = at.linear() * Vec3(inflow.velocity[0], inflow.velocity[1], inflow.velocity[2]);
    for (std::uint64_t ordinal = first; ordinal < last; ++ordinal) {
      Vec3 cells;
      if (!find_place(model, inflow.shape, at, colliders, interval.t1(), n, ordinal, cells)) continue;
      for (std::size_t a = 0; a < dims; ++a) {
        particles.position()[a]->push_back(static_cast<Real>(cells[static_cast<Eigen::Index>(a)]));
        particles.velocity()[a]->push_back(static_cast<Real>(velocity[static_cast<Eigen::Index>(a)]));
      }
      particles.identity.push_back(state.born++);
      if (!particles.affine.empty()) particles.affine.push_back(Particles<Real>::Affine::Zero());
      ++added;
    }
  }
  return added;
}

template <class Real>
std::uint64_t take_drained(const Model& model, std::span<const Drain> drains, Pose pose, Interval interval,
                           const State<Real>& state, Buffer<std::uint32_t>& key) {
  const std::size_t count = state.particles.size();
  std::uint64_t taken = 0;
  for (std::size_t n = 0; n < drains.size(); ++n) {
    const Drain& drain = drains[n];
    if (!active(drain.start, drain.end, interval)) continue;
    const Eigen::Isometry3d rest_from_world = pose_of(pose, n, interval.t1()).inverse();
    auto inside = [&](std::size_t p) {
      return key[p] != kDropped &&
             geometry::signed_distance(
                 drain.shape, rest_from_world * world_of(model.shape, place_of(state.particles, p)))
                     .distance <= 0;
    };
    const auto found = static_cast<std::uint64_t>(
        deterministic_sum(count, [&](std::size_t p) { return inside(p) ? 1.0 : 0.0; }));
    std::uint64_t quota = found;
    if (drain.rate) {
      const double volume = model.particle_volume();
      quota = std::min(found, sent(*drain.rate, drain.start, drain.end, volume, interval.t1()) -
                                  sent(*drain.rate, drain.start, drain.end, volume, interval.t0()));
    }
    // Evenly among those inside, one after the other.
    std::uint64_t seen = 0;
    for (std::size_t p = 0; p < count && quota > 0; ++p) {
      if (!inside(p)) continue;
      if ((seen + 1) * quota / found > seen * quota / found) key[p] = kDropped, ++taken;
      ++seen;
    }
  }
  return taken;
}

bool grows(std::span<const Inflow> inflows, std::span<const Drain> drains, Interval interval) {
  for (const Inflow& inflow : inflows)
    if (active(inflow.start, inflow.end, interval) && inflow.rate > 0) return true;
  for (const Drain& drain : drains)
    if (active(drain.start, drain.end, interval) && drain.rate) return true;
  return false;
}

namespace {

// Adds ± rate spread evenly over the cells inside the shape that hold enough particles.
template <class Real>
void spread(const Model& model, const geometry::AnalyticShape& shape, const Eigen::Isometry3d& pose,
            double rate, double least_fill, const CellRanges& ranges, Buffer<Real>& field) {
  const grid::Shape& grid = model.shape;
  const Eigen::Isometry3d rest_from_world = pose.inverse();
  const auto cells = grid::view(grid, field);
  const double least = least_fill * model.particles_per_cell();
  auto counts = [&](int i, int j, int k) {
    const auto c = static_cast<std::size_t>(i + grid.cells()[0] * (j + grid.cells()[1] * k));
    return double(ranges.end(c) - ranges.begin(c)) >= least &&
           geometry::signed_distance(shape, rest_from_world * grid.position(grid::Place::cell, i, j, k))
                   .distance <= 0;
  };
  const grid::Box box = grid::sample_box(grid, grid::Place::cell);
  const double number = grid::sum_rows(box, [&](int j, int k) {
    double sum = 0;
    for (int i = 0; i < box.hi[0]; ++i) sum += counts(i, j, k) ? 1 : 0;
    return sum;
  });
  if (number == 0) return;
  const Real each = static_cast<Real>(rate / (number * model.cell_volume()));
  grid::for_each_row(box, [&](int j, int k) {
    for (int i = 0; i < box.hi[0]; ++i)
      if (counts(i, j, k)) cells(i, j, k) += each;
  });
}

}  // namespace

template <class Real>
void add_growth(const Model& model, std::span<const Inflow> inflows, Pose inflow_pose,
                std::span<const Drain> drains, Pose drain_pose, Interval interval, const CellRanges& ranges,
                Buffer<Real>& rate) {
  for (std::size_t n = 0; n < inflows.size(); ++n)
    if (active(inflows[n].start, inflows[n].end, interval))
      spread(model, inflows[n].shape, pose_of(inflow_pose, n, interval.t1()), inflows[n].rate, 1.0, ranges, rate);
  for (std::size_t n = 0; n < drains.size(); ++n)
    if (active(drains[n].start, drains[n].end, interval) && drains[n].rate)
      spread(model, drains[n].shape, pose_of(drain_pose, n, interval.t1()), -*drains[n].rate, 0.0, ranges, rate);
}

#define SELKIE_INSTANTIATE(Real)                                                                            \
  template std::uint64_t add_inflow<Real>(const Model&, std::span<const Inflow>, Pose, Colliders, Interval, \
                                          State<Real>&);                                                    \
  template std::uint64_t take_drained<Real>(const Model&, std::span<const Drain>, Pose, Interval,           \
                                            const State<Real>&, Buffer<std::uint32_t>&);                    \
  template void add_growth<Real>(const Model&, std::span<const Inflow>, Pose, std::span<const Drain>, Pose, \
                                 Interval, const CellRanges&, Buffer<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
