// Impulses at all contacts at once; see contact.h. With W = J A⁻¹ Jᵀ, the relative velocities that impulses p
// at the contacts cause, and r the changes that are wanted, p minimises ½ pᵀWp − pᵀr among impulses that push
// and whose tangential parts stay within bounds. The bounds are friction times the normal impulses of the
// pass before: the fixed point is Coulomb's law, and in every pass the problem is convex. Solved by projected
// gradients with the step lengths of [Barzilai88] and an exact search between the last iterate and the next
// projected one, so that the function falls in each iteration: whatever the cap of iterations leaves, the
// impulses take energy from the bodies and never add any. Each product with W is one solve per body.
// Contacts through the compliance of both bodies after a free step: [Duriez06].
#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/coupling/contact.h"
#include "selkie/ports/vertex_contact.h"

namespace selkie::coupling {
namespace {

constexpr double kSlowestBounce = 0.5;  // m/s (RT-45)
constexpr double kSlop = 0.01;          // of a cell: not worth pushing out
constexpr double kEnough = 1e-7;        // of the first slope: iterations stop
constexpr int kFrictionPasses = 6;
constexpr double kSettled =
    0.01;  // of the largest bound of friction: the others' changes that end the passes

Vec3 relative(const Contact& c, std::span<const Vec3> of_a, std::span<const Vec3> of_b) {
  return of_a[c.vertex] - c.weights[0] * of_b[c.corners[0]] - c.weights[1] * of_b[c.corners[1]] -
         c.weights[2] * of_b[c.corners[2]];
}

// Jᵀ p into the impulses of the bodies.
void spread(std::span<const Contact> contacts, std::span<const Vec3> p, ContactWork& work) {
  for (ContactWork::Body& body : work.bodies)
    if (body.touches) std::fill(body.impulses.begin(), body.impulses.end(), Vec3::Zero());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    work.bodies[c.a].impulses[c.vertex] += p[i];
    for (int k = 0; k < 3; ++k)
      work.bodies[c.b].impulses[c.corners[static_cast<std::size_t>(k)]] -= c.weights[k] * p[i];
  }
}

// W p, with the bodies' answers left in Body::answer.
StepReport answer(Bodies bodies, std::span<const Vec3> p, std::span<Vec3> velocities, ContactWork& work) {
  spread(work.contacts, p, work);
  StepReport report;
  for (std::size_t b = 0; b < bodies.size() && report.ok; ++b)
    if (work.bodies[b].touches)
      report.merge(bodies[b]->respond(work.bodies[b].impulses, work.bodies[b].answer));
  for (std::size_t i = 0; i < work.contacts.size(); ++i)
    velocities[i] = relative(work.contacts[i], work.bodies[work.contacts[i].a].answer,
                             work.bodies[work.contacts[i].b].answer);
  return report;
}

// The nearest impulse that pushes and keeps within the bound of friction.
Vec3 allowed(const Vec3& p, const Vec3& normal, double limit) {
  const double pressed = p.dot(normal);
  Vec3 along = p - pressed * normal;
  const double length = along.norm();
  if (length > limit) along *= limit / length;
  return along + std::max(0.0, pressed) * normal;
}

double dot(std::span<const Vec3> a, std::span<const Vec3> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
  return sum;
}

// Minimises from work.impulse, with W p in work.given, under the present limits. Adds to Body::changes.
// `largest` is the steepest slope met so far.
StepReport minimise(Bodies bodies, int iterations, double& largest, ContactWork& work) {
  const std::size_t count = work.contacts.size();
  StepReport report;
  double length = 1;
  for (int n = 0; n < iterations; ++n) {
    double slope = 0, size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3 downhill = work.wanted[i] - work.given[i];
      const Vec3 next = allowed(work.impulse[i] + length * work.scale[i] * downhill, work.contacts[i].normal,
                                work.limit[i]);
      work.step[i] = next - work.impulse[i];
      slope += work.step[i].dot(downhill);
      size += work.step[i].squaredNorm() / work.scale[i];
    }
    if (!(slope > 0)) break;
    report.merge(answer(bodies, work.step, work.answer, work));
    if (!report.ok) return report;
    const double curvature = dot(work.step, work.answer);
    const double share = curvature > slope ? slope / curvature : 1;
    for (std::size_t i = 0; i < count; ++i) {
      work.impulse[i] += share * work.step[i];
      work.given[i] += share * work.answer[i];
    }
    for (ContactWork::Body& body : work.bodies)
      if (body.touches)
        for (std::size_t i = 0; i < body.changes.size(); ++i) body.changes[i] += share * body.answer[i];
    ++report.iterations;
    if (curvature > 0) length = size / curvature;
    largest = std::max(largest, slope);
    if (slope < kEnough * largest) break;
  }
  return report;
}

