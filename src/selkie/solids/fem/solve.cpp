// Conjugate gradients without a matrix, or the sparse direct solver.
#include "selkie/solids/fem/solve.h"

#include <Eigen/LU>
#include <algorithm>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/solids/fem/coarse.h"
#include "selkie/solids/fem/constraints.h"
#include "selkie/solids/fem/elements.h"

namespace selkie::fem {
namespace {

// Up to this many vertices a factorisation costs no more than the iterations it saves.
constexpr std::size_t kSmallBody = 500;
// Fill of the factor grows faster than the mesh: for a solid body of this many vertices it is about 1 GB.
constexpr std::size_t kLargestDirect = 30000;

// A factor that serves thirty right sides pays for larger bodies than one that serves one.
constexpr std::size_t kLargestKept = 4000;

constexpr std::size_t kVertexBlock = 1024;

class StiffnessOperator final : public linalg::Operator {
 public:
  StiffnessOperator(const Model& model, const SystemWeights& weights, Work& work)
      : model_(model), weights_(weights), work_(work) {}
  std::size_t size() const override { return 3 * std::size_t{model_.vertex_count}; }
  void apply(std::span<const double> x, std::span<double> y) const override { apply_dot(x, y); }
  double apply_dot(std::span<const double> x, std::span<double> y) const override {
    stiffness_product(model_, work_.tangent, x.data(), work_);
    return sum_blocks(
        model_.vertex_count,
        [&](std::size_t begin, std::size_t end) {
          double sum = 0;
          for (std::size_t i = begin; i < end; ++i) {
            const Eigen::Map<const Vec3> xi(x.data() + 3 * i);
            Vec3 row = weights_.mass * model_.masses[i] * xi + weights_.stiffness * work_.sums[i].head<3>();
            if (const std::int32_t c = work_.attached.at(i); c >= 0)
              row += work_.attached.masses[static_cast<std::size_t>(c)] * xi;
            const Vec3 yi = project(work_.constraints, i, row);
            Eigen::Map<Vec3>(y.data() + 3 * i) = yi;
            sum += xi.dot(yi);
          }
          return sum;
        },
        kVertexBlock);
  }

 private:
  const Model& model_;
  SystemWeights weights_;
  Work& work_;
};

// Inverses of the diagonal blocks, S (S A_ii S + …)⁻¹ S.
void refresh_preconditioner(const Model& model, const SystemWeights& weights, Work& work) {
  stiffness_diagonal(model, work.tangent, work);
  work.inverse_diagonal.resize(model.vertex_count);
  parallel_for(
      model.vertex_count,
      [&](std::size_t i) {
        Mat3 block = weights.stiffness * work.diagonal[i];
        block.diagonal().array() += weights.mass * model.masses[i];
        if (const std::int32_t k = work.attached.at(i); k >= 0)
          block += work.attached.masses[static_cast<std::size_t>(k)];
        const std::int32_t c = work.constraints.of_vertex[i];
        if (c < 0) {
          work.inverse_diagonal[i] = block.inverse();
          return;
        }
        const Mat3& s = work.constraints.projectors[static_cast<std::size_t>(c)];
        const Mat3 kept = s * block * s + block.trace() / 3 * (Mat3::Identity() - s);
        work.inverse_diagonal[i] = s * kept.inverse() * s;
      },
      kVertexBlock);
}

// Block Jacobi, and the answer of the coarse space where there is one.
class TwoLevel final : public linalg::Preconditioner {
 public:
  TwoLevel(const Model& model, bool coarse, Work& work) : model_(model), coarse_(coarse), work_(work) {}
  void apply(std::span<const double> r, std::span<double> z) const override {
    parallel_for(
        work_.inverse_diagonal.size(),
        [&](std::size_t i) {
          Eigen::Map<Vec3>(z.data() + 3 * i) =
              work_.inverse_diagonal[i] * Eigen::Map<const Vec3>(r.data() + 3 * i);
        },
        kVertexBlock);
    if (coarse_) add_coarse_correction(model_, r, z, work_);
  }

