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

namespace {

// What the field does to the water between and in cells; depths and surfaces are read, flows are written.
template <class Real>
struct FieldPush {
  const Model<Real>& model;
  const Params& params;
  const Field& field;
  double gravity;  // m/s², downwards
  const State<Real>& state;

  bool wet(std::size_t at) const {
    return (model.walls.empty() || !model.walls[at]) &&
           static_cast<double>(state.depth[at]) > params.dry_depth;
  }
  double upright(std::size_t at) const { return std::min(field.y[at], gravity); }
  // Acceleration along the line from cell a to cell b, `distance` apart, for a depth of the water.
  double between(std::size_t a, std::size_t b, double distance, double depth) const {
    const double rise = static_cast<double>(state.depth[b]) + static_cast<double>(model.ground[b]) -
                        static_cast<double>(state.depth[a]) - static_cast<double>(model.ground[a]);
    const double mean = 0.5 * (upright(a) + upright(b));
    return (mean * rise + 0.5 * depth * (upright(b) - upright(a))) / distance;
  }
  // In the middle of a cell: the mean of both sides; beyond walls and shores it goes on as in a mirror.
  double centred(int i, int j, std::ptrdiff_t step, bool low_inside, bool high_inside) const {
    const auto here = static_cast<std::size_t>(model.grid.at(i, j));
    const auto low = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(here) - step),
               high = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(here) + step);
    const double dx = model.grid.cell_size, depth = static_cast<double>(state.depth[here]);
    const bool has_low = low_inside && wet(low), has_high = high_inside && wet(high);
    const double before = has_low ? between(low, here, dx, depth) : 0,
                 after = has_high ? between(here, high, dx, depth) : 0;
    return 0.5 * (before + after);
  }
};

}  // namespace

template <class Real>
void add_field(const Model<Real>& model, const Params& params, const Inputs& inputs, double dt,
               State<Real>& state) {
  state.pressed = 0;
  if (inputs.field.x.empty()) return;
  const Grid& grid = model.grid;
  const auto [nx, nz] = grid.cells;
  state.pressed = deterministic_max(static_cast<std::size_t>(nz), 0.0, [&, nx = nx](std::size_t j) {
    double most = 0;
    for (int i = 0; i < nx; ++i)
      most = std::max(most, -inputs.field.y[static_cast<std::size_t>(grid.at(i, static_cast<int>(j)))]);
    return most;
  });
  const FieldPush<Real> push{model, params, inputs.field, -inputs.gravity.y(), state};
  const bool at_faces = model.method == Method::semi_lagrangian;
  parallel_blocks(
      static_cast<std::size_t>(nz), kRowsPerBlock, [&, nx = nx, nz = nz](std::size_t begin, std::size_t end) {
        for (int j = static_cast<int>(begin); j < static_cast<int>(end); ++j)
          for (int i = 0; i < nx; ++i) {
            const auto here = static_cast<std::size_t>(grid.at(i, j));
            if (!push.wet(here)) continue;
            const auto depth = static_cast<double>(state.depth[here]);
            if (!at_faces) {
              const double x = inputs.field.x[here] + push.centred(i, j, 1, i > 0, i + 1 < nx);
              const double z = inputs.field.z[here] + push.centred(i, j, grid.row(), j > 0, j + 1 < nz);
              state.flow_x[here] += static_cast<Real>(dt * depth * x);
              state.flow_z[here] += static_cast<Real>(dt * depth * z);
              continue;
            }
            // Low faces between two wet cells; those of sides are closed, or not ours to push.
            auto face = [&](std::size_t low, std::span<const double> along) {
              const double mean = 0.5 * (depth + static_cast<double>(state.depth[low]));
              return 0.5 * (along[low] + along[here]) + push.between(low, here, grid.cell_size, mean);
            };
            const std::size_t west = here - 1, south = here - static_cast<std::size_t>(grid.row());
            if (i > 0 && push.wet(west))
              state.flow_x[here] += static_cast<Real>(dt * face(west, inputs.field.x));
            if (j > 0 && push.wet(south))
              state.flow_z[here] += static_cast<Real>(dt * face(south, inputs.field.z));
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
  template void add_field(const Model<Real>&, const Params&, const Inputs&, double, State<Real>&);  \
  template void damp_sides(const Model<Real>&, const Params&, double, State<Real>&);
SELKIE_FORCES(float)
SELKIE_FORCES(double)
#undef SELKIE_FORCES

}  // namespace selkie::shallow_water
