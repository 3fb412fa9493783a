// See vortex_particles.h.
#include "selkie/fluids/smoke/vortex_particles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/fluids/smoke/forces.h"
#include "selkie/grid/loops.h"
#include "selkie/grid/sample.h"

namespace selkie::smoke {

template <class Real>
Mat3 velocity_gradient(const Model& model, const grid::FaceViews<const Real>& velocity, const Vec3& point) {
  Mat3 gradient = Mat3::Zero();
  const double dx = model.shape.cell_size();
  for (int axis = 0; axis < model.shape.dims(); ++axis) {
    const Vec3 half = 0.5 * dx * Vec3::Unit(axis);
    gradient.col(axis) = (grid::velocity_at<Real>(model.shape, velocity, point + half) -
                          grid::velocity_at<Real>(model.shape, velocity, point - half)) /
                         dx;
  }
  return gradient;
}

namespace {

bool inside(const grid::Shape& shape, const Vec3& point) {
  const Vec3 local = point - shape.origin(), extent = shape.extent();
  for (int axis = 0; axis < shape.dims(); ++axis)
    if (!(local[axis] >= 0 && local[axis] <= extent[axis])) return false;
  return true;
}

// Keeps the particles marked alive, in their order.
template <class Real>
void keep(const Buffer<std::uint8_t>& alive, State<Real>& state) {
  std::size_t kept = 0;
  for (std::size_t p = 0; p < alive.size(); ++p) {
    if (!alive[p]) continue;
    state.vortex_positions[kept] = state.vortex_positions[p];
    state.vortex_strengths[kept] = state.vortex_strengths[p];
    state.vortex_radii[kept] = state.vortex_radii[p];
    state.vortex_identities[kept] = state.vortex_identities[p];
    ++kept;
  }
  state.vortex_positions.resize(kept, Vec3::Zero());
  state.vortex_strengths.resize(kept, Vec3::Zero());
  state.vortex_radii.resize(kept);
  state.vortex_identities.resize(kept);
}

}  // namespace

template <class Real>
void advance_vortices(const Model& model, const Params& params, Solids solids, double dt,
                      State<Real>& state) {
  const std::size_t count = state.vortex_positions.size();
  if (count == 0) return;
  const auto velocity = velocity_views(model, std::as_const(state));
  Buffer<std::uint8_t> alive(count, 1);
  parallel_for(
      count,
      [&](std::size_t p) {
        Vec3& x = state.vortex_positions[p];
        Vec3& w = state.vortex_strengths[p];
        // Stretching turns the vorticity; its magnitude is kept, or it would grow without bound [Selle08
        // §3.4.1].
        const double magnitude = w.norm();
        w += dt * (velocity_gradient<Real>(model, velocity, x) * w);
        const double now = w.norm();
        if (now > 0) w *= magnitude / now;
        const Vec3 middle = x + 0.5 * dt * grid::velocity_at<Real>(model.shape, velocity, x);
        x += dt * grid::velocity_at<Real>(model.shape, velocity, middle);
        if (!inside(model.shape, x)) {
          alive[p] = 0;
          return;
        }
        const SolidDistance solid = solids(x);
        if (solid.distance >= 0) return;
        if (params.vortex_at_solid == VortexAtSolid::remove)
          alive[p] = 0;
        else
          x -= solid.distance * solid.normal;
      },
      64);
  if (std::find(alive.begin(), alive.end(), 0) != alive.end()) keep(alive, state);
}

double vortex_kernel(VortexKernel kernel, double distance, double radius) {
  if (distance > radius) return 0;
  const double volume = radius * radius * radius;
  if (kernel == VortexKernel::tent) return 3 / (std::numbers::pi * volume) * (1 - distance / radius);
  const double q = distance / radius;
  return std::exp(-0.5 * q * q) / (volume * std::pow(2 * std::numbers::pi, 1.5));
}

namespace {

// body(i, j, k, x_p − x, distance) for the samples of a place within a particle's reach, its own position
// left out.
template <class Body>
void each_sample_near(const grid::Shape& shape, grid::Place place, const Vec3& center, double radius,
                      Body&& body) {
  const grid::Lattice lattice(shape, place);
  grid::Index lo{0, 0, 0}, hi{1, 1, 1};
  for (int a = 0; a < shape.dims(); ++a) {
    const auto at = static_cast<std::size_t>(a);
    const double low = (center[a] - radius - lattice.first[a]) * lattice.inverse_size;
    const double high = (center[a] + radius - lattice.first[a]) * lattice.inverse_size;
    lo[at] = static_cast<int>(std::clamp(std::ceil(low), 0.0, double(lattice.samples[at])));
    hi[at] = static_cast<int>(std::clamp(std::floor(high) + 1, 0.0, double(lattice.samples[at])));
  }
  for (int k = lo[2]; k < hi[2]; ++k)
    for (int j = lo[1]; j < hi[1]; ++j)
      for (int i = lo[0]; i < hi[0]; ++i) {
        const Vec3 offset = center - shape.position(place, i, j, k);
        const double distance = offset.norm();
        if (distance <= radius) body(i, j, k, offset, distance);
      }
}

// The share of a particle's vorticity that the grid lacks where it is.
template <class Real>
double lacking(const Model& model, const std::array<Buffer<Real>, 3>& curl, const Vec3& point,
               const Vec3& wanted) {
  const grid::Lattice lattice(model.shape, grid::Place::cell);
  Vec3 present = Vec3::Zero();
  for (std::size_t c = model.shape.dims() == 3 ? 0 : 2; c < 3; ++c)
    present[static_cast<int>(c)] = grid::interpolate<Real>(grid::view(model.shape, curl[c]), lattice, point);
  const double square = wanted.squaredNorm();
  return square == 0 ? 0 : std::clamp(1 - present.dot(wanted) / square, 0.0, 1.0);
}

// Each particle pushes the faces around it, in the order of the particles; axes side by side.
template <class Real>
void push_faces(const Model& model, const Params& params, double dt, const VortexWork<Real>& work,
                State<Real>& state) {
  const auto velocity = velocity_views(model, state);
  parallel_blocks(static_cast<std::size_t>(model.shape.dims()), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t axis = begin; axis < end; ++axis)
      for (std::size_t p = 0; p < state.vortex_positions.size(); ++p) {
        const Vec3& x = state.vortex_positions[p];
        const Vec3& w = state.vortex_strengths[p];
        const double radius = state.vortex_radii[p];
        double scale = dt * params.vortex_strength;
        // ω_p is vorticity times volume (erratum E9); the kernel's peak turns it into a vorticity to compare.
        if (params.vortex_forcing == VortexForcing::shortfall)
          scale *= lacking(model, work.curl, x, Vec3(vortex_kernel(params.vortex_kernel, 0, radius) * w));
        each_sample_near(model.shape, grid::face_place(static_cast<int>(axis)), x, radius,
                         [&](int i, int j, int k, const Vec3& offset, double distance) {
                           if (distance == 0) return;
                           const double push = scale * vortex_kernel(params.vortex_kernel, distance, radius);
                           velocity[axis](i, j, k) +=
                               static_cast<Real>(push / distance * offset.cross(w)[static_cast<int>(axis)]);
                         });
      }
  });
}

