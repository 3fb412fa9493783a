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

template <class Real>
void vorticity(const Model& model, const grid::FaceViews<const Real>& velocity,
               std::array<Buffer<Real>, 3>& curl) {
  const grid::Shape& shape = model.shape;
  const bool solid = shape.dims() == 3;
  // Differences of face velocities at neighbouring cells, four faces each: ∂u_a/∂x_b ≈ Σ ± u_a / 4Δx.
  const Real scale = static_cast<Real>(0.25 / shape.cell_size());
  for (std::size_t c = solid ? 0 : 2; c < 3; ++c)
    if (curl[c].size() != shape.size()) curl[c].assign(shape.size(), 0);
  const grid::Box box = inner_cells(shape);
  grid::for_each_row(box, [&](int j, int k) {
    auto derivative = [&](int component, int axis, int i) {
      const auto& u = velocity[static_cast<std::size_t>(component)];
      const Real* const p = u.line(j, k) + i;
      const std::ptrdiff_t across = shape.stride(component), along = shape.stride(axis);
      return scale * ((p[along] + p[along + across]) - (p[-along] + p[-along + across]));
    };
    for (std::size_t c = solid ? 0 : 2; c < 3; ++c) {
      Real* const out = grid::view(shape, curl[c]).line(j, k);
      const int a = static_cast<int>((c + 1) % 3), b = static_cast<int>((c + 2) % 3);
      for (int i = box.lo[0]; i < box.hi[0]; ++i) out[i] = derivative(b, a, i) - derivative(a, b, i);
    }
  });
}

namespace {

// The confinement force per mass at one cell, ε Δx (N × ω); zero where the vorticity has no clear gradient.
template <class Real>
struct CellForce {
  const grid::Shape& shape;
  std::array<grid::View<const Real>, 3> curl;
  grid::View<const Real> magnitude;
  Real scale;                       // ε Δx
  grid::View<const Real> strength;  // or a view of nothing

  std::array<Real, 3> at(int i, int j, int k) const {
    const Real* const m = magnitude.line(j, k) + i;
    const Real half = static_cast<Real>(0.5 / shape.cell_size());
    std::array<Real, 3> n{half * (m[1] - m[-1]), half * (m[magnitude.row] - m[-magnitude.row]), 0};
    if (shape.dims() == 3) n[2] = half * (m[magnitude.plane] - m[-magnitude.plane]);
    const Real length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    // Round-off in a uniformly turning gas must not choose a direction.
    if (!(length > Real(1e-4) * m[0] / static_cast<Real>(shape.cell_size()))) return {0, 0, 0};
    const Real s = scale / length * (strength.data ? strength(i, j, k) : Real(1));
    const Real wz = curl[2](i, j, k);
    if (shape.dims() == 2) return {s * n[1] * wz, -s * n[0] * wz, 0};
    const Real wx = curl[0](i, j, k), wy = curl[1](i, j, k);
    return {s * (n[1] * wz - n[2] * wy), s * (n[2] * wx - n[0] * wz), s * (n[0] * wy - n[1] * wx)};
  }
};

}  // namespace

template <class Real>
void add_confinement(const Model& model, double epsilon, const Buffer<Real>* strength, double dt,
                     const std::array<Buffer<Real>, 3>& curl, Buffer<Real>& magnitude, State<Real>& state) {
  const grid::Shape& shape = model.shape;
  const bool solid = shape.dims() == 3;
  for (const int n : {shape.cells()[0], shape.cells()[1], solid ? shape.cells()[2] : 5})
    if (n < 5) return;
  if (magnitude.size() != shape.size()) magnitude.assign(shape.size(), 0);
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    Real* const m = grid::view(shape, magnitude).line(j, k);
    const Real* const wz = grid::view(shape, curl[2]).line(j, k);
    for (int i = 0; i < shape.cells()[0]; ++i) m[i] = std::abs(wz[i]);
    if (!solid) return;
    const Real* const wx = grid::view(shape, curl[0]).line(j, k);
    const Real* const wy = grid::view(shape, curl[1]).line(j, k);
    for (int i = 0; i < shape.cells()[0]; ++i)
      m[i] = std::sqrt(wx[i] * wx[i] + wy[i] * wy[i] + wz[i] * wz[i]);
  });
  CellForce<Real> force{shape,
                        {},
                        grid::view(shape, std::as_const(magnitude)),
                        static_cast<Real>(epsilon * shape.cell_size()),
                        {}};
  if (strength) force.strength = grid::view(shape, *strength);
  for (std::size_t c = solid ? 0 : 2; c < 3; ++c) force.curl[c] = grid::view(shape, curl[c]);
  // The force lives at centres two cells from the sides inwards; each face takes the mean of its two cells.
  // Rows write the faces they own, so cells are visited once per adjacent face.
  const auto velocity = velocity_views(model, state);
  const Real share = static_cast<Real>(0.5 * dt);
  for (int axis = 0; axis < shape.dims(); ++axis) {
    grid::Box box = inner_cells(shape);
    for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dims()); ++a) ++box.lo[a], --box.hi[a];
    const auto at = static_cast<std::size_t>(axis);
    ++box.lo[at];
    grid::for_each_row(box, [&](int j, int k) {
      Real* const u = velocity[at].line(j, k);
      for (int i = box.lo[0]; i < box.hi[0]; ++i)
        u[i] +=
            share * (force.at(i, j, k)[at] + force.at(i - (axis == 0), j - (axis == 1), k - (axis == 2))[at]);
    });
  }
}

#define SELKIE_INSTANTIATE(Real)                                                                    \
  template void add_buoyancy<Real>(const Model&, const Params&, const Vec3&, double, State<Real>&); \
  template void vorticity<Real>(const Model&, const grid::FaceViews<const Real>&,                   \
                                std::array<Buffer<Real>, 3>&);                                      \
  template void add_confinement<Real>(const Model&, double, const Buffer<Real>*, double,            \
                                      const std::array<Buffer<Real>, 3>&, Buffer<Real>&, State<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::smoke
