// The fused pass. The grid is cut into tiles narrow enough for the first cache; within a tile rows are swept
// upwards: each row's velocities, reconstruction and lower faces are computed once and kept until the row
// above needs them. Faces between tiles are computed by both, from the same numbers with the same operations,
// so that not a bit of volume is lost between them.
#include "selkie/fluids/shallow_water/detail/sweep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "selkie/core/parallel.h"
#include "selkie/fluids/shallow_water/detail/riemann.h"

// The iterations of the loop that follows do not meet in memory.
#if defined(__clang__)
#define SELKIE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SELKIE_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace selkie::shallow_water::detail {
namespace {

template <class Real>
inline constexpr int kTileColumns = 1024 / static_cast<int>(sizeof(Real));
inline constexpr int kTileRows = 64;
inline constexpr int kPad = 16;  // columns before column 0 of a line; keeps it aligned

// One value per column of a tile, with room for the ghosts.
template <class Real>
struct alignas(64) Line {
  Real values[kTileColumns<Real> + 2 * kPad];
  Real* data() { return values + kPad; }
};

template <class Real>
struct Primitive {
  Line<Real> h, w, u, v, wall;  // moving depth, surface, velocities; wall: 1 in walls
};
template <class Real>
struct Edge {
  Line<Real> h, z, n, t;
};
template <class Real>
struct Faces {
  Line<Real> mass, low, high, tangential;
};

template <class Real>
struct Scratch {
  std::array<Primitive<Real>, 3> rows;  // of row r at r mod 3
  std::array<Edge<Real>, 2> upper;      // upper edge of row r at r mod 2
  std::array<Line<Real>, 2> slope_z;    // half slope of the surface, of row r at r mod 2
  std::array<Faces<Real>, 2> across;    // lower faces of row r at r mod 2
  Edge<Real> left, right;               // edges of the cells of one row
  Line<Real> slope_x;
  Faces<Real> along;  // left faces of the cells of one row
  Line<Real> rounding;
};

// m²/s: less than this is rest. Ahead of every front the scheme carries ever smaller numbers a few cells a
// step; let alone, they end as subnormal ones, which processors handle a hundred times slower than others.
template <class Real>
inline constexpr Real kStill = Real(1e-15);

// Constants of a sweep in the precision of the fields.
template <class Real>
struct Constants {
  Real g, ratio, dry;  // ratio: dt / dx
};

template <class Real>
struct Tile {
  int i0, i1, j0, j1;
  int columns() const { return i1 - i0; }
};

template <class Real>
void load_row(const Model<Real>& model, const Fields<Real>& now, const Tile<Real>& tile, int j,
              const Constants<Real>& c, Primitive<Real>& row) {
  const std::ptrdiff_t at = j * model.grid.row() + tile.i0;
  const Real* const __restrict depth = now.depth + at;
  const Real* const __restrict flow_x = now.flow_x + at;
  const Real* const __restrict flow_z = now.flow_z + at;
  const Real* const __restrict ground = model.ground.data() + model.grid.first() + at;
  Real* const __restrict h = row.h.data(), * const __restrict w = row.w.data();
  Real* const __restrict u = row.u.data(), * const __restrict v = row.v.data();
  const int end = tile.columns() + Grid::kGhosts;
  // A film thinner than `dry` counts as ground: it stays where it is.
  for (int i = -Grid::kGhosts; i < end; ++i) {
    const Real d = depth[i];
    const bool moves = d > c.dry;
    const Real inverse = Real(1) / (moves ? d : Real(1));
    h[i] = moves ? d : Real(0);
    w[i] = ground[i] + d;
    u[i] = moves ? flow_x[i] * inverse : Real(0);
    v[i] = moves ? flow_z[i] * inverse : Real(0);
  }
  if (model.walls.empty()) return;
  const std::uint8_t* const walls = model.walls.data() + model.grid.first() + at;
  for (int i = -Grid::kGhosts; i < end; ++i) row.wall.data()[i] = walls[i] ? Real(1) : Real(0);
}

// Half slopes of (h, w, n, t) of a cell between two neighbours, and its two edges.
template <bool kSecond, Limiter kLimiter, bool kWalls, class Real>
struct Slopes {
  Real h = 0, w = 0, n = 0, t = 0;

