// See forces.h.
#include "selkie/fluids/smoke/forces.h"

#include <algorithm>
#include <cmath>

#include "selkie/grid/loops.h"

namespace selkie::smoke {
namespace {

// The box of faces along `axis` with a cell on either side: those that forces may change.
grid::Box inner_faces(const grid::Shape& shape, int axis) {
  grid::Box box = grid::sample_box(shape, grid::Place::cell);
  box.lo[static_cast<std::size_t>(axis)] = 1;
  return box;
}

// The box of cells that have neighbours on all sides.
grid::Box inner_cells(const grid::Shape& shape) {
  grid::Box box = grid::sample_box(shape, grid::Place::cell);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(shape.dims()); ++axis) {
    box.lo[axis] = 1;
    box.hi[axis] = shape.cells()[axis] - 1;
  }
  return box;
}

}  // namespace

template <class Real>
void add_buoyancy(const Model& model, const Params& params, const Vec3& up, double dt, State<Real>& state) {
  const auto density = grid::view(model.shape, std::as_const(state.density));
  const auto temperature = grid::view(model.shape, std::as_const(state.temperature));
  const auto velocity = velocity_views(model, state);
  for (int axis = 0; axis < model.shape.dims(); ++axis) {
    if (up[axis] == 0) continue;
    // Half: each face takes the mean of its two cells.
    const Real down = static_cast<Real>(0.5 * dt * params.weight * up[axis]);
    const Real lift = static_cast<Real>(0.5 * dt * params.buoyancy * up[axis]);
    const std::ptrdiff_t back = model.shape.stride(axis);
    const grid::Box box = inner_faces(model.shape, axis);
    grid::for_each_row(box, [&](int j, int k) {
      Real* const u = velocity[static_cast<std::size_t>(axis)].line(j, k);
      const Real* const rho = density.line(j, k);
      const Real* const t = temperature.line(j, k);
      for (int i = box.lo[0]; i < box.hi[0]; ++i)
        u[i] += lift * (t[i] + t[i - back]) - down * (rho[i] + rho[i - back]);
    });
  }
}

namespace {

// Component c of ∇ × u at cells of a row: central differences of face velocities averaged to centres, which
// makes ∂u_a/∂x_b a sum of four faces over 4Δx.
template <class Real>
void curl_row(const grid::Shape& shape, const grid::FaceViews<const Real>& velocity, int c, int j, int k,
              int i, int count, Real* __restrict out) {
  const int a = (c + 1) % 3, b = (c + 2) % 3;
  const std::ptrdiff_t along_a = shape.stride(a), along_b = shape.stride(b);
  const Real* const ua = velocity[static_cast<std::size_t>(a)].line(j, k) + i;
  const Real* const ub = velocity[static_cast<std::size_t>(b)].line(j, k) + i;
  const Real scale = static_cast<Real>(0.25 / shape.cell_size());
  for (int l = 0; l < count; ++l) {
    const Real b_along_a =
        (ub[l + along_a] + ub[l + along_a + along_b]) - (ub[l - along_a] + ub[l - along_a + along_b]);
    const Real a_along_b =
        (ua[l + along_b] + ua[l + along_b + along_a]) - (ua[l - along_b] + ua[l - along_b + along_a]);
    out[l] = scale * (b_along_a - a_along_b);
  }
}

}  // namespace

template <class Real>
void vorticity(const Model& model, const grid::FaceViews<const Real>& velocity,
               std::array<Buffer<Real>, 3>& curl) {
  const grid::Shape& shape = model.shape;
  const int first = shape.dims() == 3 ? 0 : 2;
  for (auto c = static_cast<std::size_t>(first); c < 3; ++c)
    if (curl[c].size() != shape.size()) curl[c].assign(shape.size(), 0);
  const grid::Box box = inner_cells(shape);
  grid::for_each_row(box, [&](int j, int k) {
    for (int c = first; c < 3; ++c)
      curl_row(shape, velocity, c, j, k, box.lo[0], box.hi[0] - box.lo[0],
               grid::view(shape, curl[static_cast<std::size_t>(c)]).line(j, k) + box.lo[0]);
  });
}

