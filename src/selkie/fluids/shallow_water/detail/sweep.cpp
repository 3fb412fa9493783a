// One step over tiles. A tile is narrow enough for the nearest caches; its rows are swept upwards: each row's
// velocities, reconstruction and lower faces are computed once and kept until the row above needs them. The
// second stage of Heun's method follows the first by a few rows in the same tile, so that its input never
// leaves the cache: a step reads and writes every field once. What two tiles both need (faces between them,
// two rings of cells of the first stage) both compute, from the same numbers with the same operations, so
// that not a bit of volume is lost between them.
#include "selkie/fluids/shallow_water/detail/sweep.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "selkie/core/parallel.h"
#include "selkie/fluids/shallow_water/detail/rows.h"

namespace selkie::shallow_water::detail {
namespace {

inline constexpr int kTileRows = 64;
inline constexpr int kReach = Grid::kGhosts;  // cells on either side that a stage looks at

template <class Real>
bool all_dry(const Real* depth, std::ptrdiff_t row, int i0, int i1, int j0, int j1) {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  for (int j = j0; j < j1; ++j) {
    const Real* const line = depth + j * row;
    Bits any = 0;
    for (int i = i0; i < i1; ++i) any |= std::bit_cast<Bits>(line[i]);
    if (any != 0) return false;
  }
  return true;
}

struct Tile {
  int i0, i1, j0, j1;
  int columns() const { return i1 - i0; }
  bool owns(int j) const { return j >= j0 && j < j1; }
};

// Rows go in one after the other, in rising order from two below the first to two above the last.
template <bool kSecond, Limiter kLimiter, bool kWalls, bool kAverage, class Real>
struct Pipeline {
  int first, last;  // rows [first, last) come out
  Columns columns;
  const Constants<Real>& c;
  Scratch<Real> s;

  Pipeline(int low, int high, Columns which, const Constants<Real>& constants)
      : first(low), last(high), columns(which), c(constants) {
    std::memset(&s.upper, 0, sizeof s.upper);  // the lowest row has no edge below it; its flux is not used
  }

  Primitive<Real>& slot(int row) { return s.rows[static_cast<std::size_t>((row + 6) % 3)]; }

  // After row `row` is in its slot: the row whose sums can be made now, or one below `first`. `low` receives
  // the flux through the lower faces of row - 1.
  template <class Low>
  int advance(int row, Low&& low) {
    const int r = row - 1;
    if (r < first - 1) return first - 1;
    cross_row<kSecond, kLimiter, kWalls>(s, r, columns, c);
    if (r >= first) low(r, s.across[static_cast<std::size_t>(r % 2)].mass.data());
    if (r <= first) return first - 1;
    sweep_along<kSecond, kLimiter, kWalls>(s, slot(r - 1), columns, c);
    return r - 1;
  }
  void sum(int j, const Row<Real>& start, const Row<Real>& now, const RowOut<Real>& out,
           Line<Real>& account) {
    update_row<kAverage, kWalls>(s, j, columns, c, start, now, out, account);
  }
};

// Rows of the first stage that the second still needs.
template <class Real>
struct Ring {
  static constexpr int kRows = 8;
  std::array<std::array<Line<Real>, 3>, kRows> lines;
  std::array<Line<Real>, 3>& at(int row) { return lines[static_cast<std::size_t>((row + kRows) % kRows)]; }
  Row<Real> row(int r) { return {at(r)[0].data(), at(r)[1].data(), at(r)[2].data()}; }
  RowOut<Real> out(int r) { return {at(r)[0].data(), at(r)[1].data(), at(r)[2].data()}; }
};

template <bool kSecond, Limiter kLimiter, bool kWalls, class Real>
struct Sweep {
  const Model<Real>& model;
  Constants<Real> c;
  const Stages<Real>& stages;
  Work<Real>& work;

