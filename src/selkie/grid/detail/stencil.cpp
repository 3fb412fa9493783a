// See stencil.h.
#include "selkie/grid/detail/stencil.h"

#include <algorithm>

#include "selkie/core/parallel.h"

namespace selkie::grid::detail {
namespace {

constexpr int kSegment = 8;  // cells that are classified together: one vector register of floats

// Writes the block of [begin, end).
template <class Real>
void append_block(const Stencil<Real>& stencil, const DenseRow<Real>& row, const std::uint8_t* active,
                  const Run& run, std::vector<Real>& blocks) {
  const auto length = static_cast<std::size_t>(run.end - run.begin);
  const std::size_t start = blocks.size();
  blocks.resize(start + kCoefficients * length);
  Real* const out = blocks.data() + start;
  const Real largest = *std::max_element(stencil.open.begin(), stencil.open.end());
  for (std::size_t n = 0; n < length; ++n) {
    const std::size_t i = static_cast<std::size_t>(run.begin) + n;
    Real diagonal = row.air[i];
    for (std::size_t f = 0; f < 6; ++f) {
      out[f * length + n] = row.face[f][i];
      diagonal += row.face[f][i];
    }
    out[kAir * length + n] = row.air[i];
    const bool used = active[i] != 0 && diagonal > 0;
    out[kDiagonal * length + n] = used ? diagonal : 0;
    out[kInverse * length + n] = used ? 1 / diagonal : 0;
    out[kActive * length + n] = used ? 1 : 0;
    // A linear profile from p = 0 at the distance 1/air through this cell to the coarse cell's centre, half a
    // cell further.
    out[kTransfer * length + n] = used ? 1 / (1 + row.air[i] / (2 * largest)) : 0;
  }
}

template <class Real>
RunKind classify(const Stencil<Real>& stencil, const DenseRow<Real>& row, const std::uint8_t* active,
                 int begin, int end) {
  const std::ptrdiff_t y = stencil.shape.row(), z = stencil.shape.plane();
  const std::array<std::ptrdiff_t, 6> towards{-1, 1, -y, y, -z, z};
  bool any = false, all_open = true, unit = true;
  for (int i = begin; i < end; ++i) {
    const auto n = static_cast<std::size_t>(i);
    if (active[i] == 0) {
      all_open = false;
      continue;
    }
    any = true;
    if (row.air[n] != 0) all_open = false;
    for (std::size_t f = 0; f < 6; ++f) {
      if (row.face[f][n] == stencil.open[f / 2]) continue;
      all_open = false;
      if (row.face[f][n] != 0 || active[i + towards[f]] != 0) unit = false;
    }
  }
  if (!any) return RunKind::empty;
  return all_open ? RunKind::regular : unit ? RunKind::unit : RunKind::general;
}

// Cuts a row into runs. A regular run beside a unit one joins it: one loop over the row costs less than three
// short ones, and its coefficients are shared with other rows, see append_row.
template <class Real>
void cut_row(const Stencil<Real>& stencil, const DenseRow<Real>& row, const std::uint8_t* active,
             std::vector<Run>& runs) {
  runs.clear();
  const int n = stencil.shape.cells()[0];
  for (int i = 0; i < n; i += kSegment) {
    const int last = std::min(i + kSegment, n);
    RunKind kind = classify(stencil, row, active, i, last);
    const bool simple = kind == RunKind::regular || kind == RunKind::unit;
    if (!runs.empty() && simple &&
        (runs.back().kind == RunKind::regular || runs.back().kind == RunKind::unit)) {
      if (runs.back().kind != kind) kind = RunKind::unit;
      runs.back().kind = kind;
      runs.back().end = last;
    } else if (!runs.empty() && runs.back().kind == kind) {
      runs.back().end = last;
    } else {
      runs.push_back({i, last, kind, 0});
    }
  }
}

// Adds a row's runs to its plane. Coefficients equal to those of the same run in the row before are shared
// with it, so that the many like rows of an open box read theirs from the nearest cache.
template <class Real>
void append_row(const Stencil<Real>& stencil, const DenseRow<Real>& row, const std::uint8_t* active,
                std::vector<Run>& runs, StencilPlane<Real>& plane) {
  const std::size_t rows = plane.row_begin.size();
  const std::size_t before = rows > 1 ? plane.row_begin[rows - 2] : 0, before_end = plane.runs.size();
  for (std::size_t r = 0; r < runs.size(); ++r) {
    Run& run = runs[r];
    if (run.kind == RunKind::unit || run.kind == RunKind::general) {
      const std::size_t start = plane.blocks.size();
      append_block(stencil, row, active, run, plane.blocks);
      run.block = static_cast<std::uint32_t>(start);
      if (rows > 1 && before + r < before_end) {
        const Run& other = plane.runs[before + r];
        if (other.begin == run.begin && other.end == run.end && other.kind == run.kind &&
            std::equal(plane.blocks.begin() + static_cast<std::ptrdiff_t>(start), plane.blocks.end(),
                       plane.blocks.begin() + other.block)) {
          plane.blocks.resize(start);
          run.block = other.block;
        }
      }
    }
    plane.runs.push_back(run);
  }
}

}  // namespace

template <class Real>
void build_rows(Stencil<Real>& stencil, FunctionRef<void(int, int, DenseRow<Real>&)> row) {
  const Index n = stencil.shape.cells();
  stencil.planes.resize(static_cast<std::size_t>(n[2]));
  const auto planes_at_once = static_cast<std::size_t>(std::max(1, 4096 / (n[0] * n[1])));
  parallel_blocks(stencil.planes.size(), planes_at_once, [&](std::size_t begin, std::size_t end) {
    DenseRow<Real> dense;
    dense.resize(static_cast<std::size_t>(n[0]));
    std::vector<Run> runs;
    for (std::size_t k = begin; k < end; ++k) {
      StencilPlane<Real>& plane = stencil.planes[k];
      plane.runs.clear(), plane.blocks.clear(), plane.row_begin.clear();
      for (int j = 0; j < n[1]; ++j) {
        plane.row_begin.push_back(static_cast<std::uint32_t>(plane.runs.size()));
        row(j, static_cast<int>(k), dense);
        const std::uint8_t* active = stencil.active.data() + stencil.shape.at(0, j, static_cast<int>(k));
        cut_row(stencil, dense, active, runs);
        append_row(stencil, dense, active, runs, plane);
      }
      plane.row_begin.push_back(static_cast<std::uint32_t>(plane.runs.size()));
    }
  });
}

template <class Real>
void expand_row(const Stencil<Real>& stencil, int j, int k, DenseRow<Real>& dense) {
  for_each_run(stencil, j, k, [&](auto kind, int begin, int end, const Real* block) {
    const int length = end - begin;
    for (std::size_t f = 0; f < 6; ++f) {
      Real* const out = dense.face[f].data() + begin;
      if constexpr (kind() == RunKind::empty)
        std::fill_n(out, length, Real(0));
      else if constexpr (kind() == RunKind::regular)
        std::fill_n(out, length, stencil.open[f / 2]);
      else
        std::copy_n(block + static_cast<std::ptrdiff_t>(f) * length, length, out);
    }
    if constexpr (kind() == RunKind::empty || kind() == RunKind::regular)
      std::fill_n(dense.air.data() + begin, length, Real(0));
    else
      std::copy_n(block + kAir * length, length, dense.air.data() + begin);
  });
}

template void build_rows(Stencil<float>&, FunctionRef<void(int, int, DenseRow<float>&)>);
template void build_rows(Stencil<double>&, FunctionRef<void(int, int, DenseRow<double>&)>);
template void expand_row(const Stencil<float>&, int, int, DenseRow<float>&);
template void expand_row(const Stencil<double>&, int, int, DenseRow<double>&);

}  // namespace selkie::grid::detail
