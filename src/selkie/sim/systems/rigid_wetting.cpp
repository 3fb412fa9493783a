// Rigid bodies in one solve with a liquid (LE-39). They step first, pushed by the forces that the Group's
// liquids and elastic bodies had in the last step: so they move as they will, and contacts hold against them.
// Then the joint solve replaces those forces by the present ones, which changes velocities alone, in the
// directions that joints leave free. A body in balance stays where it is.
#include <algorithm>
#include <cmath>

#include "selkie/math/rotation.h"
#include "selkie/sim/systems/rigid_system.h"
#include "selkie/solids/rigid/joints.h"

namespace selkie::sim {

void RigidSystem::wet(Wetting wetting) {
  wetting_ = std::move(wetting);
  wet_body_.shares = wetting_.shares;
  wet_body_.sticks = wetting_.sticks;
}

const std::string& RigidSystem::name_of(std::size_t body) const {
  const std::uint32_t trait = state_.traits[body];
  return trait > 0 && trait <= looks_.size() ? looks_[trait - 1].name : name();
}

// Besides the solver's own limit, that of the liquid for the bodies which are in its tank.
double RigidSystem::step_limit(const Environment& environment) {
  const double own = rigid::step_limit(params_, state_);
  if (!joint() || !wetting_.reach) return own;
  double fastest = 0;
  for (std::size_t i = 0; i < state_.count(); ++i) {
    const rigid::Shape kind = rigid::shape_of(state_, i);
    if (kind == rigid::Shape::plane || kind == rigid::Shape::mesh) continue;
    const double radius = contact::bounding_radius(rigid::shape_of(model_, state_, i));
    if (wetting_.tank && wetting_.tank->sample(state_.positions[i], 0).distance < -radius) continue;
    fastest =
        std::max(fastest, state_.velocities[i].norm() + rigid::angular_velocity(state_, i).norm() * radius);
  }
  return std::min(own, wet_step_limit(wetting_, fastest, environment.gravity.norm()));
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
    // Held in a plane a body turns about z alone, which is harder than a torque about z that lets it tumble.
    if (rigid::is_dynamic(state_, i) && wetting_.plane)
      body.inverse_inertia = Vec3(0, 0, 1 / body.inverse_inertia.inverse()(2, 2)).asDiagonal();
    bodies.push_back(body);
    wet_places_.push_back(i);
  }
  wet_.place(std::move(bodies), wetting_.plane);
}

void RigidSystem::hold_joints() {
  std::vector<int> place(state_.count(), -1);
  for (std::size_t b = 0; b < wet_places_.size(); ++b) place[wet_places_[b]] = static_cast<int>(b);
  std::vector<coupling::RigidHold> holds;
  for (const rigid::JointDirection& d : rigid::held_directions(model_, state_))
    holds.push_back({place[d.a], d.b == rigid::kWorld ? -1 : place[d.b], d.linear, d.turn_a, d.turn_b});
  wet_.hold(holds);
}

// Velocities as they are without the forces that the step was told of.
void RigidSystem::find_unforced() {
  std::vector<double> forces(static_cast<std::size_t>(wet_.unknowns())), changes(forces.size());
  for (std::size_t b = 0; b < wet_places_.size(); ++b) {
    Eigen::Map<Vec3>(forces.data() + 6 * b) = state_.group_forces[wet_places_[b]] / wet_.depth(b);
    Eigen::Map<Vec3>(forces.data() + 6 * b + 3) = state_.group_torques[wet_places_[b]] / wet_.depth(b);
  }
  wet_.answer(dt_, forces, changes);
  unforced_.resize(state_.count());
  for (std::size_t i = 0; i < state_.count(); ++i)
    unforced_[i] = {state_.velocities[i], rigid::angular_velocity(state_, i)};
  for (std::size_t b = 0; b < wet_places_.size(); ++b) {
    unforced_[wet_places_[b]].first -= Eigen::Map<const Vec3>(changes.data() + 6 * b);
    unforced_[wet_places_[b]].second -= Eigen::Map<const Vec3>(changes.data() + 6 * b + 3);
  }
}

// In a flat liquid bodies stay at their depth and turn about z: what contacts in space would change of that is undone.
void RigidSystem::keep_in_plane() {
  const rigid::State& before = at_sync_start();
  for (std::size_t i = 0; i < state_.count(); ++i) {
    if (!rigid::is_dynamic(state_, i)) continue;
    state_.positions[i].z() = before.positions[i].z();
    const Quat old = rigid::orientation(before, i), change = rigid::orientation(state_, i) * old.conjugate();
    state_.orientations[i] = (Quat(change.w(), 0, 0, change.z()).normalized() * old).coeffs();
    state_.velocities[i].z() = 0;
    rigid::set_angular_velocity(state_, i, Vec3(0, 0, rigid::angular_velocity(state_, i).z()));
  }
}

const coupling::WetRigid& RigidSystem::wet_field() {
  place_wet();
  return wet_;
}