namespace {

constexpr int kSegment = 256;  // cells of a row that are worked on at once

template <class Real>
struct CurlRows {
  alignas(64) Real at[3][kSegment];
};

// Vorticity that is kept in fields; a component that is not there is zero.
template <class Real>
struct StoredCurl {
  std::array<grid::View<const Real>, 3> curl;

  void row(int j, int k, int i, int count, CurlRows<Real>& out) const {
    for (std::size_t c = 0; c < 3; ++c)
      if (curl[c].data == nullptr)
        std::fill_n(out.at[c], count, Real(0));
      else
        std::copy_n(curl[c].line(j, k) + i, count, out.at[c]);
  }
};

// Vorticity of a staggered velocity, found where it is needed: no memory.
template <class Real>
struct VelocityCurl {
  const grid::Shape& shape;
  grid::FaceViews<const Real> velocity;

  void row(int j, int k, int i, int count, CurlRows<Real>& out) const {
    for (std::size_t c = 0; c < 3; ++c)
      if (shape.dims() == 2 && c < 2)
        std::fill_n(out.at[c], count, Real(0));
      else
        curl_row(shape, velocity, static_cast<int>(c), j, k, i, count, out.at[c]);
  }
};

// The confinement force per mass, ε Δx (N × ω), at cells; zero where the vorticity has no clear gradient.
template <class Real, class Curl>
struct Confinement {
  const grid::Shape& shape;
  Curl curl;
  grid::View<const Real> magnitude;
  Real scale;                       // ε Δx
  grid::View<const Real> strength;  // or a view of nothing

  // One component of it at `count` cells of a row from i on.
  void force_row(int component, int j, int k, int i, int count, Real* __restrict out) const {
    CurlRows<Real> w;
    curl.row(j, k, i, count, w);
    const Real* const m = magnitude.line(j, k) + i;
    const std::ptrdiff_t up = shape.row(), back = shape.dims() == 3 ? shape.plane() : 0;
    const int a = (component + 1) % 3, b = (component + 2) % 3;
    const std::ptrdiff_t along_a = a == 0 ? 1 : a == 1 ? up : back, along_b = b == 0 ? 1 : b == 1 ? up : back;
    const Real *const wa = w.at[a], *const wb = w.at[b];
    // Round-off in a uniformly turning gas must not choose a direction. Lengths here are 2Δx times gradients.
    const Real least = Real(2e-4);
    for (int l = 0; l < count; ++l) {
      const Real nx = m[l + 1] - m[l - 1], ny = m[l + up] - m[l - up], nz = m[l + back] - m[l - back];
      const Real na = m[l + along_a] - m[l - along_a], nb = m[l + along_b] - m[l - along_b];
      const Real length = std::sqrt(nx * nx + ny * ny + nz * nz);
      const Real s = length > least * m[l] ? scale / length : Real(0);
      out[l] = s * (na * wb[l] - nb * wa[l]);
    }
    if (strength.data != nullptr) {
      const Real* const share = strength.line(j, k) + i;
      for (int l = 0; l < count; ++l) out[l] *= share[l];
    }
  }
};

// |ω| of all cells.
template <class Real, class Curl>
void write_magnitude(const grid::Shape& shape, const Curl& curl, Buffer<Real>& magnitude) {
  if (magnitude.size() != shape.size()) magnitude.assign(shape.size(), 0);
  const auto out = grid::view(shape, magnitude);
  const grid::Box box = inner_cells(shape);
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    Real* const m = out.line(j, k);
    const bool inner = j >= box.lo[1] && j < box.hi[1] && k >= box.lo[2] && k < box.hi[2];
    if (!inner) {
      std::fill_n(m, shape.cells()[0], Real(0));
      return;
    }
    m[0] = m[shape.cells()[0] - 1] = 0;
    for (int i = box.lo[0]; i < box.hi[0]; i += kSegment) {
      const int count = std::min(kSegment, box.hi[0] - i);
      CurlRows<Real> w;
      curl.row(j, k, i, count, w);
      for (int l = 0; l < count; ++l)
        m[i + l] = std::sqrt(w.at[0][l] * w.at[0][l] + w.at[1][l] * w.at[1][l] + w.at[2][l] * w.at[2][l]);
    }
  });
}

