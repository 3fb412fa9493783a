// See transfer.h.
#include "selkie/fluids/liquid/transfer.h"

#include <cstring>

#include "selkie/core/parallel.h"
#include "selkie/fluids/liquid/detail/batch.h"
#include "selkie/fluids/liquid/detail/taps.h"
#include "selkie/grid/loops.h"

namespace selkie::liquid {
namespace {

using detail::AxisTaps;
using detail::QuadraticTaps;

// Planes (rows in 2-D) of cells in a slab. Particles reach one plane below theirs and two above, so slabs of
// one colour never meet.
constexpr int kSlab = 4;

template <class Real>
struct Quad {
  typedef Real type __attribute__((vector_size(4 * sizeof(Real))));
};

// Σ w v and Σ w of the three components, each for all faces.
template <class Real>
using Sums = std::array<Real*, 3>;

// A range of particles onto the faces by hat weights. Two neighbours along x with value and weight each are
// one vector of four. All components in turn: the additions of one do not wait for those of another.
template <class Real, int Dims, bool Affine>
void scatter_hat(const grid::Shape& shape, const Particles<Real>& particles, std::size_t begin, std::size_t end,
                 const Sums<Real>& sums) {
  using V4 = typename Quad<Real>::type;
  const std::ptrdiff_t row = 2 * shape.row(), plane = 2 * shape.plane();
  const Real *x = particles.x.data(), *y = particles.y.data(), *z = particles.z.data();
  const std::array<const Real*, 3> velocity{particles.u.data(), particles.v.data(), particles.w.data()};
  const auto* const affine = particles.affine.data();
  const Real size = static_cast<Real>(shape.cell_size());
  auto add = [](Real* at, const V4& values) {
    V4 sum;
    std::memcpy(&sum, at, sizeof sum);
    sum += values;
    std::memcpy(at, &sum, sizeof sum);
  };
  auto component = [&](auto which, std::size_t p, const std::array<AxisTaps<Real>, 3>& t) {
    constexpr int axis = which();
    const int i = axis == 0 ? t[0].corner : t[0].middle, j = axis == 1 ? t[1].corner : t[1].middle,
              k = axis == 2 ? t[2].corner : t[2].middle;
    const Real a = axis == 0 ? t[0].corner_f : t[0].middle_f, b = axis == 1 ? t[1].corner_f : t[1].middle_f,
               c = axis == 2 ? t[2].corner_f : t[2].middle_f;
    Real* const at = sums[axis] + 2 * i + j * row + (Dims == 3 ? k * plane : 0);
    const Real v = velocity[axis][p];
    const V4 weight{1 - a, 1 - a, a, a};
    if constexpr (!Affine) {
      const V4 pair = weight * V4{v, 1, v, 1};
      if constexpr (Dims == 3) {
        add(at, pair * ((1 - b) * (1 - c)));
        add(at + row, pair * (b * (1 - c)));
        add(at + plane, pair * ((1 - b) * c));
        add(at + row + plane, pair * (b * c));
      } else {
        add(at, pair * (1 - b));
        add(at + row, pair * b);
      }
    } else {
      const Real gx = size * affine[p][3 * axis], gy = size * affine[p][3 * axis + 1],
                 gz = size * affine[p][3 * axis + 2];
      const Real low = v - a * gx - b * gy - (Dims == 3 ? c * gz : 0);  // at the lowest sample
      auto pair = [&](Real value) { return weight * V4{value, 1, value + gx, 1}; };
      if constexpr (Dims == 3) {
        add(at, pair(low) * ((1 - b) * (1 - c)));
        add(at + row, pair(low + gy) * (b * (1 - c)));
        add(at + plane, pair(low + gz) * ((1 - b) * c));
        add(at + row + plane, pair(low + gy + gz) * (b * c));
      } else {
        add(at, pair(low) * (1 - b));
        add(at + row, pair(low + gy) * b);
      }
    }
  };
  for (std::size_t p = begin; p < end; ++p) {
    const std::array<AxisTaps<Real>, 3> taps{AxisTaps<Real>(x[p]), AxisTaps<Real>(y[p]),
                                             AxisTaps<Real>(Dims == 3 ? z[p] : Real(0.5))};
    component(std::integral_constant<int, 0>{}, p, taps);
    component(std::integral_constant<int, 1>{}, p, taps);
    if constexpr (Dims == 3) component(std::integral_constant<int, 2>{}, p, taps);
  }
}

template <class Real, int Dims, bool Affine>
void scatter_quadratic(const grid::Shape& shape, int axis, const Particles<Real>& particles,
                       std::size_t begin, std::size_t end, Real* sums) {
  const grid::Index samples = shape.samples(grid::face_place(axis));
  const Real size = static_cast<Real>(shape.cell_size());
  const Real* const v = particles.velocity()[static_cast<std::size_t>(axis)]->data();
  for (std::size_t p = begin; p < end; ++p) {
    const QuadraticTaps<Real> tx(particles.x[p], axis != 0, samples[0]),
        ty(particles.y[p], axis != 1, samples[1]),
        tz(Dims == 3 ? particles.z[p] : Real(0.5), Dims == 2 || axis != 2, samples[2]);
    for (std::size_t c = 0; c < (Dims == 3 ? 3 : 1); ++c)
      for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t a = 0; a < 3; ++a) {
          const Real weight = tx.weight[a] * ty.weight[b] * (Dims == 3 ? tz.weight[c] : Real(1));
          Real value = v[p];
          if constexpr (Affine) {
            const auto& g = particles.affine[p];
            value += size * (g[3 * axis] * tx.way[a] + g[3 * axis + 1] * ty.way[b]);
            if (Dims == 3) value += size * g[3 * axis + 2] * tz.way[c];
          }
          Real* const at =
              sums + 2 * (tx.index[a] + ty.index[b] * shape.row() + (Dims == 3 ? tz.index[c] * shape.plane() : 0));
          at[0] += weight * value;
          at[1] += weight;
        }
  }
}

template <class Real, int Dims>
void scatter(const Model& model, const Params& params, const Particles<Real>& particles, const CellRanges& ranges,
             const Sums<Real>& sums) {
  const grid::Shape& shape = model.shape;
  const auto [nx, ny, nz] = shape.cells();
  const int planes = Dims == 3 ? nz : ny;
  const std::size_t plane_cells = static_cast<std::size_t>(Dims == 3 ? nx * ny : nx);
  const int slabs = (planes + kSlab - 1) / kSlab;
  const bool affine = params.transfer == Transfer::apic && !particles.affine.empty();
  for (int colour = 0; colour < 2; ++colour)
    parallel_for(
        static_cast<std::size_t>((slabs + 1 - colour) / 2),
        [&](std::size_t n) {
          const auto first = (2 * n + static_cast<std::size_t>(colour)) * kSlab;
          const auto last = std::min(first + kSlab, static_cast<std::size_t>(planes));
          const std::size_t begin = ranges.start[first * plane_cells], end = ranges.start[last * plane_cells];
          if (params.kernel == Kernel::hat)
            return affine ? scatter_hat<Real, Dims, true>(shape, particles, begin, end, sums)
                          : scatter_hat<Real, Dims, false>(shape, particles, begin, end, sums);
          for (int axis = 0; axis < Dims; ++axis)
            affine ? scatter_quadratic<Real, Dims, true>(shape, axis, particles, begin, end, sums[static_cast<std::size_t>(axis)])
                   : scatter_quadratic<Real, Dims, false>(shape, axis, particles, begin, end, sums[static_cast<std::size_t>(axis)]);
        },
        1);
}

}  // namespace

