// See volume.h.
#include "selkie/fluids/liquid/volume.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/fluids/liquid/detail/batch.h"
#include "selkie/grid/level_set.h"
#include "selkie/grid/loops.h"

namespace selkie::liquid {
template <class Real>
double enclosed_volume(const Model& model, const PlacedSolids<Real>& solids, const Buffer<Real>& surface,
                       Buffer<Real>& scratch) {
  const ProfileZone zone("liquid.volume");
  const grid::Shape& shape = model.shape;
  const auto phi = grid::view(shape, surface);
  if (!solids.any()) return grid::enclosed_volume<Real>(shape, grid::Place::cell, phi);
  if (scratch.size() != shape.size()) scratch.resize(shape.size());
  const auto cut = grid::view(shape, scratch);
  const Real half = Real(0.5), depth = shape.dims() == 3 ? half : Real(0);
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    for (int i = 0; i < shape.cells()[0]; ++i) {
      Real value = phi(i, j, k);
      if (value < 0)
        value = std::max(value, -plain_distance_at<Real>(shape, solids.nodes,
                                                         {static_cast<Real>(i) + half, static_cast<Real>(j) + half,
                                                          static_cast<Real>(k) + depth}));
      cut(i, j, k) = value;
    }
  });
  return grid::enclosed_volume<Real>(shape, grid::Place::cell, grid::view(shape, std::as_const(scratch)));
}

template <class Real>
double volume_gap(const Model& model, const PlacedSolids<Real>& solids, const State<Real>& state, double due,
                  Buffer<Real>& scratch) {
  const double there = enclosed_volume(model, solids, state.surface, scratch);
  return there > 0 ? (due - there) / there : 0;
}

template <class Real>
void add_everywhere(const Model& model, const State<Real>& state, double growth, Buffer<Real>& rate) {
  const auto phi = grid::view(model.shape, state.surface);
  const auto out = grid::view(model.shape, rate);
  grid::for_each_row(grid::sample_box(model.shape, grid::Place::cell), [&](int j, int k) {
    const Real* const distance = phi.line(j, k);
    Real* const row = out.line(j, k);
    for (int i = 0; i < model.shape.cells()[0]; ++i) row[i] += distance[i] < 0 ? static_cast<Real>(growth) : Real(0);
  });
}

namespace {

// How crowded inner cells are: their particles over what is due, less one.
template <class Real>
struct Crowding {
  const Model& model;
  const PlacedSolids<Real>& solids;
  const CellRanges& ranges;
  grid::View<const Real> phi;
  Real deep;

  Crowding(const Model& m, const PlacedSolids<Real>& s, const State<Real>& state, const CellRanges& r)
      : model(m),
        solids(s),
        ranges(r),
        phi(grid::view(m.shape, state.surface)),
        deep(static_cast<Real>(-1.49 * m.shape.cell_size())) {}

  // All cells around hold particles, and no solid takes part of them. (Beside those that need none all do.)
  bool inner(int i, int j, int k) const {
    if (!(phi(i, j, k) < deep)) return false;
    if (!ranges.full.empty() && ranges.full[static_cast<std::size_t>(model.shape.at(i, j, k))] != 0) return false;
    if (!solids.any()) return true;
    const std::array<Real, 3> center{static_cast<Real>(i + 0.5), static_cast<Real>(j + 0.5),
                                     static_cast<Real>(k + (model.shape.dims() == 3 ? 0.5 : 0))};
    return double(plain_distance_at(model.shape, solids.nodes, center)) > 2.6 * model.shape.cell_size();
  }
  double of_cell(int i, int j, int k) const {
    const grid::Index n = model.shape.cells();
    const auto cell = static_cast<std::size_t>(i + n[0] * (j + n[1] * k));
    return double(ranges.end(cell) - ranges.begin(cell)) / model.particles_per_cell() - 1;
  }
  // Over the cell and those around it.
  double around(int i, int j, int k) const {
    const grid::Index n = model.shape.cells();
    std::uint32_t count = 0;
    int cells = 0;
    const int lo = std::max(i - 1, 0), hi = std::min(i + 1, n[0] - 1);
    for (int c = std::max(k - 1, 0); c <= std::min(k + 1, n[2] - 1); ++c)
      for (int b = std::max(j - 1, 0); b <= std::min(j + 1, n[1] - 1); ++b) {
        const auto row = static_cast<std::size_t>(n[0] * (b + n[1] * c));
        count += ranges.end(row + static_cast<std::size_t>(hi)) - ranges.begin(row + static_cast<std::size_t>(lo));
        cells += hi - lo + 1;
      }
    return double(count) / (cells * model.particles_per_cell()) - 1;
  }
};

}  // namespace

