// See elastic_system.h.
#include "selkie/sim/systems/elastic_system.h"

#include <fmt/format.h>

#include <algorithm>

#include "selkie/ports/body_contact.h"
#include "selkie/solids/fem/diagnostics.h"
#include "selkie/solids/fem/response.h"

namespace selkie::sim {

ElasticSystem::ElasticSystem(std::string name, fem::Model model, fem::Params params, fem::State state,
                             DeformableBody body)
    : ElasticBase(std::move(name), std::move(model), std::move(params), std::move(state)),
      body_(std::move(body)),
      drawn_(model_.vertex_count, body_, {}) {}

void ElasticSystem::state_was_written() {
  if (state_.grabbed_vertex >= static_cast<std::int64_t>(model_.vertex_count)) state_.grabbed_vertex = -1;
}

double ElasticSystem::step_limit(const Environment& environment) {
  const double own = body_.fixed_step ? *body_.fixed_step : fem::step_limit(model_, params_);
  return std::min(own, ports::body_step_limit(environment.bodies, params_.contact_thickness, state_.positions,
                                              state_.velocities));
}

StepReport ElasticSystem::solve(const Environment& environment, const Interval& interval) {
  std::vector<const ports::FieldSampler*> colliders;
  for (const auto& collider : environment.colliders) colliders.push_back(collider.get());
  auto motion = [&](std::uint32_t vertex, double time) -> Vec3 {
    return body_.pinned_position(vertex, time);
  };
  fem::Inputs inputs;
  inputs.gravity = environment.gravity;
  inputs.colliders = colliders;
  inputs.bodies = environment.bodies;
  if (!body_.motion_of_vertex.empty()) inputs.pinned_motion = motion;
  surroundings_.note(environment, interval, params_.contact_thickness);
  StepReport report = fem::step(model_, params_, inputs, interval, from(), state_, work_);
  report.cfl = interval.dt() / fem::stability_limit(model_, params_);
  return report;
}

std::optional<ports::SurfaceSamples> ElasticSystem::surface_samples() {
  return impulses_.samples(state_, model_.inverse_masses);
}

void ElasticSystem::accept_impulses(double dt) { impulses_.accept(dt, state_); }

ports::DeformableSolid* ElasticSystem::deformable_solid() {
  if (model_.dimension == 2) return nullptr;  // a sheet in its plane has no inside
  if (!contact_side_)
    contact_side_ = std::make_unique<ContactSide<fem::State>>(
        body_, model_.inverse_masses, at_sync_start(), state_, surroundings_,
        [this](double dt, std::span<const ports::HeldVertex> held) {
          return fem::prepare_response(model_, params_, dt, state_, held, work_);
        },
        [this](double dt, std::span<const Vec3> p, std::span<Vec3> change) {
          return fem::respond(model_, params_, dt, p, change, work_);
        });
  return contact_side_.get();
}

void ElasticSystem::apply(const ports::InputEvent& event) {
  if (!apply_body_action(event, model_.inverse_masses, state_)) System::apply(event);
}

Figures ElasticSystem::figures(const Environment& environment) {
  const fem::Diagnostics d = fem::diagnose(model_, params_, environment.gravity, state_);
  return {{"energy", d.total_energy()},  {"kinetic", d.kinetic_energy},
          {"elastic", d.elastic_energy}, {"gravity", d.gravitational_energy},
          {"volume", d.volume},          {"inverted", static_cast<double>(d.inverted)},
          {"max_speed", d.max_speed}};
}

std::vector<ports::Drawable> ElasticSystem::drawables() {
  vertex_stress_.resize(model_.vertex_count);
  fem::vertex_stress(model_, params_, state_.positions, vertex_stress_);
  ports::Drawable drawable = drawn_.draw(state_.positions, state_.velocities, "stress", "Pa", vertex_stress_);
  drawable.name = name();
  drawable.colour = body_.colour;
  return {drawable};
}

Estimate ElasticSystem::estimate() {
  const double vertices = model_.vertex_count, elements = static_cast<double>(model_.element_count);
  const double edges = static_cast<double>(model_.pattern->slot_count());
  double state_bytes = 0;
  for (const ArrayRef& array : state()) state_bytes += static_cast<double>(array.bytes());
  Estimate estimate;
  estimate.size = fmt::format("{} vertices, {} {}", model_.vertex_count, model_.element_count,
                              model_.dimension == 3 ? "tetrahedra" : "triangles");
  // Model 130 B a tetrahedron and 12 B an edge, Work about 500 B a vertex and up to 300 B a tetrahedron, and
  // the block matrix of direct solves with some fill.
  estimate.memory_bytes = 3 * state_bytes + 430 * elements + 12 * edges + 500 * vertices;
  if (params_.solver != fem::Solver::pcg) estimate.memory_bytes += 300 * edges;
  return estimate;
}

}  // namespace selkie::sim