 private:
  const Model& model_;
  bool coarse_;
  Work& work_;
};

void prepare_iterations(const Model& model, const SystemWeights& weights, Work& work) {
  refresh_preconditioner(model, weights, work);
  work.two_levels = model.coarse.node_count() > 0 && refresh_coarse(model, weights, work);
}

linalg::SolveReport iterate(const Model& model, const Params& params, const SystemWeights& weights,
                            Work& work) {
  linalg::PcgOptions options;
  options.tolerance = params.tolerance;
  options.max_iterations = params.max_iterations;
  options.keep_history = false;
  options.verify_residual = !params.real_time;
  work.solution.assign(work.rhs.size(), 0);
  return linalg::pcg(StiffnessOperator(model, weights, work), TwoLevel(model, work.two_levels, work),
                     work.rhs, work.solution, options, work.pcg);
}

linalg::SolveReport solve_iteratively(const Model& model, const Params& params, const SystemWeights& weights,
                                      Work& work) {
  const ProfileZone zone("fem.pcg");
  prepare_iterations(model, weights, work);
  return iterate(model, params, weights, work);
}

bool factorise(const Model& model, const SystemWeights& weights, Work& work) {
  if (!work.matrix) work.matrix = std::make_unique<linalg::BlockSparseSymmetric<3>>(model.pattern);
  assemble(model, work.tangent, weights.mass, weights.stiffness, *work.matrix, work);
  for (std::size_t i = 0; i < work.attached.of_vertex.size(); ++i)
    if (const std::int32_t c = work.attached.of_vertex[i]; c >= 0)
      work.matrix->add_diagonal(i, work.attached.masses[static_cast<std::size_t>(c)]);
  if (!work.constraints.projectors.empty())
    work.matrix->project(work.constraints.of_vertex, work.constraints.projectors);
  return work.cholesky.factorize(*work.matrix);
}

linalg::SolveReport solve_factorised(const Params& params, Work& work) {
  work.solution.resize(work.rhs.size());
  linalg::CholeskyOptions options;
  options.tolerance = params.tolerance;
  return work.cholesky.solve(work.rhs, work.solution, options);
}

linalg::SolveReport solve_directly(const Model& model, const Params& params, const SystemWeights& weights,
                                   Work& work) {
  const ProfileZone zone("fem.cholesky");
  if (factorise(model, weights, work)) return solve_factorised(params, work);
  linalg::SolveReport failed;
  failed.reason = linalg::StopReason::factorization_failed;
  return failed;
}

linalg::SolveReport solve_somehow(const Model& model, const Params& params, const SystemWeights& weights,
                                  Work& work) {
  if (model.vertex_count <= kSmallBody && !params.real_time)
    return solve_directly(model, params, weights, work);
  linalg::SolveReport report = solve_iteratively(model, params, weights, work);
  if (report.converged() || params.real_time || model.vertex_count > kLargestDirect) return report;
  const int iterations = report.iterations;
  report = solve_directly(model, params, weights, work);
  report.iterations += iterations;
  return report;
}

}  // namespace

StepReport solve_change(const Model& model, const Params& params, const SystemWeights& weights, Work& work) {
  if (!work.constraints.projectors.empty())
    parallel_for(model.vertex_count, [&](std::size_t i) {
      Eigen::Map<Vec3> row(work.rhs.data() + 3 * i);
      row = project(work.constraints, i, row);
    });
  linalg::SolveReport solved;
  switch (params.solver) {
    case Solver::automatic:
      solved = solve_somehow(model, params, weights, work);
      break;
    case Solver::pcg:
      solved = solve_iteratively(model, params, weights, work);
      break;
    case Solver::cholesky:
      solved = solve_directly(model, params, weights, work);
      break;
  }
  StepReport report;
  report.iterations = solved.iterations;
  report.residual = solved.residual;
  const bool capped = params.real_time && solved.reason == linalg::StopReason::iteration_limit;
  if (!solved.converged() && !capped) {
    report.ok = false;
    report.trouble = "the velocity solve did not converge: " + solved.text();
  }
  return report;
}

namespace {

bool keeps_factor(const Model& model, const Params& params) {
  return params.solver == Solver::cholesky ||
         (params.solver == Solver::automatic && model.vertex_count <= kLargestKept);
}

}  // namespace

StepReport prepare_solves(const Model& model, const Params& params, const SystemWeights& weights,
                          Work& work) {
  if (!keeps_factor(model, params)) {
    prepare_iterations(model, weights, work);
    return {};
  }
  return factorise(model, weights, work) ? StepReport{}
                                         : StepReport::failure("a matrix is not positive definite");
}

StepReport solve_prepared(const Model& model, const Params& params, const SystemWeights& weights,
                          Work& work) {
  StepReport report;
  if (keeps_factor(model, params)) {
    if (!solve_factorised(params, work).converged()) report = StepReport::failure("a contact solve failed");
    return report;
  }
  // What the cap leaves undone is only a body that gives way a little less; not a step that failed.
  Params rough = params;
  rough.tolerance = std::max(params.tolerance, 1e-4);
  rough.real_time = true;
  const linalg::SolveReport solved = iterate(model, rough, weights, work);
  report.iterations = solved.iterations;
  return report;
}

}  // namespace selkie::fem