template <class Real>
void add_spreading(const Model& model, const PlacedSolids<Real>& solids, const State<Real>& state,
                   const CellRanges& ranges, double dt, Buffer<Real>& rate) {
  // Crowding decays at these rates, 1/s, but by no more than a share of it in one step.
  constexpr double kRate = 20, kMeanRate = 2, kMostPerStep = 0.25, kMostCrowding = 0.5;
  // What random places of particles make by themselves.
  const double noise = model.shape.dims() == 3 ? 0.25 : 0.4;
  const grid::Shape& shape = model.shape;
  const grid::Box box = grid::sample_box(shape, grid::Place::cell);
  const Crowding<Real> crowding(model, solids, state, ranges);
  const double speed = std::min(kRate, kMostPerStep / dt), mean_speed = std::min(kMeanRate, kMostPerStep / dt);
  double cells = 0;
  // The mean over all inner cells is nearly free of noise: it acts on all of the liquid. A correction that
  // followed the noise of single cells would stir a pool at rest.
  const double sum = grid::sum_rows(box, [&](int j, int k) {
    double row = 0;
    for (int i = 0; i < box.hi[0]; ++i)
      if (crowding.inner(i, j, k)) row += crowding.of_cell(i, j, k);
    return row;
  });
  cells = grid::sum_rows(box, [&](int j, int k) {
    double row = 0;
    for (int i = 0; i < box.hi[0]; ++i) row += crowding.inner(i, j, k) ? 1 : 0;
    return row;
  });
  const double mean = cells > 0 ? std::clamp(sum / cells, -kMostCrowding, kMostCrowding) : 0;
  const auto phi = grid::view(shape, state.surface);
  const auto out = grid::view(shape, rate);
  grid::for_each_row(box, [&](int j, int k) {
    for (int i = 0; i < box.hi[0]; ++i) {
      if (!(phi(i, j, k) < 0)) continue;
      double wanted = 0;
      if (crowding.inner(i, j, k)) {
        const double here = crowding.around(i, j, k);
        if (std::abs(here) > noise) wanted = std::clamp(here, -kMostCrowding, kMostCrowding) - std::copysign(noise, here);
      }
      out(i, j, k) += static_cast<Real>(mean_speed * mean + speed * wanted);
    }
  });
}

namespace {

// Where the neighbours nearer than `least` push a point: Σ d (1 − r²/least²) over ways d away from them.
template <class Real, int Dims>
struct Push {
  using Lanes = detail::Lanes<Real>;
  const std::array<Lanes, 3> at;
  const Real inverse2;
  const Lanes number = detail::lane_numbers<Real>();
  std::array<Lanes, 3> way{};

  Push(const std::array<Real, 3>& x, Real least)
      : at{x[0] - Lanes{}, x[1] - Lanes{}, x[2] - Lanes{}}, inverse2(1 / (least * least)) {}

  void look(const std::array<const Real*, 3>& places, std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; p += detail::kLanes<Real>) {
      const Real count = static_cast<Real>(end - p);
      constexpr Real kFar = Real(-99);
      const Lanes dx = at[0] - detail::load_first<Real>(places[0] + p, number, count, kFar),
                  dy = at[1] - detail::load_first<Real>(places[1] + p, number, count, kFar);
      Lanes dz{}, r2 = dx * dx + dy * dy;
      if constexpr (Dims == 3) dz = at[2] - detail::load_first<Real>(places[2] + p, number, count, kFar), r2 += dz * dz;
      Lanes strength = 1 - r2 * inverse2;
      strength = strength > 0 ? strength : Lanes{};
      way[0] += strength * dx, way[1] += strength * dy;
      if constexpr (Dims == 3) way[2] += strength * dz;
    }
  }
};

