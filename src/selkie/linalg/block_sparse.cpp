// Pattern building and products of symmetric block matrices. See the header for the storage.
#include "selkie/linalg/block_sparse.h"

#include <algorithm>
#include <limits>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"
#include "selkie/linalg/detail/row_sum.h"
#include "selkie/linalg/detail/vector_passes.h"

namespace selkie::linalg {
namespace {

// Rows per parallel block of a product: about 100 KB of blocks, so that the earlier rows a row refers to are
// still in the core's own cache.
constexpr std::size_t kRows = 256;

}  // namespace

BlockPattern::BlockPattern(std::size_t vertex_count, std::span<const VertexPair> edges)
    : upper_begin_(vertex_count + 1, 0), lower_begin_(vertex_count + 1, 0), edge_slots_(edges.size()) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max() / 2;  // a Slot spends one bit
  SELKIE_CHECK(vertex_count <= kMost && edges.size() <= kMost, "block pattern too large for 32-bit slots");

  // Sort the edges, as (low, high), by row and column: two counting passes, last key first.
  std::vector<std::uint32_t> order(edges.size()), by_high(edges.size());
  auto counting_sort = [&](auto key, auto source, std::vector<std::uint32_t>& target) {
    std::vector<std::uint32_t> begin(vertex_count + 1, 0);
    for (std::size_t e = 0; e < edges.size(); ++e) ++begin[key(edges[e]) + 1];
    for (std::size_t v = 0; v < vertex_count; ++v) begin[v + 1] += begin[v];
    for (std::size_t k = 0; k < edges.size(); ++k) {
      const std::uint32_t e = source(k);
      target[begin[key(edges[e])]++] = e;
    }
  };
  auto low = [](const VertexPair& e) { return std::min(e[0], e[1]); };
  auto high = [](const VertexPair& e) { return std::max(e[0], e[1]); };
  for (const VertexPair& e : edges)
    SELKIE_CHECK(e[0] != e[1] && high(e) < vertex_count, "an edge joins two different, existing vertices");
  counting_sort(
      high, [](std::size_t k) { return static_cast<std::uint32_t>(k); }, by_high);
  counting_sort(
      low, [&](std::size_t k) { return by_high[k]; }, order);

  // Number the distinct pairs; repeated edges share a slot.
  upper_column_.reserve(edges.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const VertexPair& edge = edges[order[k]];
    const bool repeated =
        k > 0 && low(edges[order[k - 1]]) == low(edge) && high(edges[order[k - 1]]) == high(edge);
    if (!repeated) {
      upper_column_.push_back(high(edge));
      ++upper_begin_[low(edge) + 1];
      ++lower_begin_[high(edge) + 1];
    }
    edge_slots_[order[k]] = Slot(static_cast<std::uint32_t>(upper_column_.size() - 1), edge[0] > edge[1]);
  }
  for (std::size_t v = 0; v < vertex_count; ++v) {
    upper_begin_[v + 1] += upper_begin_[v];
    lower_begin_[v + 1] += lower_begin_[v];
  }

  // Rows in ascending order hand their slots to later rows, whose lower entries therefore ascend too.
  lower_.resize(upper_column_.size());
  std::vector<std::uint32_t> next(lower_begin_.begin(), lower_begin_.end());
  for (std::uint32_t i = 0; i < vertex_count; ++i)
    for (std::uint32_t s = upper_begin_[i]; s < upper_begin_[i + 1]; ++s)
      lower_[next[upper_column_[s]]++] = {i, s};
}

Slot BlockPattern::find(std::size_t i, std::size_t j) const {
  SELKIE_CHECK(i != j && std::max(i, j) < vertex_count(), "an edge joins two different, existing vertices");
  const auto row = std::min(i, j), column = std::max(i, j);
  const auto begin = upper_column_.begin() + upper_begin_[row];
  const auto end = upper_column_.begin() + upper_begin_[row + 1];
  const auto found = std::lower_bound(begin, end, column);
  SELKIE_CHECK(found != end && *found == column, "the pattern holds this edge");
  return Slot(static_cast<std::uint32_t>(found - upper_column_.begin()), i > j);
}

template <int B>
BlockSparseSymmetric<B>::BlockSparseSymmetric(std::shared_ptr<const BlockPattern> pattern)
    : pattern_(std::move(pattern)), diagonal_(pattern_->vertex_count()), upper_(pattern_->slot_count()) {}

template <int B>
void BlockSparseSymmetric<B>::set_zero() {
  auto clear = [](Buffer<Block>& blocks) {
    parallel_blocks(blocks.size(), kDefaultBlock, [&](std::size_t begin, std::size_t end) {
      std::fill(blocks.data() + begin, blocks.data() + end, Block::Zero());
    });
  };
  clear(diagonal_);
  clear(upper_);
}

template <int B>
void BlockSparseSymmetric<B>::filter(std::span<const std::uint8_t> pinned) {
  SELKIE_CHECK(pinned.size() == vertex_count(), "one pin flag per vertex");
  const auto upper_begin = pattern_->upper_begin(), column = pattern_->upper_column();
  parallel_for(vertex_count(), [&](std::size_t i) {
    if (pinned[i]) diagonal_[i].setIdentity();
    for (std::uint32_t s = upper_begin[i]; s < upper_begin[i + 1]; ++s)
      if (pinned[i] || pinned[column[s]]) upper_[s].setZero();
  });
}

