// Rigid bodies in one solve with a liquid (LE-39). They step first, pushed by the forces that the liquid had in the
// last step: so they move as they will, and contacts hold against them. Then the joint solve replaces those forces
// by the present ones, which changes velocities alone. A body in balance stays where it is.
#include "selkie/sim/systems/rigid_system.h"

namespace selkie::sim {

void RigidSystem::wet(ports::WetShares shares, std::shared_ptr<ports::FieldSampler> tank) {
  wet_body_.shares = shares;
  tank_ = std::move(tank);
}

// Planes and open meshes enclose nothing.
void RigidSystem::place_wet() {
  std::vector<coupling::WetRigidBody> bodies;
  wet_places_.clear();
  for (std::size_t i = 0; i < state_.count(); ++i) {
    const rigid::Shape kind = rigid::shape_of(state_, i);
    if (kind == rigid::Shape::plane || kind == rigid::Shape::mesh) continue;
    coupling::WetRigidBody body;
    body.shape = rigid::shape_of(model_, state_, i);
    body.surface = &surface_of(i);
    body.pose = rigid::pose_of(state_, i);
    body.velocity = state_.velocities[i];
    body.spin = rigid::angular_velocity(state_, i);
    body.inverse_mass = rigid::inverse_mass(state_, i);
    if (rigid::is_dynamic(state_, i)) body.inverse_inertia = rigid::inverse_inertia(state_, i);
    bodies.push_back(body);
    wet_places_.push_back(i);
  }
  wet_.place(std::move(bodies));
}

const ports::FieldSampler& RigidSystem::wet_field() {
  place_wet();
  return wet_;
}

void RigidSystem::add_liquid_forces() {
  if (pulled_.empty()) forces_.assign(state_.count(), Vec3::Zero()), torques_.assign(state_.count(), Vec3::Zero());
  for (std::size_t i = 0; i < state_.count(); ++i)
    forces_[i] += state_.liquid_forces[i], torques_[i] += state_.liquid_torques[i];
}

StepReport RigidSystem::predict(const Environment& environment, const Interval& interval) {
  if (!joint()) return {};
  dt_ = interval.dt();
  state_.liquid_forces.resize(state_.count(), Vec3::Zero());
  state_.liquid_torques.resize(state_.count(), Vec3::Zero());
  for (std::size_t i = 0; i < state_.count(); ++i)
    if (rigid::is_dynamic(state_, i)) rigid::wake(state_, i);
  const StepReport report = RigidSystem::solve(environment, interval);
  if (!report.ok) return report;
  place_wet();
  wet_body_.surface = wet_.surface();
  wet_body_.field = &wet_;
  wet_body_.reduction = &wet_.reduction();

  std::vector<double> forces(static_cast<std::size_t>(wet_.unknowns()));
  free_velocity_.resize(forces.size());
  for (std::size_t b = 0; b < wet_places_.size(); ++b) {
    Eigen::Map<Vec3>(forces.data() + 6 * b) = state_.liquid_forces[wet_places_[b]];
    Eigen::Map<Vec3>(forces.data() + 6 * b + 3) = state_.liquid_torques[wet_places_[b]];
  }
  wet_.answer(dt_, forces, free_velocity_);
  for (std::size_t b = 0; b < wet_places_.size(); ++b) {
    Eigen::Map<Vec3> v(free_velocity_.data() + 6 * b), w(free_velocity_.data() + 6 * b + 3);
    v = wet_.bodies()[b].velocity - v;
    w = wet_.bodies()[b].spin - w;
  }
  body_side_.dofs = wet_.unknowns();
  body_side_.free_velocity = free_velocity_;
  body_side_.apply_z1_inverse = [this](std::span<const double> force, std::span<double> change) {
    wet_.answer(dt_, force, change);
  };
  body_side_.accept = [this](std::span<const double> velocity) {
    for (std::size_t b = 0; b < wet_places_.size(); ++b) {
      const std::size_t i = wet_places_[b];
      if (!rigid::is_dynamic(state_, i)) continue;
      const Eigen::Map<const Vec3> v(velocity.data() + 6 * b), w(velocity.data() + 6 * b + 3);
      const Eigen::Map<const Vec3> v0(free_velocity_.data() + 6 * b), w0(free_velocity_.data() + 6 * b + 3);
      state_.liquid_forces[i] = (v - v0) / (dt_ * wet_.bodies()[b].inverse_mass);
      state_.liquid_torques[i] = wet_.bodies()[b].inverse_inertia.inverse() * (w - w0) / dt_;
      state_.velocities[i] = v;
      rigid::set_angular_velocity(state_, i, w);
    }
  };
  return report;
}

}  // namespace selkie::sim
