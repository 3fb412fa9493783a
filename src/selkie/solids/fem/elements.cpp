// Element passes; see elements.h. Each pass loads a group's corners into lanes, forms F = Ds Dm⁻¹, lets the
// law answer and adds V P Dm⁻ᵀ to the corners.
#include "selkie/solids/fem/elements.h"

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/solids/fem/detail/lane_polar.h"
#include "selkie/solids/fem/detail/law.h"

namespace selkie::fem {
namespace {

using namespace detail;

// Calls pass(std::integral_constant<int, D>) for the body's dimension.
template <class Pass>
auto with_dimension(const Model& model, Pass&& pass) {
  if (model.dimension == 2) return pass(std::integral_constant<int, 2>{});
  return pass(std::integral_constant<int, 3>{});
}

template <int D>
const std::uint32_t* corners_of(const Model& model, std::size_t group) {
  return model.corners.data() + group * (D + 1) * kLanes;
}

// Differences of the corners from corner 0 as columns: Ds.
template <int D>
inline void gather_edges(const Model& model, std::size_t group, const double* xyz, LaneMatrix<D>& ds) {
  const std::uint32_t* corners = corners_of<D>(model, group);
  std::array<Lanes, D> origin, x;
  gather<D>(xyz, corners, origin);
  for (int c = 0; c < D; ++c) {
    gather<D>(xyz, corners + static_cast<std::size_t>(c + 1) * kLanes, x);
    for (int i = 0; i < D; ++i) ds[i][c] = x[i] - origin[i];
  }
}

template <int D>
inline void load_inverse_rest(const Model& model, std::size_t group, LaneMatrix<D>& inverse) {
  load_matrix<D>(model.inverse_rest.data() + group * D * D * kLanes, inverse);
}

// Adds the columns of h to corners 1 … D and minus their sum to corner 0.
template <int D>
inline void scatter_columns(const Model& model, std::size_t group, const LaneMatrix<D>& h, double* sums) {
  const std::uint32_t* corners = corners_of<D>(model, group);
  std::array<Lanes, D> first{}, column;
  for (int c = 0; c < D; ++c) {
    for (int i = 0; i < D; ++i) {
      column[i] = h[i][c];
      first[i] = first[i] - column[i];
    }
    scatter_add<D>(column, corners + static_cast<std::size_t>(c + 1) * kLanes, sums);
  }
  scatter_add<D>(first, corners, sums);
}

// Runs body(group) over the groups of every chunk, with the sums of its vertices zeroed first.
template <class Body>
void run_groups(const Model& model, Work& work, Body&& body) {
  if (work.sums.size() != model.vertex_count) work.sums.assign(model.vertex_count, Vec4::Zero());
  run_chunks(model.schedule, work.chunk_done, [&](const geometry::Chunk& chunk) {
    for (const geometry::VertexRange& range : chunk.opens)
      for (std::uint32_t i = range.begin; i < range.end; ++i) work.sums[i].setZero();
    for (std::size_t g = chunk.begin / kLanes; g * kLanes < chunk.end; ++g) body(g);
  });
}

template <int D>
inline void rotations(Law law, const LaneMatrix<D>& f, LaneMatrix<D>& r) {
  if (law == Law::corotational) polar(f, r);
}

template <int D>
void force_pass(const Model& model, Law law, const Lame& constants, const double* xyz, Work& work) {
  double* sums = work.sums.data()->data();
  run_groups(model, work, [&](std::size_t g) {
    LaneMatrix<D> ds, inverse, f, r{}, p, h;
    gather_edges<D>(model, g, xyz, ds);
    load_inverse_rest<D>(model, g, inverse);
    multiply<D, Lanes>(ds, inverse, f);
    rotations<D>(law, f, r);
    stress_of<D, Lanes>(law, constants, f, r, p);
    multiply_nt<D, Lanes>(p, inverse, h);
    const Lanes volume = -load(model.volumes.data() + g * kLanes);
    for (auto& row : h)
      for (Lanes& entry : row) entry = entry * volume;
    scatter_columns<D>(model, g, h, sums);
  });
}

template <int D>
void tangent_pass(const Model& model, Law law, const Lame& constants, TangentKind kind, const Buffer<Vec3>& x,
                  TangentField& field) {
  constexpr std::size_t kSquare = D * D, kPairs = Tangent<D>::kPairs, kUpper = kSquare - kPairs;
  parallel_for(
      model.group_count,
      [&](std::size_t g) {
        LaneMatrix<D> ds, inverse, f, r{};
        gather_edges<D>(model, g, x.data()->data(), ds);
        load_inverse_rest<D>(model, g, inverse);
        multiply<D, Lanes>(ds, inverse, f);
        if (field.one_frame) {
          for (int i = 0; i < D; ++i) r[i][i] = all(1);
          rotations<D>(law, f, r);
          store_matrix<D>(field.u.data() + g * kSquare * kLanes, r);
          return;
        }
        for (std::size_t l = 0; l < kLanes; ++l) {
          const Tangent<D> t = tangent<D>(law, constants, lane_of<D>(f, static_cast<int>(l)), kind);
          auto put = [&](Buffer<double>& buffer, std::size_t entries, std::size_t k, double value) {
            buffer[(g * entries + k) * kLanes + l] = value;
          };
          for (int i = 0, k = 0; i < D; ++i)
            for (int j = 0; j < D; ++j) {
              put(field.u, kSquare, static_cast<std::size_t>(i * D + j), t.u(i, j));
              put(field.v, kSquare, static_cast<std::size_t>(i * D + j), t.v(i, j));
              if (j >= i) put(field.stretch, kUpper, static_cast<std::size_t>(k++), t.stretch(i, j));
            }
          for (std::size_t k = 0; k < kPairs; ++k) {
            put(field.flip, kPairs, k, t.flip[k]);
            put(field.twist, kPairs, k, t.twist[k]);
          }
        }
      },
      16);
}

// dP' from dF' in place, in the element's frame.
template <int D>
inline void answer(const TangentField& field, std::size_t g, LaneMatrix<D>& e) {
  if (field.one_frame) {
    const Lanes volumetric = field.lambda * trace<D, Lanes>(e);
    for (int i = 0; i < D; ++i) {
      for (int j = i + 1; j < D; ++j) e[i][j] = e[j][i] = field.mu * (e[i][j] + e[j][i]);
      e[i][i] = 2 * field.mu * e[i][i] + volumetric;
    }
    return;
  }
  constexpr std::size_t kPairs = Tangent<D>::kPairs, kUpper = D * D - kPairs;
  const double* stretch = field.stretch.data() + g * kUpper * kLanes;
  const double* flip = field.flip.data() + g * kPairs * kLanes;
  const double* twist = field.twist.data() + g * kPairs * kLanes;
  std::array<Lanes, D> diagonal{};
  for (int i = 0, k = 0, pair = 0; i < D; ++i)
    for (int j = i; j < D; ++j, ++k) {
      const Lanes s = load(stretch + static_cast<std::size_t>(k) * kLanes);
      diagonal[i] = madd(s, e[j][j], diagonal[i]);
      if (j == i) continue;
      diagonal[j] = madd(s, e[i][i], diagonal[j]);
      const Lanes even = 0.5 * load(flip + static_cast<std::size_t>(pair) * kLanes) * (e[i][j] + e[j][i]);
      const Lanes odd = 0.5 * load(twist + static_cast<std::size_t>(pair) * kLanes) * (e[i][j] - e[j][i]);
      e[i][j] = even + odd, e[j][i] = even - odd;
      ++pair;
    }
  for (int i = 0; i < D; ++i) e[i][i] = diagonal[i];
}

template <int D>
void product_pass(const Model& model, const TangentField& field, const double* d, Work& work) {
  double* sums = work.sums.data()->data();
  run_groups(model, work, [&](std::size_t g) {
    LaneMatrix<D> a, b, u, inverse;
    gather_edges<D>(model, g, d, a);
    load_inverse_rest<D>(model, g, inverse);
    load_matrix<D>(field.u.data() + g * D * D * kLanes, u);
    multiply_tn<D, Lanes>(u, a, b);
    if (!field.one_frame) {  // the gradients in the frame of V
      LaneMatrix<D> v, turned;
      load_matrix<D>(field.v.data() + g * D * D * kLanes, v);
      multiply<D, Lanes>(inverse, v, turned);
      inverse = turned;
    }
    multiply<D, Lanes>(b, inverse, a);
    answer<D>(field, g, a);
    multiply_nt<D, Lanes>(a, inverse, b);
    multiply<D, Lanes>(u, b, a);
    const Lanes volume = load(model.volumes.data() + g * kLanes);
    for (auto& row : a)
      for (Lanes& entry : row) entry = entry * volume;
    scatter_columns<D>(model, g, a, sums);
  });
}

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

template <int D>
void diagonal_pass(const Model& model, const TangentField& field, Work& work) {
  run_chunks(model.schedule, work.chunk_done, [&](const geometry::Chunk& chunk) {
    for (const geometry::VertexRange& range : chunk.opens)
      for (std::uint32_t i = range.begin; i < range.end; ++i) work.diagonal[i].setZero();
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

template <int D>
double energy_pass(const Model& model, Law law, const Lame& constants, const double* xyz) {
  return sum_blocks(
      model.group_count,
      [&](std::size_t begin, std::size_t end) {
        Lanes sum{};
        for (std::size_t g = begin; g < end; ++g) {
          LaneMatrix<D> ds, inverse, f, r{};
          gather_edges<D>(model, g, xyz, ds);
          load_inverse_rest<D>(model, g, inverse);
          multiply<D, Lanes>(ds, inverse, f);
          rotations<D>(law, f, r);
          sum = madd(load(model.volumes.data() + g * kLanes), energy_of<D, Lanes>(law, constants, f, r), sum);
        }
        double total = 0;
        for (int l = 0; l < 8; ++l) total += sum[l];
        return total;
      },
      512);
}

}  // namespace

void elastic_forces(const Model& model, const Params& params, const Buffer<Vec3>& x, Work& work) {
  const ProfileZone zone("fem.forces");
  if (work.sums.size() != model.vertex_count) work.sums.assign(model.vertex_count, Vec4::Zero());
  const Lame constants = lame(params.young, params.poisson);
  with_dimension(model, [&](auto d) {
    force_pass<decltype(d)::value>(model, params.law, constants, x.data()->data(), work);
  });
}

void find_tangents(const Model& model, const Params& params, const Buffer<Vec3>& x, TangentKind kind,
                   TangentField& field) {
  const ProfileZone zone("fem.tangents");
  const Lame constants = lame(params.young, params.poisson);
  field.one_frame =
      params.law == Law::linear || (params.law == Law::corotational && kind == TangentKind::frozen);
  field.mu = constants.mu;
  field.lambda = constants.lambda;
  with_dimension(model, [&](auto d) {
    constexpr int D = decltype(d)::value;
    auto fit = [&](Buffer<double>& buffer, int entries) {
      buffer.resize(model.group_count * kLanes * static_cast<std::size_t>(entries));
    };
    fit(field.u, D * D);
    if (!field.one_frame) {
      fit(field.v, D * D);
      fit(field.stretch, D * (D + 1) / 2);
      fit(field.flip, D * (D - 1) / 2);
      fit(field.twist, D * (D - 1) / 2);
    }
    tangent_pass<D>(model, params.law, constants, kind, x, field);
  });
}

void stiffness_product(const Model& model, const TangentField& field, const double* d, Work& work) {
  if (work.sums.size() != model.vertex_count) work.sums.assign(model.vertex_count, Vec4::Zero());
  with_dimension(model, [&](auto n) { product_pass<decltype(n)::value>(model, field, d, work); });
}

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

double elastic_energy(const Model& model, const Params& params, const Buffer<Vec3>& x) {
  const Lame constants = lame(params.young, params.poisson);
  return with_dimension(model, [&](auto d) {
    return energy_pass<decltype(d)::value>(model, params.law, constants, x.data()->data());
  });
}

template <int D>
Matrix<D> deformation_gradient(const Model& model, const Buffer<Vec3>& x, std::size_t element) {
  Matrix<D> ds;
  for (int c = 0; c < D; ++c)
    ds.col(c) = (x[model.corner(element, static_cast<std::size_t>(c) + 1)] - x[model.corner(element, 0)])
                    .template head<D>();
  return ds * inverse_rest_of<D>(model, element);
}
template Matrix<2> deformation_gradient<2>(const Model&, const Buffer<Vec3>&, std::size_t);
template Matrix<3> deformation_gradient<3>(const Model&, const Buffer<Vec3>&, std::size_t);

double deformed_volume(const Model& model, const Buffer<Vec3>& x) {
  return with_dimension(model, [&](auto d) {
    constexpr int D = decltype(d)::value;
    return deterministic_sum(model.element_count, [&](std::size_t e) {
      return model.volumes[e] * deformation_gradient<D>(model, x, e).determinant();
    });
  });
}

}  // namespace selkie::fem