// Contacts between held vertices alone cannot give way. Returns how many there are to answer.
std::size_t begin(Bodies bodies, ContactWork& work) {
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (work.bodies[b].touches) work.bodies[b].inverse_masses = bodies[b]->inverse_masses();
  work.scale.clear();
  std::erase_if(work.contacts, [&](const Contact& c) {
    double w = work.bodies[c.a].inverse_masses[c.vertex];
    for (int k = 0; k < 3; ++k)
      w += c.weights[k] * c.weights[k] *
           work.bodies[c.b].inverse_masses[c.corners[static_cast<std::size_t>(k)]];
    if (w > 0) work.scale.push_back(1 / w);
    return !(w > 0);
  });
  const std::size_t count = work.contacts.size();
  for (auto* array : {&work.impulse, &work.step, &work.given, &work.wanted, &work.answer})
    array->assign(count, Vec3::Zero());
  work.limit.assign(count, 0);
  for (ContactWork::Body& body : work.bodies) body.touches = false;
  for (const Contact& c : work.contacts) work.bodies[c.a].touches = work.bodies[c.b].touches = true;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    ContactWork::Body& body = work.bodies[b];
    if (!body.touches) continue;
    for (auto* array : {&body.impulses, &body.changes, &body.answer, &body.displacements})
      array->assign(bodies[b]->positions().size(), Vec3::Zero());
  }
  return count;
}

// What the bodies' velocities should change by at the contacts: no approach left beyond what brings a vertex
// down to the surface; what separates is let go; and no slip.
void want_rest(const ContactParams& params, double dt, Bodies bodies, ContactWork& work) {
  for (std::size_t i = 0; i < work.contacts.size(); ++i) {
    const Contact& c = work.contacts[i];
    const Vec3 u = relative(c, bodies[c.a]->velocities(), bodies[c.b]->velocities());
    const double approach = -u.dot(c.normal);
    double stop = approach;
    if (c.start_depth < 0) stop = std::min(approach, c.depth / dt);
    if (params.restitution > 0 && approach > kSlowestBounce) stop = (1 + params.restitution) * approach;
    work.wanted[i] = stop * c.normal - (u + approach * c.normal);
  }
}

// Sets the bounds of friction from the normal impulses; false where they hardly changed.
bool bound_friction(double friction, ContactWork& work) {
  double largest = 0, change = 0;
  for (std::size_t i = 0; i < work.contacts.size(); ++i) {
    const Contact& c = work.contacts[i];
    const double bound = c.tangled ? 0 : friction * std::max(0.0, work.impulse[i].dot(c.normal));
    change = std::max(change, std::abs(bound - work.limit[i]));
    largest = std::max(largest, bound);
    work.limit[i] = bound;
  }
  return change > kSettled * largest;
}

// Velocities: first without friction, then with the bounds that the normal impulses set.
StepReport stop_approach(Bodies bodies, const ContactParams& params, double dt, ContactWork& work) {
  want_rest(params, dt, bodies, work);
  double largest = 0;
  StepReport report = minimise(bodies, params.iterations, largest, work);
  for (int pass = 0; pass < kFrictionPasses && params.friction > 0 && report.ok; ++pass) {
    if (!bound_friction(params.friction, work)) break;
    report.merge(minimise(bodies, params.iterations, largest, work));
  }
  for (ContactWork::Body& body : work.bodies)
    if (body.touches)
      for (std::size_t i = 0; i < body.changes.size(); ++i) body.displacements[i] = dt * body.changes[i];
  return report;
}