template <class Real>
void to_grid(const Model& model, const Params& params, const Particles<Real>& particles,
             const CellRanges& ranges, State<Real>& state, TransferWork<Real>& work) {
  const grid::Shape& shape = model.shape;
  // A smaller weight is a particle that just touches the face: its share would be rounding.
  constexpr Real kLeastWeight = Real(1e-12);
  const auto dims = static_cast<std::size_t>(shape.dims());
  if (work.sums.size() != 2 * dims * shape.size()) work.sums.resize(2 * dims * shape.size());
  parallel_blocks(work.sums.size(), 65536, [&](std::size_t begin, std::size_t end) {
    std::fill(work.sums.data() + begin, work.sums.data() + end, Real(0));
  });
  Sums<Real> all{};
  for (std::size_t a = 0; a < dims; ++a)
    all[a] = work.sums.data() + 2 * (a * shape.size() + static_cast<std::size_t>(shape.first()));
  dims == 3 ? scatter<Real, 3>(model, params, particles, ranges, all)
            : scatter<Real, 2>(model, params, particles, ranges, all);
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const Real* const sums = all[static_cast<std::size_t>(axis)];
    const auto u = grid::view(shape, *state.velocity()[static_cast<std::size_t>(axis)]);
    const grid::Box box = grid::sample_box(shape, grid::face_place(axis));
    grid::for_each_row(box, [&](int j, int k) {
      const Real* const sum = sums + 2 * (j * shape.row() + k * shape.plane());
      Real* const out = u.line(j, k);
      for (int i = 0; i < box.hi[0]; ++i) {
        const Real weight = sum[2 * i + 1];
        out[i] = weight > kLeastWeight ? sum[2 * i] / weight : out[i];
      }
    });
  }
}

