// See supernodal_factor.h.
#include "selkie/linalg/detail/supernodal_factor.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>

#include "selkie/core/parallel.h"

namespace selkie::linalg::detail {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Stride = Eigen::OuterStride<>;
using Panel = Eigen::Map<Eigen::MatrixXd, 0, Stride>;
using ConstPanel = Eigen::Map<const Eigen::MatrixXd, 0, Stride>;

// Rows [begin, begin + rows) of a supernode's panel.
Panel panel_rows(double* values, const Supernode& node, int begin, int rows) {
  return {values + node.offset + begin, rows, node.width(), Stride(node.height())};
}

// Scratch of one thread; contents never reach a result.
struct Scratch {
  std::vector<int> local_row;  // of a global row in the panel being built
  Eigen::MatrixXd product;
};
Scratch& scratch() {
  thread_local Scratch s;
  return s;
}

int row_in(const Supernode& node, int row) {
  if (row < node.last) return row - node.first;
  return static_cast<int>(std::lower_bound(node.rows.begin() + node.width(), node.rows.end(), row) -
                          node.rows.begin());
}

}  // namespace

void SupernodalFactor::analyse(const Sparse& upper) {
  analysis_ = analyse_supernodes(upper);
  const auto n = static_cast<std::size_t>(upper.cols());
  values_.resize(analysis_.value_count);
  permuted_.resize(n);
  gathered_.resize(n);

  // Entry (i, j) of the upper triangle is entry (max, min) of the renumbered lower one.
  std::vector<std::size_t> count(n + 1, 0);
  auto each = [&](auto&& visit) {
    for (Eigen::Index j = 0; j < upper.cols(); ++j)
      for (int k = upper.outerIndexPtr()[j]; k < upper.outerIndexPtr()[j + 1]; ++k) {
        const int p = analysis_.place[static_cast<std::size_t>(upper.innerIndexPtr()[k])];
        const int q = analysis_.place[static_cast<std::size_t>(j)];
        visit(std::max(p, q), static_cast<std::size_t>(std::min(p, q)), k);
      }
  };
  each([&](int, std::size_t column, int) { ++count[column + 1]; });
  for (std::size_t j = 0; j < n; ++j) count[j + 1] += count[j];
  column_begin_ = count;
  entries_.resize(column_begin_[n]);
  each([&](int row, std::size_t column, int k) {
    const Supernode& node = analysis_.nodes[static_cast<std::size_t>(analysis_.node_of_column[column])];
    const auto local_column = column - static_cast<std::size_t>(node.first);
    entries_[count[column]++] = {k, node.offset + local_column * static_cast<std::size_t>(node.height()) +
                                        static_cast<std::size_t>(row_in(node, row))};
  });
}

void SupernodalFactor::assemble(const Supernode& node, const double* matrix_values) {
  const std::size_t size = static_cast<std::size_t>(node.height()) * static_cast<std::size_t>(node.width());
  std::fill_n(values_.data() + node.offset, size, 0.0);
  for (std::size_t k = column_begin_[static_cast<std::size_t>(node.first)];
       k < column_begin_[static_cast<std::size_t>(node.last)]; ++k)
    values_[entries_[k].target] = matrix_values[entries_[k].source];
}

// panel −= Σ L_d(below) L_d(mine)ᵀ over the earlier supernodes d that reach into this one's columns.
void SupernodalFactor::subtract_updates(int s) {
  const Supernode& node = analysis_.nodes[static_cast<std::size_t>(s)];
  Scratch& work = scratch();
  work.local_row.resize(permuted_.size());
  for (int k = 0; k < node.height(); ++k)
    work.local_row[static_cast<std::size_t>(node.rows[static_cast<std::size_t>(k)])] = k;
  double* panel = values_.data() + node.offset;
  for (const Update& update : analysis_.updates[static_cast<std::size_t>(s)]) {
    const Supernode& from = analysis_.nodes[static_cast<std::size_t>(update.source)];
    const int below = from.height() - update.begin, mine = update.end - update.begin;
    work.product.resize(below, mine);
    work.product.noalias() = panel_rows(values_.data(), from, update.begin, below) *
                             panel_rows(values_.data(), from, update.begin, mine).transpose();
    for (int c = 0; c < mine; ++c) {
      const int column = from.rows[static_cast<std::size_t>(update.begin + c)] - node.first;
      double* target = panel + static_cast<std::size_t>(column) * static_cast<std::size_t>(node.height());
      const double* source =
          work.product.data() + static_cast<std::size_t>(c) * static_cast<std::size_t>(below);
      for (int r = c; r < below; ++r)
        target[work.local_row[static_cast<std::size_t>(
            from.rows[static_cast<std::size_t>(update.begin + r)])]] -= source[r];
    }
  }
}

// Assembles one panel, subtracts what earlier ones contribute, factorises its diagonal block and solves for
// the rest.
bool SupernodalFactor::factorize_node(int s, const double* matrix_values) {
  const Supernode& node = analysis_.nodes[static_cast<std::size_t>(s)];
  assemble(node, matrix_values);
  subtract_updates(s);
  const int w = node.width(), rest = node.height() - w;
  Panel diagonal = panel_rows(values_.data(), node, 0, w);
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd, 0, Stride>> llt(diagonal);
  if (llt.info() != Eigen::Success) return false;
  if (rest > 0) {
    Panel lower = panel_rows(values_.data(), node, w, rest);
    diagonal.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(lower);
  }
  return true;
}

bool SupernodalFactor::factorize(const Sparse& upper) {
  std::atomic<bool> positive{true};
  for (const std::vector<int>& level : analysis_.levels) {
    parallel_for(
        level.size(),
        [&](std::size_t k) {
          if (!factorize_node(level[k], upper.valuePtr())) positive.store(false, std::memory_order_relaxed);
        },
        1);
    if (!positive.load(std::memory_order_relaxed)) return false;
  }
  return true;
}

void SupernodalFactor::solve(std::span<double> x) {
  using Vector = Eigen::Map<Eigen::VectorXd>;
  for (std::size_t i = 0; i < x.size(); ++i) permuted_[static_cast<std::size_t>(analysis_.place[i])] = x[i];
  // L y = b, supernode by supernode.
  for (const Supernode& node : analysis_.nodes) {
    const int w = node.width(), rest = node.height() - w;
    Vector own(permuted_.data() + node.first, w);
    panel_rows(values_.data(), node, 0, w).triangularView<Eigen::Lower>().solveInPlace(own);
    if (rest == 0) continue;
    Vector below(gathered_.data(), rest);
    below.noalias() = panel_rows(values_.data(), node, w, rest) * own;
    for (int k = 0; k < rest; ++k)
      permuted_[static_cast<std::size_t>(node.rows[static_cast<std::size_t>(w + k)])] -= below[k];
  }
  // Lᵀ x = y, backwards.
  for (auto it = analysis_.nodes.rbegin(); it != analysis_.nodes.rend(); ++it) {
    const int w = it->width(), rest = it->height() - w;
    Vector own(permuted_.data() + it->first, w);
    if (rest > 0) {
      Vector below(gathered_.data(), rest);
      for (int k = 0; k < rest; ++k)
        below[k] = permuted_[static_cast<std::size_t>(it->rows[static_cast<std::size_t>(w + k)])];
      own.noalias() -= panel_rows(values_.data(), *it, w, rest).transpose() * below;
    }
    panel_rows(values_.data(), *it, 0, w).triangularView<Eigen::Lower>().transpose().solveInPlace(own);
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = permuted_[static_cast<std::size_t>(analysis_.place[i])];
}

}  // namespace selkie::linalg::detail
