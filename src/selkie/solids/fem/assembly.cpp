// Blocks of the stiffness matrix; see elements.h.
#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/solids/fem/detail/gather.h"
#include "selkie/solids/fem/detail/with_dimension.h"
#include "selkie/solids/fem/elements.h"

namespace selkie::fem {
namespace {

using namespace detail;

template <int D>
Tangent<D> tangent_at(const TangentField& field, std::size_t element) {
  constexpr std::size_t kSquare = D * D, kPairs = Tangent<D>::kPairs, kUpper = kSquare - kPairs;
  const std::size_t g = element / kLanes, l = element % kLanes;
  auto get = [&](const Buffer<double>& buffer, std::size_t entries, int k) {
    return buffer[(g * entries + static_cast<std::size_t>(k)) * kLanes + l];
  };
  Tangent<D> t;
  for (int i = 0, k = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      t.u(i, j) = get(field.u, kSquare, i * D + j);
      t.v(i, j) = field.one_frame ? (i == j ? 1.0 : 0.0) : get(field.v, kSquare, i * D + j);
      if (j < i) continue;
      t.stretch(i, j) =
          field.one_frame ? field.lambda + (i == j ? 2 * field.mu : 0.0) : get(field.stretch, kUpper, k);
      t.stretch(j, i) = t.stretch(i, j);
      ++k;
    }
  for (int k = 0; k < static_cast<int>(kPairs); ++k) {
    t.flip[static_cast<std::size_t>(k)] = field.one_frame ? 2 * field.mu : get(field.flip, kPairs, k);
    t.twist[static_cast<std::size_t>(k)] = field.one_frame ? 0.0 : get(field.twist, kPairs, k);
  }
  return t;
}

// Gradients of the corners' shape functions as columns.
template <int D>
Eigen::Matrix<double, D, D + 1> gradients_of(const Model& model, std::size_t element) {
  Eigen::Matrix<double, D, D + 1> g;
  g.template rightCols<D>() = inverse_rest_of<D>(model, element).transpose();
  g.col(0) = -g.template rightCols<D>().rowwise().sum();
  return g;
}

// Blocks of one element's stiffness. With one frame K_ab = V(λ q_a q_bᵀ + μ q_b q_aᵀ + μ(g_a·g_b)I), q = U g
// (LE-25).
template <int D>
class ElementBlocks {
 public:
  ElementBlocks(const Model& model, const TangentField& field, std::size_t element)
      : field_(field), volume_(model.volumes[element]), gradients_(gradients_of<D>(model, element)) {
    if (field.one_frame)
      turned_ = load_u(element) * gradients_;
    else
      tangent_ = tangent_at<D>(field, element);
  }
  Matrix<D> operator()(int a, int b) const {
    if (!field_.one_frame)
      return volume_ * stiffness_block<D>(tangent_, gradients_.col(a), gradients_.col(b));
    const auto qa = turned_.col(a), qb = turned_.col(b);
    Matrix<D> block = (volume_ * field_.lambda * qa) * qb.transpose();
    block += (volume_ * field_.mu * qb) * qa.transpose();
    block.diagonal().array() += volume_ * field_.mu * gradients_.col(a).dot(gradients_.col(b));
    return block;
  }