// m/s, of bodies that were inside each other before. Half as fast as out of a collider: both give way, so
// what is pressed out is squeezed meanwhile, and parts the faster the more (two blocks half inside each
// other: up to 5.8 m/s at the full speed).
constexpr double kWayApart = 0.5 * ports::kWayOut;

// Positions: what is still below the surface moves out; at once if it came in during this step, else slowly.
StepReport push_out(Bodies bodies, const ContactParams& params, double dt, ContactWork& work) {
  bool any = false;
  for (std::size_t i = 0; i < work.contacts.size(); ++i) {
    const Contact& c = work.contacts[i];
    const double left = c.depth - dt * work.given[i].dot(c.normal);
    const double fresh = c.depth - std::max(0.0, c.start_depth);
    const double way = std::min(left, std::max(0.0, fresh) + kWayApart * dt);
    work.wanted[i] = way / dt * c.normal;
    any = any || way > kSlop * work.bodies[c.b].shape.size();
  }
  if (!any) return {};
  for (auto* array : {&work.impulse, &work.given}) array->assign(work.contacts.size(), Vec3::Zero());
  std::fill(work.limit.begin(), work.limit.end(), 0);
  for (ContactWork::Body& body : work.bodies)
    if (body.touches) {
      std::swap(body.changes, body.kept_changes);
      body.changes.assign(body.kept_changes.size(), Vec3::Zero());
    }
  double largest = 0;
  const StepReport report = minimise(bodies, params.iterations, largest, work);
  for (ContactWork::Body& body : work.bodies)
    if (body.touches) {
      for (std::size_t i = 0; i < body.changes.size(); ++i) body.displacements[i] += dt * body.changes[i];
      std::swap(body.changes, body.kept_changes);
    }
  return report;
}

void answer_by_springs(const ContactParams& params, double dt, ContactWork& work) {
  for (const Contact& c : work.contacts) {
    const PenaltyForces forces = penalty_forces(c, params.stiffness);
    work.bodies[c.a].impulses[c.vertex] += dt * forces.on_vertex;
    for (std::size_t k = 0; k < 3; ++k) work.bodies[c.b].impulses[c.corners[k]] += dt * forces.on_corners[k];
  }
  for (ContactWork::Body& body : work.bodies) {
    if (!body.touches) continue;
    for (std::size_t i = 0; i < body.changes.size(); ++i) {
      body.changes[i] = body.inverse_masses[i] * body.impulses[i];
      body.displacements[i] = dt * body.changes[i];
    }
  }
}

}  // namespace

PenaltyForces penalty_forces(const Contact& contact, double stiffness) {
  PenaltyForces forces;
  forces.on_vertex = stiffness * contact.way_out;
  for (int k = 0; k < 3; ++k)
    forces.on_corners[static_cast<std::size_t>(k)] = -contact.weights[k] * forces.on_vertex;
  return forces;
}

StepReport answer_contacts(Bodies bodies, const ContactParams& params, double dt, ContactWork& work) {
  const ProfileZone zone("contact.answer");
  StepReport report;
  report.contacts = static_cast<int>(begin(bodies, work));
  if (work.contacts.empty()) return report;
  if (params.response == ContactResponse::penalty) {
    answer_by_springs(params, dt, work);
  } else {
    for (std::size_t b = 0; b < bodies.size() && report.ok; ++b)
      if (work.bodies[b].touches) report.merge(bodies[b]->prepare(dt));
    if (report.ok) report.merge(stop_approach(bodies, params, dt, work));
    if (report.ok) report.merge(push_out(bodies, params, dt, work));
  }
  if (!report.ok) return report;
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (work.bodies[b].touches) bodies[b]->move(work.bodies[b].changes, work.bodies[b].displacements);
  return report;
}

StepReport exchange_contacts(Bodies bodies, const ContactParams& params, double dt,
                             FunctionRef<bool(std::size_t, std::size_t)> may_touch, ContactWork& work) {
  find_contacts(bodies, params, may_touch, work);
  return answer_contacts(bodies, params, dt, work);
}

}  // namespace selkie::coupling
