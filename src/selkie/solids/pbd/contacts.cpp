// See contacts.h.
#include "selkie/solids/pbd/contacts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/ports/vertex_contact.h"

namespace selkie::pbd {
namespace {

using ports::FieldSample;
using ports::FieldSampler;
using ports::kJumpSpeed;
using ports::kWayOut;
using ports::VertexPath;

constexpr std::size_t kBlock = 1024;
// Share of an edge within which a vertex gets a contact before it touches: sweeps may push it there.
constexpr double kNear = 0.25;
// Share of an edge that a vertex may be deep and still leave at once.
constexpr double kDeep = 0.02;

// First meeting of a vertex with a collider on its way: steps as long as the distance allows.
struct Entry {
  double share;  // of the way
  FieldSample met;
};
std::optional<Entry> find_entry(const FieldSampler& collider, const VertexPath& path, double thickness) {
  constexpr int kMost = 100;
  const Vec3 way = path.end - path.start;
  const double h = path.interval.dt(), t0 = path.interval.t0();
  double share = 0;
  for (int n = 0; n < kMost; ++n) {
    const FieldSample met = collider.sample(path.start + share * way, t0 + share * h);
    const double speed = (way - h * met.velocity).norm(), gap = met.distance - thickness;
    if (gap <= 1e-9 * speed + 1e-12) return Entry{share, met};
    share += gap / std::max(speed, 1e-300);
    if (!(share <= 1)) return std::nullopt;
  }
  return Entry{share, collider.sample(path.start + share * way, t0 + share * h)};
}

// The plane that holds a vertex off a collider at the end of its way; none if it stays clear of it.
std::optional<Contact> meet(std::span<const FieldSampler* const> colliders, std::size_t which,
                            const VertexPath& path, double thickness, double edge) {
  const FieldSampler& collider = *colliders[which];
  const double h = path.interval.dt();
  const FieldSample before = collider.sample(path.start, path.interval.t0());
  const double way = (path.end - path.start).norm();
  const double near = thickness + kNear * edge;
  const bool jumps = before.velocity.norm() > kJumpSpeed;
  if (!jumps && before.distance > near + way + h * before.velocity.norm()) {
    if (collider.still()) return std::nullopt;
    if (collider.sample(path.end, path.interval.t1()).distance > near) return std::nullopt;
  }
  FieldSample met = ports::sample_collider(colliders, which, path, thickness, near);
  double offset = met.normal.dot(path.end) - met.distance + thickness;
  const bool clear = met.distance > near;
  bool jumped = met.velocity.norm() > kJumpSpeed;
  const bool outside = before.distance >= thickness - 1e-9 * (1 + way);
  if (outside && !jumped && !jumps && way > kNear * std::max(edge, thickness)) {
    const auto entry = find_entry(collider, path, thickness);
    if (entry && (clear || entry->met.normal.dot(met.normal) < 0.7)) {
      met = entry->met;
      const Vec3 touched =
          path.start + entry->share * (path.end - path.start) + (1 - entry->share) * h * met.velocity;
      offset = met.normal.dot(touched) - met.distance + thickness;
    } else if (clear) {
      return std::nullopt;
    }
  } else if (clear) {
    return std::nullopt;
  }
  if (jumped) met.velocity.setZero();
  Contact c;
  c.normal = met.normal;
  c.carried = h * met.velocity;
  c.friction = collider.friction;
  c.restitution = collider.restitution;
  const double depth = offset - met.normal.dot(path.start + c.carried);
  c.was_inside = depth > 0;
  const double slow = depth > kDeep * edge ? std::max(0.0, depth - kWayOut * h) : 0;
  c.offset = offset - slow;
  c.rubbed.setZero();
  return c;
}

}  // namespace

void find_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                   const State& to, Work& work) {
  const ProfileZone zone("pbd.contacts");
  work.contacts.clear();
  work.contact_runs.clear();
  if (inputs.colliders.empty()) return;
  const double h = interval.dt();
  work.found.resize((model.vertex_count + kBlock - 1) / kBlock);
  parallel_blocks(model.vertex_count, kBlock, [&](std::size_t begin, std::size_t end) {
    std::vector<Contact>& found = work.found[begin / kBlock];
    found.clear();
    for (std::size_t i = begin; i < end; ++i) {
      if (work.points[i].w() == 0) continue;
      const VertexPath path{to.positions[i], work.points[i].head<3>(), interval};
      for (std::size_t k = 0; k < inputs.colliders.size(); ++k) {
        std::optional<Contact> contact =
            meet(inputs.colliders, k, path, params.contact_thickness, model.mean_edge);
        if (!contact) continue;
        contact->vertex = static_cast<std::uint32_t>(i);
        contact->approach = -(to.velocities[i] - contact->carried / h).dot(contact->normal);
        found.push_back(*contact);
      }
    }
  });
  for (const std::vector<Contact>& found : work.found)
    work.contacts.insert(work.contacts.end(), found.begin(), found.end());
  for (std::uint32_t k = 0; k < work.contacts.size(); ++k)
    if (k == 0 || work.contacts[k].vertex != work.contacts[k - 1].vertex) work.contact_runs.push_back(k);
  work.contact_runs.push_back(static_cast<std::uint32_t>(work.contacts.size()));
}

