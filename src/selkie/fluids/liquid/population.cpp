// See population.h.
#include "selkie/fluids/liquid/population.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "selkie/core/profile.h"
#include "selkie/fluids/liquid/detail/taps.h"
#include "selkie/fluids/liquid/transfer.h"
#include "selkie/grid/loops.h"

namespace selkie::liquid {
namespace {

constexpr int kDeepest = 64;

// Particles are kept in cells not deeper than this.
int depth_of_band(const Params& params) { return std::min(params.band + kLeastDepth, kDeepest - 1); }

// depth = cells to the nearest air along the axes, up to `most`, a layer after the other; beyond the sides the
// liquid goes on.
template <class Real>
void find_depth(const Model& model, const Buffer<Real>& surface, int most, PopulationWork<Real>& work) {
  const grid::Shape& shape = model.shape;
  const grid::Box box = grid::sample_box(shape, grid::Place::cell);
  work.depth.assign(shape.size(), static_cast<std::uint8_t>(most));
  const auto depth = grid::view(shape, work.depth);
  const auto phi = grid::view(shape, surface);
  grid::for_each_row(box, [&](int j, int k) {
    for (int i = 0; i < box.hi[0]; ++i)
      if (!(phi(i, j, k) < 0)) depth(i, j, k) = 0;
  });
  const std::ptrdiff_t y = shape.stride(1), z = shape.dims() == 3 ? shape.stride(2) : 0;
  for (int layer = 0; layer + 1 < most; ++layer) {
    work.next = work.depth;
    const auto old = grid::view(shape, std::as_const(work.next));
    grid::for_each_row(box, [&](int j, int k) {
      const std::uint8_t* const from = old.line(j, k);
      std::uint8_t* const to = depth.line(j, k);
      for (int i = 0; i < box.hi[0]; ++i) {
        const bool beside = (from[i - 1] == layer) | (from[i + 1] == layer) | (from[i - y] == layer) |
                            (from[i + y] == layer) | (from[i - z] == layer) | (from[i + z] == layer);
        to[i] = ((from[i] == most) & beside) ? static_cast<std::uint8_t>(layer + 1) : from[i];
      }
    });
  }
}

}  // namespace

template <class Real>
void carry_deep(const Model& model, const Params& params, Interval interval, const State<Real>& state,
                CellRanges& ranges, PopulationWork<Real>& work) {
  const grid::Shape& shape = model.shape;
  if (params.band == 0) {
    ranges.full.resize(0);
    return;
  }
  const ProfileZone zone("liquid.deep");
  // Where cells carry deep liquid: one less than where they hold particles, so that no gap opens between.
  const int deep = depth_of_band(params) - 1;
  find_depth(model, state.surface, deep + 1, work);
  grid::Flow<Real> flow{velocity_views(model, state), interval.dt()};
  grid::FaceViews<Real> carried;
  for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dims()); ++a) {
    if (work.carried[a].size() != shape.size()) work.carried[a].assign(shape.size(), Real(0));
    carried[a] = grid::view(shape, work.carried[a]);
  }
  grid::advect_velocity<Real>(shape, params.advect, flow, flow.velocity, carried, work.advect);
  ranges.full.assign(shape.size(), 0);
  const auto depth = grid::view(shape, std::as_const(work.depth));
  const auto full = grid::view(shape, ranges.full);
  const grid::Index n = shape.cells();
  const double scale = interval.dt() / shape.cell_size();
  const auto u = velocity_views(model, state);
  // Back along the mean velocity of the cell, as the particles around come.
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    for (int i = 0; i < n[0]; ++i) {
      grid::Index at{i, j, k};
      for (int axis = 0; axis < shape.dims(); ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const Real* const face = &u[a](i, j, k);
        const double way = scale * 0.5 * (double(face[0]) + double(face[shape.stride(axis)]));
        at[a] = std::clamp(static_cast<int>(std::floor(at[a] + 0.5 - way)), 0, n[a] - 1);
      }
      full(i, j, k) = depth(at[0], at[1], at[2]) >= deep ? 1 : 0;
    }
  });
}