// The force lives at centres two cells from the sides inwards; each face takes the mean of its two cells.
template <class Real, class Curl>
void push_faces(const Model& model, const Confinement<Real, Curl>& force, double dt, State<Real>& state) {
  const grid::Shape& shape = model.shape;
  const auto velocity = velocity_views(model, state);
  const Real share = static_cast<Real>(0.5 * dt);
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    grid::Box box = inner_cells(shape);
    for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dims()); ++a) ++box.lo[a], --box.hi[a];
    ++box.lo[at];
    grid::for_each_row(box, [&](int j, int k) {
      Real* const u = velocity[at].line(j, k);
      alignas(64) Real here[kSegment], before[kSegment];
      for (int i = box.lo[0]; i < box.hi[0]; i += kSegment) {
        const int count = std::min(kSegment, box.hi[0] - i);
        force.force_row(axis, j, k, i, count, here);
        force.force_row(axis, j - (axis == 1), k - (axis == 2), i - (axis == 0), count, before);
        for (int l = 0; l < count; ++l) u[i + l] += share * (here[l] + before[l]);
      }
    });
  }
}

template <class Real, class Curl>
void confine(const Model& model, double epsilon, const Buffer<Real>* strength, double dt, const Curl& curl,
             Buffer<Real>& magnitude, State<Real>& state) {
  const grid::Shape& shape = model.shape;
  for (int axis = 0; axis < shape.dims(); ++axis)
    if (shape.cells()[static_cast<std::size_t>(axis)] < 5) return;
  write_magnitude(shape, curl, magnitude);
  Confinement<Real, Curl> force{shape,
                                curl,
                                grid::view(shape, std::as_const(magnitude)),
                                static_cast<Real>(epsilon * shape.cell_size()),
                                {}};
  if (strength != nullptr) force.strength = grid::view(shape, *strength);
  push_faces(model, force, dt, state);
}

}  // namespace

template <class Real>
void add_confinement(const Model& model, double epsilon, double dt,
                     const grid::FaceViews<const Real>& velocity, Buffer<Real>& magnitude,
                     State<Real>& state) {
  confine<Real>(model, epsilon, nullptr, dt, VelocityCurl<Real>{model.shape, velocity}, magnitude, state);
}

template <class Real>
void add_confinement(const Model& model, double epsilon, const Buffer<Real>* strength, double dt,
                     const std::array<Buffer<Real>, 3>& curl, Buffer<Real>& magnitude, State<Real>& state) {
  StoredCurl<Real> stored;
  for (std::size_t c = model.shape.dims() == 3 ? 0 : 2; c < 3; ++c)
    stored.curl[c] = grid::view(model.shape, curl[c]);
  confine(model, epsilon, strength, dt, stored, magnitude, state);
}

#define SELKIE_INSTANTIATE(Real)                                                                        \
  template void add_buoyancy<Real>(const Model&, const Params&, const Vec3&, double, State<Real>&);     \
  template void vorticity<Real>(const Model&, const grid::FaceViews<const Real>&,                       \
                                std::array<Buffer<Real>, 3>&);                                          \
  template void add_confinement<Real>(const Model&, double, double, const grid::FaceViews<const Real>&, \
                                      Buffer<Real>&, State<Real>&);                                     \
  template void add_confinement<Real>(const Model&, double, const Buffer<Real>*, double,                \
                                      const std::array<Buffer<Real>, 3>&, Buffer<Real>&, State<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::smoke
