// See pressure_passes.h.
#include "selkie/grid/detail/pressure_passes.h"

#include <algorithm>

#include "selkie/core/parallel.h"
#include "selkie/grid/detail/row_kernels.h"

namespace selkie::grid::detail {
namespace {

template <class Real>
Rows<Real> rows_of(const Stencil<Real>& s, View<const Real> x, const Real* zero, int j, int k) {
  const Real* centre = x.line(j, k);
  const std::ptrdiff_t y = s.shape.cells()[1] == 1 ? 0 : x.row;
  // The caller's field may hold anything in its ghosts.
  return {centre, j == 0 ? zero : centre - y, j + 1 == s.shape.cells()[1] ? zero : centre + y,
          k == 0 ? zero : centre - x.plane, k + 1 == s.shape.cells()[2] ? zero : centre + x.plane};
}

template <class Real>
View<const Real> internal(const Stencil<Real>& s, const Real* field) {
  return {field + s.shape.first(), s.shape};
}

}  // namespace

template <class Real>
void Passes<Real>::prepare(const Stencil<Real>& matrix) {
  stencil = &matrix;
  slab = slab_planes(matrix.shape);
  const Shape& shape = matrix.shape;
  const auto slabs = static_cast<std::size_t>((shape.cells()[2] + slab - 1) / slab);
  edges.assign(2 * slabs * static_cast<std::size_t>(shape.plane() + 16), Real(0));
  rows.assign(slabs * static_cast<std::size_t>(shape.row()), Real(0));
  zero_plane.assign(static_cast<std::size_t>(shape.plane() + 16), Real(0));
}

// A slab needs the turned direction in the planes next to it while their own slab may be turning them; so the
// planes at the ends of slabs are turned into `edges` first.
template <class Real>
double Passes<Real>::turn(double beta, const float* z, Real* p) {
  const Shape& shape = stencil->shape;
  const Index n = shape.cells();
  const int count = n[0];
  const Real b = static_cast<Real>(beta);
  auto turn_row = [&, b, count](int j, int k, Real* __restrict out) {
    const float* __restrict from = z + shape.at(0, j, k);
    const Real* old = p + shape.at(0, j, k);
    if (b == 0) SELKIE_INDEPENDENT
    for (int i = 0; i < count; ++i) out[i] = static_cast<Real>(from[i]);
    else SELKIE_INDEPENDENT for (int i = 0; i < count; ++i) out[i] = static_cast<Real>(from[i]) + b * old[i];
  };
  const std::ptrdiff_t edge_size = shape.plane() + 16;
  auto edge = [&](int number) { return edges.data() + number * edge_size + 8 + shape.row(); };
  const int slabs = (n[2] + slab - 1) / slab;
  parallel_blocks(static_cast<std::size_t>(slabs), 1, [&](std::size_t s, std::size_t) {
    const int begin = static_cast<int>(s) * slab, end = std::min(begin + slab, n[2]);
    for (int j = 0; j < n[1]; ++j) {
      turn_row(j, begin, edge(2 * static_cast<int>(s)) + j * shape.row());
      turn_row(j, end - 1, edge(2 * static_cast<int>(s) + 1) + j * shape.row());
    }
  });
  return sum_blocks(
      static_cast<std::size_t>(n[2]),
      [&](std::size_t first, std::size_t last) {
        const int begin = static_cast<int>(first), end = static_cast<int>(last), s = begin / slab;
        Real* const product = row_of(first);
        const std::ptrdiff_t y = stencil->y_stride();
        double sum = 0;
        for (int k = begin; k <= end; ++k) {
          if (k < end)
            for (int j = 0; j < n[1]; ++j) turn_row(j, k, p + shape.at(0, j, k));
          if (k == begin) continue;
          for (int j = 0; j < n[1]; ++j) {
            const Real* centre = p + shape.at(0, j, k - 1);
            const Real* zero = zero_plane.data() + 8 + shape.row() + j * shape.row();
            const Real* below = k - 1 > begin ? centre - shape.plane()
                                : begin == 0  ? zero
                                              : edge(2 * s - 1) + j * shape.row();
            const Real* above = k < end       ? centre + shape.plane()
                                : end == n[2] ? zero
                                              : edge(2 * s + 2) + j * shape.row();
            multiply_row(*stencil, j, k - 1, {centre, centre - y, centre + y, below, above}, product);
            sum += dot_row(centre, static_cast<const Real*>(product), n[0]);
          }
        }
        return sum;
      },
      static_cast<std::size_t>(slab));
}

template <class Real>
double Passes<Real>::advance(double alpha, const Real* p, View<Real> x, Real* r, float* single) {
  const Shape& shape = stencil->shape;
  const Index n = shape.cells();
  const int count = n[0];
  const Real a = static_cast<Real>(alpha);
  const std::ptrdiff_t y = stencil->y_stride();
  return sum_blocks(
      static_cast<std::size_t>(n[2]),
      [&, count](std::size_t first, std::size_t last) {
        Real* __restrict product = row_of(first);
        double sum = 0;
        for (int k = static_cast<int>(first); k < static_cast<int>(last); ++k)
          for (int j = 0; j < n[1]; ++j) {
            const Real* __restrict centre = p + shape.at(0, j, k);
            multiply_row(*stencil, j, k,
                         {centre, centre - y, centre + y, centre - shape.plane(), centre + shape.plane()},
                         product);
            Real* __restrict solution = x.line(j, k);
            Real* __restrict residual_row = r + shape.at(0, j, k);
            float* single_row = single + shape.at(0, j, k);
            SELKIE_INDEPENDENT
            for (int i = 0; i < count; ++i) {
              solution[i] += a * centre[i];
              residual_row[i] -= a * product[i];
            }
            if (static_cast<const void*>(single) != static_cast<const void*>(r)) SELKIE_INDEPENDENT
            for (int i = 0; i < count; ++i) single_row[i] = static_cast<float>(residual_row[i]);
            sum +=
                dot_row(static_cast<const Real*>(residual_row), static_cast<const Real*>(residual_row), n[0]);
          }
        return sum;
      },
      static_cast<std::size_t>(slab));
}

template <class Real>
double Passes<Real>::residual(View<const Real> b, View<const Real> x, Real* r, float* single) {
  const Shape& shape = stencil->shape;
  const Index n = shape.cells();
  const int count = n[0];
  return sum_blocks(
      static_cast<std::size_t>(n[2]),
      [&, count](std::size_t first, std::size_t last) {
        Real* __restrict product = row_of(first);
        double sum = 0;
        for (int k = static_cast<int>(first); k < static_cast<int>(last); ++k)
          for (int j = 0; j < n[1]; ++j) {
            if (x.data == nullptr)
              std::fill_n(product, n[0], Real(0));
            else
              multiply_row(*stencil, j, k, rows_of(*stencil, x, zero_plane.data() + 8, j, k), product);
            const Real* from = b.line(j, k);
            Real* out = r + shape.at(0, j, k);
            float* single_row = single + shape.at(0, j, k);
            for_each_run(*stencil, j, k, [&](auto kind, int begin, int end, const Real* block) {
              const Real* active = block + kActive * (end - begin) - begin;
              SELKIE_INDEPENDENT
              for (int i = begin; i < end; ++i)
                if constexpr (kind() == RunKind::empty)
                  out[i] = 0;
                else if constexpr (kind() == RunKind::regular)
                  out[i] = from[i] - product[i];
                else
                  out[i] = active[i] != 0 ? from[i] - product[i] : 0;
            });
            if (static_cast<const void*>(single) != static_cast<const void*>(r)) SELKIE_INDEPENDENT
            for (int i = 0; i < count; ++i) single_row[i] = static_cast<float>(out[i]);
            sum += dot_row(static_cast<const Real*>(out), static_cast<const Real*>(out), n[0]);
          }
        return sum;
      },
      static_cast<std::size_t>(slab));
}

template <class Real>
void Passes<Real>::multiply(View<const Real> x, View<Real> y) {
  const Index n = stencil->shape.cells();
  parallel_blocks(static_cast<std::size_t>(n[2]), static_cast<std::size_t>(slab),
                  [&](std::size_t first, std::size_t last) {
                    for (int k = static_cast<int>(first); k < static_cast<int>(last); ++k)
                      for (int j = 0; j < n[1]; ++j)
                        multiply_row(*stencil, j, k, rows_of(*stencil, x, zero_plane.data() + 8, j, k),
                                     y.line(j, k));
                  });
}

template <class Real>
void Passes<Real>::clear_inactive(View<Real> x) {
  const Index n = stencil->shape.cells();
  parallel_blocks(static_cast<std::size_t>(n[2]), static_cast<std::size_t>(slab),
                  [&](std::size_t first, std::size_t last) {
                    for (int k = static_cast<int>(first); k < static_cast<int>(last); ++k)
                      for (int j = 0; j < n[1]; ++j) {
                        Real* const row = x.line(j, k);
                        row[-1] = row[n[0]] = 0;  // x neighbours of the first and last cell
                        for_each_run(*stencil, j, k, [&](auto kind, int begin, int end, const Real* block) {
                          const Real* active = block + kActive * (end - begin) - begin;
                          if constexpr (kind() == RunKind::empty)
                            std::fill(row + begin, row + end, Real(0));
                          else if constexpr (kind() != RunKind::regular)
                            SELKIE_INDEPENDENT
                          for (int i = begin; i < end; ++i)
                            if (active[i] == 0) row[i] = 0;
                        });
                      }
                  });
}

template struct Passes<float>;
template struct Passes<double>;

}  // namespace selkie::grid::detail