  std::ptrdiff_t place(const Tile& t, int j) const { return model.grid.at(t.i0, j); }
  static Row<Real> row_of(const GhostFields<Real>& f, std::ptrdiff_t at) {
    return {f.depth.data() + at, f.flow_x.data() + at, f.flow_z.data() + at};
  }
  Row<Real> from_row(const Tile& t, int j) const {
    const std::ptrdiff_t at = place(t, j);
    return {stages.from.depth.data() + at, stages.from.flow_x.data() + at, stages.from.flow_z.data() + at};
  }
  RowOut<Real> to_row(const Tile& t, int j) const {
    const std::ptrdiff_t at = place(t, j);
    return {stages.to.depth.data() + at, stages.to.flow_x.data() + at, stages.to.flow_z.data() + at};
  }

  // Nothing within reach: dry stays dry. Open sides may let water in.
  bool skip(const Tile& t) const {
    const std::array<int, 2>& n = model.grid.cells;
    auto open = [&](bool touches, std::size_t side) {
      return touches && model.sides[side].kind != SideKind::closed;
    };
    if (open(t.i0 == 0, kLowX) || open(t.i1 == n[0], kHighX) || open(t.j0 == 0, kLowZ) ||
        open(t.j1 == n[1], kHighZ))
      return false;
    constexpr int reach = kSecond ? 2 * kReach : kReach;
    const std::ptrdiff_t row = model.grid.row();
    if (!all_dry(stages.from.depth.data() + model.grid.first(), row, std::max(t.i0 - reach, 0),
                 std::min(t.i1 + reach, n[0]), std::max(t.j0 - reach, 0), std::min(t.j1 + reach, n[1])))
      return false;
    for (int j = t.j0; j < t.j1; ++j) {
      const RowOut<Real> out = to_row(t, j);
      for (Real* field : {out.depth, out.flow_x, out.flow_z}) std::fill_n(field, t.columns(), Real(0));
    }
    return true;
  }

  // Row j of the start; what lies beyond the sides is in the ghosts of `to`, which nothing overwrites.
  void load_start(const Tile& t, int j, Columns columns, Primitive<Real>& row) const {
    const std::array<int, 2>& n = model.grid.cells;
    const Columns all{columns.begin - kReach, columns.end + kReach};
    if (j < 0 || j >= n[1]) return load(t, j, row_of(stages.to, place(t, j)), all, row);
    load(t, j, from_row(t, j), all, row);
    const Row<Real> beyond = row_of(stages.to, place(t, j));
    if (t.i0 + all.begin < 0) load(t, j, beyond, {all.begin, -t.i0}, row);
    if (t.i0 + all.end > n[0]) load(t, j, beyond, {n[0] - t.i0, all.end}, row);
  }
  void load(const Tile& t, int j, const Row<Real>& now, Columns columns, Primitive<Real>& row) const {
    const auto at = static_cast<std::size_t>(place(t, j));
    load_row(now, model.ground.data() + at, kWalls ? model.walls.data() + at : nullptr, columns, c, row);
  }

  // The volume that crosses the sides of the domain along the tile's own rows and columns.
  void account_row(const Tile& t, int face, const Real* mass, double weight) const {
    const bool low = face == 0;
    if (face < t.j0 || face > t.j1 || (!low && face != model.grid.cells[1])) return;
    double* const side = work.side_flux[low ? kLowZ : kHighZ].data() + t.i0;
    const double sign = low ? weight : -weight;
    for (int i = 0; i < t.columns(); ++i) side[i] += sign * static_cast<double>(mass[i]);
  }
  void account_ends(const Tile& t, int j, const Real* mass, double weight) const {
    if (!t.owns(j)) return;
    const auto at = static_cast<std::size_t>(j);
    if (t.i0 == 0) work.side_flux[kLowX][at] += weight * static_cast<double>(mass[0]);
    if (t.i1 == model.grid.cells[0])
      work.side_flux[kHighX][at] -= weight * static_cast<double>(mass[t.columns()]);
  }

