// See position_based_system.h.
#include "selkie/sim/systems/position_based_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "selkie/solids/pbd/body_contacts.h"
#include "selkie/solids/pbd/diagnostics.h"

namespace selkie::sim {

PositionBasedSystem::PositionBasedSystem(std::string name, pbd::Model model, pbd::Params params,
                                         pbd::State state, DeformableBody body,
                                         std::span<const geometry::Segment> lines)
    : PositionBasedBase(std::move(name), std::move(model), std::move(params), std::move(state)),
      body_(std::move(body)),
      drawn_(model_.vertex_count, body_.triangles, lines) {}

void PositionBasedSystem::state_was_written() { ports::check_hand(state_); }

double PositionBasedSystem::step_limit(const Environment& environment) {
  const double own = body_.fixed_step.value_or(std::numeric_limits<double>::infinity());
  return std::min(own, pbd::body_step_limit(params_, environment.bodies, state_));
}

StepReport PositionBasedSystem::solve(const Environment& environment, const Interval& interval) {
  std::vector<const ports::FieldSampler*> colliders;
  for (const auto& collider : environment.colliders) colliders.push_back(collider.get());
  const pbd::State& start = from();
  auto motion = [&](std::uint32_t vertex, double time) -> Vec3 {
    return body_.pinned_position(vertex, time, start.positions[vertex]);
  };
  pbd::Inputs inputs;
  inputs.gravity = environment.gravity;
  inputs.colliders = colliders;
  inputs.bodies = environment.bodies;
  if (!body_.motion_of_vertex.empty()) inputs.pinned_motion = motion;
  surroundings_.note(environment, interval, params_.contact_thickness);
  return pbd::step(model_, params_, inputs, interval, start, state_, work_);
}

std::optional<ports::SurfaceSamples> PositionBasedSystem::surface_samples() {
  return impulses_.samples(state_, model_.inverse_masses);
}

void PositionBasedSystem::accept_impulses(double dt) { impulses_.accept(dt, state_); }

ports::DeformableSolid* PositionBasedSystem::deformable_solid() {
  if (!contact_side_) {
    const std::uint8_t stiff = body_.tets.empty() ? 0 : 1;
    answer_ = std::make_unique<RigidAnswer>(std::vector<std::uint32_t>{0, model_.vertex_count},
                                            std::vector<std::uint8_t>{stiff});
    contact_side_ = std::make_unique<ContactSide<pbd::State>>(body_, model_.inverse_masses, at_sync_start(),
                                                              state_, surroundings_, *answer_);
  }
  return contact_side_.get();
}

void PositionBasedSystem::apply(const ports::InputEvent& event) {
  if (!apply_body_action(event, body_, model_.inverse_masses, state_)) System::apply(event);
}

Figures PositionBasedSystem::figures(const Environment& environment) {
  const pbd::Diagnostics d = pbd::diagnose(model_, params_, environment.gravity, state_);
  Figures figures{{"energy", d.total_energy()},   {"kinetic", d.kinetic_energy},
                  {"elastic", d.elastic_energy},  {"gravity", d.gravitational_energy},
                  {"max_stretch", d.max_stretch}, {"max_compression", d.max_compression},
                  {"max_speed", d.max_speed}};
  if (model_.closed.holds_volume() || model_.volumes.batch.count > 0) figures.push_back({"volume", d.volume});
  return figures;
}

std::vector<ports::Drawable> PositionBasedSystem::drawables() {
  vertex_strain_.resize(model_.vertex_count);
  pbd::vertex_strain(model_, state_.positions, vertex_strain_);
  ports::Drawable drawable = drawn_.draw(state_.positions, state_.velocities, "strain", "", vertex_strain_);
  drawable.name = name();
  drawable.colour = body_.colour;
  return {drawable};
}

Estimate PositionBasedSystem::estimate() {
  const double vertices = model_.vertex_count;
  const double links = static_cast<double>(model_.stretch.batch.count + model_.bend_links.batch.count);
  const double four = static_cast<double>(model_.hinges.batch.count + model_.volumes.batch.count);
  double state_bytes = 0;
  for (const ArrayRef& array : state()) state_bytes += static_cast<double>(array.bytes());
  Estimate estimate;
  estimate.size = fmt::format("{} vertices, {} constraints", model_.vertex_count, links + four);
  // A link has 28 B and an eighth more for idle lanes, constraints of four corners up to 68 B; a vertex about
  // 100 B of Work, and as much again for contacts.
  estimate.memory_bytes = 3 * state_bytes + 32 * links + 76 * four + 200 * vertices;
  return estimate;
}

}  // namespace selkie::sim
