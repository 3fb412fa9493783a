// See coarse.h. Legend: p, q lattice nodes, w their weights at a vertex, g gradients of their functions, R
// rotation and V volume of an element.
#include "selkie/solids/fem/coarse.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/solids/fem/constraints.h"
#include "selkie/solids/fem/solve.h"

namespace selkie::fem {
namespace {

constexpr double kCellSize = 4;           // elements across a lattice cell
constexpr double kMostCells = 2000;       // about
constexpr double kRegularization = 1e-6;  // of the diagonal: nodes whose functions no vertex tells apart

struct Lattice {
  Vec3 origin, spacing;
  std::array<int, 3> cells{1, 1, 1};
  int dimension = 3;

  explicit Lattice(const Model& model) : dimension(model.dimension) {
    const geometry::BoundingBox box = geometry::bounding_box(model.rest_positions);
    const double count = static_cast<double>(model.element_count);
    const double area = model.dimension == 2 ? model.volume / model.thickness : 0;
    const double element =
        model.dimension == 2 ? std::sqrt(2 * area / count) : std::cbrt(6 * model.volume / count);
    const double least =
        model.dimension == 2 ? std::sqrt(area / kMostCells) : std::cbrt(model.volume / kMostCells);
    const double size = std::max(kCellSize * element, least);
    origin = box.min();
    spacing = Vec3::Ones();
    for (int c = 0; c < dimension; ++c) {
      cells[static_cast<std::size_t>(c)] = std::max(1, static_cast<int>(std::round(box.sizes()[c] / size)));
      spacing[c] = box.sizes()[c] / cells[static_cast<std::size_t>(c)];
    }
  }
  std::array<int, 3> cell_of(const Vec3& x) const {
    std::array<int, 3> cell{};
    for (int c = 0; c < dimension; ++c)
      cell[static_cast<std::size_t>(c)] = std::clamp(static_cast<int>((x[c] - origin[c]) / spacing[c]), 0,
                                                     cells[static_cast<std::size_t>(c)] - 1);
    return cell;
  }
  // Corner k of a cell as one number.
  std::uint64_t node(const std::array<int, 3>& cell, std::size_t k) const {
    std::uint64_t index = 0;
    for (std::size_t c = 3; c-- > 0;)
      index = index * static_cast<std::uint64_t>(cells[c] + 2) + static_cast<std::uint64_t>(cell[c]) +
              (k >> c & 1);
    return index;
  }
  // Place of x in its cell, 0 … 1 along each axis.
  Vec3 local(const std::array<int, 3>& cell, const Vec3& x) const {
    Vec3 t = Vec3::Zero();
    for (int c = 0; c < dimension; ++c)
      t[c] = (x[c] - origin[c]) / spacing[c] - cell[static_cast<std::size_t>(c)];
    return t;
  }
};

double along(const Vec3& t, std::size_t k, int c) { return (k >> c & 1) != 0 ? t[c] : 1 - t[c]; }

double weight_of(const Vec3& t, std::size_t k, int dimension) {
  double w = 1;
  for (int c = 0; c < dimension; ++c) w *= along(t, k, c);
  return w;
}

Vec3 gradient_of(const Vec3& t, std::size_t k, const Lattice& lattice) {
  Vec3 g = Vec3::Zero();
  for (int c = 0; c < lattice.dimension; ++c) {
    g[c] = ((k >> c & 1) != 0 ? 1 : -1) / lattice.spacing[c];
    for (int other = 0; other < lattice.dimension; ++other)
      if (other != c) g[c] *= along(t, k, other);
  }
  return g;
}

// Numbers for the lattice nodes in use, in the order of their first use.
class Numbers {
 public:
  std::uint32_t operator()(std::uint64_t node) {
    return numbers_.try_emplace(node, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::map<std::uint64_t, std::uint32_t> numbers_;
};

void add_vertices(const Model& model, const Lattice& lattice, Numbers& numbers, CoarseSpace& space) {
  const std::size_t corners = std::size_t{1} << model.dimension;
  for (const Vec3& x : model.rest_positions) {
    const auto cell = lattice.cell_of(x);
    const Vec3 t = lattice.local(cell, x);
    auto& nodes = space.nodes.emplace_back();
    auto& weights = space.weights.emplace_back();
    for (std::size_t k = 0; k < kCellCorners; ++k) {
      nodes[k] = numbers(lattice.node(cell, k % corners));
      weights[k] = k < corners ? weight_of(t, k, model.dimension) : 0;
    }
  }
}

void list_entries(CoarseSpace& space, std::size_t node_count) {
  std::vector<std::vector<CoarseSpace::Entry>> of_node(node_count);
  for (std::uint32_t i = 0; i < space.nodes.size(); ++i)
    for (std::size_t k = 0; k < kCellCorners; ++k)
      if (space.weights[i][k] != 0) of_node[space.nodes[i][k]].push_back({i, space.weights[i][k]});
  space.entry_begin.push_back(0);
  for (const auto& list : of_node) {
    space.entries.insert(space.entries.end(), list.begin(), list.end());
    space.entry_begin.push_back(static_cast<std::uint32_t>(space.entries.size()));
  }
}

// Elements by the half, quarter or eighth of a cell their centroid is in.
void add_parts(const Model& model, const Lattice& lattice, Numbers& numbers, CoarseSpace& space) {
  const std::size_t corners = std::size_t{1} << model.dimension;
  std::map<std::pair<std::uint64_t, std::size_t>, std::vector<std::uint32_t>> of_part;
  for (std::uint32_t e = 0; e < model.element_count; ++e) {
    Vec3 x = Vec3::Zero();
    for (std::size_t c = 0; c < model.corner_count(); ++c)
      x += model.rest_positions[model.corner(e, c)] / static_cast<double>(model.corner_count());
    const auto cell = lattice.cell_of(x);
    const Vec3 t = lattice.local(cell, x);
    std::size_t part = 0;
    for (int c = 0; c < model.dimension; ++c) part |= static_cast<std::size_t>(t[c] >= 0.5) << c;
    auto& list = of_part[{lattice.node(cell, 0), part}];
    list.push_back(e);
    if (list.size() > 1) continue;
    for (std::size_t k = 0; k < corners; ++k) (void)numbers(lattice.node(cell, k));
  }
  space.part_begin.push_back(0);
  for (const auto& [key, list] : of_part) {
    Vec3 x = Vec3::Zero();
    for (std::size_t c = 0; c < model.corner_count(); ++c)
      x += model.rest_positions[model.corner(list[0], c)] / static_cast<double>(model.corner_count());
    const auto cell = lattice.cell_of(x);
    Vec3 middle = Vec3::Zero();
    for (int c = 0; c < model.dimension; ++c) middle[c] = (key.second >> c & 1) != 0 ? 0.75 : 0.25;
    CoarseSpace::Part part;
    for (std::size_t k = 0; k < kCellCorners; ++k) {
      part.nodes[k] = numbers(lattice.node(cell, k % corners));
      part.gradients[k] = k < corners ? gradient_of(middle, k, lattice) : Vec3(Vec3::Zero());
    }
    space.parts.push_back(part);
    space.part_elements.insert(space.part_elements.end(), list.begin(), list.end());
    space.part_begin.push_back(static_cast<std::uint32_t>(space.part_elements.size()));
  }
}

// Rotation of element e out of its tangents.
template <int D>
Eigen::Matrix<double, D, D> rotation_at(const TangentField& field, std::size_t e) {
  auto get = [&](const Buffer<double>& buffer) {
    Eigen::Matrix<double, D, D> m;
    for (int k = 0; k < D * D; ++k)
      m(k / D, k % D) = buffer[(e / kLanes * D * D + static_cast<std::size_t>(k)) * kLanes + e % kLanes];
    return m;
  };
  return field.one_frame ? get(field.u) : get(field.u) * get(field.v).transpose();
}

// Σ V ∂P/∂F over the elements of a part, as a matrix over (i, j), (k, l): λ R_ij R_kl + μ R_il R_kj + μ δ_ik
// δ_jl.
template <int D>
Eigen::Matrix<double, D * D, D * D> part_tangent(const Model& model, const TangentField& field,
                                                 std::span<const std::uint32_t> elements) {
  Eigen::Matrix<double, D * D, D * D> outer, sum;
  outer.setZero();
  double volume = 0;
  for (const std::uint32_t e : elements) {
    const Eigen::Matrix<double, D, D> r = rotation_at<D>(field, e);
    Eigen::Matrix<double, D * D, 1> flat;
    for (int k = 0; k < D * D; ++k) flat[k] = r(k / D, k % D);
    outer.noalias() += (model.volumes[e] * flat) * flat.transpose();
    volume += model.volumes[e];
  }
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j)
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l)
          sum(i * D + j, k * D + l) = field.lambda * outer(i * D + j, k * D + l) +
                                      field.mu * outer(i * D + l, k * D + j) +
                                      (i == k && j == l ? field.mu * volume : 0);
  return sum;
}

template <int D>
void add_part(const CoarseSpace::Part& part, const Eigen::Matrix<double, D * D, D * D>& c, double factor,
              linalg::BlockSparseSymmetric<3>& matrix) {
  constexpr int kCorners = 1 << D;
  for (int q = 0; q < kCorners; ++q) {
    const auto sq = static_cast<std::size_t>(q);
    Eigen::Matrix<double, D * D, D> y;  // dP for a unit motion of node q
    for (int k = 0; k < D; ++k) {
      y.col(k).setZero();
      for (int l = 0; l < D; ++l) y.col(k) += part.gradients[sq][l] * c.col(k * D + l);
    }
    for (int p = 0; p <= q; ++p) {
      const auto sp = static_cast<std::size_t>(p);
      Mat3 block = Mat3::Zero();
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j)
          block.template block<1, D>(i, 0) += factor * part.gradients[sp][j] * y.row(i * D + j);
      if (p == q)
        matrix.add_diagonal(part.nodes[sp], block);
      else
        matrix.add_edge(part.nodes[sp], part.nodes[sq], block);
    }
  }
}

template <int D>
void add_stiffness(const Model& model, double factor, const TangentField& field,
                   linalg::BlockSparseSymmetric<3>& matrix) {
  const CoarseSpace& space = model.coarse;
  for (std::size_t n = 0; n < space.parts.size(); ++n) {
    const auto elements = std::span(space.part_elements)
                              .subspan(space.part_begin[n], space.part_begin[n + 1] - space.part_begin[n]);
    add_part<D>(space.parts[n], part_tangent<D>(model, field, elements), factor, matrix);
  }
}

// Constrained vertices as stiff as their elements: their motion costs what the fine matrix would charge for
// it.
void add_constraints(const Model& model, double factor, const Work& work,
                     linalg::BlockSparseSymmetric<3>& matrix) {
  const CoarseSpace& space = model.coarse;
  for (std::size_t i = 0; i < model.vertex_count; ++i) {
    const std::int32_t c = work.constraints.of_vertex[i];
    if (c < 0) continue;
    const Mat3 held = factor * work.diagonal[i].trace() / 3 *
                      (Mat3::Identity() - work.constraints.projectors[static_cast<std::size_t>(c)]);
    for (std::size_t p = 0; p < kCellCorners; ++p) {
      const double wp = space.weights[i][p];
      if (wp == 0) continue;
      matrix.add_diagonal(space.nodes[i][p], wp * wp * held);
      for (std::size_t q = p + 1; q < kCellCorners; ++q)
        if (space.weights[i][q] != 0)
          matrix.add_edge(space.nodes[i][p], space.nodes[i][q], wp * space.weights[i][q] * held);
    }
  }
}

}  // namespace

