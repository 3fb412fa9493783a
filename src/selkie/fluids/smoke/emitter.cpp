// See emitter.h.
#include "selkie/fluids/smoke/emitter.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "selkie/core/check.h"
#include "selkie/core/random.h"
#include "selkie/grid/loops.h"

namespace selkie::smoke {
namespace {

struct Bounds {
  Vec3 lo, hi;
};

Bounds bounds_of(const geometry::AnalyticShape& shape) {
  auto around = [](const Vec3& a, const Vec3& b, double r) {
    return Bounds{a.cwiseMin(b).array() - r, a.cwiseMax(b).array() + r};
  };
  if (shape.box) return {shape.box->min, shape.box->max};
  if (shape.ball) return around(shape.ball->center, shape.ball->center, shape.ball->radius);
  if (shape.cylinder) return around(shape.cylinder->start, shape.cylinder->end, shape.cylinder->radius);
  if (shape.capsule) return around(shape.capsule->start, shape.capsule->end, shape.capsule->radius);
  return around(shape.torus->center, shape.torus->center,
                shape.torus->major_radius + shape.torus->minor_radius);
}

// Where an emitter emits: its shape, or a closed mesh.
class Form {
 public:
  Form(const Emitters& emitters, std::size_t e) : shape_(emitters.list[e].shape) {
    if (shape_) {
      bounds_ = bounds_of(*shape_);
      return;
    }
    SELKIE_CHECK(e < emitters.meshes.size() && emitters.meshes[e], "an emitter has a shape or a mesh");
    mesh_ = emitters.meshes[e].get();
    bounds_.lo = bounds_.hi = mesh_->mesh().positions[0];
    for (const Vec3& x : mesh_->mesh().positions) bounds_ = {bounds_.lo.cwiseMin(x), bounds_.hi.cwiseMax(x)};
  }

  const Bounds& bounds() const { return bounds_; }
  Vec3 middle() const { return 0.5 * (bounds_.lo + bounds_.hi); }
  double distance(const Vec3& x) const {
    return shape_ ? geometry::signed_distance(*shape_, x).distance : mesh_->at(x).distance;
  }

 private:
  const std::optional<geometry::AnalyticShape>& shape_;
  const geometry::MeshDistance* mesh_ = nullptr;
  Bounds bounds_;
};

// Is the emitter on at the end of the interval, or was it during it?
bool is_on(const Emitter& emitter, Interval interval) {
  return interval.t1() > emitter.start && (!emitter.end || interval.t0() < *emitter.end);
}

// Smooth noise in [-1, 1]: random values on a lattice in space and time, blended with a cubic.
double value_noise(std::uint64_t stream, const Vec3& x, double t) {
  const std::array<double, 4> at{x.x(), x.y(), x.z(), t};
  std::array<std::int64_t, 4> base{};
  std::array<double, 4> blend{};
  for (std::size_t d = 0; d < 4; ++d) {
    const double floor = std::floor(at[d]);
    base[d] = static_cast<std::int64_t>(floor);
    const double s = at[d] - floor;
    blend[d] = s * s * (3 - 2 * s);
  }
  double sum = 0;
  for (unsigned corner = 0; corner < 16; ++corner) {
    double weight = 1;
    std::uint64_t key = 0;
    for (std::size_t d = 0; d < 4; ++d) {
      const bool high = (corner >> d) & 1u;
      weight *= high ? blend[d] : 1 - blend[d];
      key = random_bits(key, d, static_cast<std::uint64_t>(base[d] + (high ? 1 : 0)));
    }
    sum += weight * random_uniform(stream, 0, key, -1, 1);
  }
  return sum;
}

// The samples that may lie within one cell of the bounds, once those have moved.
grid::Box box_around(const grid::Shape& shape, grid::Place place, const Bounds& bounds,
                     const Eigen::Isometry3d& world_from_rest) {
  Eigen::AlignedBox3d moved;
  const Eigen::AlignedBox3d rest(bounds.lo, bounds.hi);
  for (int corner = 0; corner < 8; ++corner)
    moved.extend(Vec3(world_from_rest * rest.corner(static_cast<Eigen::AlignedBox3d::CornerType>(corner))));
  grid::Box box = grid::sample_box(shape, place);
  const Vec3 first = shape.position(place, 0, 0, 0);
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const double last = box.hi[a];
    const double lo = std::floor((moved.min()[axis] - first[axis]) / shape.cell_size()) - 1;
    const double hi = std::ceil((moved.max()[axis] - first[axis]) / shape.cell_size()) + 2;
    box.lo[a] = static_cast<int>(std::clamp(lo, 0.0, last));
    box.hi[a] = static_cast<int>(std::clamp(hi, 0.0, last));
  }
  return box;
}

// body(i, j, k, share) for the samples of a place within the shape; share fades from 1 to 0 over one cell at
// its edge.
template <class Body>
void each_covered(const grid::Shape& shape, grid::Place place, const Form& form,
                  const Eigen::Isometry3d& world_from_rest, Body&& body) {
  const Eigen::Isometry3d rest_from_world = world_from_rest.inverse();
  const grid::Box box = box_around(shape, place, form.bounds(), world_from_rest);
  const double dx = shape.cell_size();
  grid::for_each_row(box, [&](int j, int k) {
    for (int i = box.lo[0]; i < box.hi[0]; ++i) {
      const Vec3 x = rest_from_world * shape.position(place, i, j, k);
      const double share = std::clamp(0.5 - form.distance(x) / dx, 0.0, 1.0);
      if (share > 0) body(i, j, k, share);
    }
  });
}

template <class Real>
void raise(Real& value, double wanted) {
  value = std::max(value, static_cast<Real>(wanted));
}

Eigen::Isometry3d pose_of(const EmitterPose& pose, std::size_t emitter, double time) {
  return pose ? pose(emitter, time) : Eigen::Isometry3d::Identity();
}

}  // namespace

