// See volume.h.
#include "selkie/fluids/liquid/volume.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/fluids/liquid/detail/taps.h"
#include "selkie/grid/loops.h"

namespace selkie::liquid {
namespace {

// Share of a simplex with corner values v where the linear interpolant is negative; n + 1 corners.
double share_below(std::array<double, 4> v, int corners) {
  std::sort(v.begin(), v.begin() + corners);
  int inside = 0;
  for (int c = 0; c < corners; ++c) inside += v[static_cast<std::size_t>(c)] < 0;
  if (inside == 0) return 0;
  if (inside == corners) return 1;
  // The part cut off at the lowest corner: Π v₀/(v₀ − v_c).
  auto cut = [&](std::size_t at, std::size_t begin, std::size_t end) {
    double product = 1;
    for (std::size_t c = begin; c < end; ++c)
      if (c != at) product *= v[at] / (v[at] - v[c]);
    return product;
  };
  const auto last = static_cast<std::size_t>(corners - 1);
  if (inside == 1) return cut(0, 0, last + 1);
  if (inside == corners - 1) return 1 - cut(last, 0, last + 1);
  // Two and two; a, b, c, d are where the surface cuts the four edges, from the low corners on. The sum over
  // low corners of their products has a removable pole at v₀ = v₁; this is what remains.
  const double a = v[0] / (v[0] - v[2]), b = v[0] / (v[0] - v[3]), c = v[1] / (v[1] - v[2]),
               d = v[1] / (v[1] - v[3]);
  return c * d + a * b * (1 - c) + c * b * (1 - d);
}

// Share of a square or cube with corner values v (x fastest) below zero: two triangles, or the six
// tetrahedra around the long diagonal.
double share_of_box(const std::array<double, 8>& v, int dims) {
  if (dims == 2)
    return 0.5 * (share_below({v[0], v[1], v[3], 0}, 3) + share_below({v[0], v[2], v[3], 0}, 3));
  constexpr std::array<std::array<std::size_t, 2>, 6> kWays{{{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}}};
  double sum = 0;
  for (const auto& way : kWays) sum += share_below({v[0], v[way[0]], v[way[1]], v[7]}, 4);
  return sum / 6;
}

// φ at a cell's centre, cut off by the solids; ghosts included.
template <class Real>
struct CutSurface {
  const grid::Shape& shape;
  grid::View<const Real> phi;
  const PlacedSolids<Real>& solids;

  double operator()(int i, int j, int k) const {
    const double liquid = double(phi(i, j, k));
    if (!solids.any() || liquid > 0) return liquid;
    const grid::Index n = shape.cells();
    const std::array<Real, 3> center{static_cast<Real>(std::clamp(i, 0, n[0] - 1) + 0.5),
                                     static_cast<Real>(std::clamp(j, 0, n[1] - 1) + 0.5),
                                     static_cast<Real>(std::clamp(k, 0, n[2] - 1) + 0.5)};
    return std::max(liquid, -double(plain_distance_at(shape, solids.nodes, center)));
  }
};

}  // namespace

template <class Real>
double enclosed_volume(const Model& model, const PlacedSolids<Real>& solids, const Buffer<Real>& surface) {
  const ProfileZone zone("liquid.volume");
  const grid::Shape& shape = model.shape;
  const grid::Index n = shape.cells();
  const int dims = shape.dims();
  const CutSurface<Real> phi{shape, grid::view(shape, surface), solids};
  // Boxes between centres; those at the sides reach out of the domain by half, and mirror what is inside.
  auto half = [](int at, int count) { return at < 0 || at == count - 1 ? 0.5 : 1.0; };
  const grid::Box box{{-1, -1, dims == 3 ? -1 : 0}, {n[0], n[1], dims == 3 ? n[2] : 1}};
  const double cells = grid::sum_rows(box, [&](int j, int k) {
    double sum = 0;
    const double across = half(j, n[1]) * (dims == 3 ? half(k, n[2]) : 1.0);
    for (int i = -1; i < n[0]; ++i) {
      std::array<double, 8> v{};
      int inside = 0;
      for (int c = 0; c < (dims == 3 ? 8 : 4); ++c) {
        v[static_cast<std::size_t>(c)] = phi(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
        inside += v[static_cast<std::size_t>(c)] < 0;
      }
      if (inside == 0) continue;
      const double share = inside == (dims == 3 ? 8 : 4) ? 1 : share_of_box(v, dims);
      sum += share * half(i, n[0]) * across;
    }
    return sum;
  });
  return cells * model.cell_volume();
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

#define SELKIE_INSTANTIATE(Real)                                                                           template double enclosed_volume<Real>(const Model&, const PlacedSolids<Real>&, const Buffer<Real>&);     template void add_spreading<Real>(const Model&, const PlacedSolids<Real>&, const State<Real>&,                                             const CellRanges&, double, Buffer<Real>&);                             template std::size_t separate<Real>(const Model&, double, const CellRanges&, State<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::liquid
