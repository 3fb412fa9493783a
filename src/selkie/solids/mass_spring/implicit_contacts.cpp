// See implicit_contacts.h.
#include "selkie/solids/mass_spring/implicit_contacts.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "selkie/core/profile.h"
#include "selkie/ports/body_contact.h"
#include "selkie/solids/mass_spring/contacts.h"
#include "selkie/solids/mass_spring/forces.h"
#include "selkie/solids/mass_spring/inversion_guard.h"
#include "selkie/solids/mass_spring/tangent.h"

namespace selkie::mass_spring {
namespace {

// The collider a vertex is deepest in at the end of the free step, and the velocity that keeps it on its
// surface.
void find_candidates(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                     const State& from, const State& to, Work& work) {
  const double dt = interval.dt(), fall = dt * inputs.gravity.norm();
  const double reach = params.contact_thickness + 1e-3 * dt * fall;
  work.candidates.clear();
  for (std::uint32_t i = 0; i < model.vertex_count; ++i) {
    if (work.kinematic[i] != 0) continue;
    const ports::FieldSampler* deepest = nullptr;
    std::uint32_t which = 0;
    ports::FieldSample solid;
    solid.distance = reach;
    for (std::size_t k = 0; k < inputs.colliders.size(); ++k) {
      const VertexPath path{from.positions[i], to.positions[i], interval};
      const ports::FieldSample sample =
          sample_collider(inputs.colliders, k, path, params.contact_thickness, reach);
      if (sample.distance < solid.distance || (!deepest && sample.distance <= reach)) {
        solid = sample;
        deepest = inputs.colliders[k];
        which = static_cast<std::uint32_t>(k);
      }
    }
    if (!deepest) continue;
    // Down to the surface within the step; never pushed out of it, which would add velocity (RT-02), except
    // from deep inside. The gap is measured to where the collider ends, with the vertex carried along, since
    // it may have jumped there.
    const Vec3 carried = from.positions[i] + dt * solid.velocity;
    const double gap = deepest->sample(carried, interval.t1()).distance - params.contact_thickness;
    const double depth = start_depth(solid, from.positions[i], to.positions[i], dt, params.contact_thickness);
    const double approach = -(from.velocities[i] - solid.velocity).dot(solid.normal);
    ContactCandidate candidate;
    candidate.vertex = i;
    candidate.normal = solid.normal;
    candidate.collider = which;
    candidate.gap = std::max(0.0, gap);
    candidate.velocity = solid.velocity - candidate.gap / dt * solid.normal;
    if (leaves_slowly(model, params, depth))
      candidate.velocity += std::min(kWayOut, depth / dt) * solid.normal;
    candidate.friction = deepest->friction;
    candidate.bounce = approach > 2 * fall ? deepest->restitution * approach : 0;
    const Vec3 along = from.velocities[i] - solid.velocity + approach * solid.normal;
    if (const double speed = along.norm(); speed > 2 * fall) candidate.slip = along / speed;
    work.candidates.push_back(candidate);
  }
}

void hold(Work& work, const ContactCandidate& c) {
  work.kinematic[c.vertex] = 1;
  work.kinematic_vertices.push_back(c.vertex);
  work.kinematic_velocities.push_back(c.velocity);
}

// Lets go of everything held after the first `kept` kinematic vertices.
void let_go(Work& work, std::size_t kept) {
  for (std::size_t n = kept; n < work.kinematic_vertices.size(); ++n)
    work.kinematic[work.kinematic_vertices[n]] = 0;
  work.kinematic_vertices.resize(kept);
  work.kinematic_velocities.resize(kept);
}

void let_slide(Work& work, std::size_t vertex_count, const ContactCandidate& c) {
  SlidingContacts& sliding = work.sliding;
  if (sliding.of_vertex.empty()) {
    sliding.of_vertex.assign(vertex_count, -1);
    sliding.normals.resize(0), sliding.speeds.resize(0), sliding.projectors.resize(0);
  }
  sliding.of_vertex[c.vertex] = static_cast<std::int32_t>(sliding.normals.size());
  sliding.normals.push_back(c.normal);
  sliding.speeds.push_back(c.velocity.dot(c.normal));
  sliding.projectors.push_back(Mat3::Identity() - c.normal * c.normal.transpose());
}

// Impulse the collider gave vertex i: what momentum changed beyond springs and loads.
Vec3 contact_impulse(const Model& model, const Inputs& inputs, double dt, const State& from, const State& to,
                     const Work& work, std::uint32_t i) {
  return model.masses[i] * (to.velocities[i] - from.velocities[i]) -
         dt * (work.forces[i].head<3>() + load_on(model, inputs, i));
}

// Touching vertices are held where they rest, or kept on the surface where they slide, without friction yet.
void hold_first(std::size_t count, std::size_t vertex_count, Work& work) {
  for (const ContactCandidate& c : std::span(work.candidates).first(count)) {
    if (c.slip.isZero(0))
      hold(work, c);
    else
      let_slide(work, vertex_count, c);
  }
}

// A free step may take several layers of a body below a surface; held there together they would be pressed
// flat, and nothing in the impulses tells that the first layer alone would have carried the others. Sorts the
// candidates so that, for each collider, those less than half a spring behind the foremost come first;
// returns how many these are.
std::size_t front_first(const Model& model, const Inputs& inputs, Work& work) {
  const double layer = 0.5 * model.mean_rest_length;
  std::vector<double> front(inputs.colliders.size(), std::numeric_limits<double>::infinity());
  for (const ContactCandidate& c : work.candidates) front[c.collider] = std::min(front[c.collider], c.gap);
  const auto rear =
      std::stable_partition(work.candidates.begin(), work.candidates.end(),
                            [&](const ContactCandidate& c) { return c.gap <= front[c.collider] + layer; });
  return static_cast<std::size_t>(rear - work.candidates.begin());
}

// Whether the step has emptied tetrahedra that the inversion guard watches.
bool is_squeezed(const Model& model, const Params& params, const State& to, Work& work) {
  return has_guard(model, params) &&
         !find_squeezed(model, to.positions, params.inversion_threshold, work).empty();
}

// The trial again with the front alone, and once more with those behind that it could not carry. Only these
// stay candidates.
StepReport hold_by_layers(const Model& model, const Inputs& inputs, const State& from, const State& to,
                          double dt, std::size_t front, std::size_t kept, Work& work,
                          FunctionRef<StepReport(const Inputs&)> advance) {
  auto hold_anew = [&](std::size_t count) {
    let_go(work, kept);
    work.sliding.of_vertex.resize(0);
    hold_first(count, model.vertex_count, work);
    return advance(inputs);
  };
  StepReport report = hold_anew(front);
  if (!report.ok) return report;
  auto is_carried = [&](const ContactCandidate& c) {
    const Vec3 moved = to.positions[c.vertex] - from.positions[c.vertex];
    return (moved - dt * c.velocity).dot(c.normal) > 0;
  };
  const auto rear = work.candidates.begin() + static_cast<std::ptrdiff_t>(front);
  work.candidates.erase(std::remove_if(rear, work.candidates.end(), is_carried), work.candidates.end());
  if (work.candidates.size() > front) report.merge(hold_anew(work.candidates.size()));
  return report;
}

// Decides from the impulses of that trial which contacts stick, slide or open; true when all stick. Friction
// of sliding ones becomes a load: against the slip, or along the hold that was too strong.
bool sort_contacts(const Model& model, const Params& params, const Inputs& inputs, double dt,
                   const State& from, const State& to, std::size_t kept, Work& work) {
  accumulate_forces(model, params, to.positions, to.velocities, work.forces, work);
  let_go(work, kept);
  work.sliding.of_vertex.resize(0);
  work.contact_loads.assign(model.vertex_count, Vec3::Zero());
  std::copy(inputs.forces.begin(), inputs.forces.end(), work.contact_loads.begin());
  bool all_stick = true;
  for (ContactCandidate& c : work.candidates) {
    const Vec3 impulse = contact_impulse(model, inputs, dt, from, to, work, c.vertex);
    const double pressed = impulse.dot(c.normal), limit = c.friction * pressed;
    const Vec3 along = impulse - pressed * c.normal;
    const bool rests = c.slip.isZero(0);
    if (pressed > 0 && rests && along.norm() <= limit) {
      hold(work, c);
      continue;
    }
    all_stick = false;
    if (pressed <= 0) {
      c.bounce = 0;
      continue;
    }
    let_slide(work, model.vertex_count, c);
    const Vec3 direction = rests ? Vec3(along.normalized()) : Vec3(-c.slip);
    work.contact_loads[c.vertex] += limit / dt * direction;
  }
  return all_stick;
}

// Friction enters as a load of the size that the trial asked for. Where contacts of a crushed body share out
// otherwise than in the trial, that can be more than it takes to stop a vertex; those it would throw back are
// held instead. True if there are any.
bool hold_reversed(std::span<const Vec3> given, const State& to, Work& work) {
  bool any = false;
  for (const ContactCandidate& c : work.candidates) {
    if (work.sliding.of_vertex.empty() || work.sliding.of_vertex[c.vertex] < 0) continue;
    const Vec3 load = given.empty() ? Vec3::Zero().eval() : given[c.vertex];
    if (!((to.velocities[c.vertex] - c.velocity).dot(work.contact_loads[c.vertex] - load) > 0)) continue;
    work.sliding.of_vertex[c.vertex] = -1;
    work.contact_loads[c.vertex] = load;
    hold(work, c);
    any = true;
  }
  return any;
}

}  // namespace

StepReport settle_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                           const State& from, State& to, Work& work,
                           FunctionRef<StepReport(const Inputs&)> advance) {
  const ProfileZone zone("mass_spring.implicit_contacts");
  StepReport report;
  find_candidates(model, params, inputs, interval, from, to, work);
  const ports::VertexPaths paths{from.positions, to.positions, from.velocities, interval,
                                 params.contact_thickness};
  ports::find_body_contacts(inputs.bodies, paths, 2 * interval.dt() * inputs.gravity.norm(), work.bodies);
  if (work.candidates.empty() && work.bodies.contacts.empty()) return report;

  // Keep every touching vertex on its surface, and see what that takes.
  const std::size_t kept = work.kinematic_vertices.size();
  hold_first(work.candidates.size(), model.vertex_count, work);
  attach_bodies(work.bodies);
  report.merge(advance(inputs));
  const bool crushed = report.ok && is_squeezed(model, params, to, work);
  if (crushed) {
    const std::size_t front = front_first(model, inputs, work);
    if (front < work.candidates.size())
      report.merge(hold_by_layers(model, inputs, from, to, interval.dt(), front, kept, work, advance));
  }
  if (report.ok) {
    // Solve again where something pulls or slips, or the pieces of bodies have changed.
    const bool solids_stick = sort_contacts(model, params, inputs, interval.dt(), from, to, kept, work);
    sort_body_contacts(inputs.bodies, to.velocities, work.bodies);
    for (const ports::BodyContact& c : work.bodies.contacts)
      work.contact_loads[c.vertex] += c.friction_impulse / interval.dt();
    if (!solids_stick || !work.bodies.contacts.empty()) {
      attach_bodies(work.bodies);
      Inputs with_friction = inputs;
      with_friction.forces = work.contact_loads;
      report.merge(advance(with_friction));
      if (crushed && report.ok && hold_reversed(inputs.forces, to, work))
        report.merge(advance(with_friction));
    }
  }
  if (report.ok) push_bodies(inputs.bodies, interval, to.positions, to.velocities, work.bodies);
  work.bodies.attached.clear();
  if (!report.ok) return report;
  for (const ContactCandidate& c : work.candidates) to.velocities[c.vertex] += c.bounce * c.normal;
  let_go(work, kept);
  work.sliding.of_vertex.resize(0);
  return report;
}

}  // namespace selkie::mass_spring
