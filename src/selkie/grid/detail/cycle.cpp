// The two passes of a V-cycle over a level (see multigrid.h). A slab of planes is worked through plane by
// plane; what a plane needs of its neighbours stands in a small ring of planes. Slabs compute the few planes
// at their ends that they share twice rather than wait for each other, so they are independent and the result
// does not depend on threads.
//
// Legend: D diagonal, t = r/D, b = black cells after the sweep from zero, red: i + j + k even.
#include <algorithm>

#include "selkie/core/parallel.h"
#include "selkie/grid/detail/multigrid.h"
#include "selkie/grid/detail/row_kernels.h"

namespace selkie::grid::detail {
namespace {

constexpr int kRing = 4;
constexpr std::ptrdiff_t kPad = 8;

std::ptrdiff_t plane_stride(const Shape& shape) { return shape.plane() + 2 * kPad; }

// A ring of planes; planes outside the grid are zero.
struct Ring {
  float* planes;
  const float* zero;
  Shape shape;

  float* write(int k) const { return planes + (k & (kRing - 1)) * plane_stride(shape) + kPad + shape.row(); }
  const float* read(int k) const {
    return k < 0 || k >= shape.cells()[2] ? zero + kPad + shape.row() : write(k);
  }
  Rows<float> rows(int j, int k, std::ptrdiff_t y) const {
    const std::ptrdiff_t at = j * shape.row();
    const float* centre = read(k) + at;
    return {centre, centre - y, centre + y, read(k - 1) + at, read(k + 1) + at};
  }
};

// t = r / D.
void scale_row(const Stencil<float>& s, int j, int k, const float* __restrict r, float* __restrict t) {
  const float inverse = 1 / s.diagonal();
  for_each_run(s, j, k, [&](auto kind, int begin, int end, const float* block) {
    if constexpr (kind() == RunKind::empty) {
      std::fill(t + begin, t + end, 0.0f);
    } else if constexpr (kind() == RunKind::regular) {
      SELKIE_INDEPENDENT
      for (int i = begin; i < end; ++i) t[i] = inverse * r[i];
    } else {
      const float* own = block + kInverse * (end - begin) - begin;
      SELKIE_INDEPENDENT
      for (int i = begin; i < end; ++i) t[i] = own[i] * r[i];
    }
  });
}

// Gauss-Seidel on the cells with (i + parity) odd: out = (r + Σ w x) / D; the others get `otherwise`.
template <class Otherwise>
void relax_row(const Stencil<float>& s, int j, int k, int parity, const Rows<float>& x,
               const float* __restrict r, float* __restrict out, Otherwise otherwise) {
  const float inverse = 1 / s.diagonal();
  for_each_run(s, j, k, [&](auto kind, int begin, int end, const float* block) {
    if constexpr (kind() == RunKind::empty) {
      std::fill(out + begin, out + end, 0.0f);
    } else {
      const int length = end - begin;
      const NeighbourSum<kind(), float> sum{x, s.open, block, begin, length};
      const float* own = block + kInverse * length - begin;
      SELKIE_INDEPENDENT
      for (int i = begin; i < end; ++i) {
        const float value = (r[i] + sum(i)) * (kind() == RunKind::regular ? inverse : own[i]);
        out[i] = ((i + parity) & 1) != 0 ? value : otherwise(i);
      }
    }
  });
}

// Residual of the red cells after the sweep from zero, Σ w b, as the transfer weighs it. Black cells have
// none.
void residual_row(const Stencil<float>& s, int j, int k, const Rows<float>& black, float* __restrict out) {
  for_each_run(s, j, k, [&](auto kind, int begin, int end, const float* block) {
    if constexpr (kind() == RunKind::empty) {
      std::fill(out + begin, out + end, 0.0f);
    } else {
      const int length = end - begin;
      const NeighbourSum<kind(), float> sum{black, s.open, block, begin, length};
      const float* transfer = block + kTransfer * length - begin;
      SELKIE_INDEPENDENT
      for (int i = begin; i < end; ++i) out[i] = kind() == RunKind::regular ? sum(i) : transfer[i] * sum(i);
    }
  });
}

// Quarter of the open share of the six faces of coarse cells in a run: what the transfer multiplies
// differences with.
template <RunKind kind>
struct Shares {
  std::array<float, 3> quarter;  // over the coefficient of an open face; 0 along axes that are not coarsened
  const float* block;
  int begin, length;
  Shares(const Stencil<float>& coarse, const Coarsening& c, const float* b, int from, int to)
      : block(b), begin(from), length(to - from) {
    for (std::size_t a = 0; a < 3; ++a)
      quarter[a] = c.ratio[a] == 1 || coarse.open[a] == 0 ? 0
                   : kind == RunKind::regular             ? 0.25f
                                                          : 0.25f / coarse.open[a];
  }
  float operator()(int face, int i) const {  // of cell i
    const float q = quarter[static_cast<std::size_t>(face / 2)];
    if constexpr (kind == RunKind::regular)
      return q;
    else
      return q * block[face * length + i - begin];
  }
};

// Joins x pairs of a residual row: pair = their sum, and flux = pair plus what the transfer moves between
// coarse neighbours along x.
void join_row(const Level& fine, const Stencil<float>& coarse, int J, int K, const float* __restrict residual,
              float* __restrict pair, float* __restrict flux) {
  const Coarsening& c = fine.coarsening;
  if (c.ratio[0] == 1) {
    std::copy_n(residual, coarse.shape.cells()[0], pair);
    if (flux != nullptr) std::copy_n(residual, coarse.shape.cells()[0], flux);
    return;
  }
  const float* r = residual - c.shift[0];
  const int count = coarse.shape.cells()[0];
  SELKIE_INDEPENDENT
  for (int i = 0; i < count; ++i) pair[i] = r[2 * i] + r[2 * i + 1];
  if (flux == nullptr) return;
  for_each_run(coarse, J, K, [&](auto kind, int begin, int end, const float* block) {
    if constexpr (kind() != RunKind::empty) {
      const Shares<kind()> share(coarse, c, block, begin, end);
      SELKIE_INDEPENDENT
      for (int i = begin; i < end; ++i)
        flux[i] = pair[i] + share(kXLow, i) * (r[2 * i - 1] - r[2 * i]) +
                  share(kXHigh, i) * (r[2 * i + 2] - r[2 * i + 1]);
    }
  });
}

// The restriction of one slab of coarse planes.
struct Restriction {
  Level& fine;
  const Level& level;
  const float* r;
  float* out;
  Scratch& scratch;
  const Stencil<float>& s = fine.stencil;
  const Stencil<float>& coarse = level.stencil;
  const Coarsening& c = fine.coarsening;
  Index n = s.shape.cells(), m = coarse.shape.cells();
  Ring t{scratch.planes.data(), fine.zero_plane.data(), s.shape};
  Ring black{scratch.planes.data() + kRing * plane_stride(s.shape), fine.zero_plane.data(), s.shape};
  std::ptrdiff_t y = s.y_stride(), pair_row = coarse.shape.row();

