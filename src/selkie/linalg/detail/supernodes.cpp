// See supernodes.h.
#include "selkie/linalg/detail/supernodes.h"

#include <algorithm>
#include <numeric>

namespace selkie::linalg::detail {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Columns = std::vector<std::vector<int>>;

// Liu's algorithm with path compression: parent of each column, -1 for roots. [Davis06 §4.1]
std::vector<int> elimination_tree(const Columns& upper) {
  const int n = static_cast<int>(upper.size());
  std::vector<int> parent(upper.size(), -1), ancestor(upper.size(), -1);
  for (int k = 0; k < n; ++k)
    for (int row : upper[static_cast<std::size_t>(k)])
      for (int i = row; i != -1 && i < k;) {
        const int next = ancestor[static_cast<std::size_t>(i)];
        ancestor[static_cast<std::size_t>(i)] = k;
        if (next == -1) parent[static_cast<std::size_t>(i)] = k;
        i = next;
      }
  return parent;
}

// place[column] = its number in a depth-first postorder; children in ascending order.
std::vector<int> postorder(const std::vector<int>& parent) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> first_child(parent.size(), -1), sibling(parent.size(), -1), place(parent.size());
  for (int j = n - 1; j >= 0; --j)
    if (const int p = parent[static_cast<std::size_t>(j)]; p >= 0) {
      sibling[static_cast<std::size_t>(j)] = first_child[static_cast<std::size_t>(p)];
      first_child[static_cast<std::size_t>(p)] = j;
    }
  int next = 0;
  std::vector<int> stack;
  for (int root = 0; root < n; ++root) {
    if (parent[static_cast<std::size_t>(root)] != -1) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const auto top = static_cast<std::size_t>(stack.back());
      if (const int child = first_child[top]; child >= 0) {
        first_child[top] = sibling[static_cast<std::size_t>(child)];
        stack.push_back(child);
      } else {
        place[top] = next++;
        stack.pop_back();
      }
    }
  }
  return place;
}

// Entries of the upper triangle as lists of rows per column, renumbered by `place`.
Columns renumbered(const Sparse& upper, const std::vector<int>& place) {
  Columns columns(static_cast<std::size_t>(upper.cols()));
  for (Eigen::Index j = 0; j < upper.cols(); ++j)
    for (Sparse::InnerIterator it(upper, j); it; ++it) {
      const int p = place[static_cast<std::size_t>(it.row())], q = place[static_cast<std::size_t>(j)];
      columns[static_cast<std::size_t>(std::max(p, q))].push_back(std::min(p, q));
    }
  return columns;
}

// Nonzeros of each column of the factor: every row's subtree is walked once. O(nonzeros of the factor).
std::vector<int> column_counts(const Columns& upper, const std::vector<int>& parent) {
  std::vector<int> count(upper.size(), 1), mark(upper.size(), -1);
  for (int row = 0; row < static_cast<int>(upper.size()); ++row) {
    mark[static_cast<std::size_t>(row)] = row;
    for (int column : upper[static_cast<std::size_t>(row)])
      for (int j = column; mark[static_cast<std::size_t>(j)] != row;
           j = parent[static_cast<std::size_t>(j)]) {
        mark[static_cast<std::size_t>(j)] = row;
        ++count[static_cast<std::size_t>(j)];
      }
  }
  return count;
}

// A run of columns while supernodes are being merged: width, rows, and the explicit zeros taken on board so
// far.
struct Run {
  int first, last;
  double height;  // rows of the panel
  double zeros;
  double width() const { return last - first; }
  double entries() const { return width() * height - width() * (width() - 1) / 2; }
};

// How many explicit zeros a merged supernode may hold: many while it is narrow, since dense kernels run
// faster on wide panels, few when it is wide. Measured on a 100 × 100 sheet and a 21k-spring block; the
// optimum is flat.
bool worth_merging(const Run& merged) {
  const double share = merged.zeros / merged.entries();
  if (merged.width() <= 12) return true;
  if (merged.width() <= 36) return share < 0.5;
  if (merged.width() <= 96) return share < 0.15;
  return share < 0.05;
}

// Fundamental supernodes, each merged with its last child while that pays.
std::vector<Run> find_runs(const std::vector<int>& parent, const std::vector<int>& count) {
  std::vector<Run> runs;
  const int n = static_cast<int>(parent.size());
  for (int j = 0; j < n; ++j) {
    Run run{j, j + 1, static_cast<double>(count[static_cast<std::size_t>(j)]), 0};
    while (run.last < n && parent[static_cast<std::size_t>(run.last - 1)] == run.last &&
           count[static_cast<std::size_t>(run.last)] == count[static_cast<std::size_t>(run.last - 1)] - 1)
      ++run.last;
    j = run.last - 1;
    while (!runs.empty() && parent[static_cast<std::size_t>(runs.back().last - 1)] == run.first) {
      const Run& child = runs.back();
      Run merged{child.first, run.last, run.height + child.width(), 0};
      merged.zeros = child.zeros + run.zeros + merged.entries() - child.entries() - run.entries();
      if (!worth_merging(merged)) break;
      run = merged;
      runs.pop_back();
    }
    runs.push_back(run);
  }
  return runs;
}

