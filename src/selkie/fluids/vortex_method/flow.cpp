// See flow.h.
#include "selkie/fluids/vortex_method/flow.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/fluids/vortex_method/taps.h"
#include "selkie/grid/loops.h"

namespace selkie::vortex_method {
namespace {

constexpr std::array<int, 3> unit(std::size_t axis) { return {axis == 0, axis == 1, axis == 2}; }

Vec3 in_cells(const grid::Shape& shape, const Vec3& point) {
  return (point - shape.origin()) / shape.cell_size();
}

// Adds one component of a particle's strength to its 27 edges.
template <class Real>
void add_to_edges(const ParticleTaps& taps, std::size_t a, double amount, const grid::View<Real>& field) {
  const Taps& x = a == 0 ? taps.centred[0] : taps.nodal[0];
  const Taps& y = a == 1 ? taps.centred[1] : taps.nodal[1];
  const Taps& z = a == 2 ? taps.centred[2] : taps.nodal[2];
  const int shift_x = a == 0 ? 0 : 1, shift_y = a == 1 ? 0 : 1, shift_z = a == 2 ? 0 : 1;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t j = 0; j < 3; ++j) {
      Real* const row = field.line(y.index[j] - shift_y, z.index[k] - shift_z);
      const double across = amount * y.weight[j] * z.weight[k];
      for (std::size_t i = 0; i < 3; ++i) row[x.index[i] - shift_x] += Real(across * x.weight[i]);
    }
}

template <class Real>
double norm(const grid::Shape& shape, const Buffer<Real>& field) {
  const auto cells = grid::view(shape, field);
  return std::sqrt(grid::sum_rows(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    const Real* const row = cells.line(j, k);
    double sum = 0;
    for (int i = 0; i < shape.cells()[0]; ++i) sum += double(row[i]) * double(row[i]);
    return sum;
  }));
}

template <class Real>
void build_solvers(const Model& model, FlowWork<Real>& work) {
  for (std::size_t a = 0; a < 3; ++a) {
    grid::OpenSides zero_beyond;
    for (std::size_t d = 0; d < 3; ++d) zero_beyond[d] = {d != a, d != a};
    const grid::CellKinds kinds = grid::all_fluid(model.edges[a], zero_beyond);
    work.solvers[a].build(
        grid::PressureDomain<Real>{.shape = model.edges[a], .kinds = grid::view(model.edges[a], kinds)});
  }
  work.built = true;
}

}  // namespace

template <class Real>
void spread(const Model& model, std::span<const Vec3> positions, std::span<const Vec3> strengths,
            const Layers& layers, double scale, EdgeFields<Real>& vorticity) {
  grid::FaceViews<Real> fields;
  for (std::size_t a = 0; a < 3; ++a) {
    vorticity[a].assign(model.edges[a].size(), 0);
    fields[a] = grid::view(model.edges[a], vorticity[a]);
  }
  const double share = scale / model.particle_volume();
  layers.for_each([&](std::size_t p) {
    const ParticleTaps taps = particle_taps(in_cells(model.shape, positions[p]), model.shape.cells());
    for (std::size_t a = 0; a < 3; ++a)
      add_to_edges(taps, a, share * strengths[p][static_cast<int>(a)], fields[a]);
  });
}

// u_a = ∂ψ_c/∂x_b − ∂ψ_b/∂x_c, (a,b,c) cyclic. Edges on walls are ghosts of ψ and hold zero.
template <class Real>
void curl(const Model& model, const std::array<const Buffer<Real>*, 3>& stream,
          grid::FaceField<Real>& velocity) {
  const grid::Shape& shape = model.shape;
  velocity.assign(shape);
  const Real per_cell = Real(1 / shape.cell_size());
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
    const auto along_b = grid::view(model.edges[b], *stream[b]),
               along_c = grid::view(model.edges[c], *stream[c]);
    const auto face = grid::view(shape, velocity.component[a]);
    const std::ptrdiff_t step_b = model.edges[c].stride(static_cast<int>(b)),
                         step_c = model.edges[b].stride(static_cast<int>(c));
    const std::array<int, 3> at_b = unit(b), at_c = unit(c);
    const grid::Box box = grid::sample_box(shape, grid::face_place(static_cast<int>(a)));
    grid::for_each_row(box, [&](int j, int k) {
      const Real* const psi_b = &along_b(at_b[0] - 1, j - 1 + at_b[1], k - 1 + at_b[2]);
      const Real* const psi_c = &along_c(at_c[0] - 1, j - 1 + at_c[1], k - 1 + at_c[2]);
      Real* const u = face.line(j, k);
      for (int i = 0; i < box.hi[0]; ++i)
        u[i] = ((psi_c[i + step_b] - psi_c[i]) - (psi_b[i + step_c] - psi_b[i])) * per_cell;
    });
  }
}

