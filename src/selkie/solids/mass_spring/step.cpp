// The step: an integrator, then what all of them share.
#include "selkie/solids/mass_spring/step.h"

#include <cmath>
#include <string>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/ports/body_contact.h"
#include "selkie/solids/mass_spring/altitude_springs.h"
#include "selkie/solids/mass_spring/contacts.h"
#include "selkie/solids/mass_spring/detail/lanes.h"
#include "selkie/solids/mass_spring/implicit_contacts.h"
#include "selkie/solids/mass_spring/integrators.h"
#include "selkie/solids/mass_spring/kinematics.h"

namespace selkie::mass_spring {
namespace {

StepReport advance(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                   const State& from, State& to, Work& work) {
  const double half = interval.dt() / 2;
  switch (params.integrator) {
    case Integrator::explicit_euler:
      return explicit_euler(model, params, inputs, interval, from, to, work);
    case Integrator::symplectic_euler:
      return symplectic_euler(model, params, inputs, interval, from, to, work);
    case Integrator::rk2:
      return rk2(model, params, inputs, interval, from, to, work);
    case Integrator::rk4:
      return rk4(model, params, inputs, interval, from, to, work);
    case Integrator::verlet:
      return verlet(model, params, inputs, interval, from, to, work);
    case Integrator::implicit_euler:
      return implicit_euler(model, params, inputs, interval, from, to, work);
    case Integrator::implicit_euler_newton:
      return implicit_euler_newton(model, params, inputs, interval, from, to, work);
    case Integrator::newmark:
      return newmark(model, params, inputs, interval, from, to, work, {});
    case Integrator::newmark_implicit:
      return newmark(model, params, inputs, interval, from, to, work, {half, half});
    case Integrator::implicit_midpoint:
      return newmark(model, params, inputs, interval, from, to, work, {half, 0});
    case Integrator::implicit_springs:
      return implicit_springs(model, params, inputs, interval, from, to, work);
  }
  return StepReport::failure("unknown integrator");
}

// Backward Euler in its three forms. Newmark's end velocity mirrors the one it solves for, so a held contact
// would bounce; its contacts are resolved after the step.
bool holds_contacts_inside(Integrator integrator) {
  return integrator == Integrator::implicit_euler || integrator == Integrator::implicit_euler_newton ||
         integrator == Integrator::implicit_springs;
}

// Velocities decay exactly, so any rate is stable at any step.
void apply_drag(const Params& params, double dt, State& to) {
  if (params.drag == 0) return;
  const double kept = std::exp(-params.drag * dt);
  parallel_for(to.velocities.size(), [&](std::size_t i) { to.velocities[i] *= kept; });
}

// Products with zero are zero unless a value is not finite; they are added up eight at a time.
bool all_finite(const Buffer<Vec3>& values) {
  const double* a = values.data()->data();
  const double sum = sum_blocks(3 * values.size(), [&](std::size_t begin, std::size_t end) {
    using namespace detail;
    Lanes first = all(0), second = all(0);
    std::size_t i = begin;
    for (; i + 8 <= end; i += 8) first += all(0) * load(a + i), second += all(0) * load(a + i + 4);
    first += second;
    double rest = first[0] + first[1] + first[2] + first[3];
    for (; i < end; ++i) rest += 0 * a[i];
    return rest;
  });
  return sum == 0;
}

void check_finite(const State& to, StepReport& report) {
  if (to.positions.empty() || (all_finite(to.positions) && all_finite(to.velocities))) return;
  auto bad = [&](std::size_t i) { return !to.positions[i].allFinite() || !to.velocities[i].allFinite(); };
  std::size_t first = 0;
  while (!bad(first)) ++first;
  report.merge(StepReport::failure("vertex " + std::to_string(first) +
                                   " has a position or velocity that is not finite"));
}

void sum_stiffness(const Model& model, const Params& params, Buffer<double>& stiffness) {
  stiffness.assign(model.vertex_count, 0);
  for (std::size_t s = 0; s < model.spring_count(); ++s)
    for (const std::uint32_t i : model.springs[s])
      stiffness[i] += params.stiffness * model.relative_stiffness[s];
}

// Solids that give way: what the solve did not hold bounces, and what overlaps is parted.
int part_bodies(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work) {
  const ports::VertexPaths paths{from.positions, to.positions, from.velocities, interval,
                                 params.contact_thickness};
  if (!holds_contacts_inside(params.integrator))
    ports::bounce_off_bodies(
        inputs.bodies, paths,
        [&](std::uint32_t i) { return work.kinematic[i] != 0 ? 0 : model.inverse_masses[i]; },
        to.velocities.span());
  bool summed = false;
  const double dt = interval.dt();
  auto inverse_mass = [&](std::uint32_t i) {
    if (!summed) sum_stiffness(model, params, work.vertex_stiffness);
    summed = true;
    return work.kinematic[i] != 0 ? 0 : 1 / (model.masses[i] + dt * dt * work.vertex_stiffness[i]);
  };
  return ports::leave_bodies(inputs.bodies, paths, inverse_mass, to.positions.span());
}

}  // namespace

StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work) {
  const ProfileZone zone("mass_spring.step");
  SELKIE_CHECK(from.positions.size() == model.vertex_count && from.velocities.size() == model.vertex_count &&
                   from.pinned.size() == model.vertex_count && to.positions.size() == model.vertex_count,
               "the state belongs to this model");
  SELKIE_CHECK(inputs.forces.empty() || inputs.forces.size() == model.vertex_count, "one force per vertex");
  to.previous_step = 0;  // only Verlet's velocities lag; every other integrator leaves true ones

  begin_kinematics(params, inputs, interval, from, work);
  choose_altitudes(model, params, from.positions, work);
  StepReport report = advance(model, params, inputs, interval, from, to, work);
  const bool inside = holds_contacts_inside(params.integrator);
  if (report.ok && !(inputs.colliders.empty() && inputs.bodies.empty()) && inside)
    report.merge(settle_contacts(model, params, inputs, interval, from, to, work, [&](const Inputs& loaded) {
      return advance(model, params, loaded, interval, from, to, work);
    }));
  if (!report.ok) return report;
  apply_drag(params, interval.dt(), to);
  place_kinematics(inputs, interval, interval.dt(), from, work, to.positions, to.velocities);
  if (!inputs.bodies.empty()) report.contacts = part_bodies(model, params, inputs, interval, from, to, work);
  report.contacts += project_contacts(model, params, inputs, interval, from, to, work);
  check_finite(to, report);
  return report;
}

}  // namespace selkie::mass_spring
