// See shape_matching_system.h.
#include "selkie/sim/systems/shape_matching_system.h"

#include <fmt/format.h>

#include <algorithm>

#include "selkie/solids/shape_matching/diagnostics.h"

namespace selkie::sim {

ShapeMatchingSystem::ShapeMatchingSystem(std::string name, shape_matching::Model model,
                                         shape_matching::Params params, shape_matching::State state,
                                         DeformableBody body, std::vector<CrowdPart> parts)
    : ShapeMatchingBase(std::move(name), std::move(model), std::move(params), std::move(state)),
      body_(std::move(body)),
      parts_(std::move(parts)) {
  for (const CrowdPart& part : parts_) drawn_.emplace_back(model_.vertex_count, part.triangles, part.lines);
}

void ShapeMatchingSystem::state_was_written() { ports::check_hand(state_); }

double ShapeMatchingSystem::step_limit(const Environment& environment) {
  const double own = body_.fixed_step
                         ? *body_.fixed_step
                         : shape_matching::step_limit(model_, params_, environment.gravity, state_);
  return std::min(own, shape_matching::body_step_limit(model_, environment.bodies, state_));
}

StepReport ShapeMatchingSystem::solve(const Environment& environment, const Interval& interval) {
  std::vector<const ports::FieldSampler*> colliders;
  for (const auto& collider : environment.colliders) colliders.push_back(collider.get());
  const shape_matching::State& start = from();
  auto motion = [&](std::uint32_t vertex, double time) -> Vec3 {
    return body_.pinned_position(vertex, time, start.positions[vertex]);
  };
  shape_matching::Inputs inputs;
  inputs.gravity = environment.gravity;
  inputs.colliders = colliders;
  inputs.bodies = environment.bodies;
  if (!body_.motion_of_vertex.empty()) inputs.pinned_motion = motion;
  surroundings_.note(environment, interval, *std::max_element(model_.radii.begin(), model_.radii.end()));
  return shape_matching::step(model_, params_, inputs, interval, start, state_, work_);
}

std::optional<ports::SurfaceSamples> ShapeMatchingSystem::surface_samples() {
  return impulses_.samples(state_, model_.inverse_masses);
}

void ShapeMatchingSystem::accept_impulses(double dt) { impulses_.accept(dt, state_); }

ports::DeformableSolid* ShapeMatchingSystem::deformable_solid() {
  if (!contact_side_) {
    answer_ =
        std::make_unique<RigidAnswer>(model_.body_begin, std::vector<std::uint8_t>(model_.body_count(), 1));
    contact_side_ = std::make_unique<ContactSide<shape_matching::State>>(
        body_, model_.inverse_masses, at_sync_start(), state_, surroundings_, *answer_);
  }
  return contact_side_.get();
}

void ShapeMatchingSystem::apply(const ports::InputEvent& event) {
  if (!apply_body_action(event, body_, model_.inverse_masses, state_)) System::apply(event);
}

Figures ShapeMatchingSystem::figures(const Environment& environment) {
  const shape_matching::Diagnostics d = shape_matching::diagnose(model_, environment.gravity, state_);
  return {{"energy", d.kinetic_energy + d.gravitational_energy},
          {"kinetic", d.kinetic_energy},
          {"gravity", d.gravitational_energy},
          {"shape_error", d.shape_error},
          {"plastic_strain", d.plastic_strain},
          {"max_speed", d.max_speed}};
}

// Vertices keep a radius from everything, so that is where the skin is drawn: bodies that touch are seen to
// touch.
std::vector<ports::Drawable> ShapeMatchingSystem::drawables() {
  errors_.resize(model_.vertex_count);
  shape_matching::vertex_errors(model_, state_, errors_);
  const std::vector<Vec3> normals = geometry::vertex_normals(state_.positions, model_.surface);
  skin_.assign(state_.positions.begin(), state_.positions.end());
  for (std::size_t i = 0; i < skin_.size(); ++i)
    if (const std::uint32_t b = model_.body_of_vertex[i]; model_.has_inside[b] != 0)
      skin_[i] += model_.radii[b] * normals[i];
  std::vector<ports::Drawable> drawables;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    ports::Drawable drawable = drawn_[p].draw(skin_, state_.velocities, "error", "m", errors_);
    drawable.name = parts_[p].name.empty() ? name() : name() + "-" + parts_[p].name;
    drawable.colour = parts_[p].colour;
    drawables.push_back(std::move(drawable));
  }
  return drawables;
}

Estimate ShapeMatchingSystem::estimate() {
  double state_bytes = 0;
  for (const ArrayRef& array : state()) state_bytes += static_cast<double>(array.bytes());
  Estimate estimate;
  estimate.size = fmt::format("{} bodies, {} vertices, {} clusters", model_.body_count(), model_.vertex_count,
                              model_.cluster_count());
  // Model 900 B a cluster and 80 B a vertex; Work 300 B a vertex with its neighbours and 500 B a cluster.
  estimate.memory_bytes =
      3 * state_bytes + 380.0 * model_.vertex_count + 1400.0 * static_cast<double>(model_.cluster_count());
  return estimate;
}

}  // namespace selkie::sim
