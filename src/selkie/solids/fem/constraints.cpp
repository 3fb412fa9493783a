// See constraints.h. A held vertex is drawn at a capped speed, whatever it weighs (RT-48).
#include "selkie/solids/fem/constraints.h"

#include "selkie/ports/hand.h"

namespace selkie::fem {
namespace {

void constrain(Constraints& constraints, std::uint32_t vertex, const Mat3& projector) {
  constraints.of_vertex[vertex] = static_cast<std::int32_t>(constraints.projectors.size());
  constraints.projectors.push_back(projector);
}

void hold_kinematics(const Model& model, Work& work) {
  Constraints& constraints = work.constraints;
  constraints.of_vertex.assign(model.vertex_count, -1);
  constraints.projectors.resize(0);
  for (const std::uint32_t i : work.kinematic_vertices) constrain(constraints, i, Mat3::Zero());
}

}  // namespace

void begin_constraints(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                       const State& from, Work& work) {
  work.kinematic = from.pinned;
  if (from.grabbed_vertex >= 0) work.kinematic[static_cast<std::size_t>(from.grabbed_vertex)] = 1;
  work.kinematic_vertices.resize(0);
  work.kinematic_velocities.resize(0);
  work.contacts.clear();
  work.attached.of_vertex.resize(0);
  const double dt = interval.dt();
  Vec3 hand = Vec3::Zero();
  if (from.grabbed_vertex >= 0) {
    Vec3 way = from.grab_target - from.positions[static_cast<std::size_t>(from.grabbed_vertex)];
    if (model.dimension == 2) way.z() = 0;
    hand = ports::way_of_hand(way, params.grab_speed, dt) / dt;
  }
  for (std::uint32_t i = 0; i < work.kinematic.size(); ++i) {
    if (work.kinematic[i] == 0) continue;
    Vec3 velocity = Vec3::Zero();
    if (ports::is_led(from, i)) {
      velocity = hand;
    } else if (inputs.pinned_motion) {
      velocity = (inputs.pinned_motion(i, interval.t1()) - from.positions[i]) / dt;
    }
    work.kinematic_vertices.push_back(i);
    work.kinematic_velocities.push_back(velocity);
  }
  hold_kinematics(model, work);
}

void constrain_contacts(const Model& model, Work& work) {
  hold_kinematics(model, work);
  for (const ContactCandidate& contact : work.contacts) {
    const Vec3& n = contact.normal;
    if (contact.hold == ContactCandidate::Hold::stick)
      constrain(work.constraints, contact.vertex, Mat3::Zero());
    else if (contact.hold == ContactCandidate::Hold::slide)
      constrain(work.constraints, contact.vertex, Mat3::Identity() - n * n.transpose());
  }
}

void set_given_velocities(const Work& work, Buffer<Vec3>& v) {
  for (std::size_t n = 0; n < work.kinematic_vertices.size(); ++n)
    v[work.kinematic_vertices[n]] = work.kinematic_velocities[n];
  for (const ContactCandidate& contact : work.contacts) {
    if (contact.hold == ContactCandidate::Hold::stick)
      v[contact.vertex] = contact.velocity;
    else if (contact.hold == ContactCandidate::Hold::slide)
      v[contact.vertex] += (contact.velocity - v[contact.vertex]).dot(contact.normal) * contact.normal;
  }
}

void place_kinematics(const Inputs& inputs, Interval interval, const State& from, const Work& work,
                      State& to) {
  for (std::size_t n = 0; n < work.kinematic_vertices.size(); ++n) {
    const std::uint32_t i = work.kinematic_vertices[n];
    to.velocities[i] = work.kinematic_velocities[n];
    to.positions[i] = inputs.pinned_motion && !ports::is_led(from, i)
                          ? inputs.pinned_motion(i, interval.t1())
                          : Vec3(from.positions[i] + interval.dt() * to.velocities[i]);
  }
}

}  // namespace selkie::fem