  Slopes(Real h0, Real h1, Real h2, Real w0, Real w1, Real w2, Real n0, Real n1, Real n2, Real t0, Real t1,
         Real t2, Real walls) {
    if constexpr (kSecond) {
      h = half_slope<kLimiter>(h1 - h0, h2 - h1);
      w = half_slope<kLimiter>(w1 - w0, w2 - w1);
      n = half_slope<kLimiter>(n1 - n0, n2 - n1);
      t = half_slope<kLimiter>(t1 - t0, t2 - t1);
      if constexpr (kWalls) {  // beside walls the reconstruction is constant
        const Real open = walls > 0 ? Real(0) : Real(1);
        h *= open, w *= open, n *= open, t *= open;
      }
    }
  }
};

// Flux through one face, with a wall on either side replaced by the mirror image of the other.
template <bool kWalls, class Real>
inline FaceFlux<Real> flux_at(Real hl, Real zl, Real nl, Real tl, Real wall_l, Real hr, Real zr, Real nr,
                              Real tr, Real wall_r, Real g) {
  if constexpr (kWalls) {
    const bool l = wall_l > 0, r = wall_r > 0;
    const Real h = l ? hr : hl, z = l ? zr : zl, n = l ? -nr : nl, t = l ? tr : tl;
    hr = r ? hl : hr, zr = r ? zl : zr, nr = r ? -nl : nr, tr = r ? tl : tr;
    hl = h, zl = z, nl = n, tl = t;
  }
  return face_flux(hl, zl, nl, tl, hr, zr, nr, tr, g);
}

// Reconstructs row r along z, keeps its upper edge, and finds the flux through its lower faces from the upper
// edge of the row below.
template <bool kSecond, Limiter kLimiter, bool kWalls, class Real>
void cross_row(Scratch<Real>& s, int r, int columns, const Constants<Real>& c) {
  auto ring = [&](int row) -> Primitive<Real>& { return s.rows[static_cast<std::size_t>((row + 3) % 3)]; };
  Primitive<Real>&below = ring(r - 1), &here = ring(r), &above = ring(r + 1);
  const Real *h0 = below.h.data(), *h1 = here.h.data(), *h2 = above.h.data();
  const Real *w0 = below.w.data(), *w1 = here.w.data(), *w2 = above.w.data();
  const Real *n0 = below.v.data(), *n1 = here.v.data(), *n2 = above.v.data();
  const Real *t0 = below.u.data(), *t1 = here.u.data(), *t2 = above.u.data();
  const Real *s0 = below.wall.data(), *s1 = here.wall.data(), *s2 = above.wall.data();
  const auto parity = static_cast<std::size_t>((r + 2) % 2);
  Edge<Real>&kept = s.upper[parity], &low = s.upper[1 - parity];
  Real* __restrict kh = kept.h.data(), * __restrict kz = kept.z.data();
  Real* __restrict kn = kept.n.data(), * __restrict kt = kept.t.data();
  const Real *lh = low.h.data(), *lz = low.z.data(), *ln = low.n.data(), *lt = low.t.data();
  Faces<Real>& out = s.across[parity];
  Real* __restrict mass = out.mass.data(), * __restrict fl = out.low.data();
  Real* __restrict fh = out.high.data(), * __restrict ft = out.tangential.data();
  Real* __restrict slope = s.slope_z[parity].data();
  const Real g = c.g;
  SELKIE_INDEPENDENT
  for (int i = 0; i < columns; ++i) {
    const Real walls = kWalls ? s0[i] + s2[i] : Real(0);
    const Slopes<kSecond, kLimiter, kWalls, Real> d(h0[i], h1[i], h2[i], w0[i], w1[i], w2[i], n0[i], n1[i],
                                                    n2[i], t0[i], t1[i], t2[i], walls);
    const FaceFlux<Real> flux =
        flux_at<kWalls>(lh[i], lz[i], ln[i], lt[i], kWalls ? s0[i] : Real(0), h1[i] - d.h,
                        (w1[i] - d.w) - (h1[i] - d.h), n1[i] - d.n, t1[i] - d.t, kWalls ? s1[i] : Real(0), g);
    mass[i] = flux.mass, fl[i] = flux.normal_low, fh[i] = flux.normal_high, ft[i] = flux.tangential;
    kh[i] = h1[i] + d.h, kz[i] = (w1[i] + d.w) - (h1[i] + d.h), kn[i] = n1[i] + d.n, kt[i] = t1[i] + d.t;
    slope[i] = d.w;
  }
}

// The same along x within one row: edges of all cells, then the flux through the faces 0 … columns.
template <bool kSecond, Limiter kLimiter, bool kWalls, class Real>
void sweep_along(Scratch<Real>& s, Primitive<Real>& row, int columns, const Constants<Real>& c) {
  const Real *h = row.h.data(), *w = row.w.data(), *n = row.u.data(), *t = row.v.data(),
             *wall = row.wall.data();
  Real* __restrict lh = s.left.h.data(), * __restrict lz = s.left.z.data();
  Real* __restrict ln = s.left.n.data(), * __restrict lt = s.left.t.data();
  Real* __restrict rh = s.right.h.data(), * __restrict rz = s.right.z.data();
  Real* __restrict rn = s.right.n.data(), * __restrict rt = s.right.t.data();
  Real* __restrict slope = s.slope_x.data();
  SELKIE_INDEPENDENT
  for (int i = -1; i <= columns; ++i) {
    const Real walls = kWalls ? wall[i - 1] + wall[i + 1] : Real(0);
    const Slopes<kSecond, kLimiter, kWalls, Real> d(h[i - 1], h[i], h[i + 1], w[i - 1], w[i], w[i + 1],
                                                    n[i - 1], n[i], n[i + 1], t[i - 1], t[i], t[i + 1],
                                                    walls);
    lh[i] = h[i] - d.h, lz[i] = (w[i] - d.w) - (h[i] - d.h), ln[i] = n[i] - d.n, lt[i] = t[i] - d.t;
    rh[i] = h[i] + d.h, rz[i] = (w[i] + d.w) - (h[i] + d.h), rn[i] = n[i] + d.n, rt[i] = t[i] + d.t;
    slope[i] = d.w;
  }
  Real* __restrict mass = s.along.mass.data(), * __restrict fl = s.along.low.data();
  Real* __restrict fh = s.along.high.data(), * __restrict ft = s.along.tangential.data();
  const Real g = c.g;
  SELKIE_INDEPENDENT
  for (int i = 0; i <= columns; ++i) {
    const FaceFlux<Real> flux =
        flux_at<kWalls>(rh[i - 1], rz[i - 1], rn[i - 1], rt[i - 1], kWalls ? wall[i - 1] : Real(0), lh[i],
                        lz[i], ln[i], lt[i], kWalls ? wall[i] : Real(0), g);
    mass[i] = flux.mass, fl[i] = flux.normal_low, fh[i] = flux.normal_high, ft[i] = flux.tangential;
  }
}

// Sums the faces of row j into its cells. What round-off would make negative becomes zero and is accounted;
// anything that is not finite ends up in the account as well.
template <bool kAverage, bool kWalls, class Real>
void update_row(const Model<Real>& model, const Tile<Real>& tile, int j, const Constants<Real>& c,
                const Fields<Real>& start, const Fields<Real>& now, Scratch<Real>& s, Real* depth,
                Real* flow_x, Real* flow_z) {
  const std::ptrdiff_t at = j * model.grid.row() + tile.i0;
  const auto parity = static_cast<std::size_t>(j % 2);
  Faces<Real>&lower = s.across[parity], &upper = s.across[1 - parity];
  Primitive<Real>& row = s.rows[static_cast<std::size_t>((j + 3) % 3)];
  const Real *dm = lower.mass.data(), *dn = lower.high.data(), *dt = lower.tangential.data();
  const Real *um = upper.mass.data(), *un = upper.low.data(), *ut = upper.tangential.data();
  const Real *xm = s.along.mass.data(), *xl = s.along.low.data(), *xh = s.along.high.data(),
             *xt = s.along.tangential.data();
  const Real *sx = s.slope_x.data(), *sz = s.slope_z[parity].data(), *h = row.h.data(),
             *wall = row.wall.data();
  const Real *d0 = now.depth + at, *x0 = now.flow_x + at, *z0 = now.flow_z + at;
  const Real *ds = start.depth + at, *xs = start.flow_x + at, *zs = start.flow_z + at;
  Real* __restrict d_out = depth + at, * __restrict x_out = flow_x + at, * __restrict z_out = flow_z + at;
  Real* __restrict rounding = s.rounding.data();
  const Real k = c.ratio, twice_g = 2 * c.g, dry = c.dry;
  const int columns = tile.columns();
  SELKIE_INDEPENDENT
  for (int i = 0; i < columns; ++i) {
    const Real weight = twice_g * h[i];
    Real d = d0[i] - k * ((xm[i + 1] - xm[i]) + (um[i] - dm[i]));
    Real x = x0[i] - k * ((xl[i + 1] - xh[i]) + (ut[i] - dt[i]) + weight * sx[i]);
    Real z = z0[i] - k * ((un[i] - dn[i]) + (xt[i + 1] - xt[i]) + weight * sz[i]);
    if constexpr (kAverage) {
      d = Real(0.5) * (ds[i] + d), x = Real(0.5) * (xs[i] + x), z = Real(0.5) * (zs[i] + z);
    }
    const Real kept = d < 0 ? Real(0) : d;
    const bool moves = kept > dry;
    const bool still = kWalls ? wall[i] > 0 : false;
    rounding[i] += (kept - d) + Real(0) * (x + z);
    d_out[i] = still ? d0[i] : kept;
    x_out[i] = moves && !still && std::abs(x) > kStill<Real> ? x : Real(0);
    z_out[i] = moves && !still && std::abs(z) > kStill<Real> ? z : Real(0);
  }
}

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

template <bool kSecond, Limiter kLimiter, bool kWalls, bool kAverage, class Real>
struct Sweep {
  const Model<Real>& model;
  Constants<Real> c;
  const Stage& stage;
  Fields<Real> start, now;
  Real *depth, *flow_x, *flow_z;
  Work<Real>& work;