template <class Real, int Dims>
void separate_row(const Model& model, Real least, const PlacedSolids<Real>& solids, const CellRanges& ranges,
                  const std::array<const Real*, 3>& old, int j, int k, Particles<Real>& particles) {
  constexpr Real kStiffness = Real(0.8), kEdge = Real(1e-3);
  const grid::Index n = model.shape.cells();
  auto cell = [&](int a, int b, int c) { return static_cast<std::size_t>(a + n[0] * (b + n[1] * c)); };
  const std::size_t begin = ranges.begin(cell(0, j, k)), end = ranges.end(cell(n[0] - 1, j, k));
  for (std::size_t p = begin; p < end; ++p) {
    const std::array<Real, 3> at{old[0][p], old[1][p], Dims == 3 ? old[2][p] : Real(0)};
    grid::Index lo{0, 0, 0}, hi{0, 0, 0};
    for (std::size_t a = 0; a < Dims; ++a) {
      lo[a] = std::max(0, static_cast<int>(at[a] - least));
      hi[a] = std::min(n[a] - 1, static_cast<int>(at[a] + least));
    }
    Push<Real, Dims> push(at, least);
    for (int c = lo[2]; c <= hi[2]; ++c)
      for (int b = lo[1]; b <= hi[1]; ++b)
        push.look(old, ranges.begin(cell(lo[0], b, c)), ranges.end(cell(hi[0], b, c)));
    std::array<Real, 3> to = at;
    for (std::size_t a = 0; a < Dims; ++a) {
      // Within the cell, so that the order of particles stays as it is.
      const Real low = std::floor(at[a]);
      to[a] = std::clamp(at[a] + kStiffness * detail::sum_lanes<Real>(push.way[a]), std::min(at[a], low + kEdge),
                         std::max(at[a], low + 1 - kEdge));
    }
    if (solids.any()) {
      const Real near = static_cast<Real>(0.75 * model.shape.cell_size());
      const Real before = plain_distance_at(model.shape, solids.nodes, at);
      if (before < near && plain_distance_at(model.shape, solids.nodes, to) < before) continue;
    }
    for (std::size_t a = 0; a < Dims; ++a) (*particles.position()[a])[p] = to[a];
  }
}

}  // namespace

template <class Real>
void separate(const Model& model, double share, const PlacedSolids<Real>& solids, const CellRanges& ranges,
              std::array<Buffer<Real>, 3>& scratch, State<Real>& state) {
  const ProfileZone zone("liquid.separate");
  if (!(share > 0)) return;
  Particles<Real>& particles = state.particles;
  const auto dims = static_cast<std::size_t>(model.shape.dims());
  std::array<const Real*, 3> old{};
  for (std::size_t a = 0; a < dims; ++a) {
    scratch[a] = *particles.position()[a];
    old[a] = scratch[a].data();
  }
  const Real least = static_cast<Real>(share / model.seeds);
  const grid::Index n = model.shape.cells();
  parallel_for(
      static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]),
      [&](std::size_t row) {
        const int j = static_cast<int>(row) % n[1], k = static_cast<int>(row) / n[1];
        // Rows take turns, like the squares of a board: clumps do not form within a step.
        if (((j + k) & 1) != static_cast<int>(state.steps & 1)) return;
        if (dims == 3)
          separate_row<Real, 3>(model, least, solids, ranges, old, j, k, particles);
        else
          separate_row<Real, 2>(model, least, solids, ranges, old, j, k, particles);
      },
      8);
}

#define SELKIE_INSTANTIATE(Real)                                                                              \
  template double enclosed_volume<Real>(const Model&, const PlacedSolids<Real>&, const Buffer<Real>&,         \
                                        Buffer<Real>&);                                                       \
  template double volume_gap<Real>(const Model&, const PlacedSolids<Real>&, const State<Real>&, double,       \
                                   Buffer<Real>&);                                                            \
  template void add_everywhere<Real>(const Model&, const State<Real>&, double, Buffer<Real>&);                \
  template void add_spreading<Real>(const Model&, const PlacedSolids<Real>&, const State<Real>&,              \
                                    const CellRanges&, double, Buffer<Real>&);                                \
  template void separate<Real>(const Model&, double, const PlacedSolids<Real>&, const CellRanges&,            \
                               std::array<Buffer<Real>, 3>&, State<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
