// See mass_spring_system.h.
#include "selkie/sim/systems/mass_spring_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/sim/event_arguments.h"
#include "selkie/solids/mass_spring/body_contacts.h"
#include "selkie/solids/mass_spring/diagnostics.h"

namespace selkie::sim {

MassSpringSystem::MassSpringSystem(std::string name, mass_spring::Model model, mass_spring::Params params,
                                   mass_spring::State state, MassSpringBody body)
    : MassSpringBase(std::move(name), std::move(model), std::move(params), std::move(state)),
      body_(std::move(body)) {
  collect_drawn_vertices();
}

void MassSpringSystem::state_was_written() {
  if (state_.grabbed_vertex >= static_cast<std::int64_t>(model_.vertex_count)) state_.grabbed_vertex = -1;
}

double MassSpringSystem::step_limit(const Environment& environment) {
  const double own = body_.fixed_step ? *body_.fixed_step : mass_spring::step_limit(model_, params_, state_, work_);
  return std::min(own, mass_spring::body_step_limit(params_, environment.bodies, state_));
}

StepReport MassSpringSystem::solve(const Environment& environment, const Interval& interval) {
  std::vector<const ports::FieldSampler*> colliders;
  for (const auto& collider : environment.colliders) colliders.push_back(collider.get());
  auto motion = [&](std::uint32_t vertex, double time) -> Vec3 {
    const std::int32_t index = body_.motion_of_vertex[vertex];
    const Vec3& rest = body_.rest_positions[vertex];
    return index < 0 ? rest : body_.motions[static_cast<std::size_t>(index)].pose(time) * rest;
  };
  mass_spring::Inputs inputs;
  inputs.gravity = environment.gravity;
  inputs.colliders = colliders;
  inputs.bodies = environment.bodies;
  if (!body_.motion_of_vertex.empty()) inputs.pinned_motion = motion;
  StepReport report = mass_spring::step(model_, params_, inputs, interval, from(), state_, work_);
  report.cfl = interval.dt() / mass_spring::stability_limit(model_, params_, state_, work_);
  return report;
}

std::optional<ports::SurfaceSamples> MassSpringSystem::surface_samples() {
  inverse_masses_ = model_.inverse_masses;
  for (std::size_t i = 0; i < inverse_masses_.size(); ++i)
    if (state_.pinned[i] || static_cast<std::int64_t>(i) == state_.grabbed_vertex) inverse_masses_[i] = 0;
  impulses_.assign(model_.vertex_count, Vec3::Zero());
  return ports::SurfaceSamples{
      state_.positions.span(), state_.velocities.span(), {}, inverse_masses_, impulses_};
}

void MassSpringSystem::accept_impulses(double dt) {
  for (std::size_t i = 0; i < impulses_.size(); ++i) {
    const Vec3 change = inverse_masses_[i] * impulses_[i];
    state_.velocities[i] += change;
    state_.positions[i] += dt * change;
  }
}

std::vector<std::string> MassSpringSystem::actions() const {
  return {"grab", "drag", "release", "impulse", "push", "kick", "pin", "unpin"};
}

void MassSpringSystem::apply(const ports::InputEvent& event) {
  const EventArguments arguments(event);
  auto vertex = [&] {
    return arguments.has("point")
               ? mass_spring::nearest_vertex(state_, arguments.vector("point"))
               : static_cast<std::uint32_t>(arguments.index("vertex", model_.vertex_count));
  };
  if (event.action == "grab") {
    mass_spring::grab(state_, vertex(), arguments.vector("target"));
  } else if (event.action == "drag") {
    const Vec3 target = arguments.vector("target");
    if (state_.grabbed_vertex >= 0) state_.grab_target = target;  // late mouse events find nothing: harmless
  } else if (event.action == "release") {
    mass_spring::release(state_);
  } else if (event.action == "impulse") {
    const std::uint32_t hit = vertex();
    add_velocity(hit, model_.inverse_masses[hit] * arguments.vector("impulse"));
  } else if (event.action == "push") {
    const GaussianPush push(arguments);
    for (std::uint32_t i = 0; i < model_.vertex_count; ++i) add_velocity(i, push.at(state_.positions[i]));
  } else if (event.action == "kick") {
    constexpr double kFastest = 1000;  // m/s
    const Vec3 velocity = arguments.vector("velocity", kFastest);
    for (std::uint32_t i = 0; i < model_.vertex_count; ++i) add_velocity(i, velocity);
  } else if (event.action == "pin") {
    mass_spring::pin(state_, vertex());
  } else if (event.action == "unpin") {
    mass_spring::unpin(state_, vertex());
  } else {
    System::apply(event);
  }
}

void MassSpringSystem::add_velocity(std::uint32_t vertex, const Vec3& change) {
  if (!state_.pinned[vertex]) state_.velocities[vertex] += change;
}

Figures MassSpringSystem::figures(const Environment& environment) {
  const mass_spring::Diagnostics d = mass_spring::diagnose(model_, params_, environment.gravity, state_);
  return {{"energy", d.total_energy()},   {"kinetic", d.kinetic_energy},
          {"elastic", d.elastic_energy},  {"gravity", d.gravitational_energy},
          {"max_stretch", d.max_stretch}, {"max_compression", d.max_compression},
          {"max_speed", d.max_speed}};
}

// The vertices that triangles (or, without any, springs) use, renumbered in ascending order.
void MassSpringSystem::collect_drawn_vertices() {
  std::vector<std::uint32_t> number(model_.vertex_count, UINT32_MAX);
  const bool lines = body_.triangles.empty();
  for (const geometry::Triangle& t : body_.triangles)
    for (std::uint32_t v : t) number[v] = 0;
  if (lines) std::fill(number.begin(), number.end(), 0);
  for (std::uint32_t v = 0; v < model_.vertex_count; ++v)
    if (number[v] == 0) {
      number[v] = static_cast<std::uint32_t>(drawn_vertices_.size());
      drawn_vertices_.push_back(v);
    }
  for (const geometry::Triangle& t : body_.triangles)
    drawn_triangles_.push_back({number[t[0]], number[t[1]], number[t[2]]});
  if (lines)
    for (const auto& ends : model_.springs) drawn_lines_.push_back({number[ends[0]], number[ends[1]]});
}

std::vector<ports::Drawable> MassSpringSystem::drawables() {
  vertex_strain_.assign(model_.vertex_count, 0);
  for (std::size_t s = 0; s < model_.spring_count(); ++s) {
    const auto [i, j] = model_.springs[s];
    const double rest = model_.rest_lengths[s];
    if (rest <= 0) continue;
    const double strain = std::abs((state_.positions[j] - state_.positions[i]).norm() / rest - 1);
    vertex_strain_[i] = std::max(vertex_strain_[i], strain);
    vertex_strain_[j] = std::max(vertex_strain_[j], strain);
  }
  const std::size_t count = drawn_vertices_.size();
  drawn_positions_.resize(count), drawn_velocities_.resize(count), drawn_strain_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    drawn_positions_[k] = state_.positions[drawn_vertices_[k]];
    drawn_velocities_[k] = state_.velocities[drawn_vertices_[k]];
    drawn_strain_[k] = vertex_strain_[drawn_vertices_[k]];
  }
  const std::vector<ports::Attribute> attributes{
      {"velocity", "m/s", 3, {drawn_velocities_.empty() ? nullptr : drawn_velocities_[0].data(), 3 * count}},
      {"strain", "", 1, drawn_strain_}};
  ports::Drawable drawable;
  drawable.name = name();
  drawable.colour = body_.colour;
  if (drawn_triangles_.empty())
    drawable.shape = ports::Curves{drawn_positions_, drawn_lines_, 0, attributes};
  else
    drawable.shape = ports::TriangleSurface{drawn_positions_, drawn_triangles_, attributes};
  return {drawable};
}

Estimate MassSpringSystem::estimate() {
  const double vertices = model_.vertex_count, springs = static_cast<double>(model_.spring_count());
  double state_bytes = 0;
  for (const ArrayRef& array : state()) state_bytes += static_cast<double>(array.bytes());
  Estimate estimate;
  estimate.size = fmt::format("{} vertices, {} springs", model_.vertex_count, model_.spring_count());
  // Model 40 B a spring and 32 B a tetrahedron of the inversion guard, Work about 250 B a vertex, and for
  // implicit integrators a block matrix and its factor.
  const bool implicit = params_.integrator >= mass_spring::Integrator::implicit_euler;
  estimate.memory_bytes = 3 * state_bytes + 40 * springs +
                          36 * static_cast<double>(model_.guard.tets.size()) + 250 * vertices +
                          (implicit ? 230 * springs + 400 * vertices : 0);
  return estimate;
}

}  // namespace selkie::sim