namespace {

// What the next step is told of forces. A blow lasts for one step: repeated in the next it would throw the
// body off. So what is remembered changes by no more than `usual`, half of what it was, or a tenth of what is
// new.
Vec3 remembered(const Vec3& old, const Vec3& now, double usual) {
  const double most = std::max({usual, 0.5 * old.norm(), 0.1 * now.norm()}), change = (now - old).norm();
  return change <= most ? now : Vec3(old + most / change * (now - old));
}

}  // namespace

void RigidSystem::add_group_forces() {
  if (pulled_.empty())
    forces_.assign(state_.count(), Vec3::Zero()), torques_.assign(state_.count(), Vec3::Zero());
  for (std::size_t i = 0; i < state_.count(); ++i)
    forces_[i] += state_.group_forces[i], torques_[i] += state_.group_torques[i];
}

StepReport RigidSystem::predict(const Environment& environment, const Interval& interval) {
  if (!joint()) return {};
  dt_ = interval.dt();
  gravity_ = environment.gravity.norm();
  const std::size_t count = state_.count();
  state_.group_forces.resize(count, Vec3::Zero());
  state_.group_torques.resize(count, Vec3::Zero());
  for (std::size_t i = 0; i < count; ++i)
    if (rigid::is_dynamic(state_, i)) rigid::wake(state_, i);
  const StepReport report = RigidSystem::solve(environment, interval);
  if (!report.ok) return report;
  if (wetting_.plane) keep_in_plane();
  place_wet();
  wet_body_.surface = wet_.surface();
  wet_body_.field = &wet_;
  wet_body_.reduction = &wet_.reduction();

  hold_joints();
  find_unforced();
  met_ = unforced_;
  return report;
}

// Elastic bodies of the Group stand where this step ends and ask for the velocities of the next.
void RigidSystem::offer_solids_ahead(const Interval& step, std::vector<ports::MovableSolid*>& bodies) {
  solids_.clear(), offered_.clear();
  for (std::size_t i = 0; i < state_.count(); ++i) {
    coupling::RigidMotion motion;
    motion.start = rigid::world_from_body(state_, i);
    motion.velocity = unforced_[i].first, motion.angular_velocity = unforced_[i].second;
    const Vec3 turn = dt_ * motion.angular_velocity;
    motion.end = Eigen::Translation3d(motion.start.translation() + dt_ * motion.velocity) *
                 (quaternion_from_vector(turn) * Quat(motion.start.linear())).normalized();
    motion.t0 = step.t0(), motion.t1 = step.t1();
    offer(i, motion, bodies);
  }
  for (const auto& solid : solids_) solid->parts_by_velocity = true;
}

void RigidSystem::take_pushes_ahead() {
  for (std::size_t k = 0; k < solids_.size(); ++k)
    met_[offered_[k]] = {solids_[k]->velocity(), solids_[k]->angular_velocity()};
  solids_.clear();
}

ports::BodySide* RigidSystem::body_side() {
  if (!joint()) return nullptr;
  free_velocity_.resize(static_cast<std::size_t>(wet_.unknowns()));
  for (std::size_t b = 0; b < wet_places_.size(); ++b) {
    Eigen::Map<Vec3>(free_velocity_.data() + 6 * b) = met_[wet_places_[b]].first;
    Eigen::Map<Vec3>(free_velocity_.data() + 6 * b + 3) = met_[wet_places_[b]].second;
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
      state_.velocities[i] = Eigen::Map<const Vec3>(velocity.data() + 6 * b);
      rigid::set_angular_velocity(state_, i, Eigen::Map<const Vec3>(velocity.data() + 6 * b + 3));
    }
    wet_.set_velocities(velocity);  // along these the liquid's velocity goes on
  };
  // The liquids', whatever joints make of them, and what elastic bodies have pushed.
  body_side_.accept_force = [this](std::span<const double> force) {
    for (std::size_t b = 0; b < wet_places_.size(); ++b) {
      const std::size_t i = wet_places_[b];
      if (!rigid::is_dynamic(state_, i)) continue;
      const double mass = state_.masses[i], weight = gravity_ * mass,
                   arm = std::sqrt(state_.inertias[i].maxCoeff() / mass);
      const Mat3 inertia = rigid::inverse_inertia(state_, i).inverse();
      const Vec3 pushed = (met_[i].first - unforced_[i].first) * mass / dt_,
                 turned = inertia * (met_[i].second - unforced_[i].second) / dt_;
      Vec3 torque = wet_.depth(b) * Eigen::Map<const Vec3>(force.data() + 6 * b + 3);
      if (wetting_.plane)
        torque = inertia.col(2) * (torque.z() / inertia(2, 2));  // with what keeps it from tumbling
      state_.group_forces[i] =
          remembered(state_.group_forces[i],
                     pushed + wet_.depth(b) * Eigen::Map<const Vec3>(force.data() + 6 * b), weight);
      state_.group_torques[i] = remembered(state_.group_torques[i], turned + torque, weight * arm);
    }
  };
  return &body_side_;
}

}  // namespace selkie::sim
