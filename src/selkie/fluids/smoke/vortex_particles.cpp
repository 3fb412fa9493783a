// See vortex_particles.h.
#include "selkie/fluids/smoke/vortex_particles.h"

#include <algorithm>
#include <array>
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

// Drops the particles without reach, in their order.
template <class Real>
void drop_dead(State<Real>& state) {
  std::size_t kept = 0;
  for (std::size_t p = 0; p < state.vortex_radii.size(); ++p) {
    if (state.vortex_radii[p] == 0) continue;
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
          state.vortex_radii[p] = 0;  // dead
          return;
        }
        const SolidDistance solid = solids(x);
        if (solid.distance >= 0) return;
        if (params.vortex_at_solid == VortexAtSolid::remove)
          state.vortex_radii[p] = 0;
        else
          x -= solid.distance * solid.normal;
      },
      64);
  drop_dead(state);
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

// exp(−s/2) for s in [0, 1] by its series about the middle, to rounding: unlike the library's, it runs in
// vector registers.
template <class Real>
Real gaussian_of_square(Real s) {
  constexpr int kTerms = sizeof(Real) == 4 ? 7 : 11;
  constexpr auto kCoefficients = [] {
    std::array<Real, kTerms> c{};
    double term = 0.77880078307140486825;  // exp(−1/4)
    for (int n = 0; n < kTerms; ++n) c[static_cast<std::size_t>(n)] = static_cast<Real>(term), term /= n + 1;
    return c;
  }();
  const Real y = Real(0.25) - Real(0.5) * s;
  Real sum = kCoefficients[kTerms - 1];
  for (std::size_t n = kTerms - 1; n-- > 0;) sum = sum * y + kCoefficients[n];
  return sum;
}

// Adds one particle's push to the faces of some rows.
template <class Real>
class FacePush {
 public:
  FacePush(const grid::Shape& shape, int axis, VortexKernel kernel)
      : shape_(shape),
        axis_(axis),
        tent_(kernel == VortexKernel::tent),
        lattice_(shape, grid::face_place(axis)) {}

  // Rows are those whose last index lies in [begin, end): k in 3-D, j in 2-D.
  void add(const Vec3& x, const Vec3& w, double radius, double scale, int begin, int end,
           const grid::View<Real>& u) const {
    grid::Index lo{0, 0, 0}, hi{1, 1, 1};
    const int last = shape_.dims() - 1;
    for (int a = 0; a < shape_.dims(); ++a) {
      const auto at = static_cast<std::size_t>(a);
      const double first = a == last ? begin : 0, after = a == last ? end : lattice_.samples[at];
      lo[at] = static_cast<int>(std::clamp(std::ceil(index_of(x[a] - radius, a)), first, after));
      hi[at] = static_cast<int>(std::clamp(std::floor(index_of(x[a] + radius, a)) + 1, first, after));
    }
    const double norm = scale * vortex_kernel(tent_ ? VortexKernel::tent : VortexKernel::gaussian, 0, radius);
    for (int k = lo[2]; k < hi[2]; ++k)
      for (int j = lo[1]; j < hi[1]; ++j) {
        const double oy = x.y() - (lattice_.first.y() + shape_.cell_size() * j);
        const double oz = shape_.dims() == 3 ? x.z() - (lattice_.first.z() + shape_.cell_size() * k) : 0;
        if (oy * oy + oz * oz <= radius * radius)
          add_row({x.x(), oy, oz}, w, radius, norm, lo[0], hi[0], u.line(j, k));
      }
  }

 private:
  double index_of(double coordinate, int a) const {
    return (coordinate - lattice_.first[a]) * lattice_.inverse_size;
  }

  // `at`: x of the particle, and how far it is from the row along y and z. (x_p − x) × ω_p is linear along a
  // row, c + s (x_p − x)_x. Pieces of fixed length, so that the loop needs no beginning and end.
  void add_row(const Vec3& at, const Vec3& w, double radius, double norm, int begin, int end,
               Real* row) const {
    constexpr int kPiece = sizeof(Real) == 4 ? 16 : 8;
    const double oy = at.y(), oz = at.z();
    const Real c = static_cast<Real>(norm * (axis_ == 0   ? oy * w.z() - oz * w.y()
                                             : axis_ == 1 ? oz * w.x()
                                                          : -oy * w.x()));
    const Real s = static_cast<Real>(norm * (axis_ == 0 ? 0 : axis_ == 1 ? -w.z() : w.y()));
    const Real rest = static_cast<Real>(oy * oy + oz * oz), reach = static_cast<Real>(radius * radius);
    const Real inverse = 1 / reach, dx = static_cast<Real>(shape_.cell_size());
    for (int i = begin; i < end; i += kPiece) {
      const Real first = static_cast<Real>(at.x() - (lattice_.first.x() + shape_.cell_size() * i));
      alignas(64) Real push[kPiece];
      for (int l = 0; l < kPiece; ++l) {
        const Real ox = first - dx * static_cast<Real>(l), square = ox * ox + rest;
        const Real q = std::min(square * inverse, Real(1));
        const Real kernel = tent_ ? 1 - std::sqrt(q) : gaussian_of_square(q);
        const bool within = square <= reach && square > 0;
        push[l] = within ? kernel * (c + s * ox) / std::sqrt(square) : Real(0);
      }
      for (int l = 0; l < std::min(kPiece, end - i); ++l) row[i + l] += push[l];
    }
  }

  const grid::Shape& shape_;
  int axis_;
  bool tent_;
  grid::Lattice lattice_;
};

// Each particle pushes the faces around it; slabs of faces side by side, each in the order of the particles.
template <class Real>
void push_faces(const Model& model, const Params& params, double dt, VortexWork<Real>& work,
                State<Real>& state) {
  constexpr int kSlab = 16;
  const grid::Shape& shape = model.shape;
  const auto velocity = velocity_views(model, state);
  const std::size_t count = state.vortex_positions.size();
  work.scales.assign(count, dt * params.vortex_strength);
  // ω_p is vorticity times volume (erratum E9); the kernel's peak turns it into a vorticity to compare.
  if (params.vortex_forcing == VortexForcing::shortfall)
    for (std::size_t p = 0; p < count; ++p)
      work.scales[p] *= lacking(
          model, work.curl, state.vortex_positions[p],
          Vec3(vortex_kernel(params.vortex_kernel, 0, state.vortex_radii[p]) * state.vortex_strengths[p]));
  const auto last = static_cast<std::size_t>(shape.dims() - 1);
  const auto slabs = static_cast<std::size_t>(shape.cells()[last] / kSlab + 1);
  parallel_for(
      slabs * static_cast<std::size_t>(shape.dims()),
      [&](std::size_t task) {
        const std::size_t axis = task % static_cast<std::size_t>(shape.dims());
        const int begin = kSlab * static_cast<int>(task / static_cast<std::size_t>(shape.dims()));
        const int samples = shape.samples(grid::face_place(static_cast<int>(axis)))[last];
        const int end = std::min(begin + kSlab, samples);
        const FacePush<Real> push(shape, static_cast<int>(axis), params.vortex_kernel);
        for (std::size_t p = 0; p < count && begin < end; ++p)
          push.add(state.vortex_positions[p], state.vortex_strengths[p], state.vortex_radii[p],
                   work.scales[p], begin, end, velocity[axis]);
      },
      1);
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