  // Nothing within reach: dry stays dry.
  bool skip(const Tile<Real>& t) const {
    const std::ptrdiff_t row = model.grid.row();
    constexpr int reach = Grid::kGhosts;
    if (!all_dry(now.depth, row, t.i0 - reach, t.i1 + reach, t.j0 - reach, t.j1 + reach)) return false;
    if (kAverage && !all_dry(start.depth, row, t.i0, t.i1, t.j0, t.j1)) return false;
    for (int j = t.j0; j < t.j1; ++j)
      for (Real* field : {depth, flow_x, flow_z}) std::fill_n(field + j * row + t.i0, t.columns(), Real(0));
    return true;
  }

  void account_rows(const Tile<Real>& t, int face, Scratch<Real>& s) const {
    const bool low = face == 0;
    if (!low && face != model.grid.cells[1]) return;
    const Real* mass = s.across[static_cast<std::size_t>(face % 2)].mass.data();
    double* const side = work.side_flux[low ? kLowZ : kHighZ].data() + t.i0;
    const double sign = low ? stage.weight : -stage.weight;
    for (int i = 0; i < t.columns(); ++i) side[i] += sign * static_cast<double>(mass[i]);
  }
  void account_ends(const Tile<Real>& t, int j, Scratch<Real>& s) const {
    const Real* mass = s.along.mass.data();
    const auto at = static_cast<std::size_t>(j);
    if (t.i0 == 0) work.side_flux[kLowX][at] += stage.weight * static_cast<double>(mass[0]);
    if (t.i1 == model.grid.cells[0])
      work.side_flux[kHighX][at] -= stage.weight * static_cast<double>(mass[t.columns()]);
  }

