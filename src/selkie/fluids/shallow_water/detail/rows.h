// Kernels of one row of a tile of the conservative scheme: what a stage does between the fields it reads and
// those it writes, kept in lines that stay in the nearest caches. All loops are free of branches and become
// vector code.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "selkie/fluids/shallow_water/detail/riemann.h"
#include "selkie/fluids/shallow_water/model.h"

// The iterations of the loop that follows do not meet in memory.
#if defined(__clang__)
#define SELKIE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SELKIE_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace selkie::shallow_water::detail {

template <class Real>
inline constexpr int kTileColumns = 1024 / static_cast<int>(sizeof(Real));
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
};

// Columns of a tile, counted from its first: the stage before the last also serves the neighbours' columns.
struct Columns {
  int begin = 0, end = 0;
};

// One row of the fields: places of the tile's first column.
template <class Real>
struct Row {
  const Real *depth, *flow_x, *flow_z;
};
template <class Real>
struct RowOut {
  Real *depth, *flow_x, *flow_z;
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

// Velocities and surface of some columns of a row. A film thinner than `dry` counts as ground: it stays where
// it is.
template <class Real>
void load_row(const Row<Real>& now, const Real* ground_row, const std::uint8_t* walls, Columns columns,
              const Constants<Real>& c, Primitive<Real>& row) {
  const Real* const __restrict depth = now.depth;
  const Real* const __restrict flow_x = now.flow_x;
  const Real* const __restrict flow_z = now.flow_z;
  const Real* const __restrict ground = ground_row;
  Real* const __restrict h = row.h.data(), * const __restrict w = row.w.data();
  Real* const __restrict u = row.u.data(), * const __restrict v = row.v.data();
  for (int i = columns.begin; i < columns.end; ++i) {
    const Real d = depth[i];
    const bool moves = d > c.dry;
    const Real inverse = Real(1) / (moves ? d : Real(1));
    h[i] = moves ? d : Real(0);
    w[i] = ground[i] + d;
    u[i] = moves ? flow_x[i] * inverse : Real(0);
    v[i] = moves ? flow_z[i] * inverse : Real(0);
  }
  if (!walls) return;
  for (int i = columns.begin; i < columns.end; ++i) row.wall.data()[i] = walls[i] ? Real(1) : Real(0);
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
void cross_row(Scratch<Real>& s, int r, Columns columns, const Constants<Real>& c) {
  auto ring = [&](int row) -> Primitive<Real>& { return s.rows[static_cast<std::size_t>((row + 6) % 3)]; };
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
  if constexpr (!kSecond) {  // edges are the cells' own values; slopes stay zero
    SELKIE_INDEPENDENT
    for (int i = columns.begin; i < columns.end; ++i) {
      const FaceFlux<Real> flux =
          flux_at<kWalls>(h0[i], w0[i] - h0[i], n0[i], t0[i], kWalls ? s0[i] : Real(0), h1[i], w1[i] - h1[i],
                          n1[i], t1[i], kWalls ? s1[i] : Real(0), g);
      mass[i] = flux.mass, fl[i] = flux.normal_low, fh[i] = flux.normal_high, ft[i] = flux.tangential;
      slope[i] = 0;
    }
    return;
  }
  SELKIE_INDEPENDENT
  for (int i = columns.begin; i < columns.end; ++i) {
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

// The same along x within one row: edges of all cells, then the flux through the faces begin … end.
template <bool kSecond, Limiter kLimiter, bool kWalls, class Real>
void sweep_along(Scratch<Real>& s, Primitive<Real>& row, Columns columns, const Constants<Real>& c) {
  const Real *h = row.h.data(), *w = row.w.data(), *n = row.u.data(), *t = row.v.data(),
             *wall = row.wall.data();
  Real* __restrict lh = s.left.h.data(), * __restrict lz = s.left.z.data();
  Real* __restrict ln = s.left.n.data(), * __restrict lt = s.left.t.data();
  Real* __restrict rh = s.right.h.data(), * __restrict rz = s.right.z.data();
  Real* __restrict rn = s.right.n.data(), * __restrict rt = s.right.t.data();
  Real* __restrict slope = s.slope_x.data();
  SELKIE_INDEPENDENT
  for (int i = columns.begin - 1; i <= columns.end; ++i) {
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
  for (int i = columns.begin; i <= columns.end; ++i) {
    const FaceFlux<Real> flux =
        flux_at<kWalls>(rh[i - 1], rz[i - 1], rn[i - 1], rt[i - 1], kWalls ? wall[i - 1] : Real(0), lh[i],
                        lz[i], ln[i], lt[i], kWalls ? wall[i] : Real(0), g);
    mass[i] = flux.mass, fl[i] = flux.normal_low, fh[i] = flux.normal_high, ft[i] = flux.tangential;
  }
}

// Sums the faces of row j into its cells. What round-off would make negative becomes zero and is accounted;
// anything that is not finite ends up in the account as well.
template <bool kAverage, bool kWalls, class Real>
void update_row(Scratch<Real>& s, int j, Columns columns, const Constants<Real>& c, const Row<Real>& start,
                const Row<Real>& now, const RowOut<Real>& out, Line<Real>& account) {
  const auto parity = static_cast<std::size_t>(j % 2);
  Faces<Real>&lower = s.across[parity], &upper = s.across[1 - parity];
  Primitive<Real>& row = s.rows[static_cast<std::size_t>(j % 3)];
  const Real *dm = lower.mass.data(), *dn = lower.high.data(), *dt = lower.tangential.data();
  const Real *um = upper.mass.data(), *un = upper.low.data(), *ut = upper.tangential.data();
  const Real *xm = s.along.mass.data(), *xl = s.along.low.data(), *xh = s.along.high.data(),
             *xt = s.along.tangential.data();
  const Real *sx = s.slope_x.data(), *sz = s.slope_z[parity].data(), *h = row.h.data(),
             *wall = row.wall.data();
  const Real *d0 = now.depth, *x0 = now.flow_x, *z0 = now.flow_z;
  const Real *ds = start.depth, *xs = start.flow_x, *zs = start.flow_z;
  Real* __restrict d_out = out.depth, * __restrict x_out = out.flow_x, * __restrict z_out = out.flow_z;
  Real* __restrict rounding = account.data();
  const Real k = c.ratio, twice_g = 2 * c.g, dry = c.dry;
  SELKIE_INDEPENDENT
  for (int i = columns.begin; i < columns.end; ++i) {
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

#undef SELKIE_INDEPENDENT

}  // namespace selkie::shallow_water::detail
