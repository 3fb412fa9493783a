// Implicit depths: one symmetric system per step, with the wave operator linearised about the present depth.
// [Angst07 §5.3.1; SW-23 … SW-25, SW-49, E13 … E15]
//
//   [A/(θΔt² η̃|a|) + K] η = A/(θΔt² η̃|a|) (r - θΔt² η̃ ∇·F),   K_ij = Σ A_k ∇φ_i·∇φ_j
//
// r is what the method expects without pressure and F the frozen force with ½η∇a, so that tangential forces
// and the bottom reach the depths. K is definite for any gradients, so no weight has to be cut; the term
// (∇·v)² is left out, which would take definiteness away. None of these methods keeps the volume.
#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/fluids/surface_water/detail/implicit_work.h"
#include "selkie/fluids/surface_water/operators.h"
#include "selkie/fluids/surface_water/phases.h"

namespace selkie::surface_water {

void poison(ImplicitWork& work) {
  work.matrix.reset();
  for (Buffer<double>* b : {&work.right, &work.solution, &work.weight, &work.curvature})
    std::fill(b->begin(), b->end(), std::numeric_limits<double>::quiet_NaN());
}

namespace {

constexpr double kLeastDepth = 1e-4;  // m: a dry column must not make the matrix infinite

void make_pattern(const Complex& complex, ImplicitWork& w) {
  if (w.matrix && w.matrix->vertex_count() == complex.vertex_count && w.slots.size() == complex.face_count)
    return;
  std::vector<linalg::VertexPair> edges;
  for (const geometry::Segment& edge : geometry::unique_edges(complex.triangles))
    edges.push_back({edge[0], edge[1]});
  w.matrix = std::make_unique<linalg::BlockSparseSymmetric<1>>(complex.vertex_count, edges);
  w.slots.resize(complex.face_count);
  for (std::size_t f = 0; f < complex.face_count; ++f)
    for (std::size_t c = 0; c < 3; ++c)
      w.slots[f][c] =
          w.matrix->pattern().find(complex.vertex[(c + 1) % 3][f], complex.vertex[(c + 2) % 3][f]);
  for (Buffer<double>* b : {&w.right, &w.solution, &w.weight, &w.curvature})
    b->assign(complex.vertex_count, 0);
}

// Edges whose summed cotangent is negative, positive entries of K, are taken out together with what they give
// to the diagonals, so that rows still sum to zero. A guard of the source: K stays definite either way, and
// without them it is no longer the divergence of the gradient [SW-12].
void drop_negative_weights(linalg::BlockSparseSymmetric<1>& matrix) {
  const linalg::BlockPattern& pattern = matrix.pattern();
  for (std::size_t i = 0; i < pattern.vertex_count(); ++i)
    for (std::uint32_t s = pattern.upper_begin()[i]; s < pattern.upper_begin()[i + 1]; ++s) {
      auto& entry = matrix.upper_blocks()[s];
      if (entry(0, 0) <= 0) continue;
      matrix.add_diagonal(i, entry), matrix.add_diagonal(pattern.upper_column()[s], entry);
      entry.setZero();
    }
}

void assemble(const Complex& complex, const Metric& m, bool no_negative, ImplicitWork& w) {
  auto scalar = [](double value) { return Eigen::Matrix<double, 1, 1>::Constant(value); };
  w.matrix->set_zero();
  for (std::size_t f = 0; f < complex.face_count; ++f)
    for (std::uint32_t c = 0; c < 3; ++c) {
      const Vec2 g = basis_gradient(m, f, c);
      w.matrix->add_diagonal(complex.vertex[c][f], scalar(m.area[f] * g.squaredNorm()));
      w.matrix->add_edge(
          w.slots[f][c],
          scalar(m.area[f] * basis_gradient(m, f, next_corner(c)).dot(basis_gradient(m, f, last_corner(c)))));
    }
  if (no_negative) drop_negative_weights(*w.matrix);
  for (std::size_t v = 0; v < complex.vertex_count; ++v) w.matrix->add_diagonal(v, scalar(w.weight[v]));
}

StepReport solve(const Params& params, std::span<const double> guess, ImplicitWork& w) {
  linalg::SolveReport report;
  if (params.solver == LinearSolver::cholesky) {
    if (!w.cholesky.factorize(*w.matrix)) return StepReport::failure("the depths' system is not definite");
    report = w.cholesky.solve(w.right, w.solution);
  } else {
    std::copy(guess.begin(), guess.end(), w.solution.begin());
    const auto jacobi = linalg::make_preconditioner([&](std::span<const double> r, std::span<double> z) {
      for (std::size_t v = 0; v < r.size(); ++v) z[v] = r[v] / w.matrix->diagonal(v)(0, 0);
    });
    report = linalg::pcg(*w.matrix, jacobi, w.right, w.solution,
                         {.tolerance = 1e-11, .max_iterations = 5000, .keep_history = false}, w.pcg);
  }
  StepReport step;
  step.iterations = report.iterations, step.residual = report.residual;
  if (!report.converged()) return StepReport::failure("the depths' system was not solved");
  return step;
}

// Force per mass besides pressure: F = share η̄ ∇a + a_τ - a ∇H, with the depths at hand.
Vec2 frozen_force(const Complex& complex, std::span<const double> depth, const Work& w, std::size_t f) {
  const double mean =
      (depth[complex.vertex[0][f]] + depth[complex.vertex[1][f]] + depth[complex.vertex[2][f]]) / 3;
  return Vec2(mean * w.slope_x[f] + w.force_x[f], mean * w.slope_y[f] + w.force_y[f]);
}

// ∇·F into scalar_b; F passes through the arrays of the fluxes, which implicit methods do not use.
void force_divergence(const Complex& complex, const Metric& m, std::span<const double> depth, Work& w) {
  for (std::size_t f = 0; f < complex.face_count; ++f) {
    const Vec2 force = frozen_force(complex, depth, w, f);
    w.outflow[0][f] = force[0], w.outflow[1][f] = force[1];
  }
  divergence(complex, m, w.outflow[0], w.outflow[1], w.scalar_b);
}

// Newmark's second derivative of the depths at the start: -η∇·(a∇η + F).
void start_newmark(const Complex& complex, const Metric& m, State& to, Work& w) {
  if (to.depth_curvature.size() == complex.vertex_count && to.depth_rate.size() == complex.vertex_count)
    return;
  to.depth_curvature.assign(complex.vertex_count, 0);
  to.depth_rate.assign(complex.vertex_count, 0);
  flux_divergence(complex, m, to.depth, w.velocity_x, w.velocity_y, to.depth_rate);
  for (double& rate : to.depth_rate) rate = -rate;
  force_divergence(complex, m, to.depth, w);
  laplacian(complex, m, to.depth, to.depth_curvature);
  for (std::size_t v = 0; v < complex.vertex_count; ++v)
    to.depth_curvature[v] = -to.depth[v] * (w.normal[v] * to.depth_curvature[v] + w.scalar_b[v]);
}

// The depths one step earlier, where another method made the last step or there was none: those that the flow
// leads from. Kass and Miller know depths alone and start from rest.
void start_euler(const Params& params, const Complex& complex, const Metric& m, double dt, State& to,
                 Work& w) {
  if (to.depth_before.size() == complex.vertex_count) return;
  to.depth_before = to.depth;
  if (params.method == Method::kass_miller) return;
  const double before = to.step_before > 0 ? to.step_before : dt;
  flux_divergence(complex, m, to.depth, w.velocity_x, w.velocity_y, w.scalar_b);
  for (std::size_t v = 0; v < complex.vertex_count; ++v) to.depth_before[v] += before * w.scalar_b[v];
}

// What each method expects of the depths before pressure acts, into w.implicit->right.
void expect(const Params& params, const Complex& complex, const Metric& m, double dt, State& to, Work& w) {
  ImplicitWork& iw = *w.implicit;
  const std::size_t count = complex.vertex_count;
  const bool newmark = params.method == Method::newmark || params.method == Method::newmark_classic;
  if (newmark) {
    start_newmark(complex, m, to, w);
    if (params.method == Method::newmark) {
      flux_divergence(complex, m, to.depth, w.velocity_x, w.velocity_y, to.depth_rate);
      for (double& rate : to.depth_rate) rate = -rate;
    }
    for (std::size_t v = 0; v < count; ++v)
      iw.right[v] = to.depth[v] + dt * to.depth_rate[v] + 0.25 * dt * dt * to.depth_curvature[v];
  } else if (params.method == Method::layton || params.method == Method::wang) {
    divergence(complex, m, w.velocity_x, w.velocity_y, iw.curvature);
    const Buffer<double>& start = params.method == Method::layton ? w.scalar_a : to.depth;
    for (std::size_t v = 0; v < count; ++v) iw.right[v] = start[v] * (1 - dt * iw.curvature[v]);
  } else {
    start_euler(params, complex, m, dt, to, w);
    // The last step may have had another length: what goes on is the rate, not the change.
    const double goes_on = (1 - params.damping) * (to.step_before > 0 ? dt / to.step_before : 1);
    for (std::size_t v = 0; v < count; ++v)
      iw.right[v] = to.depth[v] + goes_on * (to.depth[v] - to.depth_before[v]);
  }
}

// v += Δt (a∇η + F) with the new depths.
void push_velocities(const Complex& complex, const Metric& m, double dt, const State& to, Work& w) {
  parallel_for(complex.face_count, [&](std::size_t f) {
    const Vec2 pressure = w.pull[f] * gradient(complex, m, to.depth, f);
    const Vec2 change = dt * (pressure + frozen_force(complex, to.depth, w, f));
    w.velocity_x[f] += change[0], w.velocity_y[f] += change[1];
  });
}

bool keeps_depth_before(Method method) {
  return method == Method::implicit_euler || method == Method::kass_miller;
}

}  // namespace

void forget_histories(Method method, State& to) {
  if (!keeps_depth_before(method)) to.depth_before.resize(0);
  if (method != Method::newmark && method != Method::newmark_classic)
    to.depth_rate.resize(0), to.depth_curvature.resize(0);
}

StepReport integrate_implicit(const Model& model, const Params& params, const Inputs& inputs, const Metric& m,
                              double dt, State& to, Work& w) {
  const Complex& complex = model.complex;
  ImplicitWork& iw = *w.implicit;
  make_pattern(complex, iw);
  const bool newmark = params.method == Method::newmark || params.method == Method::newmark_classic;
  const double theta = newmark ? 0.25 : 1;
  if (!inputs.sources.empty()) pour(inputs, m, dt, to);
  expect(params, complex, m, dt, to, w);
  force_divergence(complex, m, to.depth, w);
  const Buffer<double>& about = params.method == Method::layton ? w.scalar_a : to.depth;
  for (std::size_t v = 0; v < complex.vertex_count; ++v) {
    const double c2 = theta * dt * dt * std::max(kLeastDepth, about[v]);
    iw.curvature[v] = iw.right[v];  // kept: Newmark's curvature is read off it
    iw.weight[v] = m.dual_area[v] / (c2 * -w.normal[v]);
    iw.right[v] = iw.weight[v] * (iw.right[v] - c2 * w.scalar_b[v]);
  }
  assemble(complex, m, params.no_negative_weights, iw);
  const StepReport report = solve(params, to.depth, iw);
  if (!report.ok) return report;
  const bool classic = params.method == Method::newmark_classic;
  for (std::size_t v = 0; v < complex.vertex_count; ++v) {
    if (newmark) {
      const double next = (iw.solution[v] - iw.curvature[v]) / (theta * dt * dt);
      if (classic) to.depth_rate[v] += 0.5 * dt * (to.depth_curvature[v] + next);
      to.depth_curvature[v] = next;
    } else if (keeps_depth_before(params.method)) {
      to.depth_before[v] = to.depth[v];
    }
    to.depth[v] = iw.solution[v];
  }
  if (!complex.closed) pass_rim(model, inputs, m, dt, to, w);
  push_velocities(complex, m, dt, to, w);
  return report;
}

}  // namespace selkie::surface_water