  double operator()(const Tile<Real>& t) const {
    if (skip(t)) return 0;
    Scratch<Real> s;
    const int columns = t.columns();
    std::fill_n(s.rounding.data(), columns, Real(0));
    auto load = [&](int r) { load_row(model, now, t, r, c, s.rows[static_cast<std::size_t>((r + 3) % 3)]); };
    load(t.j0 - 2), load(t.j0 - 1);
    std::memset(&s.upper, 0, sizeof s.upper);  // the lowest row has no edge below it; its flux is not used
    for (int r = t.j0 - 1; r <= t.j1; ++r) {
      load(r + 1);
      cross_row<kSecond, kLimiter, kWalls>(s, r, columns, c);
      if (r >= t.j0) account_rows(t, r, s);
      if (r <= t.j0) continue;
      const int j = r - 1;
      sweep_along<kSecond, kLimiter, kWalls>(s, s.rows[static_cast<std::size_t>((j + 3) % 3)], columns, c);
      account_ends(t, j, s);
      update_row<kAverage, kWalls>(model, t, j, c, start, now, s, depth, flow_x, flow_z);
    }
    double rounded = 0;
    for (int i = 0; i < columns; ++i) rounded += static_cast<double>(s.rounding.data()[i]);
    return rounded;
  }
};

template <class Real>
int tiles_across(const Grid& grid) {
  return (grid.cells[0] + kTileColumns<Real> - 1) / kTileColumns<Real>;
}

template <bool kSecond, Limiter kLimiter, bool kWalls, bool kAverage, class Real>
void run(const Model<Real>& model, const Params& params, const Stage& stage, const Fields<Real>& start,
         const Fields<Real>& now, Real* depth, Real* flow_x, Real* flow_z, Work<Real>& work) {
  const Grid& grid = model.grid;
  const Constants<Real> constants{static_cast<Real>(stage.gravity),
                                  static_cast<Real>(stage.dt / grid.cell_size),
                                  static_cast<Real>(params.dry_depth)};
  const Sweep<kSecond, kLimiter, kWalls, kAverage, Real> body{model, constants, stage,  start, now,
                                                              depth, flow_x,    flow_z, work};
  const int across = tiles_across<Real>(grid);
  parallel_blocks(tile_count<Real>(grid), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const int i = static_cast<int>(k) % across * kTileColumns<Real>,
                j = static_cast<int>(k) / across * kTileRows;
      work.tile_rounding[k] += body(
          {i, std::min(i + kTileColumns<Real>, grid.cells[0]), j, std::min(j + kTileRows, grid.cells[1])});
    }
  });
}

