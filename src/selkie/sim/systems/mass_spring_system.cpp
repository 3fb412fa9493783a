// See mass_spring_system.h.
#include "selkie/sim/systems/mass_spring_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/ports/body_contact.h"
#include "selkie/solids/mass_spring/contacts.h"
#include "selkie/solids/mass_spring/diagnostics.h"
#include "selkie/solids/mass_spring/response.h"
#include "selkie/solids/mass_spring/tangent.h"

namespace selkie::sim {

MassSpringSystem::MassSpringSystem(std::string name, mass_spring::Model model, mass_spring::Params params,
                                   mass_spring::State state, MassSpringBody body)
    : MassSpringBase(std::move(name), std::move(model), std::move(params), std::move(state)),
      body_(std::move(body)),
      drawn_(model_.vertex_count, body_, model_.springs) {}

void MassSpringSystem::state_was_written() {
  ports::check_hand(state_);
  forget_limit();
}

// Sync steps begin with a limit found anew, so that what is kept depends on their first state alone.
void MassSpringSystem::save() {
  MassSpringBase::save();
  forget_limit();
}
void MassSpringSystem::restore() {
  MassSpringBase::restore();
  forget_limit();
}
void MassSpringSystem::forget_limit() {
  kept_limit_.forget();
  limit_now_.reset();
}

void* MassSpringSystem::params() {  // whoever asks may change them
  forget_limit();
  return MassSpringBase::params();
}

double MassSpringSystem::step_limit(const Environment& environment) {
  double own = 0;
  if (body_.fixed_step) {
    own = *body_.fixed_step;
  } else {
    limit_now_ = mass_spring::stability_limit(model_, params_, state_, kept_limit_, work_);
    own = mass_spring::margin_below(*limit_now_);
    if (!environment.colliders.empty())
      own = std::min(own, mass_spring::contact_step_limit(model_, params_, environment.gravity, state_));
  }
  return std::min(own, ports::body_step_limit(environment.bodies, params_.contact_thickness, state_.positions,
                                              state_.velocities));
}

StepReport MassSpringSystem::solve(const Environment& environment, const Interval& interval) {
  std::vector<const ports::FieldSampler*> colliders;
  for (const auto& collider : environment.colliders) colliders.push_back(collider.get());
  const mass_spring::State& start = from();
  auto motion = [&](std::uint32_t vertex, double time) -> Vec3 {
    return body_.pinned_position(vertex, time, start.positions[vertex]);
  };
  mass_spring::Inputs inputs;
  inputs.gravity = environment.gravity;
  inputs.colliders = colliders;
  inputs.bodies = environment.bodies;
  if (!body_.motion_of_vertex.empty()) inputs.pinned_motion = motion;
  surroundings_.note(environment, interval, params_.contact_thickness);
  const double limit =
      limit_now_ ? *limit_now_ : mass_spring::stability_limit(model_, params_, state_, kept_limit_, work_);
  StepReport report = mass_spring::step(model_, params_, inputs, interval, start, state_, work_);
  report.cfl = interval.dt() / limit;
  limit_now_.reset();
  kept_limit_.age += interval.dt();
  if (body_.fixed_step && !told_limit_)
    if (const std::string warning = fixed_step_warning(interval.dt(), limit); !warning.empty()) {
      told_limit_ = true;
      log_warning(fmt::format("'{}': {}", name(), warning));
    }
  return report;
}

std::optional<ports::SurfaceSamples> MassSpringSystem::surface_samples() {
  return impulses_.samples(state_, model_.inverse_masses);
}

void MassSpringSystem::accept_impulses(double dt) { impulses_.accept(dt, state_); }

std::vector<std::string> MassSpringSystem::actions() const { return body_actions(); }

ports::DeformableSolid* MassSpringSystem::deformable_solid() {
  if (!contact_side_)
    contact_side_ = std::make_unique<ContactSide<mass_spring::State>>(
        body_, model_.inverse_masses, at_sync_start(), state_, surroundings_,
        [this](double dt, std::span<const ports::HeldVertex> held) {
          return mass_spring::prepare_response(model_, params_, dt, state_, held, work_);
        },
        [this](double, std::span<const Vec3> p, std::span<Vec3> change) {
          return mass_spring::respond(model_, params_, p, change, work_);
        });
  return contact_side_.get();
}

void MassSpringSystem::apply(const ports::InputEvent& event) {
  forget_limit();
  if (!apply_body_action(event, body_, model_.inverse_masses, state_)) System::apply(event);
}

Figures MassSpringSystem::figures(const Environment& environment) {
  const mass_spring::Diagnostics d = mass_spring::diagnose(model_, params_, environment.gravity, state_);
  return {{"energy", d.total_energy()},   {"kinetic", d.kinetic_energy},
          {"elastic", d.elastic_energy},  {"gravity", d.gravitational_energy},
          {"max_stretch", d.max_stretch}, {"max_compression", d.max_compression},
          {"max_speed", d.max_speed}};
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
  ports::Drawable drawable = drawn_.draw(state_.positions, state_.velocities, "strain", "", vertex_strain_);
  drawable.name = name();
  drawable.colour = body_.colour;
  return {drawable};
}

Estimate MassSpringSystem::estimate() {
  const double vertices = model_.vertex_count, springs = static_cast<double>(model_.spring_count());
  double state_bytes = 0;
  for (const ArrayRef& array : state()) state_bytes += static_cast<double>(array.bytes());
  Estimate estimate;
  estimate.size = fmt::format("{} vertices, {} springs", model_.vertex_count, model_.spring_count());
  // Model 40 B a spring and 36 B a tetrahedron of the inversion guard, Work about 250 B a vertex, for
  // implicit integrators a block matrix and an incomplete factor of its pattern, for others the bounds of the
  // step limit; and the factor of a direct solve.
  const bool implicit = params_.integrator >= mass_spring::Integrator::implicit_euler;
  estimate.memory_bytes =
      3 * state_bytes + 40 * springs + 36 * static_cast<double>(model_.guard.tets.size()) + 250 * vertices +
      (implicit ? 230 * springs + 400 * vertices : 200 * vertices) +
      mass_spring::direct_solve_bytes(model_, params_, body_.fixed_step.value_or(1.0 / 24));
  if (body_.fixed_step)
    estimate.warning =
        fixed_step_warning(*body_.fixed_step, mass_spring::stability_limit(model_, params_, state_, work_));
  return estimate;
}

}  // namespace selkie::sim
