// Element passes; see elements.h. Each pass loads a group's corners into lanes, forms F = Ds Dm⁻¹, lets the
// law answer and adds V P Dm⁻ᵀ to the corners.
#include "selkie/solids/fem/elements.h"

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/solids/fem/detail/lane_polar.h"
#include "selkie/solids/fem/detail/law.h"
#include "selkie/solids/fem/detail/with_dimension.h"

namespace selkie::fem {
namespace {

using namespace detail;

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
          multiply_nt<D, Lanes>(inverse, r, f);
          const Lanes size = root(load(model.volumes.data() + g * kLanes));
          for (auto& row : f)
            for (Lanes& entry : row) entry = entry * size;
          store_matrix<D>(field.turned.data() + g * kSquare * kLanes, f);
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

// Hooke's law in place: stress from the gradient of displacement.
template <int D>
inline void answer_hooke(const TangentField& field, LaneMatrix<D>& e) {
  const Lanes volumetric = field.lambda * trace<D, Lanes>(e);
  for (int i = 0; i < D; ++i) {
    for (int j = i + 1; j < D; ++j) e[i][j] = e[j][i] = field.mu * (e[i][j] + e[j][i]);
    e[i][i] = 2 * field.mu * e[i][i] + volumetric;
  }
}

// dP' from dF' in place, in the element's frame.
template <int D>
inline void answer(const TangentField& field, std::size_t g, LaneMatrix<D>& e) {
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

// With one frame: 88 bytes a tetrahedron.
template <int D>
void hooke_product_pass(const Model& model, const TangentField& field, const double* d, Work& work) {
  double* sums = work.sums.data()->data();
  run_groups(model, work, [&](std::size_t g) {
    LaneMatrix<D> a, b, turned;
    gather_edges<D>(model, g, d, a);
    load_matrix<D>(field.turned.data() + g * D * D * kLanes, turned);
    multiply<D, Lanes>(a, turned, b);
    answer_hooke<D>(field, b);
    multiply_nt<D, Lanes>(b, turned, a);
    scatter_columns<D>(model, g, a, sums);
  });
}

template <int D>
void product_pass(const Model& model, const TangentField& field, const double* d, Work& work) {
  double* sums = work.sums.data()->data();
  run_groups(model, work, [&](std::size_t g) {
    LaneMatrix<D> a, b, u, v, inverse, gradients;
    gather_edges<D>(model, g, d, a);
    load_inverse_rest<D>(model, g, gradients);
    load_matrix<D>(field.u.data() + g * D * D * kLanes, u);
    load_matrix<D>(field.v.data() + g * D * D * kLanes, v);
    multiply_tn<D, Lanes>(u, a, b);
    multiply<D, Lanes>(gradients, v, inverse);  // in the frame of V
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
    if (field.one_frame) {
      fit(field.turned, D * D);
    } else {
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
  with_dimension(model, [&](auto n) {
    constexpr int D = decltype(n)::value;
    if (field.one_frame)
      hooke_product_pass<D>(model, field, d, work);
    else
      product_pass<D>(model, field, d, work);
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