std::vector<Problem> validate(const Emitter& emitter) {
  std::vector<Problem> problems;
  if (emitter.shape && emitter.shape->plane)
    problems.push_back(
        {"shape", "is a plane, which has no end", "use a box, ball, cylinder, capsule or torus"});
  if (emitter.end && *emitter.end <= emitter.start)
    problems.push_back({"end", "is not after 'start'", "leave it out for an emitter that never stops"});
  if (emitter.vortices && !emitter.end)
    problems.push_back({"end", "is missing, so that the number of vortices has no time to be spread over",
                        "say when the emitter stops"});
  return problems;
}

template <class Real>
void emit(const Model& model, const Emitters& emitters, Interval interval, State<Real>& state) {
  const grid::Shape& shape = model.shape;
  const auto density = grid::view(shape, state.density), temperature = grid::view(shape, state.temperature);
  for (std::size_t e = 0; e < emitters.list.size(); ++e) {
    const Emitter& emitter = emitters.list[e];
    if (!is_on(emitter, interval)) continue;
    const Form form(emitters, e);
    const Eigen::Isometry3d world_from_rest = pose_of(emitters.pose, e, interval.t1());
    each_covered(shape, grid::Place::cell, form, world_from_rest, [&](int i, int j, int k, double share) {
      if (emitter.noise > 0) {
        const Vec3 x = shape.position(grid::Place::cell, i, j, k) / emitter.noise_size;
        share *= 1 - emitter.noise * (0.5 + 0.5 * value_noise(e, x, 4 * interval.t1()));
      }
      raise(density(i, j, k), share * emitter.density);
      raise(temperature(i, j, k), share * emitter.temperature);
      if (model.burns) raise(grid::view(shape, state.fuel)(i, j, k), share * emitter.fuel);
    });
    if (!emitter.velocity) continue;
    const auto velocity = velocity_views(model, state);
    for (int axis = 0; axis < shape.dims(); ++axis) {
      const Real wanted = static_cast<Real>((*emitter.velocity)[static_cast<std::size_t>(axis)]);
      each_covered(shape, grid::face_place(axis), form, world_from_rest,
                   [&](int i, int j, int k, double share) {
                     Real& u = velocity[static_cast<std::size_t>(axis)](i, j, k);
                     u += static_cast<Real>(share) * (wanted - u);
                   });
    }
  }
}

bool expands(const Emitters& emitters, Interval interval) {
  return std::any_of(emitters.list.begin(), emitters.list.end(), [&](const Emitter& emitter) {
    return emitter.expansion != 0 && is_on(emitter, interval);
  });
}

