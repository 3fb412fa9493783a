// See rigid_system.h.
#include "selkie/sim/systems/rigid_system.h"

#include <fmt/format.h>

#include <cmath>

#include "selkie/core/error.h"
#include "selkie/geometry/generators.h"
#include "selkie/math/rotation.h"
#include "selkie/sim/event_arguments.h"
#include "selkie/solids/rigid/queries.h"

namespace selkie::sim {
namespace {

// What a person may throw: anything that is neither dust nor a planet, and slower than a bullet.
constexpr double kSmallest = 1e-3, kLargest = 100;  // m
constexpr double kLightest = 1e-3, kDensest = 1e6;  // kg/m³
constexpr double kFastest = 1000;                   // m/s, and for spin rad/s

const geometry::TriangleMesh& unit_mesh(rigid::Shape shape) {
  static const geometry::TriangleMesh ball = geometry::icosphere({Vec3::Zero(), 1, 6});
  static const geometry::TriangleMesh box =
      geometry::box_surface({Vec3::Constant(-1), Vec3::Constant(1), {1, 1, 1}});
  return shape == rigid::Shape::ball ? ball : box;
}

}  // namespace

RigidSystem::RigidSystem(std::string name, rigid::Params params, rigid::State state)
    : RigidBase(std::move(name), {}, params, std::move(state)) {}

void RigidSystem::state_was_written() {
  if (state_.grabbed_body >= static_cast<std::int64_t>(state_.count())) rigid::release(state_);
}

StepReport RigidSystem::solve(const Environment& environment, const Interval& interval) {
  std::vector<const ports::FieldSampler*> colliders;
  for (const auto& collider : environment.colliders) colliders.push_back(collider.get());
  return rigid::step(model_, params_, {environment.gravity, colliders}, interval, from(), state_, work_);
}

void RigidSystem::offer_solids(const Interval& sync, std::vector<ports::MovableSolid*>& bodies) {
  solids_.clear();
  const rigid::State& start = at_sync_start();
  for (std::size_t i = 0; i < state_.count(); ++i) {
    coupling::RigidMotion motion;
    motion.ball = rigid::shape_of(state_, i) == rigid::Shape::ball;
    motion.half_size = state_.half_sizes[i];
    motion.mass = state_.masses[i];
    motion.inertia = state_.inertias[i];
    motion.start = rigid::world_from_body(start, i);
    motion.end = rigid::world_from_body(state_, i);
    motion.velocity = state_.velocities[i];
    motion.angular_velocity = state_.angular_velocities[i];
    motion.t0 = sync.t0(), motion.t1 = sync.t1();
    solids_.push_back(std::make_unique<coupling::RigidSolid>(motion, params_.friction));
    bodies.push_back(solids_.back().get());
  }
}

void RigidSystem::take_pushes() {
  for (std::size_t i = 0; i < solids_.size(); ++i) {
    const coupling::RigidSolid& solid = *solids_[i];
    if (!solid.was_pushed()) continue;
    const Eigen::Isometry3d pose = solid.pose(solid.end_time());
    state_.positions[i] = pose.translation();
    state_.orientations[i] = Quat(pose.linear()).normalized().coeffs();
    state_.velocities[i] = solid.velocity();
    state_.angular_velocities[i] = solid.angular_velocity();
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
  if (event.action == "clear") return rigid::clear(state_), true;
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
    return rigid::nearest_body(state_, point);
  };
  if (event.action == "grab") {
    const Vec3 point = arguments.vector("point"), target = arguments.vector("target");
    rigid::grab(state_, nearest(point), point, target);
  } else if (event.action == "drag") {
    const Vec3 target = arguments.vector("target");
    if (state_.grabbed_body >= 0) state_.grab_target = target;  // late mouse events find nothing: harmless
  } else if (event.action == "impulse") {
    const Vec3 point = arguments.vector("point"), impulse = arguments.vector("impulse");
    const std::size_t i = nearest(point);
    rigid::apply_impulse(state_, i, rigid::nearest_point(state_, i, point), impulse);
  } else if (event.action == "push") {
    const GaussianPush push(arguments);
    for (std::size_t i = 0; i < state_.count(); ++i) state_.velocities[i] += push.at(state_.positions[i]);
  } else if (event.action == "kick") {
    const Vec3 velocity = arguments.vector("velocity", kFastest);
    for (Vec3& v : state_.velocities) v += velocity;
  } else {
    System::apply(event);
  }
}

Figures RigidSystem::figures(const Environment& environment) {
  const rigid::Diagnostics d = rigid::diagnose(state_, environment.gravity);
  return {{"bodies", static_cast<double>(state_.count())},
          {"energy", d.kinetic_energy + d.gravitational_energy},
          {"kinetic", d.kinetic_energy},
          {"gravity", d.gravitational_energy},
          {"max_speed", d.max_speed}};
}

std::vector<ports::Drawable> RigidSystem::drawables() {
  if (state_.count() == 0) return {};
  drawn_positions_.clear(), drawn_velocities_.clear(), drawn_triangles_.clear();
  for (std::size_t i = 0; i < state_.count(); ++i) {
    const geometry::TriangleMesh& mesh = unit_mesh(rigid::shape_of(state_, i));
    const auto first = static_cast<std::uint32_t>(drawn_positions_.size());
    const Eigen::Isometry3d pose = rigid::world_from_body(state_, i);
    for (const Vec3& p : mesh.positions) {
      drawn_positions_.push_back(pose * p.cwiseProduct(state_.half_sizes[i]));
      drawn_velocities_.push_back(rigid::velocity_at(state_, i, drawn_positions_.back()));
    }
    for (const geometry::Triangle& t : mesh.triangles)
      drawn_triangles_.push_back({first + t[0], first + t[1], first + t[2]});
  }
  ports::Drawable drawable;
  drawable.name = name();
  drawable.colour = Vec3(0.85, 0.4, 0.25);
  drawable.shape = ports::TriangleSurface{
      drawn_positions_,
      drawn_triangles_,
      {{"velocity", "m/s", 3, {drawn_velocities_[0].data(), 3 * drawn_velocities_.size()}}}};
  return {drawable};
}

Estimate RigidSystem::estimate() {
  double bytes = 0;
  for (const ArrayRef& array : state()) bytes += static_cast<double>(array.bytes());
  return {3 * bytes, fmt::format("{} rigid bodies", state_.count())};
}

}  // namespace selkie::sim
