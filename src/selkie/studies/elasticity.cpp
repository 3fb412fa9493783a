// See elasticity.h.
#include "selkie/studies/elasticity.h"

#include <fmt/format.h>

#include "selkie/geometry/generators.h"
#include "selkie/studies/elasticity_cases.h"

namespace selkie::studies {
namespace elasticity_cases {

std::string number(double value, int digits) { return fmt::format("{:.{}g}", value, digits); }

fem::Model box(const Vec3& size, std::array<int, 3> divisions, double density) {
  return fem::from_tets(geometry::tet_box({Vec3::Zero(), size, divisions}), density);
}

fem::Model rectangle(double length, double height, int nx, int ny) {
  geometry::SheetShape shape;
  shape.center = Vec3(length / 2, height / 2, 0);
  shape.size = {length, height};
  shape.divisions = {nx, ny};
  shape.u = Vec3::UnitX();
  shape.v = Vec3::UnitY();
  return fem::from_triangles(geometry::sheet(shape), 1000, 1);
}

fem::Params exact_params(fem::Law law, double young, double poisson) {
  fem::Params params;
  params.law = law;
  params.young = young;
  params.poisson = poisson;
  params.integrator = fem::Integrator::backward_euler_newton;
  params.solver = fem::Solver::cholesky;
  params.tolerance = 1e-10;
  params.newton_tolerance = 1e-9;
  params.newton_iterations = 100;
  return params;
}

void pin_where(const fem::Model& model, fem::State& state, const std::function<bool(const Vec3&)>& where) {
  for (std::uint32_t i = 0; i < model.vertex_count; ++i)
    if (where(model.rest_positions[i])) fem::pin(state, i);
}

bool find_rest(const fem::Model& model, const fem::Params& params, std::span<const Vec3> forces,
               fem::State& state, fem::PinnedMotion pinned) {
  constexpr double kLong = 1e3;  // s
  fem::Work work;
  fem::State to = state;
  fem::Inputs inputs;
  inputs.gravity = Vec3::Zero();
  inputs.forces = forces;
  inputs.pinned_motion = pinned;
  const StepReport report = fem::step(model, params, inputs, {0, 1, kLong}, state, to, work);
  state = to;
  for (Vec3& v : state.velocities) v.setZero();
  return report.ok;
}

}  // namespace elasticity_cases

StudyResult elasticity(const StudyOptions& options) {
  using namespace elasticity_cases;
  return {{derivative_table(),
           constraint_derivative_table(),
           rotation_table(),
           stretch_table(),
           unit_tet_table(),
           null_mode_table(),
           patch_table(),
           vibration_table(),
           volume_table(),
           small_beam_table(options.full),
           locking_table(),
           large_beam_table(options.full),
           contact_table(),
           position_figure_table(),
           compliance_table(),
           catenary_table(),
           global_solver_table(),
           bending_mode_table(options.full),
           matching_table(),
           matching_recovery_table(),
           altitude_table(options.full),
           altitude_recovery_table(),
           recovery_table()}};
}

}  // namespace selkie::studies
