// See particle_level_set.h. Reseeding is in marker_seeding.cpp.
#include "selkie/grid/particle_level_set.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/core/random.h"
#include "selkie/grid/loops.h"

namespace selkie::grid {
namespace {

template <class T>
using Point = Eigen::Matrix<T, 3, 1>;

constexpr std::size_t kMarkerBlock = 2048;

// x(t + Δt) by the midpoint rule or Ralston's third-order rule.
template <class Velocity>
Vec3 moved(MarkerMotion motion, const Vec3& x, double t, double dt, Velocity&& u) {
  const Vec3 k1 = u(x, t);
  const Vec3 k2 = u(x + dt / 2 * k1, t + dt / 2);
  if (motion == MarkerMotion::rk2) return x + dt * k2;
  const Vec3 k3 = u(x + 0.75 * dt * k2, t + 0.75 * dt);
  return x + dt / 9 * (2 * k1 + 3 * k2 + 4 * k3);
}

template <class T, class Velocity>
void move_all(MarkerMotion motion, double time, double dt, Markers<T>& markers, Velocity&& u) {
  Point<T>* const x = markers.positions.data();
  parallel_for(
      markers.size(),
      [&](std::size_t p) {
        x[p] = moved(motion, x[p].template cast<double>(), time, dt, u).template cast<T>();
      },
      kMarkerBlock);
}

}  // namespace

template <class T>
void move_markers(MarkerMotion motion, VelocityAt velocity, double time, double dt, Markers<T>& markers) {
  move_all(motion, time, dt, markers, [&](const Vec3& x, double t) { return velocity(x, t); });
}

template <class T>
void move_markers(const Shape& shape, MarkerMotion motion, const FaceViews<const T>& velocity, double dt,
                  Markers<T>& markers) {
  const ProfileZone zone("markers.move");
  const int dims = shape.dims();
  Lattice lattices[3];
  for (int a = 0; a < dims; ++a) lattices[a] = Lattice(shape, face_place(a));
  move_all(motion, 0, dt, markers, [&](const Vec3& x, double) {
    Vec3 u = Vec3::Zero();
    for (int a = 0; a < dims; ++a) u[a] = interpolate(velocity[static_cast<std::size_t>(a)], lattices[a], x);
    return u;
  });
}

template <class T>
void push_markers_out(const Shape& shape, FunctionRef<SolidAt(const Vec3&)> solid, Markers<T>& markers) {
  const double h = shape.cell_size();
  parallel_for(
      markers.size(),
      [&](std::size_t p) {
        if (markers.outer[p] != 0) return;
        const Vec3 x = markers.positions[p].template cast<double>();
        const SolidAt near = solid(x);
        // Fixed for life, from the marker's number: a layer of markers at one distance would print through.
        const double kept = h * random_uniform(0x501d, markers.identities[p], 0, 0.1, 1.0);
        if (near.distance < kept)
          markers.positions[p] = (x + (kept - near.distance) * near.normal).template cast<T>();
      },
      kMarkerBlock);
}

template <class T>
CorrectionReport correct_level_set(const Shape& shape, Place place, const Markers<T>& markers,
                                   const View<T>& phi, MarkerWork<T>& work) {
  const ProfileZone zone("markers.correct");
  const Lattice lattice(shape, place);
  const View<const T> read = phi;
  CorrectionReport report;
  work.flags.resize(markers.size());
  report.escaped = static_cast<std::size_t>(sum_blocks(
      markers.size(),
      [&](std::size_t begin, std::size_t end) {
        std::size_t count = 0;
        for (std::size_t p = begin; p < end; ++p) {
          const double value = interpolate(read, lattice, markers.positions[p].template cast<double>());
          const double side = markers.outer[p] != 0 ? 1 : -1;
          const bool is_escaped = side * value < -double(markers.radii[p]);
          work.flags[p] = is_escaped ? 1 : 0;
          count += is_escaped ? 1 : 0;
        }
        return static_cast<double>(count);
      },
      kMarkerBlock));
  if (report.escaped == 0) return report;

  // φ⁺ and φ⁻ begin as φ and are raised and lowered by escaped markers at the samples around them.
  const Index n = lattice.samples;
  for (Buffer<T>* field : {&work.outer_phi, &work.inner_phi})
    if (field->size() != shape.size()) field->assign(shape.size(), T(0));
  const View<T> outer = view(shape, work.outer_phi), inner = view(shape, work.inner_phi);
  for_each_row({{0, 0, 0}, n}, [&](int j, int k) {
    std::copy_n(phi.line(j, k), n[0], outer.line(j, k));
    std::copy_n(phi.line(j, k), n[0], inner.line(j, k));
  });
  for (std::size_t p = 0; p < markers.size(); ++p) {
    if (work.flags[p] == 0) continue;
    const Vec3 x = markers.positions[p].template cast<double>();
    const Index base = stencil_at(lattice, x).base;
    for (int c = 0; c < (1 << lattice.dims); ++c) {
      Index at = base;
      for (std::size_t a = 0; a < static_cast<std::size_t>(lattice.dims); ++a)
        at[a] = std::min(at[a] + ((c >> a) & 1), n[a] - 1);
      const Vec3 sample = lattice.first + Vec3(at[0], at[1], at[2]) / lattice.inverse_size;
      const T depth = markers.radii[p] - static_cast<T>((x - sample).norm());  // of the sample in the marker
      if (markers.outer[p] != 0)
        outer(at[0], at[1], at[2]) = std::max(outer(at[0], at[1], at[2]), depth);
      else
        inner(at[0], at[1], at[2]) = std::min(inner(at[0], at[1], at[2]), -depth);
    }
  }
  report.corrected = static_cast<std::size_t>(sum_rows({{0, 0, 0}, n}, [&](int j, int k) {
    T* const f = phi.line(j, k);
    const T *const up = outer.line(j, k), *const down = inner.line(j, k);
    int changed = 0;
    for (int i = 0; i < n[0]; ++i) {
      const T value = std::abs(up[i]) <= std::abs(down[i]) ? up[i] : down[i];
      changed += value != f[i] ? 1 : 0;
      f[i] = value;
    }
    return static_cast<double>(changed);
  }));
  return report;
}

template <class T>
void fit_radii(const Shape& shape, Place place, const MarkerParams& params, const ReadView<T>& phi,
               Markers<T>& markers) {
  const Lattice lattice(shape, place);
  const double h = shape.cell_size(), smallest = params.smallest * h,
               largest = std::max(params.largest * h, smallest);
  parallel_for(
      markers.size(),
      [&](std::size_t p) {
        const double side = markers.outer[p] != 0 ? 1 : -1;
        const double distance =
            side * interpolate(phi, lattice, Vec3(markers.positions[p].template cast<double>()));
        if (distance < -double(markers.radii[p])) return;
        markers.radii[p] = static_cast<T>(std::clamp(distance, smallest, largest));
      },
      kMarkerBlock);
}

template <class T>
CorrectionReport keep_level_set(const Shape& shape, Place place, const MarkerParams& params,
                                const DistanceOptions& distance, Markers<T>& markers, const View<T>& phi,
                                MarkerWork<T>& work) {
  const CorrectionReport report = correct_level_set(shape, place, markers, phi, work);
  redistance(shape, place, distance, phi, work.distance);
  correct_level_set(shape, place, markers, phi, work);
  fit_radii<T>(shape, place, params, phi, markers);
  return report;
}

#define SELKIE_INSTANTIATE(T)                                                                                \
  template void move_markers(MarkerMotion, VelocityAt, double, double, Markers<T>&);                         \
  template void move_markers(const Shape&, MarkerMotion, const FaceViews<const T>&, double, Markers<T>&);    \
  template void push_markers_out(const Shape&, FunctionRef<SolidAt(const Vec3&)>, Markers<T>&);              \
  template CorrectionReport correct_level_set(const Shape&, Place, const Markers<T>&, const View<T>&,        \
                                              MarkerWork<T>&);                                               \
  template void fit_radii(const Shape&, Place, const MarkerParams&, const ReadView<T>&, Markers<T>&);        \
  template CorrectionReport keep_level_set(const Shape&, Place, const MarkerParams&, const DistanceOptions&, \
                                           Markers<T>&, const View<T>&, MarkerWork<T>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::grid