template <class Real>
void set_deep_velocity(const Model& model, const CellRanges& ranges, const PopulationWork<Real>& work,
                       State<Real>& state) {
  if (ranges.full.empty()) return;
  const grid::Shape& shape = model.shape;
  const auto full = grid::view(shape, ranges.full);
  for (int axis = 0; axis < shape.dims(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const auto u = grid::view(shape, *state.velocity()[a]);
    const auto carried = grid::view(shape, work.carried[a]);
    grid::Box box = grid::sample_box(shape, grid::face_place(axis));
    box.lo[a] = 1, --box.hi[a];
    const std::ptrdiff_t step = shape.stride(axis);
    grid::for_each_row(box, [&](int j, int k) {
      for (int i = box.lo[0]; i < box.hi[0]; ++i) {
        const std::uint8_t* const cell = &full(i, j, k);
        if (cell[0] != 0 && cell[-step] != 0) u(i, j, k) = carried(i, j, k);
      }
    });
  }
}

namespace {

template <class Real, int Dims>
void give_velocity(const grid::Shape& shape, std::size_t begin, State<Real>& state) {
  const detail::Faces<Real, Dims> faces(shape, {&state.velocity_x, &state.velocity_y, &state.velocity_z});
  Particles<Real>& p = state.particles;
  parallel_for(p.size() - begin, [&](std::size_t n) {
    const std::size_t q = begin + n;
    const auto u = detail::sample<Real, Dims>(faces, {p.x[q], p.y[q], Dims == 3 ? p.z[q] : Real(0.5)});
    for (std::size_t a = 0; a < Dims; ++a) (*p.velocity()[a])[q] = u[a];
  });
}

}  // namespace

template <class Real>
void populate(const Model& model, const Params& params, const PlacedSolids<Real>& solids, State<Real>& state,
              CellRanges& ranges, SortWork<Real>& sorting, PopulationWork<Real>& work) {
  const bool band = params.band > 0, reseeds = params.reseed > 0 && state.steps % std::uint64_t(params.reseed) == 0;
  if (!band && !reseeds) return;
  const ProfileZone zone("liquid.populate");
  const grid::Shape& shape = model.shape;
  const grid::Index n = shape.cells();
  const int deepest = band ? depth_of_band(params) : kDeepest - 1;
  find_depth(model, state.surface, band ? deepest + 1 : kLeastDepth + 1, work);
  const auto depth = grid::view(shape, std::as_const(work.depth));
  const auto due = static_cast<std::uint32_t>(model.particles_per_cell());
  Particles<Real>& particles = state.particles;
  find_cells(shape, particles, sorting.key);
  // Whether newborn particle m of a cell stands clear of solids, whose corners are right within half a cell.
  const Real clear = static_cast<Real>(0.75 * shape.cell_size());
  auto is_free = [&](int i, int j, int k, int m) {
    if (!solids.any()) return true;
    const Vec3 at = seed_place(model, i, j, k, m, state.steps);
    return plain_distance_at<Real>(shape, solids.nodes, {static_cast<Real>(at[0]), static_cast<Real>(at[1]),
                                                         static_cast<Real>(at[2])}) > clear;
  };
  // How many each cell should have: kept, cut down or filled up.
  work.wanted.assign(shape.cell_count() + 1, 0);
  const std::size_t before = particles.size();
  const double dropped = grid::sum_rows(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    double gone = 0;
    for (int i = 0; i < n[0]; ++i) {
      const auto cell = static_cast<std::size_t>(i + n[0] * (j + n[1] * k));
      const std::uint32_t begin = ranges.begin(cell), count = ranges.end(cell) - begin;
      const int layer = depth(i, j, k);
      std::uint32_t kept = count;
      if (band && layer > deepest) {
        kept = 0;
      } else if (layer > kLeastDepth && count > 2 * due) {
        kept = due;
      } else if (layer > kLeastDepth && 2 * count < due) {
        std::uint32_t room = 0;
        for (std::uint32_t m = 0; m < due; ++m) room += is_free(i, j, k, static_cast<int>(m)) ? 1 : 0;
        if (2 * count < room) work.wanted[cell + 1] = room - count;
      }
      for (std::uint32_t q = kept; q < count; ++q) sorting.key[begin + q] = kDropped;
      gone += count - kept;
    }
    return gone;
  });
  std::partial_sum(work.wanted.begin(), work.wanted.end(), work.wanted.begin());
  const std::size_t born = work.wanted.back();
  if (dropped == 0 && born == 0) return;
  resize(model, before + born, !particles.affine.empty(), particles);
  if (sorting.key.size() < particles.size()) sorting.key.resize(particles.size());
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    for (int i = 0; i < n[0]; ++i) {
      const auto cell = static_cast<std::size_t>(i + n[0] * (j + n[1] * k));
      int place = 0;
      for (std::uint32_t m = work.wanted[cell]; m < work.wanted[cell + 1]; ++m, ++place) {
        while (!is_free(i, j, k, place)) ++place;
        const std::size_t p = before + m;
        const Vec3 at = seed_place(model, i, j, k, place, state.steps);
        for (std::size_t a = 0; a < static_cast<std::size_t>(shape.dims()); ++a)
          (*particles.position()[a])[p] = static_cast<Real>(at[static_cast<Eigen::Index>(a)]);
        particles.identity[p] = state.born + m;
        sorting.key[p] = static_cast<std::uint32_t>(cell);
      }
    }
  });
  shape.dims() == 3 ? give_velocity<Real, 3>(shape, before, state) : give_velocity<Real, 2>(shape, before, state);
  state.born += born;
  state.counts.reseeded += born;
  state.counts.thinned += static_cast<std::uint64_t>(dropped);
  sort(shape, particles, ranges, sorting);
}

#define SELKIE_INSTANTIATE(Real)                                                                                 \
  template void carry_deep<Real>(const Model&, const Params&, Interval, const State<Real>&, CellRanges&, \
                                 PopulationWork<Real>&);                                                         \
  template void set_deep_velocity<Real>(const Model&, const CellRanges&, const PopulationWork<Real>&, State<Real>&); \
  template void populate<Real>(const Model&, const Params&, const PlacedSolids<Real>&, State<Real>&, CellRanges&, \
                               SortWork<Real>&, PopulationWork<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