  // Ghosts of the first stage's result, made from the cells beside the side and by the same rules as all
  // others: through the fields in `work`, of which only these places are used.
  void lend(const Tile& t, Ring<Real>& ring, int j, Columns columns) const {
    const Row<Real> row = ring.row(j);
    const std::ptrdiff_t at = place(t, j);
    for (int i = columns.begin; i < columns.end; ++i) {
      work.depth[static_cast<std::size_t>(at + i)] = row.depth[i];
      work.flow_x[static_cast<std::size_t>(at + i)] = row.flow_x[i];
      work.flow_z[static_cast<std::size_t>(at + i)] = row.flow_z[i];
    }
  }
  void take(const Tile& t, Ring<Real>& ring, int j, Columns columns) const {
    const RowOut<Real> row = ring.out(j);
    const std::ptrdiff_t at = place(t, j);
    for (int i = columns.begin; i < columns.end; ++i) {
      row.depth[i] = work.depth[static_cast<std::size_t>(at + i)];
      row.flow_x[i] = work.flow_x[static_cast<std::size_t>(at + i)];
      row.flow_z[i] = work.flow_z[static_cast<std::size_t>(at + i)];
    }
  }
  void ghost_columns(const Tile& t, Ring<Real>& ring, int j) const {
    const int n = model.grid.cells[0], columns = t.columns(), deep = std::min(kReach, n);
    if (!t.owns(j)) return;
    if (t.i0 == 0) {
      lend(t, ring, j, {0, deep});
      stages.fill(kLowX, j, j + 1);
      take(t, ring, j, {-kReach, 0});
    }
    if (t.i1 == n) {
      lend(t, ring, j, {columns - deep, columns});
      stages.fill(kHighX, j, j + 1);
      take(t, ring, j, {columns, columns + kReach});
    }
  }
  void ghost_rows(const Tile& t, Ring<Real>& ring, bool low) const {
    const int n = model.grid.cells[1], deep = std::min(kReach, n);
    const Columns own{0, t.columns()};
    for (int d = 0; d < deep; ++d) lend(t, ring, low ? d : n - 1 - d, own);
    stages.fill(low ? kLowZ : kHighZ, t.i0, t.i1);
    for (int d = 0; d < kReach; ++d) take(t, ring, low ? -1 - d : n + d, own);
  }

  double rounded(Line<Real>& account, int columns) const {
    double sum = 0;
    for (int i = 0; i < columns; ++i) sum += static_cast<double>(account.data()[i]);
    return sum;
  }

  // Euler's method: one stage from `from` to `to`.
  double single(const Tile& t) const {
    Pipeline<kSecond, kLimiter, kWalls, false, Real> stage(t.j0, t.j1, {0, t.columns()}, c);
    Line<Real> account{};
    for (int q = t.j0 - kReach; q <= t.j1 + 1; ++q) {
      load_start(t, q, stage.columns, stage.slot(q));
      const int j = stage.advance(q, [&](int face, const Real* mass) { account_row(t, face, mass, 1); });
      if (j < t.j0) continue;
      account_ends(t, j, stage.s.along.mass.data(), 1);
      const Row<Real> now = from_row(t, j);
      stage.sum(j, now, now, to_row(t, j), account);
    }
    return rounded(account, t.columns());
  }