// The corrections along the surface together never exceed friction times those along the normal.
void project_contact(Contact& c, const Vec3& start, Vec3& point) {
  const double depth = c.offset - c.normal.dot(point);
  if (depth > 0) {
    point += depth * c.normal;
    c.pressed += depth;
  }
  if (!(c.pressed > 0) || c.friction == 0) return;
  const Vec3 moved = point - start - c.carried;
  const Vec3 wanted = c.rubbed + (moved - moved.dot(c.normal) * c.normal);
  const double length = wanted.norm(), limit = c.friction * c.pressed;
  const Vec3 rubbed = length <= limit ? wanted : Vec3(limit / length * wanted);
  point -= rubbed - c.rubbed;
  c.rubbed = rubbed;
}

void project_contacts(const State& to, Work& work) {
  if (work.contacts.empty()) return;
  parallel_for(
      work.contact_runs.size() - 1,
      [&](std::size_t run) {
        for (std::uint32_t k = work.contact_runs[run]; k < work.contact_runs[run + 1]; ++k) {
          Contact& c = work.contacts[k];
          Vec3 point = work.points[c.vertex].head<3>();
          project_contact(c, to.positions[c.vertex], point);
          work.points[c.vertex].head<3>() = point;
        }
      },
      kBlock);
}

void leave_colliders(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                     Work& work) {
  if (inputs.colliders.empty() || work.contacts.empty()) return;
  parallel_for(
      work.contact_runs.size() - 1,
      [&](std::size_t run) {
        for (std::uint32_t k = work.contact_runs[run]; k < work.contact_runs[run + 1]; ++k) {
          Contact& c = work.contacts[k];
          if (c.was_inside) continue;
          Vec4& point = work.points[c.vertex];
          for (const FieldSampler* collider : inputs.colliders) {
            const FieldSample met = collider->sample(point.head<3>(), interval.t1());
            const double depth = params.contact_thickness - met.distance;
            // Only what a plane missed by its curvature: other sides are not for this vertex to leave by.
            if (depth > 0 && depth < kNear * model.mean_edge && met.normal.dot(c.normal) > 0.7)
              point.head<3>() += depth * met.normal;
          }
        }
      },
      kBlock);
}

void contact_velocities(const Inputs& inputs, Interval interval, State& to, Work& work) {
  const double h = interval.dt(), slowest_bounce = 2 * h * inputs.gravity.norm();
  for (const Contact& c : work.contacts) {
    if (!(c.pressed > 0)) continue;
    Vec3& v = to.velocities[c.vertex];
    const double speed = (v - c.carried / h).dot(c.normal);
    const double bounce = c.approach > slowest_bounce ? c.restitution * c.approach : 0;
    double wanted = std::max(speed, bounce);
    if (c.was_inside) wanted = std::min(wanted, std::max(0.0, bounce));
    v += (wanted - speed) * c.normal;
  }
}

}  // namespace selkie::pbd