namespace {

// Gradient of the hat-interpolated component at a point, per cell.
template <class Real, int Dims>
std::array<Real, 3> hat_gradient(const Real* f, std::ptrdiff_t row, std::ptrdiff_t plane, Real a, Real b,
                                 Real c) {
  auto face = [&](const Real* p, Real& dx, Real& dy) {
    dx = (1 - b) * (p[1] - p[0]) + b * (p[row + 1] - p[row]);
    dy = (1 - a) * (p[row] - p[0]) + a * (p[row + 1] - p[1]);
  };
  Real dx, dy;
  face(f, dx, dy);
  if constexpr (Dims == 2) return {dx, dy, 0};
  Real dx1, dy1;
  face(f + plane, dx1, dy1);
  auto flat = [&](const Real* p) {
    const Real low = p[0] + a * (p[1] - p[0]), high = p[row] + a * (p[row + 1] - p[row]);
    return low + b * (high - low);
  };
  return {dx + c * (dx1 - dx), dy + c * (dy1 - dy), flat(f + plane) - flat(f)};
}

// Velocity and its gradient by hat weights [Jiang15].
template <class Real, int Dims>
void gather_affine(const grid::Shape& shape, State<Real>& state, std::size_t begin, std::size_t end) {
  Particles<Real>& particles = state.particles;
  const std::array<const Buffer<Real>*, 3> fields{&state.velocity_x, &state.velocity_y, &state.velocity_z};
  const detail::Faces<Real, Dims> now(shape, fields);
  const Real scale = static_cast<Real>(1 / shape.cell_size());
  for (std::size_t p = begin; p < end; ++p) {
    const std::array<Real, 3> x{particles.x[p], particles.y[p], Dims == 3 ? particles.z[p] : Real(0.5)};
    const auto u = detail::sample<Real, Dims>(now, x);
    const std::array<AxisTaps<Real>, 3> taps{AxisTaps<Real>(x[0]), AxisTaps<Real>(x[1]), AxisTaps<Real>(x[2])};
    for (std::size_t a = 0; a < Dims; ++a) {
      (*particles.velocity()[a])[p] = u[a];
      auto base = [&](std::size_t b) { return a == b ? taps[b].corner : taps[b].middle; };
      auto part = [&](std::size_t b) { return a == b ? taps[b].corner_f : taps[b].middle_f; };
      const Real* const f = now.at[a] + base(0) + base(1) * now.row + (Dims == 3 ? base(2) * now.plane : 0);
      const auto g = hat_gradient<Real, Dims>(f, now.row, now.plane, part(0), part(1), part(2));
      for (std::size_t b = 0; b < 3; ++b)
        particles.affine[p][static_cast<Eigen::Index>(3 * a + b)] = scale * g[b];
    }
  }
}

// v ← keep v + f(x) by hat weights.
template <class Real, int Dims>
void gather_hat(const detail::Faces<Real, Dims>& field, Real keep, Particles<Real>& particles, std::size_t begin,
                std::size_t end) {
  constexpr int kLanes = detail::kLanes<Real>;
  for (std::size_t p = begin; p < end; p += kLanes) {
    const int count = static_cast<int>(std::min<std::size_t>(end - p, kLanes));
    std::array<detail::Lanes<Real>, 3> x{}, u{};
    for (std::size_t a = 0; a < Dims; ++a) x[a] = detail::load_lanes<Real>(particles.position()[a]->data() + p, count);
    detail::sample_lanes<Real, Dims>(field, x, u);
    for (std::size_t a = 0; a < Dims; ++a) {
      Real* const v = particles.velocity()[a]->data() + p;
      if (keep != 0) u[a] = keep * detail::load_lanes<Real>(v, count) + u[a];
      detail::store_lanes<Real>(v, u[a], count);
    }
  }
}

// What is added to `keep` times the particles' velocity: the grid's velocity (PIC, keep = 0), or into `change`
// the blend with it (FLIP), so that one field is sampled and not two.
template <class Real, int Dims>
void to_particles_by_hat(const grid::Shape& shape, const Params& params, std::array<Buffer<Real>, 3>& change,
                         State<Real>& state) {
  const Real keep = params.transfer == Transfer::flip ? static_cast<Real>(params.flip_share) : Real(0);
  std::array<const Buffer<Real>*, 3> fields{&state.velocity_x, &state.velocity_y, &state.velocity_z};
  if (keep != 0) {
    for (std::size_t a = 0; a < Dims; ++a) {
      const Real* const now = fields[a]->data();
      Real* const blend = change[a].data();
      if (keep != 1)
        parallel_blocks(shape.size(), 32768, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) blend[i] = keep * blend[i] + (1 - keep) * now[i];
        });
      fields[a] = &change[a];
    }
  }
  const detail::Faces<Real, Dims> field(shape, fields);
  parallel_blocks(state.particles.size(), 8192, [&](std::size_t begin, std::size_t end) {
    params.transfer == Transfer::apic ? gather_affine<Real, Dims>(shape, state, begin, end)
                                      : gather_hat<Real, Dims>(field, keep, state.particles, begin, end);
  });
}