  const float* right(int j, int k) const { return r + s.shape.at(0, j, k); }
  // Own residual of a fine plane summed over x and y: ring of coarse planes.
  float* sums(int k) const {
    return scratch.sums.data() + (k & (kRing - 1)) * coarse.shape.plane() + coarse.shape.row();
  }
  float* pairs(int j) const { return scratch.pairs.data() + 2 * (j + 2) * pair_row; }
  float* fluxes(int j) const { return pairs(j) + pair_row; }

  void slab(int begin, int end) {
    const int reach = c.ratio[2] == 2 ? 1 : 0;
    const int first = c.first_child(2, begin) - reach, last = c.first_child(2, end) + reach;
    for (int k = first - 2; k < last + 2; ++k) {
      if (k >= 0 && k < n[2])
        for (int j = 0; j < n[1]; ++j) scale_row(s, j, k, right(j, k), t.write(k) + j * s.shape.row());
      if (k - 1 >= first - 1 && k - 1 >= 0 && k - 1 < n[2])
        for (int j = 0; j < n[1]; ++j)
          relax_row(s, j, k - 1, (j + k - 1) & 1, t.rows(j, k - 1, y), right(j, k - 1),
                    black.write(k - 1) + j * s.shape.row(), [](int) { return 0.0f; });
      if (k - 2 >= first && k - 2 < last) fold(k - 2, begin, end);
    }
  }