CoarseSpace make_coarse_space(const Model& model) {
  CoarseSpace space;
  if (model.vertex_count < kLeastForCoarse) return space;
  const Lattice lattice(model);
  Numbers numbers;
  add_vertices(model, lattice, numbers, space);
  add_parts(model, lattice, numbers, space);
  list_entries(space, numbers.size());
  const std::size_t corners = std::size_t{1} << model.dimension;
  std::vector<linalg::VertexPair> pairs;
  auto join = [&](const std::array<std::uint32_t, kCellCorners>& nodes) {
    for (std::size_t p = 0; p < corners; ++p)
      for (std::size_t q = p + 1; q < corners; ++q)
        pairs.push_back({std::min(nodes[p], nodes[q]), std::max(nodes[p], nodes[q])});
  };
  for (const auto& nodes : space.nodes) join(nodes);
  for (const auto& part : space.parts) join(part.nodes);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  space.pattern = std::make_shared<const linalg::BlockPattern>(numbers.size(), pairs);
  return space;
}

bool refresh_coarse(const Model& model, const SystemWeights& weights, Work& work) {
  const ProfileZone zone("fem.coarse");
  const CoarseSpace& space = model.coarse;
  if (!work.coarse) work.coarse = std::make_unique<CoarseSystem>(space.pattern);
  linalg::BlockSparseSymmetric<3>& matrix = work.coarse->matrix;
  matrix.set_zero();
  if (model.dimension == 3)
    add_stiffness<3>(model, weights.stiffness, work.tangent, matrix);
  else
    add_stiffness<2>(model, weights.stiffness, work.tangent, matrix);
  add_constraints(model, weights.stiffness, work, matrix);
  for (std::size_t p = 0; p < space.node_count(); ++p) {
    double mass = 0;
    for (std::uint32_t n = space.entry_begin[p]; n < space.entry_begin[p + 1]; ++n)
      mass += space.entries[n].weight * model.masses[space.entries[n].vertex];
    Mat3& block = matrix.diagonal(p);
    block.diagonal().array() += weights.mass * mass + kRegularization * block.trace();
    if (!(block.trace() > 0)) block.setIdentity();
  }
  work.coarse->rhs.resize(3 * space.node_count());
  work.coarse->solution.resize(3 * space.node_count());
  return work.coarse->cholesky.factorize(matrix);
}