template <class Real>
void add_expansion(const Model& model, const Emitters& emitters, Interval interval, Buffer<Real>& rate) {
  const auto out = grid::view(model.shape, rate);
  for (std::size_t e = 0; e < emitters.list.size(); ++e) {
    const Emitter& emitter = emitters.list[e];
    if (emitter.expansion == 0 || !is_on(emitter, interval)) continue;
    // The part of the interval in which it is on.
    const double end = emitter.end ? std::min(*emitter.end, interval.t1()) : interval.t1();
    const double part = (end - std::max(emitter.start, interval.t0())) / interval.dt();
    each_covered(model.shape, grid::Place::cell, Form(emitters, e), pose_of(emitters.pose, e, interval.t1()),
                 [&](int i, int j, int k, double share) {
                   out(i, j, k) += static_cast<Real>(part * share * emitter.expansion);
                 });
  }
}

namespace {

// A point inside the form, by rejection; the middle of its bounds when the form is too thin to be hit.
Vec3 random_point(const Form& form, RandomStream& random) {
  const Bounds& bounds = form.bounds();
  for (int attempt = 0; attempt < 1000; ++attempt) {
    Vec3 x;
    for (int axis = 0; axis < 3; ++axis) x[axis] = random.uniform(bounds.lo[axis], bounds.hi[axis]);
    if (form.distance(x) <= 0) return x;
  }
  return form.middle();
}

Vec3 random_direction(RandomStream& random) {
  const double z = random.uniform(-1, 1), angle = random.uniform(0, 2 * std::numbers::pi);
  const double r = std::sqrt(1 - z * z);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

Vec3 spin_of(VortexSpin spin, const Vec3& from_middle, const Vec3& up, RandomStream& random) {
  if (spin == VortexSpin::anywhere) return random_direction(random);
  if (spin == VortexSpin::upright) return random.uniform() < 0.5 ? Vec3(up) : Vec3(-up);
  const Vec3 around = up.cross(from_middle);
  return around.norm() > 0 ? Vec3(around.normalized()) : random_direction(random);
}

}  // namespace

template <class Real>
void seed_vortices(const Model& model, const Emitters& emitters, const Vec3& up, Interval interval,
                   State<Real>& state) {
  for (std::size_t e = 0; e < emitters.list.size(); ++e) {
    const Emitter& emitter = emitters.list[e];
    if (!emitter.vortices || !emitter.end || !is_on(emitter, interval)) continue;
    const VortexSeeding& seeding = *emitter.vortices;
    auto born_by = [&](double time) {
      const double share = std::clamp((time - emitter.start) / (*emitter.end - emitter.start), 0.0, 1.0);
      return static_cast<std::int64_t>(std::floor(share * static_cast<double>(seeding.count)));
    };
    const Form form(emitters, e);
    const Eigen::Isometry3d world_from_rest = pose_of(emitters.pose, e, interval.t1());
    for (std::int64_t n = born_by(interval.t0()); n < born_by(interval.t1()); ++n) {
      RandomStream random(1000 + e, static_cast<std::uint64_t>(n));
      const Vec3 rest = random_point(form, random);
      Vec3 x = world_from_rest * rest;
      if (model.shape.dims() == 2) x.z() = model.shape.origin().z();
      Vec3 spin = spin_of(seeding.spin, rest - form.middle(), up, random);
      // In 2-D vorticity has one component.
      if (model.shape.dims() == 2) spin = (random.uniform() < 0.5 ? 1.0 : -1.0) * Vec3::UnitZ();
      state.vortex_positions.push_back(x);
      state.vortex_strengths.push_back(seeding.strength * spin);
      state.vortex_radii.push_back(seeding.radius * model.shape.cell_size());
      state.vortex_identities.push_back(state.vortices_seeded++);
    }
  }
}

#define SELKIE_INSTANTIATE(Real)                                                             \
  template void emit<Real>(const Model&, const Emitters&, Interval, State<Real>&);           \
  template void add_expansion<Real>(const Model&, const Emitters&, Interval, Buffer<Real>&); \
  template void seed_vortices<Real>(const Model&, const Emitters&, const Vec3&, Interval, State<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::smoke
