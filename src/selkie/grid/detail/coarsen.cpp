// Coarse levels of the multigrid: sizes, alignment, operators, and the dense solve of the coarsest.
#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/grid/detail/multigrid.h"

namespace selkie::grid::detail {
namespace {

constexpr std::size_t kCoarsestCells = 128;  // a dense inverse of that size costs under a millisecond

// Closed faces between active cells with an odd index minus those with an even one, along each axis.
std::array<long, 3> odd_closed_faces(const Stencil<float>& fine) {
  const Index n = fine.shape.cells();
  std::array<long, 3> excess{0, 0, 0};
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j) {
      const std::uint8_t* active = fine.active.data() + fine.shape.at(0, j, k);
      for_each_run(fine, j, k, [&](auto kind, int begin, int end, const float* block) {
        if constexpr (kind() == RunKind::general) {
          const int length = end - begin;
          for (int axis = 0; axis < 3; ++axis) {
            const float* low = block + 2 * axis * length;
            const std::ptrdiff_t down = fine.shape.stride(axis);
            for (int i = begin; i < end; ++i)
              if (low[i - begin] == 0 && active[i] != 0 && active[i - down] != 0)
                excess[static_cast<std::size_t>(axis)] += (axis == 0 ? i
                                                           : axis == 1
                                                               ? j
                                                               : k) % 2 !=
                                                                  0
                                                              ? 1
                                                              : -1;
          }
        }
      });
    }
  return excess;
}

Coarsening choose_coarsening(const Stencil<float>& fine) {
  Coarsening c;
  const std::array<long, 3> excess = odd_closed_faces(fine);
  for (std::size_t a = 0; a < 3; ++a) {
    const int n = fine.shape.cells()[a];
    if (n > 1) c.ratio[a] = 2;
    // A shift would turn two cells into two again.
    if (n > 2) c.shift[a] = excess[a] > 0 ? 1 : 0;
  }
  return c;
}

// Active where any child is.
void coarsen_active(const Stencil<float>& fine, const Coarsening& c, Stencil<float>& coarse) {
  coarse.active.assign(coarse.shape.size(), 0);
  const Index n = fine.shape.cells();
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j) {
      const std::uint8_t* in = fine.active.data() + fine.shape.at(0, j, k);
      std::uint8_t* out = coarse.active.data() + coarse.shape.at(0, c.parent(1, j), c.parent(2, k));
      for (int i = 0; i < n[0]; ++i) out[c.parent(0, i)] |= in[i];
    }
}

// Adds one fine row to a coarse one. low_y: the row touches the coarse cell's low y face, and so on.
struct RowPosition {
  bool low_y, high_y, low_z, high_z;
};
void add_row(const DenseRow<float>& fine, const Coarsening& c, RowPosition at, float air_scale,
             DenseRow<float>& sum) {
  const auto n = static_cast<int>(fine.air.size());
  const float over_x = 1.0f / static_cast<float>(c.ratio[0]), over_y = 1.0f / static_cast<float>(c.ratio[1]),
              over_z = 1.0f / static_cast<float>(c.ratio[2]);
  for (int i = 0; i < n; ++i) {
    const auto f = static_cast<std::size_t>(i), to = static_cast<std::size_t>(c.parent(0, i));
    const int child = i - c.first_child(0, static_cast<int>(to));
    if (child == 0) sum.face[kXLow][to] += over_x * fine.face[kXLow][f];
    if (child == c.ratio[0] - 1) sum.face[kXHigh][to] += over_x * fine.face[kXHigh][f];
    if (at.low_y) sum.face[kYLow][to] += over_y * fine.face[kYLow][f];
    if (at.high_y) sum.face[kYHigh][to] += over_y * fine.face[kYHigh][f];
    if (at.low_z) sum.face[kZLow][to] += over_z * fine.face[kZLow][f];
    if (at.high_z) sum.face[kZHigh][to] += over_z * fine.face[kZHigh][f];
    // Air at the distance 1/d of a fine centre lies at 1/4 + 1/(2d) coarse cells of the coarse one.
    const float d = fine.air[f];
    sum.air[to] += 2 * d / (d * air_scale + 2);
  }
}