template <int B>
void BlockSparseSymmetric<B>::project(std::span<const std::int32_t> constraint_of,
                                      std::span<const Block> projectors) {
  SELKIE_CHECK(constraint_of.size() == vertex_count(), "one constraint number per vertex");
  const auto upper_begin = pattern_->upper_begin(), column = pattern_->upper_column();
  parallel_for(vertex_count(), [&](std::size_t i) {
    const std::int32_t a = constraint_of[i];
    if (a >= 0) {
      const Block& s = projectors[static_cast<std::size_t>(a)];
      const double mean = diagonal_[i].trace() / B;
      diagonal_[i] = (s * diagonal_[i] * s + mean * (Block::Identity() - s)).eval();
    }
    for (std::uint32_t k = upper_begin[i]; k < upper_begin[i + 1]; ++k) {
      const std::int32_t b = constraint_of[column[k]];
      if (a >= 0) upper_[k] = (projectors[static_cast<std::size_t>(a)] * upper_[k]).eval();
      if (b >= 0) upper_[k] = (upper_[k] * projectors[static_cast<std::size_t>(b)]).eval();
    }
  });
}

template <int B>
void BlockSparseSymmetric<B>::multiply_rows(std::size_t begin, std::size_t end, const double* x,
                                            double* y) const {
  const std::uint32_t* upper_begin = pattern_->upper_begin().data();
  const std::uint32_t* column = pattern_->upper_column().data();
  const std::uint32_t* lower_begin = pattern_->lower_begin().data();
  const BlockPattern::LowerEntry* lower = pattern_->lower().data();
  for (std::size_t i = begin; i < end; ++i) {
    detail::RowSum<B> row;
    for (std::uint32_t k = lower_begin[i]; k < lower_begin[i + 1]; ++k)
      row.add_transposed(upper_.data()[lower[k].slot].data(), x + B * std::size_t{lower[k].column});
    row.add(diagonal_.data()[i].data(), x + B * i);
    for (std::uint32_t s = upper_begin[i]; s < upper_begin[i + 1]; ++s)
      row.add(upper_.data()[s].data(), x + B * std::size_t{column[s]});
    Eigen::Map<Eigen::Matrix<double, B, 1>>{y + B* i} = row.value();
  }
}

template <int B>
void BlockSparseSymmetric<B>::apply(std::span<const double> x, std::span<double> y) const {
  SELKIE_CHECK(x.size() == size() && y.size() == size(), "vectors of the matrix's size");
  parallel_blocks(vertex_count(), kRows,
                  [&](std::size_t begin, std::size_t end) { multiply_rows(begin, end, x.data(), y.data()); });
}

template <int B>
double BlockSparseSymmetric<B>::apply_dot(std::span<const double> x, std::span<double> y) const {
  SELKIE_CHECK(x.size() == size() && y.size() == size(), "vectors of the matrix's size");
  return sum_blocks(
      vertex_count(),
      [&](std::size_t begin, std::size_t end) {
        multiply_rows(begin, end, x.data(), y.data());
        return detail::sum_lanes(B * begin, B * end, [&](std::size_t k) { return x[k] * y[k]; });
      },
      detail::block_size(vertex_count(), kRows));
}

template <int B>
void BlockSparseSymmetric<B>::to_lower(Eigen::SparseMatrix<double>& lower) const {
  // Column B·i + c holds the diagonal block's rows c.., then the blocks A_ji = A_ijᵀ below it.
  const auto n = static_cast<Eigen::Index>(size());
  const auto upper_begin = pattern_->upper_begin(), column = pattern_->upper_column();
  const std::size_t triangle = B * (B + 1) / 2;
  const auto nonzeros = static_cast<Eigen::Index>(vertex_count() * triangle + pattern_->slot_count() * B * B);
  SELKIE_CHECK(nonzeros <= std::numeric_limits<int>::max(), "a sparse matrix of 32-bit indices");
  const bool refill =
      lower.rows() == n && lower.cols() == n && lower.isCompressed() && lower.nonZeros() == nonzeros;
  if (!refill) {
    lower.resize(n, n);
    lower.resizeNonZeros(nonzeros);
  }
  int* starts = lower.outerIndexPtr();
  int* rows = lower.innerIndexPtr();
  double* values = lower.valuePtr();
  parallel_for(vertex_count(), [&](std::size_t i) {
    std::size_t at = i * triangle + std::size_t{upper_begin[i]} * B * B;
    for (int c = 0; c < B; ++c) {
      starts[B * i + c] = static_cast<int>(at);
      for (int r = c; r < B; ++r, ++at) {
        rows[at] = static_cast<int>(B * i) + r;
        values[at] = diagonal_[i](r, c);
      }
      for (std::uint32_t s = upper_begin[i]; s < upper_begin[i + 1]; ++s)
        for (int r = 0; r < B; ++r, ++at) {
          rows[at] = static_cast<int>(B * column[s]) + r;
          values[at] = upper_[s](c, r);
        }
    }
  });
  starts[n] = static_cast<int>(nonzeros);
}

template <int B>
Eigen::MatrixXd BlockSparseSymmetric<B>::dense() const {
  const auto n = static_cast<Eigen::Index>(size());
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(n, n);
  const auto upper_begin = pattern_->upper_begin(), column = pattern_->upper_column();
  for (std::size_t i = 0; i < vertex_count(); ++i) {
    const auto row = static_cast<Eigen::Index>(B * i);
    full.block<B, B>(row, row) = diagonal_[i];
    for (std::uint32_t s = upper_begin[i]; s < upper_begin[i + 1]; ++s) {
      const auto col = static_cast<Eigen::Index>(B * column[s]);
      full.block<B, B>(row, col) = upper_[s];
      full.block<B, B>(col, row) = upper_[s].transpose();
    }
  }
  return full;
}

template class BlockSparseSymmetric<1>;
template class BlockSparseSymmetric<2>;
template class BlockSparseSymmetric<3>;

}  // namespace selkie::linalg