  // Residual of a fine plane into its coarse plane.
  void fold(int k, int begin, int end) {
    const int K = (k + c.shift[2] + 2 * c.ratio[2]) / c.ratio[2] - 2;  // floor also below zero
    const bool own = K >= begin && K < end;
    if (k >= 0 && k < n[2]) {
      float* const residual = scratch.row.data() + kPad;
      for (int j = 0; j < n[1]; ++j) {
        residual_row(s, j, k, black.rows(j, k, y), residual);
        join_row(fine, coarse, c.parent(1, j), own ? K : 0, residual, pairs(j), own ? fluxes(j) : nullptr);
      }
      for (int J = 0; J < m[1]; ++J) sum_rows_of(J, k, own ? K : -1);
    } else {
      for (int J = 0; J < m[1]; ++J) std::fill_n(sums(k) + J * coarse.shape.row(), m[0], 0.0f);
      if (own && c.first_child(2, K) == k)  // a coarse plane whose first child lies outside
        for (int J = 0; J < m[1]; ++J) std::fill_n(out + coarse.shape.at(0, J, K), m[0], 0.0f);
    }
    if (c.ratio[2] == 2) {
      const int done = K - 1;  // its upper neighbour's first plane is known now
      if (k == c.first_child(2, K) && done >= begin && done < end) couple_planes(done);
    }
  }

  // Adds the fine rows of coarse row J in plane k: their sum, and with the transfer along x and y the coarse
  // right side.
  void sum_rows_of(int J, int k, int K) {
    const int j0 = c.first_child(1, J), j1 = j0 + c.ratio[1] - 1;
    const float *low = pairs(j0), *high = pairs(j1);
    float* const sum = sums(k) + J * coarse.shape.row();
    if (j0 == j1)
      std::copy_n(low, m[0], sum);
    else
      SELKIE_INDEPENDENT
    for (int i = 0; i < m[0]; ++i) sum[i] = low[i] + high[i];
    if (K < 0) return;
    const bool first = k == c.first_child(2, K);
    float* const o = out + coarse.shape.at(0, J, K);
    const float *flux_low = fluxes(j0), *flux_high = fluxes(j1), *below = pairs(j0 - 1),
                *above = pairs(j1 + 1);
    for_each_run(coarse, J, K, [&](auto kind, int begin, int end, const float* block) {
      if constexpr (kind() == RunKind::empty) {
        std::fill(o + begin, o + end, 0.0f);
      } else {
        const Shares<kind()> share(coarse, c, block, begin, end);
        SELKIE_INDEPENDENT
        for (int i = begin; i < end; ++i) {
          const float value = (j0 == j1 ? flux_low[i] : flux_low[i] + flux_high[i]) +
                              share(kYLow, i) * (below[i] - low[i]) + share(kYHigh, i) * (above[i] - high[i]);
          o[i] = first ? value : o[i] + value;
        }
      }
    });
  }