// Sums that only rounding keeps from a fully open face are made exactly that, so that rows become regular.
void snap(const Stencil<float>& coarse, DenseRow<float>& row) {
  for (std::size_t f = 0; f < 6; ++f)
    for (float& w : row.face[f])
      if (std::abs(w - coarse.open[f / 2]) < 1e-6f * coarse.open[f / 2]) w = coarse.open[f / 2];
}

}  // namespace

void coarsen(Level& fine, Level& coarse) {
  const Stencil<float>& from = fine.stencil;
  Stencil<float>& to = coarse.stencil;
  const Coarsening c = fine.coarsening = choose_coarsening(from);
  const Index n = from.shape.cells();
  Index m;
  for (std::size_t a = 0; a < 3; ++a) m[a] = (n[a] - 1 + c.shift[a]) / c.ratio[a] + 1;
  to.shape = Shape(3, m, 1);
  const float children = static_cast<float>(c.ratio[0] * c.ratio[1] * c.ratio[2]);
  for (std::size_t a = 0; a < 3; ++a)
    to.open[a] = from.open[a] * children / static_cast<float>(c.ratio[a] * c.ratio[a]);
  if (m[1] == 1) to.open[1] = 0;  // rows then have no neighbours, see Stencil::y_stride
  coarsen_active(from, c, to);

  const float air_scale = 1 / *std::max_element(from.open.begin(), from.open.end());
  const auto fine_cells = static_cast<std::size_t>(n[0]), coarse_cells = static_cast<std::size_t>(m[0]);
  build_rows<float>(to, [&](int j, int k, DenseRow<float>& sum) {
    sum.resize(coarse_cells);
    DenseRow<float> row;
    row.resize(fine_cells);
    const int j0 = c.first_child(1, j), k0 = c.first_child(2, k);
    for (int dk = 0; dk < c.ratio[2]; ++dk)
      for (int dj = 0; dj < c.ratio[1]; ++dj) {
        if (j0 + dj < 0 || j0 + dj >= n[1] || k0 + dk < 0 || k0 + dk >= n[2]) continue;
        expand_row(from, j0 + dj, k0 + dk, row);
        add_row(row, c, {dj == 0, dj == c.ratio[1] - 1, dk == 0, dk == c.ratio[2] - 1}, air_scale, sum);
      }
    snap(to, sum);
  });
}

Stencil<float>& Multigrid::finest() {
  if (levels_.empty()) levels_.push_back(std::make_unique<Level>());
  return levels_[0]->stencil;
}

void Multigrid::build() {
  SELKIE_CHECK(!levels_.empty(), "a finest level to build from");
  used_ = 1;
  while (levels_[used_ - 1]->stencil.shape.cell_count() > kCoarsestCells) {
    if (levels_.size() == used_) levels_.push_back(std::make_unique<Level>());
    coarsen(*levels_[used_ - 1], *levels_[used_]);
    ++used_;
  }
  for (std::size_t l = 0; l < used_; ++l) {
    Level& level = *levels_[l];
    const Shape& shape = level.stencil.shape;
    level.pool->clear();
    level.zero_plane.assign(static_cast<std::size_t>(shape.plane() + shape.row() + 32), 0.0f);
    if (l == 0) continue;
    level.right.assign(shape.size(), 0);
    level.solution.assign(shape.size(), 0);
  }
  build_coarsest();
}

namespace {

// The coarsest matrix, and which of its cells hang together.
struct DenseSystem {
  Eigen::MatrixXd matrix;
  std::vector<double> air;      // of each cell
  std::vector<std::size_t> up;  // union-find

