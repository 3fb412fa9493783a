// See contacts.h.
#include "selkie/solids/fem/contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/ports/body_contact.h"
#include "selkie/ports/vertex_contact.h"
#include "selkie/solids/fem/constraints.h"
#include "selkie/solids/fem/elements.h"

namespace selkie::fem {
namespace {

using Hold = ContactCandidate::Hold;

double element_size(const Model& model) {
  return std::cbrt(model.volume / static_cast<double>(model.element_count));
}

// A vertex that rests is found up to round-off above the surface; gravity covers this in a thirtieth of a
// step.
double reach_of(const Params& params, const Inputs& inputs, double dt) {
  return params.contact_thickness + 1e-3 * dt * dt * inputs.gravity.norm();
}

// The collider a vertex is deepest in at the end of the step, closer than `reach`, and the velocity that
// brings it to its surface.
void find_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                   double reach, const State& from, const State& to, Work& work) {
  const double dt = interval.dt(), fall = dt * inputs.gravity.norm();
  work.found_contacts.clear();
  for (std::uint32_t i = 0; i < model.vertex_count; ++i) {
    if (work.kinematic[i] != 0) continue;
    const ports::VertexPath path{from.positions[i], to.positions[i], interval};
    const ports::FieldSampler* deepest = nullptr;
    ports::FieldSample solid;
    ContactCandidate contact;
    for (std::size_t k = 0; k < inputs.colliders.size(); ++k) {
      const ports::FieldSample sample =
          ports::sample_collider(inputs.colliders, k, path, params.contact_thickness, reach);
      if (!(sample.distance <= reach) || (deepest && sample.distance >= solid.distance)) continue;
      solid = sample;
      deepest = inputs.colliders[k];
      contact.collider = k;
    }
    if (!deepest) continue;
    // Down to the surface within the step, but never pushed out of it, which would add velocity (RT-02).
    const double depth =
        ports::start_depth(solid, from.positions[i], to.positions[i], dt, params.contact_thickness);
    const double approach = -(from.velocities[i] - solid.velocity).dot(solid.normal);
    contact.vertex = i;
    contact.normal = solid.normal;
    contact.gap = std::max(0.0, -depth);
    contact.velocity = solid.velocity - contact.gap / dt * solid.normal;
    contact.friction = deepest->friction;
    contact.bounce = approach > 2 * fall ? deepest->restitution * approach : 0;
    contact.load = Vec3::Zero();
    work.found_contacts.push_back(contact);
  }
}

// A free step may take several layers of a body below a surface; held there together they would be pressed
// flat. Of each collider only those less than half an element behind the foremost are held at first.
void keep_front(const Model& model, const Inputs& inputs, Work& work) {
  std::vector<double> front(inputs.colliders.size(), std::numeric_limits<double>::infinity());
  for (const ContactCandidate& c : work.found_contacts)
    front[c.collider] = std::min(front[c.collider], c.gap);
  const double layer = 0.5 * element_size(model);
  std::erase_if(work.found_contacts,
                [&](const ContactCandidate& c) { return c.gap > front[c.collider] + layer; });
}

// Joins what was found to the contacts: new vertices, and those let go that would get in again. Both lists
// ascend. True if there are any.
bool join_found(Work& work) {
  bool any = false;
  const std::size_t known = work.contacts.size();
  std::size_t k = 0;
  for (const ContactCandidate& found : work.found_contacts) {
    while (k < known && work.contacts[k].vertex < found.vertex) ++k;
    if (k == known || work.contacts[k].vertex != found.vertex) {
      work.contacts.push_back(found);
      any = true;
    } else if (work.contacts[k].hold == Hold::open) {
      work.contacts[k] = found;
      any = true;
    }
  }
  std::inplace_merge(work.contacts.begin(), work.contacts.begin() + static_cast<std::ptrdiff_t>(known),
                     work.contacts.end(), [](const auto& a, const auto& b) { return a.vertex < b.vertex; });
  return any;
}

// Which contacts stick, slide or open, from the impulses that holding them took. True if any changed.
bool sort_contacts(double dt, Work& work) {
  bool any = false;
  for (ContactCandidate& contact : work.contacts) {
    if (contact.hold == Hold::open) continue;
    const Vec3 impulse = work.forces[contact.vertex];
    const double pressed = impulse.dot(contact.normal), limit = contact.friction * pressed;
    if (pressed < 0) {
      contact.hold = Hold::open;
      contact.load = Vec3::Zero();
      any = true;
      continue;
    }
    if (contact.hold == Hold::slide) continue;
    const Vec3 along = impulse - pressed * contact.normal;
    if (along.norm() <= limit) continue;
    contact.hold = Hold::slide;
    contact.load = limit / dt * along.normalized();
    any = true;
  }
  return any;
}

ports::VertexPaths paths_of(const Params& params, Interval interval, const State& from, const State& to) {
  return {from.positions, to.positions, from.velocities, interval, params.contact_thickness};
}

// The pieces of solids that vertices carry, summed per vertex.
void attach(const Model& model, Work& work) {
  AttachedMasses& sum = work.attached;
  sum.of_vertex.resize(0);
  ports::attach_bodies(work.bodies);
  if (work.bodies.attached.empty()) return;
  sum.of_vertex.assign(model.vertex_count, -1);
  sum.masses.resize(0), sum.momenta.resize(0);
  for (const ports::AttachedMass& piece : work.bodies.attached) {
    std::int32_t& index = sum.of_vertex[piece.vertex];
    if (index < 0) {
      index = static_cast<std::int32_t>(sum.masses.size());
      sum.masses.push_back(Mat3::Zero());
      sum.momenta.push_back(Vec3::Zero());
    }
    sum.masses[static_cast<std::size_t>(index)] += piece.mass;
    sum.momenta[static_cast<std::size_t>(index)] += piece.mass * piece.velocity;
  }
}

}  // namespace

