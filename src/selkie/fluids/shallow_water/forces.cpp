// See forces.h.
#include "selkie/fluids/shallow_water/forces.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "selkie/core/parallel.h"

namespace selkie::shallow_water {
namespace {

constexpr std::size_t kRowsPerBlock = 16;

// Sum over the rows of what row(j) returns, in a fixed order.
template <class Row>
double sum_rows(const Grid& grid, Row&& row) {
  return sum_blocks(
      static_cast<std::size_t>(grid.cells[1]),
      [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t j = begin; j < end; ++j) sum += row(static_cast<int>(j));
        return sum;
      },
      kRowsPerBlock);
}

// h^(-1/3) for h > 0 without a branch: a guess from the bits, then Newton's method for y⁻³ = h, whose error
// squares from 3 % in each round.
template <class Real>
inline Real inverse_cube_root(Real h) {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kGuess = sizeof(Real) == 4 ? Bits(0x54a21d2a) : Bits(0x553ef0ff289dd796u);
  constexpr int kRounds = sizeof(Real) == 4 ? 3 : 5;
  Real y = std::bit_cast<Real>(static_cast<Bits>(kGuess - std::bit_cast<Bits>(h) / 3));
  for (int round = 0; round < kRounds; ++round) y = y * (Real(4) - h * y * y * y) * Real(1.0 / 3);
  return y;
}

}  // namespace

template <class Real>
void add_rain(const Model<Real>& model, const Params& params, double dt, State<Real>& state) {
  const Grid& grid = model.grid;
  state.pending_rain += params.rain * dt;
  const double enough = sizeof(Real) == 4 ? 1e-5 : 0;
  if (!(state.pending_rain > enough)) return;
  const Real layer = static_cast<Real>(state.pending_rain);
  state.pending_rain = 0;
  state.rained += grid.cell_area() * sum_rows(grid, [&](int j) {
                    double sum = 0;
                    Real* const depth = state.depth.data() + grid.at(0, j);
                    for (int i = 0; i < grid.cells[0]; ++i) {
                      if (model.wall(i, j)) continue;
                      const Real before = depth[i];
                      depth[i] += layer;
                      sum += static_cast<double>(depth[i]) - static_cast<double>(before);
                    }
                    return sum;
                  });
}

template <class Real>
void add_sources(const Model<Real>& model, std::span<const Source> sources, double dt, State<Real>& state) {
  for (const Source& source : sources) {
    if (source.rate == 0 || source.cells.empty()) continue;
    const double layer =
        source.rate * dt / (model.grid.cell_area() * static_cast<double>(source.cells.size()));
    double added = 0;
    for (const std::uint32_t at : source.cells) {
      const Real before = state.depth[at];
      const Real after = static_cast<Real>(std::max(0.0, static_cast<double>(before) + layer));
      if (after < before && model.method == Method::conservative) {  // what is taken takes its motion along
        const Real left = after / before;
        state.flow_x[at] *= left, state.flow_z[at] *= left;
      }
      state.depth[at] = after;
      added += static_cast<double>(after) - static_cast<double>(before);
    }
    state.poured += added * model.grid.cell_area();
  }
}

template <class Real>
void add_friction(const Model<Real>& model, const Params& params, const Vec3& gravity, double dt,
                  State<Real>& state) {
  const bool pushed = gravity.x() != 0 || gravity.z() != 0;
  if (params.friction == 0 && !pushed) return;
  const Grid& grid = model.grid;
  const Real push_x = static_cast<Real>(gravity.x() * dt), push_z = static_cast<Real>(gravity.z() * dt);
  const Real rough = static_cast<Real>(-gravity.y() * params.friction * params.friction * dt);
  const Real dry = static_cast<Real>(params.dry_depth);
  const bool at_faces = model.method == Method::semi_lagrangian;
  parallel_blocks(static_cast<std::size_t>(grid.cells[1]), kRowsPerBlock,
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t j = begin; j < end; ++j) {
                      const std::ptrdiff_t at = grid.at(0, static_cast<int>(j));
                      const Real* const depth = state.depth.data() + at;
                      Real* const __restrict fx = state.flow_x.data() + at, * const __restrict fz =
                                                                                state.flow_z.data() + at;
                      for (int i = 0; i < grid.cells[0]; ++i) {
                        const bool wet = depth[i] > dry;
                        const Real h = wet ? depth[i] : Real(1), weight = at_faces ? Real(1) : h;
                        const Real x = fx[i] + weight * push_x, z = fz[i] + weight * push_z;
                        const Real r = inverse_cube_root(h);
                        // |u| / h^(4/3), with h^(-4/3) = r⁴.
                        const Real speed = std::sqrt(x * x + z * z) / weight;
                        const Real slowed = Real(1) / (Real(1) + rough * speed * (r * r) * (r * r));
                        fx[i] = wet ? x * slowed : fx[i];
                        fz[i] = wet ? z * slowed : fz[i];
                      }
                    }
                  });
}

template <class Real>
void damp_sides(const Model<Real>& model, const Params& params, double dt, State<Real>& state) {
  if (params.damping_width <= 0 || params.damping_rate <= 0) return;
  const Grid& grid = model.grid;
  const int nx = grid.cells[0], nz = grid.cells[1];
  auto nearness = [&](std::size_t side, double distance) {  // 1 at the side, 0 where the layer ends
    if (model.sides[side].kind == SideKind::closed) return 0.0;
    return std::max(0.0, 1 - distance / params.damping_width);
  };
  const double dx = grid.cell_size;
  state.damped +=
      grid.cell_area() * sum_rows(grid, [&](int j) {
        double sum = 0;
        const double along_z =
            std::max(nearness(kLowZ, (j + 0.5) * dx), nearness(kHighZ, (nz - j - 0.5) * dx));
        for (int i = 0; i < nx; ++i) {
          const double near =
              std::max({along_z, nearness(kLowX, (i + 0.5) * dx), nearness(kHighX, (nx - i - 0.5) * dx)});
          if (near == 0 || model.wall(i, j)) continue;
          const double share = 1 - std::exp(-params.damping_rate * near * near * dt);
          const auto at = static_cast<std::size_t>(grid.at(i, j));
          const double rest = std::max(0.0, params.damping_level - static_cast<double>(model.ground[at]));
          const auto before = static_cast<double>(state.depth[at]);
          state.depth[at] = static_cast<Real>(before + share * (rest - before));
          state.flow_x[at] *= static_cast<Real>(1 - share);
          state.flow_z[at] *= static_cast<Real>(1 - share);
          sum += static_cast<double>(state.depth[at]) - before;
        }
        return sum;
      });
}

#define SELKIE_FORCES(Real)                                                                         \
  template void add_rain(const Model<Real>&, const Params&, double, State<Real>&);                  \
  template void add_sources(const Model<Real>&, std::span<const Source>, double, State<Real>&);     \
  template void add_friction(const Model<Real>&, const Params&, const Vec3&, double, State<Real>&); \
  template void damp_sides(const Model<Real>&, const Params&, double, State<Real>&);
SELKIE_FORCES(float)
SELKIE_FORCES(double)
#undef SELKIE_FORCES

}  // namespace selkie::shallow_water