template <class Real>
StepReport find_flow(const Model& model, const Params& params, std::span<const Vec3> positions,
                     std::span<const Vec3> strengths, const std::array<Buffer<Real>*, 3>& stream,
                     FlowWork<Real>& work) {
  const ProfileZone zone("vortex_method.flow");
  if (!work.built) build_solvers(model, work);
  if (!work.layers.sort(model.shape, positions))
    return StepReport::failure("a vortex particle is not inside the box");
  // The solver's matrix is that of −Δx²∇².
  spread(model, positions, strengths, work.layers, model.shape.cell_size() * model.shape.cell_size(),
         work.vorticity);
  std::array<double, 3> size;
  for (std::size_t a = 0; a < 3; ++a) size[a] = norm(model.edges[a], work.vorticity[a]);
  const double largest = std::max({size[0], size[1], size[2]});
  StepReport report;
  for (std::size_t a = 0; a < 3; ++a) {
    grid::PressureOptions options;
    options.max_iterations = params.max_iterations;
    options.warm_start = true;
    // Relative to the whole vorticity, so that a component that is nearly zero costs nothing.
    options.tolerance = size[a] > 0 ? params.tolerance * largest / size[a] : params.tolerance;
    const linalg::SolveReport solve =
        work.solvers[a].solve(grid::view(model.edges[a], std::as_const(work.vorticity[a])),
                              grid::view(model.edges[a], *stream[a]), options);
    report.merge({.iterations = solve.iterations, .residual = solve.residual});
    if (!solve.converged()) report.merge(StepReport::failure("stream function: " + solve.text()));
  }
  curl<Real>(model, {stream[0], stream[1], stream[2]}, work.velocity);
  return report;
}

template <class Real>
FlowAtPoint flow_at(const Model& model, const grid::FaceField<Real>& velocity, const Vec3& point) {
  const ParticleTaps taps = particle_taps(in_cells(model.shape, point), model.shape.cells());
  const double per_cell = 1 / model.shape.cell_size();
  FlowAtPoint flow;
  for (std::size_t a = 0; a < 3; ++a) {
    const Taps& x = a == 0 ? taps.nodal[0] : taps.centred[0];
    const Taps& y = a == 1 ? taps.nodal[1] : taps.centred[1];
    const Taps& z = a == 2 ? taps.nodal[2] : taps.centred[2];
    const auto face = grid::view(model.shape, velocity.component[a]);
    double value = 0;
    Vec3 slope = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t j = 0; j < 3; ++j) {
        const Real* const row = face.line(y.index[j], z.index[k]);
        double mean = 0, rise = 0;
        for (std::size_t i = 0; i < 3; ++i) {
          mean += x.weight[i] * double(row[x.index[i]]);
          rise += x.slope[i] * double(row[x.index[i]]);
        }
        value += mean * y.weight[j] * z.weight[k];
        slope += Vec3(rise * y.weight[j] * z.weight[k], mean * y.slope[j] * z.weight[k],
                      mean * y.weight[j] * z.slope[k]);
      }
    flow.velocity[static_cast<int>(a)] = value;
    flow.gradient.row(static_cast<int>(a)) = per_cell * slope.transpose();
  }
  return flow;
}

template <class Real>
double top_speed(const Model& model, const grid::FaceField<Real>& velocity) {
  double fastest = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto face = grid::view(model.shape, velocity.component[a]);
    const grid::Box box = grid::sample_box(model.shape, grid::face_place(static_cast<int>(a)));
    const double speed = grid::max_rows(box, [&](int j, int k) {
      double largest = 0;
      for (int i = 0; i < box.hi[0]; ++i) {
        const double size = std::abs(double(face(i, j, k)));
        if (!(size <= largest)) largest = size;  // NaN comes in and stays
      }
      return largest;
    });
    if (!(speed <= fastest)) fastest = speed;
  }
  return fastest;
}

template <class Real>
double largest_divergence(const Model& model, const grid::FaceField<Real>& velocity) {
  const grid::Shape& shape = model.shape;
  const auto u = grid::view(shape, velocity);
  return grid::max_rows(grid::sample_box(shape, grid::Place::cell),
                        [&](int j, int k) {
                          double largest = 0;
                          for (int i = 0; i < shape.cells()[0]; ++i)
                            largest = std::max(largest,
                                               std::abs(double(u[0](i + 1, j, k)) - double(u[0](i, j, k)) +
                                                        double(u[1](i, j + 1, k)) - double(u[1](i, j, k)) +
                                                        double(u[2](i, j, k + 1)) - double(u[2](i, j, k))));
                          return largest;
                        }) /
         shape.cell_size();
}

template <class Real>
double kinetic_energy(const Model& model, const grid::FaceField<Real>& velocity) {
  double sum = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto face = grid::view(model.shape, velocity.component[a]);
    const grid::Box box = grid::sample_box(model.shape, grid::face_place(static_cast<int>(a)));
    sum += grid::sum_rows(box, [&](int j, int k) {
      double row = 0;
      for (int i = 0; i < box.hi[0]; ++i) row += double(face(i, j, k)) * double(face(i, j, k));
      return row;
    });
  }
  return 0.5 * sum * model.particle_volume();
}

#define SELKIE_INSTANTIATE(Real)                                                                             \
  template void spread<Real>(const Model&, std::span<const Vec3>, std::span<const Vec3>, const Layers&,      \
                             double, EdgeFields<Real>&);                                                     \
  template void curl<Real>(const Model&, const std::array<const Buffer<Real>*, 3>&, grid::FaceField<Real>&); \
  template StepReport find_flow<Real>(const Model&, const Params&, std::span<const Vec3>,                    \
                                      std::span<const Vec3>, const std::array<Buffer<Real>*, 3>&,            \
                                      FlowWork<Real>&);                                                      \
  template FlowAtPoint flow_at<Real>(const Model&, const grid::FaceField<Real>&, const Vec3&);               \
  template double top_speed<Real>(const Model&, const grid::FaceField<Real>&);                               \
  template double largest_divergence<Real>(const Model&, const grid::FaceField<Real>&);                      \
  template double kinetic_energy<Real>(const Model&, const grid::FaceField<Real>&);
SELKIE_INSTANTIATE(float)
SELKIE_INSTANTIATE(double)
#undef SELKIE_INSTANTIATE

}  // namespace selkie::vortex_method