template <class Real, int Dims>
void gather_quadratic(const grid::Shape& shape, const Params& params,
                      const std::array<Buffer<Real>, 3>& change, State<Real>& state, std::size_t begin,
                      std::size_t end) {
  Particles<Real>& particles = state.particles;
  const bool apic = params.transfer == Transfer::apic;
  const Real share = params.transfer == Transfer::flip ? static_cast<Real>(params.flip_share) : Real(0);
  const Real scale = static_cast<Real>(4 / shape.cell_size());  // the inverse of D = Δx²/4 [Jiang15 §5.2]
  for (std::size_t p = begin; p < end; ++p)
    for (int axis = 0; axis < Dims; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const grid::Index samples = shape.samples(grid::face_place(axis));
      const QuadraticTaps<Real> tx(particles.x[p], axis != 0, samples[0]),
          ty(particles.y[p], axis != 1, samples[1]),
          tz(Dims == 3 ? particles.z[p] : Real(0.5), Dims == 2 || axis != 2, samples[2]);
      Real whole = 0, u = 0, d = 0, gx = 0, gy = 0, gz = 0;
      const Real *now = state.velocity()[a]->data() + shape.first(),
                 *added = change[a].data() + shape.first();
      for (std::size_t n = 0; n < (Dims == 3 ? 27 : 9); ++n) {
        const std::size_t i = n % 3, j = n / 3 % 3, k = n / 9;
        const Real weight = tx.weight[i] * ty.weight[j] * (Dims == 3 ? tz.weight[k] : Real(1));
        const std::ptrdiff_t at =
            tx.index[i] + ty.index[j] * shape.row() + (Dims == 3 ? tz.index[k] * shape.plane() : 0);
        const Real value = weight * now[at];
        whole += weight, u += value, d += weight * added[at];
        gx += value * tx.way[i], gy += value * ty.way[j];
        if (Dims == 3) gz += value * tz.way[k];
      }
      // Near the sides some samples are missing.
      u /= whole, d /= whole;
      Real& v = (*particles.velocity()[a])[p];
      v = share * (v + d) + (1 - share) * u;
      if (!apic) continue;
      Real* const g = particles.affine[p].data() + 3 * axis;
      g[0] = scale * gx / whole, g[1] = scale * gy / whole, g[2] = scale * gz / whole;
    }
}

}  // namespace

template <class Real>
void to_particles(const Model& model, const Params& params, std::array<Buffer<Real>, 3>& change,
                  State<Real>& state) {
  if (params.transfer == Transfer::apic && state.particles.affine.size() != state.particles.size())
    state.particles.affine.assign(state.particles.size(), Particles<Real>::Affine::Zero());
  const grid::Shape& shape = model.shape;
  if (params.kernel == Kernel::hat)
    return shape.dims() == 3 ? to_particles_by_hat<Real, 3>(shape, params, change, state)
                             : to_particles_by_hat<Real, 2>(shape, params, change, state);
  parallel_blocks(state.particles.size(), 8192, [&](std::size_t begin, std::size_t end) {
    shape.dims() == 3 ? gather_quadratic<Real, 3>(shape, params, change, state, begin, end)
                      : gather_quadratic<Real, 2>(shape, params, change, state, begin, end);
  });
}

template <class Real>
void fill_ghosts(const grid::Shape& shape, grid::Place place, Buffer<Real>& field) {
  const auto f = grid::view(shape, field);
  const auto [sx, sy, sz] = shape.samples(place);
  const auto [nx, ny, nz] = shape.cells();
  for (int k = 0; k < sz; ++k) {
    for (int j = 0; j < sy; ++j) {
      f(-1, j, k) = f(0, j, k);
      if (sx == nx) f(nx, j, k) = f(nx - 1, j, k);
    }
    std::copy_n(f.line(0, k) - 1, nx + 2, f.line(-1, k) - 1);
    if (sy == ny) std::copy_n(f.line(ny - 1, k) - 1, nx + 2, f.line(ny, k) - 1);
  }
  if (shape.dims() == 2) return;
  for (int j = -1; j <= ny; ++j) {
    std::copy_n(f.line(j, 0) - 1, nx + 2, f.line(j, -1) - 1);
    if (sz == nz) std::copy_n(f.line(j, nz - 1) - 1, nx + 2, f.line(j, nz) - 1);
  }
}

#define SELKIE_INSTANTIATE(Real)                                                                           \
  template void to_grid<Real>(const Model&, const Params&, const Particles<Real>&, const CellRanges&,      \
                              State<Real>&, TransferWork<Real>&);                                          \
  template void to_particles<Real>(const Model&, const Params&, std::array<Buffer<Real>, 3>&, State<Real>&); \
  template void fill_ghosts<Real>(const grid::Shape&, grid::Place, Buffer<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