  std::size_t root(std::size_t c) const {
    while (up[c] != c) c = up[c];
    return c;
  }
  void add(std::size_t b, std::size_t c, double w) {
    const auto x = static_cast<Eigen::Index>(b), y = static_cast<Eigen::Index>(c);
    matrix(x, x) += w, matrix(y, y) += w, matrix(x, y) -= w, matrix(y, x) -= w;
    const std::size_t r = root(b), s = root(c);
    up[std::max(r, s)] = std::min(r, s);
  }
};

DenseSystem dense_system(const Stencil<float>& stencil, const std::vector<std::ptrdiff_t>& cells) {
  const Shape& shape = stencil.shape;
  const Index n = shape.cells();
  std::vector<std::size_t> number(shape.size(), 0);
  DenseSystem system;
  for (std::size_t c = 0; c < cells.size(); ++c)
    number[static_cast<std::size_t>(cells[c])] = c, system.up.push_back(c);
  const auto size = static_cast<Eigen::Index>(cells.size());
  system.matrix = Eigen::MatrixXd::Zero(size, size);
  system.air.assign(cells.size(), 0);
  DenseRow<float> row;
  row.resize(static_cast<std::size_t>(n[0]));
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j) {
      expand_row(stencil, j, k, row);
      for (std::size_t i = 0; i < row.air.size(); ++i) {
        const std::ptrdiff_t at = shape.at(static_cast<int>(i), j, k);
        if (stencil.active[static_cast<std::size_t>(at)] == 0) continue;
        const std::size_t c = number[static_cast<std::size_t>(at)];
        system.air[c] = static_cast<double>(row.air[i]);
        system.matrix(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(c)) += system.air[c];
        for (int axis = 0; axis < 3; ++axis)
          if (const float w = row.face[static_cast<std::size_t>(2 * axis)][i]; w > 0)
            system.add(number[static_cast<std::size_t>(at - shape.stride(axis))], c, static_cast<double>(w));
      }
    }
  return system;
}

}  // namespace

// The inverse of the coarsest matrix. Closed regions, where it is singular, get the square of their constant
// vector added: on right sides without mean that changes nothing.
void Multigrid::build_coarsest() {
  const Stencil<float>& stencil = levels_[used_ - 1]->stencil;
  coarsest_cells_.clear();
  for (std::size_t at = 0; at < stencil.active.size(); ++at)
    if (stencil.active[at] != 0) coarsest_cells_.push_back(static_cast<std::ptrdiff_t>(at));
  DenseSystem system = dense_system(stencil, coarsest_cells_);
  const std::size_t count = coarsest_cells_.size();
  std::vector<double> air(count, 0), cells(count, 0);
  for (std::size_t c = 0; c < count; ++c) air[system.root(c)] += system.air[c], cells[system.root(c)] += 1;
  const double strength = std::max(1.0, static_cast<double>(stencil.diagonal()));
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t b = 0; b < count; ++b)
      if (const std::size_t r = system.root(c); r == system.root(b) && air[r] == 0)
        system.matrix(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(b)) += strength / cells[r];
  const auto size = static_cast<Eigen::Index>(count);
  Eigen::MatrixXd inverse = system.matrix.llt().solve(Eigen::MatrixXd::Identity(size, size));
  inverse = (0.5 * (inverse + inverse.transpose())).eval();
  coarsest_inverse_.assign(inverse.data(), inverse.data() + inverse.size());
  coarsest_values_.assign(2 * count, 0);
}

void Multigrid::solve_coarsest(const float* r, float* z) {
  const std::size_t n = coarsest_cells_.size();
  float* const in = coarsest_values_.data();
  float* const out = in + n;
  for (std::size_t c = 0; c < n; ++c) in[c] = r[coarsest_cells_[c]], out[c] = 0;
  for (std::size_t c = 0; c < n; ++c) {
    const float* column = coarsest_inverse_.data() + c * n;
    for (std::size_t b = 0; b < n; ++b) out[b] += in[c] * column[b];
  }
  for (std::size_t c = 0; c < n; ++c) z[coarsest_cells_[c]] = out[c];
}

double Multigrid::apply(const float* r, float* z) {
  auto right = [&](std::size_t l) { return l == 0 ? r : levels_[l]->right.data(); };
  auto solution = [&](std::size_t l) { return l == 0 ? z : levels_[l]->solution.data(); };
  for (std::size_t l = 0; l + 1 < used_; ++l)
    restrict_residual(*levels_[l], *levels_[l + 1], right(l), levels_[l + 1]->right.data());
  solve_coarsest(right(used_ - 1), solution(used_ - 1));
  double product = 0;
  if (used_ == 1)
    for (const std::ptrdiff_t at : coarsest_cells_)
      product += static_cast<double>(r[at]) * static_cast<double>(z[at]);
  for (std::size_t l = used_ - 1; l-- > 0;)
    product =
        correct_and_smooth(*levels_[l], *levels_[l + 1], right(l), solution(l + 1), solution(l), l == 0);
  return product;
}

}  // namespace selkie::grid::detail
