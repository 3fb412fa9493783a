// See volume.h.
#include "selkie/fluids/liquid/volume.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
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
void add_spreading(const Model& model, const PlacedSolids<Real>& solids, const State<Real>& state,
                   const CellRanges& ranges, double dt, Buffer<Real>& rate) {
  // Crowding decays at this rate, but by no more than a share of it in one step.
  constexpr double kRate = 20, kMostPerStep = 0.25, kMostCrowding = 0.5;
  const grid::Shape& shape = model.shape;
  const grid::Index n = shape.cells();
  const auto phi = grid::view(shape, state.surface);
  const auto out = grid::view(shape, rate);
  const double speed = std::min(kRate, kMostPerStep / dt), reach = 2.6 * shape.cell_size();
  const Real deep = static_cast<Real>(-1.49 * shape.cell_size());
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    for (int i = 0; i < n[0]; ++i) {
      if (!(phi(i, j, k) < 0)) continue;
      const std::array<Real, 3> center{static_cast<Real>(i + 0.5), static_cast<Real>(j + 0.5),
                                       static_cast<Real>(k + 0.5)};
      if (solids.any() && double(plain_distance_at(shape, solids.nodes, center)) < reach) continue;
      std::uint32_t count = 0;
      int cells = 0;
      const int lo = std::max(i - 1, 0), hi = std::min(i + 1, n[0] - 1);
      for (int c = std::max(k - 1, 0); c <= std::min(k + 1, n[2] - 1); ++c)
        for (int b = std::max(j - 1, 0); b <= std::min(j + 1, n[1] - 1); ++b) {
          const auto row = static_cast<std::size_t>(n[0] * (b + n[1] * c));
          count += ranges.end(row + static_cast<std::size_t>(hi)) - ranges.begin(row + static_cast<std::size_t>(lo));
          cells += hi - lo + 1;
        }
      double crowding = double(count) / (cells * model.particles_per_cell()) - 1;
      // Near the surface part of the neighbourhood is air: too few means nothing there.
      if (phi(i, j, k) > deep) crowding = std::max(crowding, 0.0);
      out(i, j, k) += static_cast<Real>(speed * std::clamp(crowding, -kMostCrowding, kMostCrowding));
    }
  });
}

namespace {

// Pairs of one cell, one after the other.
template <class Real, int Dims>
std::size_t separate_cell(std::uint32_t begin, std::uint32_t end, Real least, const std::array<Real*, 3>& x) {
  std::size_t moved = 0;
  for (std::uint32_t p = begin; p < end; ++p)
    for (std::uint32_t q = p + 1; q < end; ++q) {
      std::array<Real, 3> way{};
      Real d2 = 0;
      for (std::size_t a = 0; a < Dims; ++a) way[a] = x[a][q] - x[a][p], d2 += way[a] * way[a];
      if (!(d2 < least * least)) continue;
      const Real d = std::sqrt(d2);
      if (!(d > least * Real(1e-3))) way = {least, 0, 0};  // on top of each other: any direction
      const Real push = Real(0.25) * (least - d) / (d > least * Real(1e-3) ? d : least);
      for (std::size_t a = 0; a < Dims; ++a) {
        // Within the cell, so that solids and order stay as they are.
        const Real low = std::floor(x[a][p]), high = low + Real(0.999);
        x[a][p] = std::clamp(x[a][p] - push * way[a], low + Real(0.001), high);
        x[a][q] = std::clamp(x[a][q] + push * way[a], low + Real(0.001), high);
      }
      ++moved;
    }
  return moved;
}

}  // namespace

template <class Real>
std::size_t separate(const Model& model, double share, const CellRanges& ranges, State<Real>& state) {
  const ProfileZone zone("liquid.separate");
  if (!(share > 0)) return 0;
  Particles<Real>& particles = state.particles;
  const std::array<Real*, 3> x{particles.x.data(), particles.y.data(), particles.z.data()};
  const Real least = static_cast<Real>(share / model.seeds);
  const double moved = sum_blocks(
      model.shape.cell_count(),
      [&](std::size_t first, std::size_t last) {
        std::size_t sum = 0;
        for (std::size_t c = first; c < last; ++c)
          sum += model.shape.dims() == 3 ? separate_cell<Real, 3>(ranges.begin(c), ranges.end(c), least, x)
                                         : separate_cell<Real, 2>(ranges.begin(c), ranges.end(c), least, x);
        return double(sum);
      },
      4096);
  return static_cast<std::size_t>(moved);
}

#define SELKIE_INSTANTIATE(Real)                                                                           template double enclosed_volume<Real>(const Model&, const PlacedSolids<Real>&, const Buffer<Real>&, Buffer<Real>&);     template void add_spreading<Real>(const Model&, const PlacedSolids<Real>&, const State<Real>&,                                             const CellRanges&, double, Buffer<Real>&);                             template std::size_t separate<Real>(const Model&, double, const CellRanges&, State<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
