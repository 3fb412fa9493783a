// Symbolic half of the supernodal Cholesky: elimination tree, supernodes (runs of columns with one row
// structure, slightly relaxed), their rows, and which earlier supernodes update which. A pure function of the
// pattern. [Davis06 ch. 4; Ng93; Ashcraft89]
#pragma once

#include <Eigen/SparseCore>
#include <cstddef>
#include <vector>

namespace selkie::linalg::detail {

// Columns [first, last) and the rows of their dense panel: first the columns themselves, then the rows below.
struct Supernode {
  int first = 0, last = 0;
  std::vector<int> rows;   // ascending; rows[k] = first + k for k < width()
  std::size_t offset = 0;  // of the panel (rows × width, column-major) in the value array

  int width() const { return last - first; }
  int height() const { return static_cast<int>(rows.size()); }
};

// Supernode `source` updates another through its rows [begin, end), which lie in the other's columns, and all
// below.
struct Update {
  int source = 0;
  int begin = 0, end = 0;
};

struct SupernodalAnalysis {
  std::vector<int> place;        // postorder of the elimination tree: place[given] = used
  std::vector<Supernode> nodes;  // ascending columns
  std::vector<int> node_of_column;
  std::vector<std::vector<Update>> updates;  // of each supernode, ascending source
  std::vector<std::vector<int>> levels;  // supernodes by height above the leaves; one level's are independent
  std::size_t value_count = 0;           // doubles in all panels
  std::size_t factor_nonzeros = 0;       // lower triangle, relaxation zeros included
};

// `upper`: pattern of the upper triangle in compressed columns, diagonal included.
SupernodalAnalysis analyse_supernodes(const Eigen::SparseMatrix<double>& upper);

}  // namespace selkie::linalg::detail
