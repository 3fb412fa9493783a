// Newmark's average acceleration with one linearisation, watched; see integrators.h. It keeps the energy of
// small vibrations, but a body that turns or folds far within a step may gain any amount: such a step is
// taken by backward Euler instead, and the report says so (RT-02).
#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/solids/fem/elements.h"
#include "selkie/solids/fem/integrators.h"

namespace selkie::fem {
namespace {

// Share of the energy in play that a step may gain: far above what solves to 1e-6 leave, and little enough
// that some dozens of such steps double nothing.
constexpr double kAllowedGain = 0.02;
constexpr double kUnbounded = 1e9;  // said of gains that are not finite

double kinetic_energy(const Model& model, const Buffer<Vec3>& v, const Work& work) {
  return deterministic_sum(model.vertex_count, [&](std::size_t i) {
    return work.kinematic[i] != 0 ? 0.0 : 0.5 * model.masses[i] * v[i].squaredNorm();
  });
}

// J: what loads did to free vertices, and driven vertices to the elements they pull; sizes are summed apart,
// since parts may cancel.
struct WorkDone {
  double sum = 0, size = 0;
};
WorkDone work_done(const Model& model, const Params& params, double h, const State& from, const State& to,
                   Work& work) {
  // Elastic forces at the middle of the step as the solve saw them: F(x) − (½h + τ_K) K v̄.
  Buffer<Vec3>& mean = work.stage_velocities;
  mean.resize(model.vertex_count);
  parallel_for(model.vertex_count,
               [&](std::size_t i) { mean[i] = (to.positions[i] - from.positions[i]) / h; });
  stiffness_product(model, work.tangent, mean.data()->data(), work);
  auto part = [&](std::size_t i) {
    if (work.kinematic[i] == 0) return h * work.loads[i].dot(mean[i]);
    const Vec3 elastic = work.forces[i] - work.loads[i];
    return -h * (elastic - (0.5 * h + params.stiffness_damping) * work.sums[i].head<3>()).dot(mean[i]);
  };
  return {deterministic_sum(model.vertex_count, part),
          deterministic_sum(model.vertex_count, [&](std::size_t i) { return std::abs(part(i)); })};
}

}  // namespace

double gain_over_allowed(const Model& model, const Params& params, double gained, double in_play) {
  const double round_off = 1e-20 * params.young * model.volume;  // of strains of 1e-10
  const double ratio = gained / (kAllowedGain * in_play + round_off);
  return std::isfinite(ratio) ? ratio : kUnbounded;
}

StepReport average_acceleration(const Model& model, const Params& params, double h, const State& from,
                                State& to, Work& work) {
  StepReport report = linear_step(model, params, h, 0.5, from, to, work);
  if (!report.ok) return report;
  const double before =
      kinetic_energy(model, from.velocities, work) + elastic_energy(model, params, from.positions);
  const double after =
      kinetic_energy(model, to.velocities, work) + elastic_energy(model, params, to.positions);
  const WorkDone done = work_done(model, params, h, from, to, work);
  const double gain = gain_over_allowed(model, params, after - before - done.sum, before + done.size);
  if (gain <= 1) return report;
  report = backward_euler(model, params, h, from, to, work);
  report.cfl = gain;
  return report;
}

}  // namespace selkie::fem