// Σ_p ξ(d) ω_p at cell centres, one component of it or its magnitude.
template <class Real>
void spread_strengths(const Model& model, const Params& params, const State<Real>& state, bool magnitude,
                      std::array<Buffer<Real>, 3>& spread) {
  const std::size_t first = magnitude || model.shape.dims() == 2 ? 2 : 0;
  parallel_blocks(3 - first, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = first + begin; c < first + end; ++c) {
      spread[c].assign(model.shape.size(), 0);
      const auto out = grid::view(model.shape, spread[c]);
      for (std::size_t p = 0; p < state.vortex_positions.size(); ++p) {
        const Vec3& w = state.vortex_strengths[p];
        const double value = magnitude ? w.norm() : w[static_cast<int>(c)];
        const double radius = state.vortex_radii[p];
        each_sample_near(model.shape, grid::Place::cell, state.vortex_positions[p], radius,
                         [&](int i, int j, int k, const Vec3&, double distance) {
                           out(i, j, k) += static_cast<Real>(
                               value * vortex_kernel(params.vortex_kernel, distance, radius));
                         });
      }
    }
  });
}

// What the particles have and the grid lacks, component by component: never more than the particles', never
// against them.
template <class Real>
void keep_what_lacks(const Model& model, const std::array<Buffer<Real>, 3>& curl,
                     std::array<Buffer<Real>, 3>& spread) {
  for (std::size_t c = model.shape.dims() == 3 ? 0 : 2; c < 3; ++c)
    parallel_for(spread[c].size(), [&](std::size_t i) {
      const Real has = spread[c][i], left = has - curl[c][i];
      spread[c][i] = has > 0 ? std::clamp(left, Real(0), has) : std::clamp(left, has, Real(0));
    });
}

}  // namespace

template <class Real>
void add_vortex_forces(const Model& model, const Params& params, double dt, VortexWork<Real>& work,
                       State<Real>& state) {
  if (state.vortex_positions.empty() || params.vortex_strength == 0) return;
  if (params.vortex_forcing != VortexForcing::particle)
    vorticity<Real>(model, velocity_views(model, std::as_const(state)), work.curl);
  switch (params.vortex_forcing) {
    case VortexForcing::particle:
    case VortexForcing::shortfall:
      push_faces(model, params, dt, work, state);
      break;
    case VortexForcing::variable:
      spread_strengths(model, params, state, true, work.spread);
      add_confinement<Real>(model, params.vortex_strength, &work.spread[2], dt, work.curl, work.magnitude,
                            state);
      break;
    case VortexForcing::difference:
      spread_strengths(model, params, state, false, work.spread);
      keep_what_lacks(model, work.curl, work.spread);
      add_confinement<Real>(model, params.vortex_strength, nullptr, dt, work.spread, work.magnitude, state);
      break;
  }
}

#define SELKIE_INSTANTIATE(Real)                                                                        \
  template Mat3 velocity_gradient<Real>(const Model&, const grid::FaceViews<const Real>&, const Vec3&); \
  template void advance_vortices<Real>(const Model&, const Params&, Solids, double, State<Real>&);      \
  template void add_vortex_forces<Real>(const Model&, const Params&, double, VortexWork<Real>&, State<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::smoke