StepReport settle_contacts(const Scheme& scheme, const Model& model, const Params& params,
                           const Inputs& inputs, Interval interval, const State& from, State& to,
                           Work& work) {
  const double dt = interval.dt();
  find_contacts(model, params, inputs, interval, reach_of(params, inputs, dt), from, to, work);
  ports::find_body_contacts(inputs.bodies, paths_of(params, interval, from, to),
                            2 * dt * inputs.gravity.norm(), work.bodies);
  work.contacts.clear();
  if (work.found_contacts.empty() && work.bodies.contacts.empty()) return {};
  keep_front(model, inputs, work);
  join_found(work);
  // Contacts that share out otherwise than the last trial said may come and go; in the end none is let go.
  constexpr int kRounds = 8, kLettingGo = 5;
  const double inside = params.contact_thickness - 1e-3 * element_size(model);
  StepReport report;
  for (int round = 0; round < kRounds; ++round) {
    constrain_contacts(model, work);
    attach(model, work);
    collect_loads(model, params, inputs, from, work);
    for (const ports::BodyContact& c : work.bodies.contacts) work.loads[c.vertex] += c.friction_impulse / dt;
    report.merge(scheme.advance(model, params, dt, from, to, work));
    if (!report.ok) return report;
    bool changed = false;
    if (round < kLettingGo) {
      scheme.impulses(model, params, dt, from, to, work);
      changed = sort_contacts(dt, work);
    }
    if (round == 0 && !work.bodies.contacts.empty()) {
      ports::sort_body_contacts(inputs.bodies, to.velocities, work.bodies);
      changed = true;
    }
    find_contacts(model, params, inputs, interval, inside, from, to, work);
    changed |= join_found(work);
    if (!changed) break;
  }
  ports::push_bodies(inputs.bodies, interval, to.positions, to.velocities, work.bodies);
  work.attached.of_vertex.resize(0);
  for (const ContactCandidate& contact : work.contacts)
    if (contact.hold != Hold::open) to.velocities[contact.vertex] += contact.bounce * contact.normal;
  return report;
}

int part_bodies(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                bool held_inside, const State& from, State& to, Work& work) {
  const ports::VertexPaths paths = paths_of(params, interval, from, to);
  if (!held_inside)
    ports::bounce_off_bodies(
        inputs.bodies, paths,
        [&](std::uint32_t i) { return work.kinematic[i] != 0 ? 0 : model.inverse_masses[i]; },
        to.velocities.span());
  bool known = false;
  auto inverse_mass = [&](std::uint32_t i) {
    if (!known) {
      find_tangents(model, params, from.positions, TangentKind::frozen, work.tangent);
      stiffness_diagonal(model, work.tangent, work);
    }
    known = true;
    const double stiffness = work.diagonal[i].trace() / 3, dt = interval.dt();
    return work.kinematic[i] != 0 ? 0 : 1 / (model.masses[i] + dt * dt * stiffness);
  };
  return ports::leave_bodies(inputs.bodies, paths, inverse_mass, to.positions.span());
}

int project_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                     const State& from, State& to, const Work& work) {
  if (inputs.colliders.empty()) return 0;
  const ProfileZone zone("fem.contacts");
  const double dt = interval.dt(), reach = reach_of(params, inputs, dt);
  const double size = element_size(model);
  const double touched = deterministic_sum(model.vertex_count, [&](std::size_t i) {
    if (work.kinematic[i] != 0) return 0.0;
    bool touches = false;
    for (std::size_t k = 0; k < inputs.colliders.size(); ++k) {
      const ports::FieldSampler* collider = inputs.colliders[k];
      const ports::VertexPath path{from.positions[i], to.positions[i], interval};
      const ports::FieldSample solid =
          ports::sample_collider(inputs.colliders, k, path, params.contact_thickness, reach);
      if (!(solid.distance <= reach)) continue;
      // What was deep inside before leaves by and by: a leap by whole elements would press those flat.
      const double depth =
          ports::start_depth(solid, from.positions[i], to.positions[i], dt, params.contact_thickness);
      const double left = depth > 0.02 * size ? std::max(0.0, depth - ports::kWayOut * dt) : 0;
      const ports::ContactLaw law{collider->friction, collider->restitution, params.contact_thickness - left,
                                  2 * dt * inputs.gravity.norm()};
      const ports::ContactMotion after =
          ports::resolve_contact(solid, law, dt, from.positions[i], {to.positions[i], to.velocities[i]});
      to.positions[i] = after.position;
      to.velocities[i] = after.velocity;
      touches = true;
    }
    return touches ? 1.0 : 0.0;
  });
  return static_cast<int>(touched);
}

}  // namespace selkie::fem