void add_coarse_correction(const Model& model, std::span<const double> r, std::span<double> z, Work& work) {
  const CoarseSpace& space = model.coarse;
  CoarseSystem& coarse = *work.coarse;
  parallel_for(
      space.node_count(),
      [&](std::size_t p) {
        Vec3 sum = Vec3::Zero();
        for (std::uint32_t n = space.entry_begin[p]; n < space.entry_begin[p + 1]; ++n)
          sum += space.entries[n].weight *
                 Eigen::Map<const Vec3>(r.data() + 3 * std::size_t{space.entries[n].vertex});
        Eigen::Map<Vec3>(coarse.rhs.data() + 3 * p) = sum;
      },
      64);
  (void)coarse.cholesky.solve(coarse.rhs, coarse.solution, {.tolerance = 1, .max_refinements = 0});
  parallel_for(
      model.vertex_count,
      [&](std::size_t i) {
        Vec3 sum = Vec3::Zero();
        for (std::size_t k = 0; k < kCellCorners; ++k)
          sum += space.weights[i][k] *
                 Eigen::Map<const Vec3>(coarse.solution.data() + 3 * std::size_t{space.nodes[i][k]});
        Eigen::Map<Vec3>(z.data() + 3 * i) += project(work.constraints, i, sum);
      },
      1024);
}

}  // namespace selkie::fem
