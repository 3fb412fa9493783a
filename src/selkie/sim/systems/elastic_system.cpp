// See elastic_system.h.
#include "selkie/sim/systems/elastic_system.h"

#include <fmt/format.h>

#include <algorithm>

#include "selkie/core/log.h"
#include "selkie/core/parallel.h"
#include "selkie/ports/body_contact.h"
#include "selkie/solids/fem/diagnostics.h"
#include "selkie/solids/fem/response.h"

namespace selkie::sim {

SurfaceLoad::SurfaceLoad(fem::LoadedPart part, std::span<const std::string> force,
                         const std::string& pressure)
    : part_(std::move(part)), pressure_(pressure, {"t"}) {
  for (const std::string& formula : force) force_.emplace_back(formula, std::vector<std::string>{"t"});
}

void SurfaceLoad::add(const fem::Model& model, double time, std::span<const Vec3> x,
                      std::span<Vec3> forces) const {
  if (!force_.empty()) {
    const Vec3 force(force_[0](time), force_[1](time), force_[2](time));
    fem::add_traction(model, part_, force / part_.area, forces);
  }
  fem::add_pressure(model, part_, pressure_(time), x, forces);
}

ElasticSystem::ElasticSystem(std::string name, fem::Model model, fem::Params params, fem::State state,
                             DeformableBody body)
    : ElasticBase(std::move(name), std::move(model), std::move(params), std::move(state)),
      body_(std::move(body)),
      drawn_(model_.vertex_count, body_, {}) {}

void ElasticSystem::state_was_written() { ports::check_hand(state_); }

double ElasticSystem::step_limit(const Environment& environment) {
  const double own = body_.fixed_step ? *body_.fixed_step : fem::step_limit(model_, params_);
  double wet = std::numeric_limits<double>::infinity();
  if (joint() && wetting_.reach) {
    const auto& v = state_.velocities;
    wet = wet_step_limit(wetting_, deterministic_max(v.size(), 0, [&](std::size_t i) { return v[i].norm(); }),
                         environment.gravity.norm());
  }
  return std::min({own, wet,
                   ports::body_step_limit(environment.bodies, params_.contact_thickness, state_.positions,
                                          state_.velocities)});
}

template <class Use>
StepReport ElasticSystem::with_inputs(const Environment& environment, const Interval& interval, Use&& use) {
  std::vector<const ports::FieldSampler*> colliders;
  for (const auto& collider : environment.colliders) colliders.push_back(collider.get());
  if (wetting_.tank) colliders.push_back(wetting_.tank.get());
  auto motion = [&](std::uint32_t vertex, double time) -> Vec3 {
    return body_.pinned_position(vertex, time, start_->positions[vertex]);
  };
  fem::Inputs inputs;
  inputs.gravity = environment.gravity;
  inputs.colliders = colliders;
  inputs.bodies = environment.bodies;
  if (!body_.motion_of_vertex.empty()) inputs.pinned_motion = motion;
  if (!loads_.empty()) {
    // In the middle of the step, so that forces that change evenly do the work they should.
    load_forces_.assign(model_.vertex_count, Vec3::Zero());
    const double middle = 0.5 * (interval.t0() + interval.t1());
    for (const SurfaceLoad& load : loads_)
      load.add(model_, middle, std::as_const(state_).positions.span(), load_forces_);
    inputs.forces = load_forces_;
  }
  surroundings_.note(environment, interval, params_.contact_thickness);
  if (wetting_.tank) surroundings_.colliders.push_back(wetting_.tank.get());
  StepReport report = use(inputs);
  if (report.ok && report.cfl > 1 && !told_gain_) {
    told_gain_ = true;
    log_warning(fmt::format(
        "'{}': average acceleration gained energy in the step to t = {:.4g} s; such steps are taken "
        "by backward Euler. A smaller step would avoid it",
        name(), interval.t1()));
  }
  const double limit = fem::stability_limit(model_, params_);
  report.cfl = std::max(report.cfl, interval.dt() / limit);
  if (body_.fixed_step && !told_limit_)
    if (const std::string warning = fixed_step_warning(interval.dt(), limit); !warning.empty()) {
      told_limit_ = true;
      log_warning(fmt::format("'{}': {}", name(), warning));
    }
  return report;
}

StepReport ElasticSystem::solve(const Environment& environment, const Interval& interval) {
  start_ = &from();
  return with_inputs(environment, interval, [&](const fem::Inputs& inputs) {
    return fem::step(model_, params_, inputs, interval, *start_, state_, work_);
  });
}

StepReport ElasticSystem::predict(const Environment& environment, const Interval& interval) {
  if (!joint()) return {};
  dt_ = interval.dt();
  met_bodies_ = !environment.bodies.empty();  // those of the same Group are gone before the joint solve
  answer_ = wanted_;
  start_ = &from();
  linearised_at_.assign(start_->group_forces.begin(), start_->group_forces.end());
  const StepReport report = with_inputs(environment, interval, [&](const fem::Inputs& inputs) {
    return fem::begin_coupled(model_, params_, inputs, interval, answer_, *start_, state_, moved_, work_);
  });
  if (!report.ok) return report;
  (void)wet_field();
  wet_field_->set_velocities(start_->velocities.span());  // with which it came here
  return report;
}

// v(f) + A⁻¹ h (f' − f), A of the law where v(f) leads, is what the law gives where f' = f: Newton's method
// for both, as its own iteration is for the body. Rigid bodies around it have been pushed in the first step
// and would be pushed again: with them there is no second one.
bool ElasticSystem::linearise_again(const Environment& environment, const Interval& interval,
                                    StepReport& report) {
  constexpr double kSmallChange = 1e-9;  // of the forces
  if (!joint() || params_.integrator != fem::Integrator::backward_euler_newton || met_bodies_) return false;
  linearised_at_.resize(model_.vertex_count, Vec3::Zero());
  const auto& forces = std::as_const(state_).group_forces;
  auto square = [&](auto&& of) {
    return deterministic_sum(forces.size(), [&](std::size_t i) { return of(i).squaredNorm(); });
  };
  const double size = square([&](std::size_t i) { return forces[i]; }),
               change = square([&](std::size_t i) { return Vec3(forces[i] - linearised_at_[i]); });
  if (change <= kSmallChange * kSmallChange * size) return false;
  linearised_at_.assign(forces.begin(), forces.end());
  start_again_ = *start_;
  start_again_.group_forces = state_.group_forces;
  answer_ = wanted_;
  report.merge(with_inputs(environment, interval, [&](const fem::Inputs& inputs) {
    return fem::begin_coupled(model_, params_, inputs, interval, answer_, start_again_, state_, moved_,
                              work_);
  }));
  return true;
}

void ElasticSystem::wet(Wetting wetting, fem::Answer answer) {
  wetting_ = std::move(wetting), wanted_ = answer;
}

const ports::FieldSampler& ElasticSystem::wet_field() {
  const std::span<const Vec3> positions = state_.positions.span();
  if (!wet_field_ && model_.dimension == 2) {
    outline_ = coupling::outline_of(model_.rest_positions, model_.surface);
    wet_field_ = std::make_unique<coupling::WetOutline>(positions, outline_);
  } else if (!wet_field_) {
    wet_field_ = std::make_unique<coupling::WetField>(positions, model_.surface);
  }
  wet_field_->move(positions, state_.velocities.span());
  return *wet_field_;
}

const ports::WetBody* ElasticSystem::wet_body() {
  wet_body_.surface = {.positions = state_.positions.span()};
  if (model_.dimension == 3)
    wet_body_.surface.triangles = model_.surface;
  else
    wet_body_.surface.segments = outline_;
  wet_body_.field = wet_field_.get();
  wet_body_.shares = wetting_.shares;
  wet_body_.sticks = wetting_.sticks;
  return &wet_body_;
}

// Of a body of triangles, forces and masses count per metre of depth, as the liquid's do.
ports::BodySide* ElasticSystem::body_side() {
  const std::size_t count = model_.vertex_count, dims = static_cast<std::size_t>(model_.dimension);
  free_velocity_.resize(dims * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t a = 0; a < dims; ++a)
      free_velocity_[dims * i + a] = state_.velocities[i][static_cast<Eigen::Index>(a)];
  body_side_.dofs = static_cast<int>(dims * count);
  body_side_.free_velocity = free_velocity_;
  body_side_.apply_z1_inverse = [this, count, dims](std::span<const double> force,
                                                    std::span<double> velocity) {
    impulses_in_.assign(count, Vec3::Zero());
    changes_.resize(count);
    const double share = dt_ * (dims == 2 ? model_.thickness : 1);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t a = 0; a < dims; ++a)
        impulses_in_[i][static_cast<Eigen::Index>(a)] = share * force[dims * i + a];
    // A factor is there; what it cannot reach shows in the residual of the joint solve.
    fem::Params exact = params_;
    exact.solver = fem::Solver::cholesky;
    (void)fem::respond(model_, exact, dt_, impulses_in_, changes_, work_, answer_);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t a = 0; a < dims; ++a)
        velocity[dims * i + a] = changes_[i][static_cast<Eigen::Index>(a)];
  };
  body_side_.accept = [this, count, dims](std::span<const double> velocity) {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t a = 0; a < dims; ++a)
        state_.velocities[i][static_cast<Eigen::Index>(a)] = velocity[dims * i + a];
    // Along these the liquid's velocity goes on.
    if (wet_field_) wet_field_->set_velocities(std::as_const(state_).velocities.span());
  };
  body_side_.accept_force = [this, count, dims](std::span<const double> force) {
    state_.group_forces.assign(count, Vec3::Zero());
    const double depth = dims == 2 ? model_.thickness : 1;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t a = 0; a < dims; ++a)
        state_.group_forces[i][static_cast<Eigen::Index>(a)] = depth * force[dims * i + a];
  };
  return joint() ? &body_side_ : nullptr;
}

