// See sources.h.
#include "selkie/fluids/liquid/sources.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"
#include "selkie/core/random.h"
#include "selkie/grid/loops.h"

namespace selkie::liquid {
namespace {

constexpr std::uint64_t kStream = 0x696e666c6f77;  // of random numbers
constexpr int kTries = 64;                         // places tried for a particle

Form::Extent around(const Vec3& a, const Vec3& b, double radius) {
  return {a.cwiseMin(b) - Vec3::Constant(radius), a.cwiseMax(b) + Vec3::Constant(radius)};
}

// Particles sent by time t.
std::uint64_t sent(double rate, double start, const std::optional<double>& end, double volume, double t) {
  const double until = end ? std::min(t, *end) : t;
  return until > start ? static_cast<std::uint64_t>(rate * (until - start) / volume) : 0;
}

bool in_domain(const grid::Shape& shape, const Vec3& cells) {
  for (int a = 0; a < shape.dims(); ++a)
    if (!(cells[a] > 0) || !(cells[a] < shape.cells()[static_cast<std::size_t>(a)])) return false;
  return true;
}

// A random place in the form; false where none was found in the free part of the domain.
bool find_place(const Model& model, const Form& form, const Form::Extent& extent, Colliders colliders,
                double time, std::uint64_t stream, std::uint64_t ordinal, Vec3& cells) {
  for (int attempt = 0; attempt < kTries; ++attempt) {
    Vec3 rest = Vec3::Zero();
    const std::uint64_t counter = ordinal * kTries + static_cast<std::uint64_t>(attempt);
    for (int a = 0; a < 3; ++a)
      rest[a] =
          extent.low[a] + (extent.high[a] - extent.low[a]) *
                              random_uniform(kStream, 3 * stream + static_cast<std::uint64_t>(a), counter);
    if (model.shape.dims() == 2) rest.z() = model.shape.origin().z();
    if (form.distance_at_rest(rest) > 0) continue;
    const Vec3 world = form.pose() * rest;
    cells = cells_of(model.shape, world);
    if (!in_domain(model.shape, cells)) continue;
    if (!colliders.empty() && nearest_solid(colliders, world, time).distance < 0.02 * model.shape.cell_size())
      continue;
    return true;
  }
  return false;
}

}  // namespace

Form::Form(const std::optional<geometry::AnalyticShape>& shape, Meshes meshes, const Pose& pose,
           std::size_t n, double time)
    : shape_(shape ? &*shape : nullptr),
      mesh_(meshes.empty() ? nullptr : meshes[n]),
      pose_(pose ? pose(n, time) : Eigen::Isometry3d::Identity()),
      rest_from_world_(pose_.inverse()) {
  SELKIE_CHECK(shape_ || mesh_, "an inflow or a drain has a form");
}

Form Form::of_inflow(const Sources& sources, std::size_t n, double time) {
  return {sources.inflows[n].shape, sources.inflow_meshes, sources.inflow_pose, n, time};
}
Form Form::of_drain(const Sources& sources, std::size_t n, double time) {
  return {sources.drains[n].shape, sources.drain_meshes, sources.drain_pose, n, time};
}

double Form::distance_at_rest(const Vec3& rest) const {
  return mesh_ ? mesh_->at(rest).distance : geometry::signed_distance(*shape_, rest).distance;
}

Form::Extent Form::extent(const grid::Shape& domain) const {
  if (mesh_) {
    Extent box{mesh_->mesh().positions[0], mesh_->mesh().positions[0]};
    for (const Vec3& x : mesh_->mesh().positions) box = {box.low.cwiseMin(x), box.high.cwiseMax(x)};
    return box;
  }
  const geometry::AnalyticShape& shape = *shape_;
  if (shape.ball) return around(shape.ball->center, shape.ball->center, shape.ball->radius);
  if (shape.box) return {shape.box->min, shape.box->max};
  if (shape.cylinder) return around(shape.cylinder->start, shape.cylinder->end, shape.cylinder->radius);
  if (shape.capsule) return around(shape.capsule->start, shape.capsule->end, shape.capsule->radius);
  if (shape.torus)
    return around(shape.torus->center, shape.torus->center,
                  shape.torus->major_radius + shape.torus->minor_radius);
  return {domain.origin(), domain.origin() + domain.extent()};
}

bool is_active(double start, const std::optional<double>& end, const Interval& interval) {
  return interval.t1() > start && (!end || interval.t0() < *end);
}

template <class Real>
InflowReport add_inflow(const Model& model, const Sources& sources, Colliders colliders, Interval interval,
                        State<Real>& state) {
  const double volume = model.particle_volume();
  const auto dims = static_cast<std::size_t>(model.shape.dims());
  Particles<Real>& particles = state.particles;
  InflowReport report;
  for (std::size_t n = 0; n < sources.inflows.size(); ++n) {
    const Inflow& inflow = sources.inflows[n];
    if (!is_active(inflow.start, inflow.end, interval)) continue;
    const std::uint64_t first = sent(inflow.rate, inflow.start, inflow.end, volume, interval.t0()),
                        last = sent(inflow.rate, inflow.start, inflow.end, volume, interval.t1());
    const Form form = Form::of_inflow(sources, n, interval.t1());
    const Form::Extent extent = form.extent(model.shape);
    const Vec3 velocity =
        form.pose().linear() * Vec3(inflow.velocity[0], inflow.velocity[1], inflow.velocity[2]);
    for (std::uint64_t ordinal = first; ordinal < last; ++ordinal) {
      Vec3 cells;
      if (!find_place(model, form, extent, colliders, interval.t1(), n, ordinal, cells)) {
        ++report.refused;
        continue;
      }
      for (std::size_t a = 0; a < dims; ++a) {
        particles.position()[a]->push_back(static_cast<Real>(cells[static_cast<Eigen::Index>(a)]));
        particles.velocity()[a]->push_back(static_cast<Real>(velocity[static_cast<Eigen::Index>(a)]));
      }
      particles.identity.push_back(state.born++);
      if (!particles.affine.empty()) particles.affine.push_back(Particles<Real>::Affine::Zero());
      ++report.added;
    }
  }
  return report;
}

template <class Real>
std::uint64_t take_drained(const Model& model, const Sources& sources, Interval interval,
                           const State<Real>& state, Buffer<std::uint32_t>& key) {
  const std::size_t count = state.particles.size();
  std::uint64_t taken = 0;
  for (std::size_t n = 0; n < sources.drains.size(); ++n) {
    const Drain& drain = sources.drains[n];
    if (!is_active(drain.start, drain.end, interval)) continue;
    const Form form = Form::of_drain(sources, n, interval.t1());
    auto inside = [&](std::size_t p) {
      return key[p] != kDropped && form.distance(world_of(model.shape, place_of(state.particles, p))) <= 0;
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

bool grows(const Sources& sources, Interval interval) {
  for (const Inflow& inflow : sources.inflows)
    if (is_active(inflow.start, inflow.end, interval) && inflow.rate > 0) return true;
  for (const Drain& drain : sources.drains)
    if (is_active(drain.start, drain.end, interval) && drain.rate) return true;
  return false;
}

namespace {

// Adds ± rate spread evenly over the cells inside the form that hold enough particles.
template <class Real>
void spread(const Model& model, const Form& form, double rate, double least_fill, const CellRanges& ranges,
            Buffer<Real>& field) {
  const grid::Shape& grid = model.shape;
  const auto cells = grid::view(grid, field);
  const double least = least_fill * model.particles_per_cell();
  auto counts = [&](int i, int j, int k) {
    const auto c = static_cast<std::size_t>(i + grid.cells()[0] * (j + grid.cells()[1] * k));
    return double(ranges.end(c) - ranges.begin(c)) >= least &&
           form.distance(grid.position(grid::Place::cell, i, j, k)) <= 0;
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
void add_growth(const Model& model, const Sources& sources, Interval interval, const CellRanges& ranges,
                Buffer<Real>& rate) {
  for (std::size_t n = 0; n < sources.inflows.size(); ++n)
    if (is_active(sources.inflows[n].start, sources.inflows[n].end, interval))
      spread(model, Form::of_inflow(sources, n, interval.t1()), sources.inflows[n].rate, 1.0, ranges, rate);
  for (std::size_t n = 0; n < sources.drains.size(); ++n)
    if (is_active(sources.drains[n].start, sources.drains[n].end, interval) && sources.drains[n].rate)
      spread(model, Form::of_drain(sources, n, interval.t1()), -*sources.drains[n].rate, 0.0, ranges, rate);
}

#define SELKIE_INSTANTIATE(Real)                                                                           \
  template InflowReport add_inflow<Real>(const Model&, const Sources&, Colliders, Interval, State<Real>&); \
  template std::uint64_t take_drained<Real>(const Model&, const Sources&, Interval, const State<Real>&,    \
                                            Buffer<std::uint32_t>&);                                       \
  template void add_growth<Real>(const Model&, const Sources&, Interval, const CellRanges&, Buffer<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
