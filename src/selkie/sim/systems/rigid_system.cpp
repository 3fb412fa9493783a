// See rigid_system.h.
#include "selkie/sim/systems/rigid_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "selkie/core/error.h"
#include "selkie/geometry/generators.h"
#include "selkie/math/rotation.h"
#include "selkie/sim/event_arguments.h"

namespace selkie::sim {
namespace {

// What a person may throw: anything that is neither dust nor a planet, and slower than a bullet.
constexpr double kSmallest = 1e-3, kLargest = 100;  // m
constexpr double kLightest = 1e-3, kDensest = 1e6;  // kg/m³
constexpr double kFastest = 1000;                   // m/s, and for spin rad/s

}  // namespace

Eigen::Isometry3d RigidDriver::pose(double time) const {
  if (motion) return motion->pose(time) * start;
  if (keyframes.empty()) return start;
  const auto next = std::find_if(keyframes.begin(), keyframes.end(), [&](const Keyframe& k) { return k.time > time; });
  const Keyframe& b = next == keyframes.end() ? keyframes.back() : *next;
  const Keyframe& a = next == keyframes.begin() ? b : *(next - 1);
  const double share = b.time > a.time ? std::clamp((time - a.time) / (b.time - a.time), 0.0, 1.0) : 1;
  return Eigen::Translation3d((1 - share) * a.position + share * b.position) *
         a.orientation.slerp(share, b.orientation).normalized();
}

RigidSystem::RigidSystem(std::string name, rigid::Params params, RigidBodies bodies)
    : RigidBase(std::move(name), std::move(bodies.model), params, std::move(bodies.state)),
      drivers_(std::move(bodies.drivers)),
      pulled_(std::move(bodies.pulled)),
      looks_(std::move(bodies.looks)),
      planes_(std::move(bodies.planes)),
      scene_bodies_(state_.count()) {}

void RigidSystem::state_was_written() {
  if (state_.grabbed_body >= static_cast<std::int64_t>(state_.count())) rigid::release(state_);
}

namespace {

Vec3 values_at(const std::vector<Expression>& formulas, double time) {
  Vec3 v = Vec3::Zero();
  for (std::size_t k = 0; k < formulas.size(); ++k) v[static_cast<int>(k)] = formulas[k](time);
  return v;
}

}  // namespace

Vec3 RigidPull::force_at(double time) const { return values_at(force, time); }
Vec3 RigidPull::torque_at(double time) const { return values_at(torque, time); }

// Forces of the middle of the step; one that changes wakes its body.
StepReport RigidSystem::pull_bodies(const Interval& interval) {
  if (pulled_.empty()) return {};
  forces_.assign(state_.count(), Vec3::Zero()), torques_.assign(state_.count(), Vec3::Zero());
  const double middle = 0.5 * (interval.t0() + interval.t1());
  for (const PulledBody& p : pulled_) {
    forces_[p.body] = p.pull->force_at(middle), torques_[p.body] = p.pull->torque_at(middle);
    if (p.pull->force_at(interval.t0()) != p.pull->force_at(interval.t1()) ||
        p.pull->torque_at(interval.t0()) != p.pull->torque_at(interval.t1()))
      rigid::wake(state_, p.body);
    if (!forces_[p.body].allFinite() || !torques_[p.body].allFinite())
      return StepReport::failure(
          fmt::format("the force on body {} is not finite at t = {} s", state_.identities[p.body], middle));
  }
  return {};
}

StepReport RigidSystem::solve(const Environment& environment, const Interval& interval) {
  std::vector<const ports::FieldSampler*> colliders;
  for (const auto& collider : environment.colliders)
    if (std::find(planes_.begin(), planes_.end(), collider) == planes_.end()) colliders.push_back(collider.get());
  if (wetting_.tank) colliders.push_back(wetting_.tank.get());
  std::vector<rigid::Target> targets;
  for (const RigidDriver& driver : drivers_) {
    const Eigen::Isometry3d pose = driver.pose(interval.t1());
    if (!pose.matrix().allFinite())
      return StepReport::failure(fmt::format("the motion of body {} is not finite at t = {} s",
                                             state_.identities[driver.body], interval.t1()));
    targets.push_back({driver.body, pose.translation(), Quat(pose.linear()).normalized()});
  }
  if (StepReport pulled = pull_bodies(interval); !pulled.ok) return pulled;
  if (joint()) add_group_forces();
  return rigid::step(model_, params_, {environment.gravity, colliders, targets, forces_, torques_}, interval, from(),
                     state_, work_);
}

// `motion` says where it goes; the rest is the body's.
void RigidSystem::offer(std::size_t i, coupling::RigidMotion motion, std::vector<ports::MovableSolid*>& bodies) {
  if (rigid::shape_of(state_, i) == rigid::Shape::plane) return;  // no end to it: it is among the colliders
  motion.shape = rigid::shape_of(model_, state_, i);
  motion.movable = rigid::is_dynamic(state_, i);
  constexpr double kMuch = 1e6;  // kg: next to what is soft, what cannot be moved
  motion.mass = motion.movable ? state_.masses[i] : kMuch;
  motion.inertia = motion.movable ? state_.inertias[i] : Vec3(Vec3::Constant(kMuch));
  const std::uint32_t t = state_.traits[i];
  const double friction = t > 0 ? model_.traits[t - 1].friction : params_.friction;
  solids_.push_back(std::make_unique<coupling::RigidSolid>(motion, friction));
  offered_.push_back(i);
  bodies.push_back(solids_.back().get());
}

void RigidSystem::offer_solids(const Interval& sync, std::vector<ports::MovableSolid*>& bodies) {
  solids_.clear(), offered_.clear();
  const rigid::State& start = at_sync_start();
  for (std::size_t i = 0; i < state_.count(); ++i) {
    coupling::RigidMotion motion;
    motion.start = rigid::world_from_body(start, i);
    motion.end = rigid::world_from_body(state_, i);
    motion.velocity = state_.velocities[i];
    motion.angular_velocity = rigid::angular_velocity(state_, i);
    motion.t0 = sync.t0(), motion.t1 = sync.t1();
    offer(i, motion, bodies);
  }
}

// Bodies that contacts held in the step just made.
std::vector<std::uint8_t> RigidSystem::held_bodies() const {
  std::vector<std::uint8_t> held(state_.count(), 0);
  for (std::size_t c = 0; c < state_.contact_pairs.size(); ++c) {
    const rigid::TouchPair& pair = state_.contact_pairs[c];
    rigid::TouchMemory memory;
    std::memcpy(&memory, state_.contact_values[c].data(), sizeof memory);
    double force = 0;
    for (std::uint32_t k = 0; k < pair[2]; ++k) force += memory.force[k];
    if (!(force > 0)) continue;
    held[pair[0]] = 1;
    if (pair[1] < rigid::kCollider) held[pair[1]] = 1;
  }
  return held;
}

void RigidSystem::take_pushes() {
  const std::vector<std::uint8_t> held = held_bodies();
  for (std::size_t k = 0; k < solids_.size(); ++k) {
    const coupling::RigidSolid& solid = *solids_[k];
    if (!solid.was_pushed()) continue;
    const std::size_t i = offered_[k];
    // What flies goes on from where the push took it. What is held must not be moved past its contacts: it gets the
    // impulse, which they answer in the next step; otherwise a load sinks in by its way of every step.
    if (!held[i]) {
      const Eigen::Isometry3d pose = solid.pose(solid.end_time());
      state_.positions[i] = pose.translation();
      state_.orientations[i] = Quat(pose.linear()).normalized().coeffs();
    }
    state_.velocities[i] = solid.velocity();
    rigid::set_angular_velocity(state_, i, solid.angular_velocity());
    rigid::wake(state_, i);
  }
  solids_.clear();
}

std::vector<std::string> RigidSystem::actions() const {
  return {"throw", "clear", "grab", "drag", "release", "impulse", "push", "kick"};
}

void RigidSystem::throw_body(const ports::InputEvent& event) {
  const EventArguments arguments(event);
  const std::string shape = arguments.text("shape", {"ball", "box"});
  rigid::Body body;
  body.shape = shape == "ball" ? rigid::Shape::ball : rigid::Shape::box;
  body.half_size.setConstant(arguments.number("size", kSmallest, kLargest));
  body.density = arguments.number("density", kLightest, kDensest);
  body.position = arguments.vector("position");
  body.velocity = arguments.vector("velocity", kFastest);
  if (arguments.has("spin")) body.angular_velocity = arguments.vector("spin", kFastest);
  if (state_.count() >= model_.most_bodies)
    throw InputError(event.arguments.place.location(),
                     fmt::format("'{}' already holds {} bodies", name(), state_.count()),
                     "take them away with the action 'clear'");
  rigid::add(state_, body);
}

// True when the action was one of those that need no body.
bool RigidSystem::act(const ports::InputEvent& event) {
  if (event.action == "throw") return throw_body(event), true;
  if (event.action == "clear") return rigid::clear(state_, scene_bodies_), true;
  if (event.action == "release") return rigid::release(state_), true;
  return false;
}

void RigidSystem::apply(const ports::InputEvent& event) {
  if (act(event)) return;
  const EventArguments arguments(event);
  auto nearest = [&](const Vec3& point) {
    if (state_.count() == 0)
      throw InputError(event.arguments.place.location(), "'" + name() + "' holds no body to " + event.action,
                       "throw one first");
    return rigid::nearest_body(model_, state_, point);
  };
  if (event.action == "grab") {
    const Vec3 point = arguments.vector("point"), target = arguments.vector("target");
    rigid::grab(model_, state_, nearest(point), point, target);
  } else if (event.action == "drag") {
    const Vec3 target = arguments.vector("target");
    if (state_.grabbed_body >= 0) state_.grab_target = target;  // late mouse events find nothing: harmless
  } else if (event.action == "impulse") {
    const Vec3 point = arguments.vector("point"), impulse = arguments.vector("impulse");
    const std::size_t i = nearest(point);
    rigid::apply_impulse(state_, i, rigid::nearest_point(model_, state_, i, point), impulse);
  } else if (event.action == "push") {
    const GaussianPush push(arguments);
    for (std::size_t i = 0; i < state_.count(); ++i)
      if (rigid::is_dynamic(state_, i)) state_.velocities[i] += push.at(state_.positions[i]), rigid::wake(state_, i);
  } else if (event.action == "kick") {
    const Vec3 velocity = arguments.vector("velocity", kFastest);
    for (std::size_t i = 0; i < state_.count(); ++i)
      if (rigid::is_dynamic(state_, i)) state_.velocities[i] += velocity, rigid::wake(state_, i);
  } else {
    System::apply(event);
  }
}

const rigid::Lookup& RigidSystem::look_up() {
  lookup_.update(model_, state_);
  return lookup_;
}

Figures RigidSystem::figures(const Environment& environment) {
  const rigid::Diagnostics d = rigid::diagnose(state_, environment.gravity);
  return {{"bodies", static_cast<double>(state_.count())},
          {"energy", d.kinetic_energy + d.gravitational_energy},
          {"kinetic", d.kinetic_energy},
          {"gravity", d.gravitational_energy},
          {"max_speed", d.max_speed},
          {"deepest", d.deepest},
          {"asleep", static_cast<double>(d.asleep)}};
}

// Surfaces are made once for each shape and size.
const geometry::TriangleMesh& RigidSystem::surface_of(std::size_t i) {
  const contact::Shape shape = rigid::shape_of(model_, state_, i);
  if (shape.form) return shape.form->mesh;
  const std::array<double, 4> key{static_cast<double>(shape.kind), shape.size.x(), shape.size.y(), shape.size.z()};
  const auto found = surfaces_.find(key);
  return found != surfaces_.end() ? found->second : surfaces_.emplace(key, contact::surface_of(shape)).first->second;
}

std::vector<ports::Drawable> RigidSystem::drawables() {
  drawn_.resize(looks_.size() + 1);
  for (Drawn& drawn : drawn_) drawn.positions.clear(), drawn.velocities.clear(), drawn.triangles.clear();
  for (std::size_t i = 0; i < state_.count(); ++i) {
    Drawn& drawn = drawn_[state_.traits[i] > 0 ? state_.traits[i] - 1 : looks_.size()];
    const geometry::TriangleMesh& mesh = surface_of(i);
    const auto first = static_cast<std::uint32_t>(drawn.positions.size());
    const Eigen::Isometry3d pose = rigid::world_from_body(state_, i);
    const Vec3 w = rigid::angular_velocity(state_, i);
    for (const Vec3& p : mesh.positions) {
      drawn.positions.push_back(pose * p);
      drawn.velocities.push_back(state_.velocities[i] + w.cross(drawn.positions.back() - state_.positions[i]));
    }
    for (const geometry::Triangle& t : mesh.triangles)
      drawn.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
  std::vector<ports::Drawable> drawables;
  for (std::size_t k = 0; k < drawn_.size(); ++k) {
    const Drawn& drawn = drawn_[k];
    if (drawn.positions.empty()) continue;
    ports::Drawable drawable;
    drawable.name = k < looks_.size() ? looks_[k].name : name();
    drawable.colour = k < looks_.size() ? looks_[k].colour : Vec3(0.85, 0.4, 0.25);
    drawable.shape =
        ports::TriangleSurface{drawn.positions,
                               drawn.triangles,
                               {{"velocity", "m/s", 3, {drawn.velocities[0].data(), 3 * drawn.velocities.size()}}}};
    drawables.push_back(drawable);
  }
  return drawables;
}

Estimate RigidSystem::estimate() {
  double bytes = 0;
  for (const ArrayRef& array : state()) bytes += static_cast<double>(array.bytes());
  return {3 * bytes, fmt::format("{} rigid bodies", state_.count())};
}

}  // namespace selkie::sim