std::optional<ports::SurfaceSamples> ElasticSystem::surface_samples() {
  return impulses_.samples(state_, model_.inverse_masses);
}

void ElasticSystem::accept_impulses(double dt) { impulses_.accept(dt, state_); }

ports::DeformableSolid* ElasticSystem::deformable_solid() {
  if (!contact_side_)
    contact_side_ = std::make_unique<ContactSide<fem::State>>(
        body_, model_.inverse_masses, at_sync_start(), state_, surroundings_,
        [this](double dt, std::span<const ports::HeldVertex> held) {
          return fem::prepare_response(model_, params_, dt, state_, held, work_);
        },
        [this](double dt, std::span<const Vec3> p, std::span<Vec3> change) {
          return fem::respond(model_, params_, dt, p, change, work_);
        },
        model_.dimension == 2 ? coupling::outline_of(model_.rest_positions, model_.surface)
                              : std::vector<geometry::Segment>{});
  return contact_side_.get();
}

void ElasticSystem::apply(const ports::InputEvent& event) {
  if (!apply_body_action(event, body_, model_.inverse_masses, state_)) System::apply(event);
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
  if (body_.fixed_step)
    estimate.warning = fixed_step_warning(*body_.fixed_step, fem::stability_limit(model_, params_));
  return estimate;
}

}  // namespace selkie::sim