 private:
  Matrix<D> load_u(std::size_t element) const {
    Matrix<D> u;
    for (int k = 0; k < D * D; ++k)
      u(k / D, k % D) =
          field_.u[(element / kLanes * D * D + static_cast<std::size_t>(k)) * kLanes + element % kLanes];
    return u;
  }
  const TangentField& field_;
  double volume_;
  Eigen::Matrix<double, D, D + 1> gradients_, turned_;
  Tangent<D> tangent_;
};

template <int D>
Mat3 padded(const Matrix<D>& block) {
  Mat3 m = Mat3::Zero();
  m.template topLeftCorner<D, D>() = block;
  return m;
}

// The same for one frame, eight elements at a time: K_aa = V((λ+μ) q qᵀ + μ|q|² I), q = U g.
template <int D>
void add_diagonals(const Model& model, const TangentField& field, std::size_t group, Buffer<Mat3>& diagonal) {
  LaneMatrix<D> turned;
  load_matrix<D>(field.turned.data() + group * D * D * kLanes, turned);
  const std::uint32_t* corners = model.corners.data() + group * (D + 1) * kLanes;
  std::array<Lanes, D> first{};
  for (int a = D; a >= 0; --a) {  // corner 0 last: its gradient is minus the sum of the others
    std::array<Lanes, D> q;
    Lanes square{};
    for (int c = 0; c < D; ++c) {
      q[c] = a == 0 ? first[c] : turned[a - 1][c];
      if (a > 0) first[c] = first[c] - q[c];
      square = madd(q[c], q[c], square);
    }
    LaneMatrix<D> block;
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        block[i][j] = (field.lambda + field.mu) * q[i] * q[j];
        if (i == j) block[i][j] = madd(all(field.mu), square, block[i][j]);
      }
    alignas(64) double values[D * D][kLanes];
    store_matrix<D>(&values[0][0], block);
    for (std::size_t l = 0; l < kLanes; ++l) {
      Mat3& sum = diagonal[corners[static_cast<std::size_t>(a) * kLanes + l]];
      for (int k = 0; k < D * D; ++k) sum(k / D, k % D) += values[k][l];
    }
  }
}

template <int D>
void diagonal_pass(const Model& model, const TangentField& field, Work& work) {
  run_chunks(model.schedule, work.chunk_done, [&](const geometry::Chunk& chunk) {
    for (const geometry::VertexRange& range : chunk.opens)
      for (std::uint32_t i = range.begin; i < range.end; ++i) work.diagonal[i].setZero();
    if (field.one_frame) {
      for (std::size_t g = chunk.begin / kLanes; g * kLanes < chunk.end; ++g)
        add_diagonals<D>(model, field, g, work.diagonal);
      return;
    }
    for (std::size_t e = chunk.begin; e < chunk.end; ++e) {
      const ElementBlocks<D> blocks(model, field, e);
      for (int a = 0; a <= D; ++a)
        work.diagonal[model.corner(e, static_cast<std::size_t>(a))].template topLeftCorner<D, D>() +=
            blocks(a, a);
    }
  });
}

template <int D>
void assembly_pass(const Model& model, const TangentField& field, double factor,
                   linalg::BlockSparseSymmetric<3>& matrix, Work& work) {
  run_chunks(model.schedule, work.chunk_done, [&](const geometry::Chunk& chunk) {
    for (std::size_t e = chunk.begin; e < chunk.end; ++e) {
      const ElementBlocks<D> blocks(model, field, e);
      std::size_t pair = e * model.pair_count();
      for (int a = 0; a <= D; ++a) {
        matrix.add_diagonal(model.corner(e, static_cast<std::size_t>(a)), padded<D>(factor * blocks(a, a)));
        for (int b = a + 1; b <= D; ++b)
          matrix.add_edge(model.slots[pair++], padded<D>(factor * blocks(a, b)));
      }
    }
  });
}

}  // namespace

void stiffness_diagonal(const Model& model, const TangentField& field, Work& work) {
  const ProfileZone zone("fem.diagonal");
  work.diagonal.resize(model.vertex_count);
  with_dimension(model, [&](auto d) { diagonal_pass<decltype(d)::value>(model, field, work); });
}

void assemble(const Model& model, const TangentField& field, double mass_factor, double stiffness_factor,
              linalg::BlockSparseSymmetric<3>& matrix, Work& work) {
  const ProfileZone zone("fem.assemble");
  matrix.set_zero();
  with_dimension(model, [&](auto d) {
    assembly_pass<decltype(d)::value>(model, field, stiffness_factor, matrix, work);
  });
  parallel_for(model.vertex_count, [&](std::size_t i) {
    matrix.diagonal(i).diagonal().array() += mass_factor * model.masses[i];
  });
}

linalg::BlockSparseSymmetric<3> rest_stiffness(const Model& model, double young, double poisson) {
  Params params;
  params.law = Law::linear;
  params.young = young;
  params.poisson = poisson;
  Buffer<Vec3> x;
  x.copy_from(model.rest_positions.data(), model.rest_positions.size());
  Work work;
  find_tangents(model, params, x, TangentKind::frozen, work.tangent);
  linalg::BlockSparseSymmetric<3> matrix(model.pattern);
  assemble(model, work.tangent, 0, 1, matrix, work);
  return matrix;
}

}  // namespace selkie::fem