// Rows of each supernode: those of its columns in the matrix and those its children hand up.
void find_rows(const Columns& upper, SupernodalAnalysis& a) {
  const std::size_t n = upper.size();
  Columns lower(n);  // rows below the diagonal per column
  for (std::size_t j = 0; j < n; ++j)
    for (int i : upper[j])
      if (i != static_cast<int>(j)) lower[static_cast<std::size_t>(i)].push_back(static_cast<int>(j));
  std::vector<std::vector<int>> children(a.nodes.size());
  std::vector<int> mark(n, -1);
  for (std::size_t s = 0; s < a.nodes.size(); ++s) {
    Supernode& node = a.nodes[s];
    std::vector<int> below;
    auto add = [&](int row) {
      if (row >= node.last && mark[static_cast<std::size_t>(row)] != static_cast<int>(s)) {
        mark[static_cast<std::size_t>(row)] = static_cast<int>(s);
        below.push_back(row);
      }
    };
    for (int j = node.first; j < node.last; ++j)
      for (int row : lower[static_cast<std::size_t>(j)]) add(row);
    for (int child : children[s])
      for (int row : a.nodes[static_cast<std::size_t>(child)].rows) add(row);
    std::sort(below.begin(), below.end());
    node.rows.resize(static_cast<std::size_t>(node.width()));
    std::iota(node.rows.begin(), node.rows.end(), node.first);
    node.rows.insert(node.rows.end(), below.begin(), below.end());
    if (!below.empty())
      children[static_cast<std::size_t>(a.node_of_column[static_cast<std::size_t>(below.front())])].push_back(
          static_cast<int>(s));
  }
}

// Who updates whom, and the levels: one above the highest child.
void find_updates(SupernodalAnalysis& a) {
  a.updates.resize(a.nodes.size());
  std::vector<int> level(a.nodes.size(), 0);
  for (std::size_t s = 0; s < a.nodes.size(); ++s) {
    const std::vector<int>& rows = a.nodes[s].rows;
    for (int begin = a.nodes[s].width(); begin < static_cast<int>(rows.size());) {
      const int target = a.node_of_column[static_cast<std::size_t>(rows[static_cast<std::size_t>(begin)])];
      int end = begin;
      while (end < static_cast<int>(rows.size()) &&
             rows[static_cast<std::size_t>(end)] < a.nodes[static_cast<std::size_t>(target)].last)
        ++end;
      a.updates[static_cast<std::size_t>(target)].push_back({static_cast<int>(s), begin, end});
      level[static_cast<std::size_t>(target)] =
          std::max(level[static_cast<std::size_t>(target)], level[s] + 1);
      begin = end;
    }
    if (a.levels.size() <= static_cast<std::size_t>(level[s]))
      a.levels.resize(static_cast<std::size_t>(level[s]) + 1);
    a.levels[static_cast<std::size_t>(level[s])].push_back(static_cast<int>(s));
  }
}

}  // namespace

SupernodalAnalysis analyse_supernodes(const Sparse& upper) {
  SupernodalAnalysis a;
  std::vector<int> identity(static_cast<std::size_t>(upper.cols()));
  std::iota(identity.begin(), identity.end(), 0);
  a.place = postorder(elimination_tree(renumbered(upper, identity)));
  const Columns columns = renumbered(upper, a.place);
  const std::vector<int> parent = elimination_tree(columns);
  const std::vector<Run> runs = find_runs(parent, column_counts(columns, parent));

  a.node_of_column.resize(columns.size());
  for (const Run& run : runs) {
    for (int j = run.first; j < run.last; ++j)
      a.node_of_column[static_cast<std::size_t>(j)] = static_cast<int>(a.nodes.size());
    a.nodes.push_back({run.first, run.last, {}, 0});
  }
  find_rows(columns, a);
  find_updates(a);
  for (Supernode& node : a.nodes) {
    node.offset = a.value_count;
    const auto w = static_cast<std::size_t>(node.width()), h = static_cast<std::size_t>(node.height());
    a.value_count += w * h;
    a.factor_nonzeros += w * h - w * (w - 1) / 2;
  }
  return a;
}

}  // namespace selkie::linalg::detail