  // What the transfer moves between coarse planes.
  void couple_planes(int K) {
    const int k0 = c.first_child(2, K);
    for (int J = 0; J < m[1]; ++J) {
      const std::ptrdiff_t at = J * coarse.shape.row();
      const float *below = sums(k0 - 1) + at, *low = sums(k0) + at, *high = sums(k0 + 1) + at,
                  *above = sums(k0 + 2) + at;
      float* const o = out + coarse.shape.at(0, J, K);
      for_each_run(coarse, J, K, [&](auto kind, int begin, int end, const float* block) {
        if constexpr (kind() != RunKind::empty) {
          const Shares<kind()> share(coarse, c, block, begin, end);
          SELKIE_INDEPENDENT
          for (int i = begin; i < end; ++i)
            o[i] += share(kZLow, i) * (below[i] - low[i]) + share(kZHigh, i) * (above[i] - high[i]);
        }
      });
    }
  }
};

// The correction of one slab of fine planes.
struct Correction {
  Level& fine;
  const Level& level;
  const float *r, *e;
  float* z;
  Scratch& scratch;
  const Stencil<float>& s = fine.stencil;
  const Stencil<float>& coarse = level.stencil;
  const Coarsening& c = fine.coarsening;
  Index n = s.shape.cells();
  Ring red{scratch.planes.data(), fine.zero_plane.data(), s.shape};
  Ring black{scratch.planes.data() + kRing * plane_stride(s.shape), fine.zero_plane.data(), s.shape};
  std::ptrdiff_t y = s.y_stride();

  const float* right(int j, int k) const { return r + s.shape.at(0, j, k); }

  double slab(int begin, int end, bool wants_dot) {
    double product = 0;
    for (int k = begin - 2; k < end + 2; ++k) {
      if (k >= 0 && k < n[2])
        for (int j = 0; j < n[1]; ++j) correct_row(j, k, red.write(k) + j * s.shape.row());
      if (const int b = k - 1; b >= begin - 1 && b >= 0 && b < n[2])
        for (int j = 0; j < n[1]; ++j)
          relax_row(s, j, b, (j + b) & 1, red.rows(j, b, y), right(j, b), black.write(b) + j * s.shape.row(),
                    [](int) { return 0.0f; });
      if (const int o = k - 2; o >= begin && o < end)
        for (int j = 0; j < n[1]; ++j) {
          const Rows<float> x = black.rows(j, o, y);
          float* const row = z + s.shape.at(0, j, o);
          relax_row(s, j, o, (j + o + 1) & 1, x, right(j, o), row, [&](int i) { return x.centre[i]; });
          if (wants_dot) product += dot_row(right(j, o), row, n[0]);
        }
    }
    return product;
  }

  // t + P e; only the red cells of it are used.
  void correct_row(int j, int k, float* __restrict out) {
    float* const correction = scratch.row.data() + scratch.row.size() / 2 + kPad;
    prolong_row(j, k, correction);
    const float* __restrict right_side = right(j, k);
    const float inverse = 1 / s.diagonal();
    for_each_run(s, j, k, [&](auto kind, int begin, int end, const float* block) {
      if constexpr (kind() == RunKind::empty) {
        std::fill(out + begin, out + end, 0.0f);
      } else if constexpr (kind() == RunKind::regular) {
        SELKIE_INDEPENDENT
        for (int i = begin; i < end; ++i) out[i] = inverse * right_side[i] + correction[i];
      } else {
        const int length = end - begin;
        const float *own = block + kInverse * length - begin, *transfer = block + kTransfer * length - begin;
        SELKIE_INDEPENDENT
        for (int i = begin; i < end; ++i) out[i] = own[i] * right_side[i] + transfer[i] * correction[i];
      }
    });
  }

