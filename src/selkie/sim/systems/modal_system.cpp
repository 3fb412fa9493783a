// See modal_system.h.
#include "selkie/sim/systems/modal_system.h"

#include <fmt/format.h>

#include "selkie/sim/event_arguments.h"
#include "selkie/sim/systems/deformable_body.h"
#include "selkie/solids/modal/diagnostics.h"
#include "selkie/solids/modal/skin.h"

namespace selkie::sim {

ModalSystem::ModalSystem(std::string name, modal::Model model, modal::Params params, modal::State state,
                         Vec3 colour)
    : ModalBase(std::move(name), std::move(model), std::move(params), std::move(state)), colour_(colour) {
  for (std::size_t b = 0; b < state_.count(); ++b) {
    const auto first = static_cast<std::uint32_t>(b * model_.vertex_count);
    for (const geometry::Triangle& t : model_.triangles)
      triangles_.push_back({first + t[0], first + t[1], first + t[2]});
  }
}

void ModalSystem::state_was_written() {
  auto below = [](std::int64_t i, std::size_t count) { return i < static_cast<std::int64_t>(count); };
  const bool held = state_.grabbed_body >= 0 && state_.grabbed_vertex >= 0;
  if (!held || !below(state_.grabbed_body, state_.count()) ||
      !below(state_.grabbed_vertex, model_.vertex_count) ||
      !below(state_.grabbed_triangle, model_.triangles.size()))
    modal::release(state_);
}

StepReport ModalSystem::solve(const Environment& environment, const Interval& interval) {
  std::vector<const ports::FieldSampler*> colliders;
  for (const auto& collider : environment.colliders) colliders.push_back(collider.get());
  modal::Inputs inputs;
  inputs.gravity = environment.gravity;
  inputs.colliders = colliders;
  inputs.solids = environment.bodies;
  surroundings_.note(environment, interval, params_.contact_thickness);
  return modal::step(model_, params_, inputs, interval, from(), state_, work_);
}

ports::DeformableSolid* ModalSystem::deformable_solid() {
  if (contact_side_)
    contact_side_->expire();
  else
    contact_side_ = std::make_unique<ModalContactSide>(model_, params_, at_sync_start(), state_,
                                                       surroundings_, triangles_);
  return contact_side_.get();
}

std::vector<std::string> ModalSystem::actions() const {
  return {"grab", "drag", "release", "impulse", "push", "kick"};
}

ModalSystem::Place ModalSystem::nearest(const Vec3& point) {
  positions_.resize(state_.count() * model_.vertex_count);
  modal::skin_all(model_, state_, 1, positions_);
  const std::uint32_t found = nearest_vertex(positions_, point);
  return {found / model_.vertex_count, found % model_.vertex_count};
}

// What was taken is a point of the surface, unless deflections are shown larger than they are.
void ModalSystem::grab(const Vec3& point, const Vec3& target) {
  positions_.resize(state_.count() * model_.vertex_count);
  modal::skin_all(model_, state_, 1, positions_);
  const geometry::SurfacePoint held = nearest_on_surface(positions_, triangles_, point);
  const std::size_t triangle = held.triangle % model_.triangles.size();
  Eigen::Index heaviest = 0;
  held.weights.maxCoeff(&heaviest);
  state_.grabbed_body = static_cast<std::int64_t>(held.triangle / model_.triangles.size());
  state_.grabbed_vertex = model_.triangles[triangle][static_cast<std::size_t>(heaviest)];
  state_.grabbed_triangle = static_cast<std::int64_t>(triangle);
  state_.grab_weights = held.weights;
  state_.grab_offset = point - held.point;
  state_.grab_target = target - state_.grab_offset;
}

void ModalSystem::apply(const ports::InputEvent& event) {
  const EventArguments arguments(event);
  const std::string& action = event.action;
  if (action == "grab") {
    const Vec3 target = arguments.vector("target");
    grab(arguments.vector("point"), target);
  } else if (action == "drag") {
    const Vec3 target = arguments.vector("target");
    if (state_.grabbed_body >= 0)  // late mouse events find nothing: harmless
      state_.grab_target = target - state_.grab_offset;
  } else if (action == "release") {
    modal::release(state_);
  } else if (action == "impulse") {
    const Place place = nearest(arguments.vector("point"));
    modal::apply_impulse(model_, state_, place.body, place.vertex, arguments.vector("impulse"));
  } else if (action == "push" && !model_.pinned) {
    const GaussianPush push(arguments);
    for (std::size_t b = 0; b < state_.count(); ++b) state_.velocities[b] += push.at(state_.positions[b]);
  } else if (action == "kick" && !model_.pinned) {
    constexpr double kFastest = 1000;  // m/s
    const Vec3 velocity = arguments.vector("velocity", kFastest);
    for (Vec3& v : state_.velocities) v += velocity;
  } else if (action != "push" && action != "kick") {  // pinned bodies stay where they are
    System::apply(event);
  }
}

Figures ModalSystem::figures(const Environment& environment) {
  const modal::Diagnostics d = modal::diagnose(model_, params_, environment.gravity, state_);
  return {{"energy", d.total_energy()},  {"kinetic", d.kinetic_energy},
          {"elastic", d.elastic_energy}, {"gravity", d.gravitational_energy},
          {"max_speed", d.max_speed},    {"displacement", d.displacement}};
}

std::vector<ports::Drawable> ModalSystem::drawables() {
  const std::size_t n = model_.vertex_count, count = state_.count() * n;
  positions_.resize(count), velocities_.resize(count), displacement_.resize(count);
  modal::skin_all(model_, state_, params_.exaggeration, positions_);
  modal::skin_velocities(model_, state_, positions_, velocities_);
  for (std::size_t b = 0; b < state_.count(); ++b) {
    const Quat turned = modal::orientation(state_, b);
    for (std::size_t i = 0; i < n; ++i)
      displacement_[b * n + i] =
          (positions_[b * n + i] - state_.positions[b] - turned * model_.rest_position(i)).norm();
  }
  ports::Drawable drawable;
  drawable.name = name();
  drawable.colour = colour_;
  drawable.shape = ports::TriangleSurface{
      positions_,
      triangles_,
      {{"velocity", "m/s", 3, {velocities_[0].data(), 3 * count}}, {"displacement", "m", 1, displacement_}}};
  return {drawable};
}

Estimate ModalSystem::estimate() {
  double bytes = 0;
  for (const ArrayRef& array : state()) bytes += static_cast<double>(array.bytes());
  Estimate estimate;
  estimate.size = fmt::format("{} bodies of {} vertices and {} modes", state_.count(), model_.vertex_count,
                              model_.mode_count);
  estimate.memory_bytes = 3 * bytes + 24.0 * static_cast<double>(model_.vertex_count * model_.mode_count) +
                          56.0 * static_cast<double>(state_.count() * model_.vertex_count);
  return estimate;
}

}  // namespace selkie::sim