template <bool kSecond, Limiter kLimiter, class Real, class... Rest>
void choose(const Model<Real>& model, const Params& params, const Stage& stage, Rest&&... rest) {
  const bool walls = !model.walls.empty();
  if (stage.average)
    walls ? run<kSecond, kLimiter, true, true>(model, params, stage, rest...)
          : run<kSecond, kLimiter, false, true>(model, params, stage, rest...);
  else
    walls ? run<kSecond, kLimiter, true, false>(model, params, stage, rest...)
          : run<kSecond, kLimiter, false, false>(model, params, stage, rest...);
}

}  // namespace

template <class Real>
std::size_t tile_count(const Grid& grid) {
  const int rows = (grid.cells[1] + kTileRows - 1) / kTileRows;
  return static_cast<std::size_t>(tiles_across<Real>(grid)) * static_cast<std::size_t>(rows);
}

template <class Real>
void sweep(const Model<Real>& model, const Params& params, const Stage& stage, const Fields<Real>& start,
           const Fields<Real>& now, Real* depth, Real* flow_x, Real* flow_z, Work<Real>& work) {
  if (params.order == Order::first)
    choose<false, Limiter::minmod>(model, params, stage, start, now, depth, flow_x, flow_z, work);
  else if (params.limiter == Limiter::minmod)
    choose<true, Limiter::minmod>(model, params, stage, start, now, depth, flow_x, flow_z, work);
  else
    choose<true, Limiter::monotonised>(model, params, stage, start, now, depth, flow_x, flow_z, work);
}

#define SELKIE_SWEEP(Real)                                                                  \
  template std::size_t tile_count<Real>(const Grid&);                                       \
  template void sweep(const Model<Real>&, const Params&, const Stage&, const Fields<Real>&, \
                      const Fields<Real>&, Real*, Real*, Real*, Work<Real>&);
SELKIE_SWEEP(float)
SELKIE_SWEEP(double)
#undef SELKIE_SWEEP
#undef SELKIE_INDEPENDENT

}  // namespace selkie::shallow_water::detail