  void prolong_row(int j, int k, float* __restrict out) {
    const int J = c.parent(1, j), K = c.parent(2, k);
    const bool high_y = j > c.first_child(1, J), high_z = k > c.first_child(2, K);
    const float* __restrict own = e + coarse.shape.at(0, J, K);
    const float* __restrict near_y = own + (high_y ? coarse.shape.row() : -coarse.shape.row());
    const float* __restrict near_z = own + (high_z ? coarse.shape.plane() : -coarse.shape.plane());
    const int face_y = high_y ? kYHigh : kYLow, face_z = high_z ? kZHigh : kZLow;
    float* __restrict to = out - c.shift[0];
    for_each_run(coarse, J, K, [&](auto kind, int begin, int end, const float* block) {
      if constexpr (kind() == RunKind::empty) {
        std::fill(to + c.ratio[0] * begin, to + c.ratio[0] * end, 0.0f);
      } else {
        const Shares<kind()> share(coarse, c, block, begin, end);
        if (c.ratio[0] == 1) {
          SELKIE_INDEPENDENT
          for (int i = begin; i < end; ++i)
            to[i] =
                own[i] + share(face_y, i) * (near_y[i] - own[i]) + share(face_z, i) * (near_z[i] - own[i]);
          return;
        }
        SELKIE_INDEPENDENT
        for (int i = begin; i < end; ++i) {
          const float base =
              own[i] + share(face_y, i) * (near_y[i] - own[i]) + share(face_z, i) * (near_z[i] - own[i]);
          to[2 * i] = base + share(kXLow, i) * (own[i - 1] - own[i]);
          to[2 * i + 1] = base + share(kXHigh, i) * (own[i + 1] - own[i]);
        }
      }
    });
  }
};

struct Lease {
  ScratchPool& pool;
  Scratch* scratch;
  Lease(ScratchPool& from, const Stencil<float>& fine, const Shape& coarse)
      : pool(from), scratch(from.acquire(fine, coarse)) {}
  ~Lease() { pool.release(scratch); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
};

}  // namespace

Scratch* ScratchPool::acquire(const Stencil<float>& fine, const Shape& coarse) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    auto fresh = std::make_unique<Scratch>();
    fresh->planes.assign(static_cast<std::size_t>(2 * kRing * plane_stride(fine.shape)), 0.0f);
    fresh->pairs.assign(static_cast<std::size_t>(2 * coarse.row() * (fine.shape.cells()[1] + 6)), 0.0f);
    fresh->sums.assign(static_cast<std::size_t>(kRing * coarse.plane() + coarse.row()), 0.0f);
    fresh->row.assign(static_cast<std::size_t>(2 * (fine.shape.row() + 4 * kPad)), 0.0f);
    all_.push_back(std::move(fresh));
    free_.push_back(all_.back().get());
  }
  Scratch* scratch = free_.back();
  free_.pop_back();
  return scratch;
}
void ScratchPool::release(Scratch* scratch) {
  const std::lock_guard lock(mutex_);
  free_.push_back(scratch);
}
void ScratchPool::clear() { free_.clear(), all_.clear(); }

void restrict_residual(Level& fine, const Level& coarse, const float* r, float* coarse_r) {
  const int planes = coarse.stencil.shape.cells()[2];
  const int slab = std::max(1, slab_planes(fine.stencil.shape) / fine.coarsening.ratio[2]);
  parallel_blocks(static_cast<std::size_t>(planes), static_cast<std::size_t>(slab),
                  [&](std::size_t begin, std::size_t end) {
                    const Lease lease(*fine.pool, fine.stencil, coarse.stencil.shape);
                    Restriction{fine, coarse, r, coarse_r, *lease.scratch}.slab(static_cast<int>(begin),
                                                                                static_cast<int>(end));
                  });
}

double correct_and_smooth(Level& fine, const Level& coarse, const float* r, const float* e, float* z,
                          bool wants_dot) {
  return sum_blocks(
      static_cast<std::size_t>(fine.stencil.shape.cells()[2]),
      [&](std::size_t begin, std::size_t end) {
        const Lease lease(*fine.pool, fine.stencil, coarse.stencil.shape);
        return Correction{fine, coarse, r, e, z, *lease.scratch}.slab(static_cast<int>(begin),
                                                                      static_cast<int>(end), wants_dot);
      },
      static_cast<std::size_t>(slab_planes(fine.stencil.shape)));
}

}  // namespace selkie::grid::detail
