// Assembly and solution of A = M + stiffness·K + damping·D.
#include "selkie/solids/mass_spring/tangent.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/solids/mass_spring/altitude_springs.h"
#include "selkie/solids/mass_spring/forces.h"
#include "selkie/solids/mass_spring/inversion_guard.h"
#include "selkie/solids/mass_spring/kinematics.h"
#include "selkie/solids/mass_spring/spring_law.h"

namespace selkie::mass_spring {

Mat3 spring_tangent(const Params& params, double k, double b, double l0, const Vec3& d,
                    const TangentWeights& weights) {
  const double l = d.norm();
  const double everywhere = params.directional_damping ? 0 : weights.damping * b;
  if (l <= kShortest * l0 || l == 0) return everywhere * Mat3::Identity();
  const Vec3 n = d / l;
  const double bluntness = std::min(1.0, l / blunt_length(l0));  // 1 for all but the shortest
  double axial = weights.stiffness * tension_slope(params, k, l0, l);
  double transverse = weights.stiffness * tension(params, k, l0, l) / l;
  if (weights.geometric == Geometric::none) transverse = 0;
  if (weights.geometric == Geometric::none || weights.geometric == Geometric::positive) {
    axial = std::max(0.0, axial);
    transverse = std::max(0.0, transverse);
  }
  if (weights.geometric == Geometric::absolute) axial = std::abs(axial), transverse = std::abs(transverse);
  axial += weights.damping * b * (params.directional_damping ? bluntness * bluntness : 1);
  transverse += everywhere;
  return (axial - transverse) * n * n.transpose() + transverse * Mat3::Identity();
}

void assemble_tangent(const Model& model, const Params& params, const Buffer<Vec3>& x,
                      const TangentWeights& weights, Work& work) {
  const ProfileZone zone("mass_spring.assemble");
  if (!work.system || work.system->matrix.shared_pattern() != model.pattern)
    work.system = std::make_unique<LinearSystem>(model.pattern);
  linalg::BlockSparseSymmetric<3>& matrix = work.system->matrix;
  matrix.set_zero();
  parallel_for(model.vertex_count,
               [&](std::size_t i) { matrix.diagonal(i) = model.masses[i] * Mat3::Identity(); });
  const DampingScale damping = damping_scale(model, params);
  const std::span<const linalg::Slot> slots = model.pattern->edge_slots();
  run_chunks(model.schedule, work.chunk_done, [&](const Chunk& chunk) {
    for (std::size_t s = chunk.begin; s < chunk.end; ++s) {
      const auto [i, j] = model.springs[s];
      const Mat3 block =
          spring_tangent(params, params.stiffness * model.relative_stiffness[s],
                         damping.factor * damping.relative[s], model.rest_lengths[s], x[j] - x[i], weights);
      matrix.add_diagonal(i, block);
      matrix.add_diagonal(j, block);
      matrix.add_edge(slots[s], -block);
    }
  });
  add_guard_tangent(model, params, x, weights, work);
  add_altitude_tangent(model, weights, work);
  for (const ports::AttachedMass& piece : work.bodies.attached) matrix.add_diagonal(piece.vertex, piece.mass);
}

namespace {

// Fill of the factor grows faster than the mesh: for a solid body of this many vertices it is about 1 GB, and
// beyond that conjugate gradients are left alone with the system, with a longer leash.
constexpr std::size_t kLargestDirect = 30000;
constexpr int kLongerLeash = 10;

// Blocks that a direct solve holds: the factor, and as much again for the fronts from which it is made. From
// the resident memory of solids of 9,261 and 29,791 vertices (194 and 920 MB) and of sheets with bending
// springs of 10,000 and 28,561 (88 and 268 MB), to 10 %.
constexpr double kSolidFill = 15;   // times n^(4/3)
constexpr double kSheetFill = 1.5;  // times n log₂ n and the springs a vertex

// A factor that serves thirty right sides pays where one for a single solve would not.
constexpr std::size_t kLargestKept = 4000;

bool keeps_factor(const Model& model, const Params& params) {
  return params.solver == Solver::cholesky ||
         (params.solver == Solver::automatic && model.vertex_count <= kLargestKept);
}

void filter_matrix(Work& work) {
  if (!work.kinematic_vertices.empty()) work.system->matrix.filter(work.kinematic);
  if (!work.sliding.of_vertex.empty())
    work.system->matrix.project(work.sliding.of_vertex, work.sliding.projectors);
}

linalg::SolveReport solve_factorised(const Params& params, Work& work) {
  linalg::CholeskyOptions options;
  options.tolerance = params.tolerance;
  return work.system->cholesky.solve(work.rhs, work.solution, options);
}

linalg::SolveReport solve_directly(const Params& params, Work& work) {
  const ProfileZone zone("mass_spring.cholesky");
  LinearSystem& system = *work.system;
  if (system.cholesky.factorize(system.matrix)) return solve_factorised(params, work);
  linalg::SolveReport failed;
  failed.reason = linalg::StopReason::factorization_failed;
  return failed;
}

// Conjugate gradients from the present contents of `solution`.
linalg::SolveReport solve_iteratively(const Params& params, const linalg::Preconditioner& preconditioner,
                                      Work& work) {
  const ProfileZone zone("mass_spring.pcg");
  linalg::PcgOptions options;
  options.tolerance = params.tolerance;
  options.max_iterations = params.max_iterations;
  options.keep_history = false;
  return linalg::pcg(work.system->matrix, preconditioner, work.rhs, work.solution, options, work.system->pcg);
}

linalg::SolveReport solve_with_ic(const Params& params, Work& work) {
  LinearSystem& system = *work.system;
  {
    const ProfileZone zone("mass_spring.incomplete_cholesky");
    if (!system.incomplete_cholesky.refresh(system.matrix).ok) {
      linalg::SolveReport failed;
      failed.reason = linalg::StopReason::factorization_failed;
      return failed;
    }
  }
  return solve_iteratively(params, system.incomplete_cholesky, work);
}

linalg::SolveReport solve_with_jacobi(const Params& params, Work& work) {
  work.system->jacobi.refresh(work.system->matrix);
  return solve_iteratively(params, work.system->jacobi, work);
}

// Iterations of Jacobi-preconditioned conjugate gradients to the tolerance: ½ √κ ln(2/ε) is the classical
// bound, and bodies of springs need about 0.4 of it (measured: 166 predicted, 150–169 seen for a block of
// 21,000 springs). κ comes from how far the springs outweigh the masses.
double iterations_of(double ratio, const Params& params) {
  return 0.4 * 0.5 * std::sqrt(2 * ratio) * std::log(2 / params.tolerance);
}
double expected_iterations(const Model& model, const Params& params, const Work& work) {
  const double ratio = deterministic_max(model.vertex_count, 1, [&](std::size_t i) {
    return work.kinematic[i] != 0
               ? 1
               : work.system->matrix.diagonal(i).diagonal().maxCoeff() * model.inverse_masses[i];
  });
  return iterations_of(ratio, params);
}

// Conjugate gradients where they will do it within the cap, the direct solver where they will not; each next
// method starts where the last gave up. Which one ends the solve depends on the numbers alone.
linalg::SolveReport solve_somehow(const Model& model, const Params& params, Work& work) {
  if (model.vertex_count > kLargestDirect) {
    Params patient = params;
    patient.max_iterations *= kLongerLeash;
    return solve_with_ic(patient, work);
  }
  if (expected_iterations(model, params, work) > params.max_iterations) return solve_directly(params, work);
  linalg::SolveReport report = solve_with_jacobi(params, work);
  if (report.converged()) return report;
  const int iterations = report.iterations;
  report = solve_directly(params, work);
  report.iterations += iterations;
  return report;
}

}  // namespace

void filter_rhs(Work& work) {
  for (const std::uint32_t i : work.kinematic_vertices)
    for (int c = 0; c < 3; ++c) work.rhs[3 * std::size_t{i} + static_cast<std::size_t>(c)] = 0;
  for (std::size_t i = 0; i < work.sliding.of_vertex.size(); ++i)
    if (const std::int32_t c = work.sliding.of_vertex[i]; c >= 0) {
      Eigen::Map<Vec3> row(work.rhs.data() + 3 * i);
      row = (work.sliding.projectors[static_cast<std::size_t>(c)] * row).eval();
    }
}

StepReport solve_change(const Model& model, const Params& params, Work& work) {
  filter_matrix(work);
  filter_rhs(work);
  work.solution.assign(work.rhs.size(), 0);

  linalg::SolveReport solved;
  switch (params.solver) {
    case Solver::automatic:
      solved = solve_somehow(model, params, work);
      break;
    case Solver::pcg_jacobi:
      solved = solve_with_jacobi(params, work);
      break;
    case Solver::pcg_ic:
      solved = solve_with_ic(params, work);
      break;
    case Solver::cholesky:
      solved = solve_directly(params, work);
      break;
  }
  StepReport report;
  report.iterations = solved.iterations;
  report.residual = solved.residual;
  if (!solved.converged()) {
    report.ok = false;
    report.trouble = "the velocity solve did not converge: " + solved.text();
  }
  return report;
}

StepReport prepare_solves(const Model& model, const Params& params, Work& work) {
  filter_matrix(work);
  LinearSystem& system = *work.system;
  if (!keeps_factor(model, params)) {
    system.jacobi.refresh(system.matrix);
    return {};
  }
  return system.cholesky.factorize(system.matrix) ? StepReport{}
                                                  : StepReport::failure("a matrix is not positive definite");
}

StepReport solve_prepared(const Model& model, const Params& params, Work& work) {
  work.solution.assign(work.rhs.size(), 0);
  StepReport report;
  if (keeps_factor(model, params)) {
    if (!solve_factorised(params, work).converged()) report = StepReport::failure("a contact solve failed");
    return report;
  }
  // What the cap leaves undone is only a body that gives way a little less; not a step that failed.
  Params rough = params;
  rough.tolerance = std::max(params.tolerance, 1e-4);
  report.iterations = solve_iteratively(rough, work.system->jacobi, work).iterations;
  return report;
}

double direct_solve_bytes(const Model& model, const Params& params, double longest_step) {
  // Newmark's method with explicit elasticity has a matrix, too, that of the damping.
  const bool implicit = params.integrator >= Integrator::implicit_euler;
  if (!implicit || params.solver == Solver::pcg_jacobi || params.solver == Solver::pcg_ic) return 0;
  if (params.solver == Solver::automatic) {
    if (model.vertex_count > kLargestDirect) return 0;
    // The diagonal entries that expected_iterations() will see, as if all springs of a vertex pointed one
    // way.
    std::vector<double> stiffness(model.vertex_count, 0);
    for (std::size_t s = 0; s < model.spring_count(); ++s)
      for (const std::uint32_t i : model.springs[s])
        stiffness[i] += params.stiffness * model.relative_stiffness[s];
    double ratio = 1;
    for (std::size_t i = 0; i < model.vertex_count; ++i)
      ratio = std::max(ratio, 1 + longest_step * longest_step * stiffness[i] * model.inverse_masses[i]);
    if (iterations_of(ratio, params) <= params.max_iterations) return 0;
  }
  const double n = model.vertex_count, reach = static_cast<double>(model.spring_count()) / n;
  const bool solid = !model.guard.tets.empty();
  const double blocks = solid ? kSolidFill * n * std::cbrt(n) : kSheetFill * reach * n * std::log2(n + 1);
  return blocks * sizeof(Mat3);
}

StepReport solve_velocity(const Model& model, const Params& params, const Inputs& inputs,
                          const Buffer<Vec3>& x, const Buffer<Vec3>& v, double duration,
                          const TangentWeights& weights, Buffer<Vec3>& v_new, Work& work) {
  accumulate_forces(model, params, x, v, work.forces, work, ForceTerms::elastic_only);
  auto force = [&](std::size_t i) { return Vec3(work.forces[i].head<3>() + load_on(model, inputs, i)); };

  // Without an implicit term the matrix is the mass.
  if (work.bodies.attached.empty() && weights.stiffness == 0 &&
      (weights.damping == 0 || damping_scale(model, params).factor == 0)) {
    v_new.resize(v.size());
    parallel_for(model.vertex_count,
                 [&](std::size_t i) { v_new[i] = v[i] + duration * model.inverse_masses[i] * force(i); });
    set_kinematic_velocities(work, v_new);
    return {};
  }

  // Solve for the change from v, which is the warm start: the tolerance is then relative to the change.
  assemble_tangent(model, params, x, weights, work);
  v_new = v;
  set_kinematic_velocities(work, v_new);
  work.rhs.resize(3 * v.size());
  work.solution.resize(3 * v.size());
  work.system->matrix.apply({v_new.data()->data(), work.solution.size()}, work.solution);
  parallel_for(model.vertex_count, [&](std::size_t i) {
    Eigen::Map<Vec3>(work.rhs.data() + 3 * i) =
        model.masses[i] * v[i] + duration * force(i) - Eigen::Map<const Vec3>(work.solution.data() + 3 * i);
  });
  for (const ports::AttachedMass& piece : work.bodies.attached)
    Eigen::Map<Vec3>(work.rhs.data() + 3 * std::size_t{piece.vertex}) += piece.mass * piece.velocity;
  const StepReport report = solve_change(model, params, work);
  parallel_for(model.vertex_count,
               [&](std::size_t i) { v_new[i] += Eigen::Map<const Vec3>(work.solution.data() + 3 * i); });
  return report;
}

}  // namespace selkie::mass_spring