  // Heun's method: the first stage also yields the two rings of cells around the tile that the second needs.
  double both(const Tile& t) const {
    const std::array<int, 2>& n = model.grid.cells;
    const int low = std::max(t.j0 - kReach, 0), high = std::min(t.j1 + kReach, n[1]);
    const Columns wide{std::max(t.i0 - kReach, 0) - t.i0, std::min(t.i1 + kReach, n[0]) - t.i0};
    Pipeline<kSecond, kLimiter, kWalls, false, Real> one(low, high, wide, c);
    Pipeline<kSecond, kLimiter, kWalls, true, Real> two(t.j0, t.j1, {0, t.columns()}, c);
    Ring<Real> ring;
    Line<Real> account{}, neighbours{};  // cells of other tiles are accounted there

    auto feed = [&](int q) {  // the second stage
      load(t, q, ring.row(q), {-kReach, t.columns() + kReach}, two.slot(q));
      const int j = two.advance(q, [&](int face, const Real* mass) { account_row(t, face, mass, 0.5); });
      if (j < t.j0) return;
      account_ends(t, j, two.s.along.mass.data(), 0.5);
      two.sum(j, from_row(t, j), ring.row(j), to_row(t, j), account);
    };
    const int wait = t.j0 == 0 ? std::min(kReach, n[1]) - 1 : t.j0 - kReach;  // lower ghosts need rows above
    for (int q = low - kReach; q <= high + 1; ++q) {
      load_start(t, q, wide, one.slot(q));
      const int j = one.advance(q, [&](int face, const Real* mass) { account_row(t, face, mass, 0.5); });
      if (j < low) continue;
      account_ends(t, j, one.s.along.mass.data(), 0.5);
      const Row<Real> now = from_row(t, j);
      one.sum(j, now, now, ring.out(j), t.owns(j) ? account : neighbours);
      ghost_columns(t, ring, j);
      if (j < wait) continue;
      if (j == wait && t.j0 == 0) {
        ghost_rows(t, ring, true);
        for (int r = -kReach; r < j; ++r) feed(r);
      }
      feed(j);
    }
    if (t.j1 == n[1]) ghost_rows(t, ring, false), feed(n[1]), feed(n[1] + 1);
    return rounded(account, t.columns());
  }

  double operator()(const Tile& t) const {
    if (skip(t)) return 0;
    if constexpr (kSecond)
      return both(t);
    else
      return single(t);
  }
};

// Cuts are even, so that no tile is thinner than the reach of the one before it.
int parts(int cells, int largest) { return (cells + largest - 1) / largest; }
int cut(int cells, int parts, int k) {
  return static_cast<int>(static_cast<std::int64_t>(cells) * k / parts);
}

template <bool kSecond, Limiter kLimiter, bool kWalls, class Real>
void run(const Model<Real>& model, const Params& params, const Stages<Real>& stages, Work<Real>& work) {
  const Grid& grid = model.grid;
  const Constants<Real> constants{static_cast<Real>(stages.gravity),
                                  static_cast<Real>(stages.dt / grid.cell_size),
                                  static_cast<Real>(params.dry_depth)};
  const Sweep<kSecond, kLimiter, kWalls, Real> body{model, constants, stages, work};
  const int nx = grid.cells[0], nz = grid.cells[1];
  const int across = parts(nx, kTileColumns<Real>), up = parts(nz, kTileRows);
  parallel_blocks(tile_count<Real>(grid), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const int i = static_cast<int>(k) % across, j = static_cast<int>(k) / across;
      work.tile_rounding[k] +=
          body({cut(nx, across, i), cut(nx, across, i + 1), cut(nz, up, j), cut(nz, up, j + 1)});
    }
  });
}

template <bool kSecond, Limiter kLimiter, class Real>
void choose(const Model<Real>& model, const Params& params, const Stages<Real>& stages, Work<Real>& work) {
  model.walls.empty() ? run<kSecond, kLimiter, false>(model, params, stages, work)
                      : run<kSecond, kLimiter, true>(model, params, stages, work);
}

}  // namespace

template <class Real>
std::size_t tile_count(const Grid& grid) {
  return static_cast<std::size_t>(parts(grid.cells[0], kTileColumns<Real>)) *
         static_cast<std::size_t>(parts(grid.cells[1], kTileRows));
}

template <class Real>
void sweep(const Model<Real>& model, const Params& params, const Stages<Real>& stages, Work<Real>& work) {
  if (params.order == Order::first)
    choose<false, Limiter::minmod>(model, params, stages, work);
  else if (params.limiter == Limiter::minmod)
    choose<true, Limiter::minmod>(model, params, stages, work);
  else
    choose<true, Limiter::monotonised>(model, params, stages, work);
}

#define SELKIE_SWEEP(Real)                            \
  template std::size_t tile_count<Real>(const Grid&); \
  template void sweep(const Model<Real>&, const Params&, const Stages<Real>&, Work<Real>&);
SELKIE_SWEEP(float)
SELKIE_SWEEP(double)
#undef SELKIE_SWEEP

}  // namespace selkie::shallow_water::detail
