// See build_rigid.h. Shapes that are not primitives are moved to their centre of mass and turned to their principal
// axes here, so that the solver knows bodies with diagonal inertia only.
#include "selkie/scene/build_rigid.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "selkie/core/error.h"
#include "selkie/core/random.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/io/read_mesh.h"
#include "selkie/io/read_toml.h"
#include "selkie/math/rotation.h"
#include "selkie/scene/rigid_copies.h"
#include "selkie/scene/rigid_shapes.h"
#include "selkie/sim/collider.h"
#include "selkie/sim/systems/rigid_system.h"

namespace selkie::scene {
namespace {

// The bodies of one table.
struct Built {
  std::uint32_t first = 0, count = 0;
  std::vector<Eigen::Isometry3d> places;  // of each copy, as the scene gives them
  Eigen::Isometry3d written;              // as 'position' and 'rotate' say: grids and rows are centred about it
};

rigid::Traits traits_of(const RigidDescription& d, const rigid::Params& params) {
  rigid::Traits t;
  t.friction = d.friction.value_or(params.friction);
  t.sliding_friction = d.sliding_friction.value_or(t.friction);
  t.friction_across = d.friction_across.value_or(t.friction);
  t.grain = d.grain;
  t.restitution = d.restitution.value_or(params.restitution);
  t.rolling = d.rolling;
  t.group = 1u << d.group;
  for (const int g : d.ignores) t.meets &= ~(1u << g);
  return t;
}

sim::RigidDriver driver_of(const RigidDescription& d, const Eigen::Isometry3d& place, const BodyShape& shape,
                           std::uint32_t body) {
  sim::RigidDriver driver;
  driver.body = body;
  driver.start = place * shape.center;
  if (d.motion) driver.motion = std::make_shared<sim::Motion>(*d.motion);
  for (const RigidKeyframe& k : d.keyframes) {
    const Eigen::Isometry3d pose = Eigen::Translation3d(k.position) * turned(k.rotate) * shape.center;
    driver.keyframes.push_back({k.time, pose.translation(), Quat(pose.linear())});
  }
  return driver;
}

Built add_bodies(const RigidDescription& d, const Scene& scene, const Value& table, std::uint32_t trait,
                 sim::RigidBodies& bodies) {
  const BodyShape shape = make_shape(d, scene, table);
  const auto form = static_cast<std::int32_t>(shape.form ? bodies.model.forms.size() : std::size_t(-1));
  if (shape.form) bodies.model.forms.push_back(shape.form);
  Built built;
  built.first = static_cast<std::uint32_t>(bodies.state.count());
  built.places = places_of(d);
  built.written = place_of(d);
  built.count = static_cast<std::uint32_t>(built.places.size());
  if (bodies.state.count() + built.count > bodies.model.most_bodies)
    throw InputError(table.place.location(),
                     "'" + d.name + "' makes more than " + std::to_string(bodies.model.most_bodies) + " bodies",
                     "lower the counts of 'copies' or scene.scale");
  std::shared_ptr<const sim::RigidPull> pull;
  if (!d.force.empty() || !d.torque.empty()) {
    auto formulas = std::make_shared<sim::RigidPull>();
    for (const std::string& f : d.force) formulas->force.emplace_back(f, std::vector<std::string>{"t"});
    for (const std::string& f : d.torque) formulas->torque.emplace_back(f, std::vector<std::string>{"t"});
    pull = std::move(formulas);
  }
  for (const Eigen::Isometry3d& place : built.places) {
    rigid::Body body;
    body.shape = shape.shape.kind;
    body.half_size = shape.shape.size;
    const Eigen::Isometry3d pose = place * shape.center;
    body.position = pose.translation();
    body.orientation = Quat(pose.linear());
    body.velocity = d.velocity, body.angular_velocity = d.spin;
    body.role = static_cast<rigid::Role>(d.role);
    body.traits = trait;
    body.form = form;
    body.mass = shape.mass, body.inertia = shape.inertia;
    const std::size_t i = rigid::add(bodies.state, body);
    if (d.asleep) bodies.state.asleep[i] = 1;
    if (pull) bodies.pulled.push_back({static_cast<std::uint32_t>(i), pull});
    if (d.role == RigidRole::kinematic)
      bodies.drivers.push_back(driver_of(d, place, shape, static_cast<std::uint32_t>(i)));
  }
  return built;
}

// Frames of a joint at a point of the world, x along the axis.
void place_joint(const rigid::State& state, const Vec3& at, const Vec3& other, const Vec3& axis, rigid::Joint& joint) {
  const Quat frame(rotation_between(Vec3::UnitX(), axis));
  const Eigen::Isometry3d a = rigid::world_from_body(state, joint.a);
  joint.point_a = a.inverse() * at;
  joint.frame_a = rigid::orientation(state, joint.a).conjugate() * frame;
  joint.point_b = other, joint.frame_b = frame;
  if (joint.b == rigid::kWorld) return;
  joint.point_b = rigid::world_from_body(state, joint.b).inverse() * other;
  joint.frame_b = rigid::orientation(state, joint.b).conjugate() * frame;
}

rigid::Joint joint_of(const JointDescription& d) {
  rigid::Joint joint;
  joint.kind = d.kind;
  const bool angles = d.kind == rigid::JointKind::hinge || d.kind == rigid::JointKind::ball;
  if (d.limits) {
    const double unit = angles ? std::numbers::pi / 180 : 1;
    joint.limited = true, joint.low = unit * (*d.limits)[0], joint.high = unit * (*d.limits)[1];
  }
  joint.motor = d.motor_speed.has_value();
  joint.motor_speed = d.motor_speed.value_or(0), joint.motor_force = d.motor_force;
  joint.break_force = d.break_force;
  joint.bodies_touch = d.touch;
  return joint;
}

Vec3 point(const std::array<double, 3>& p) { return {p[0], p[1], p[2]}; }

struct JointBuilder {
  const JointDescription& d;
  const Value& table;
  sim::RigidBodies& bodies;

  // `moved` carries what the scene says of a body at its 'position' to this copy.
  void add(std::uint32_t a, std::uint32_t b, const Eigen::Isometry3d& moved, bool first) const {
    rigid::Joint joint = joint_of(d);
    joint.a = a, joint.b = b;
    const rigid::State& state = bodies.state;
    const bool world = b == rigid::kWorld;
    const Vec3 middle_a = state.positions[a], middle_b = world ? middle_a : state.positions[b];
    Vec3 at = d.at ? Vec3(moved * point(*d.at)) : Vec3(0.5 * (middle_a + middle_b)), other = at;
    if (d.kind == rigid::JointKind::distance) {
      if (!d.at) at = middle_a;
      other = d.other_end ? Vec3(moved * point(*d.other_end)) : middle_b;
      if (!joint.limited) joint.limited = true, joint.low = joint.high = (at - other).norm();
      if (first && !(joint.high > 0))
        throw InputError(table.place.location(), "a distance joint holds two points at the same place",
                         "give 'at' and 'other_end', or use kind = \"ball\"");
    }
    place_joint(state, at, other, moved.linear() * d.axis, joint);
    bodies.model.joints.push_back(joint);
  }

  void chain(const Built& links) const {
    for (std::uint32_t k = 0; k + 1 < links.count; ++k)
      add(links.first + k, links.first + k + 1, links.places[k] * links.written.inverse(), k == 0);
  }

  void pairs(const Built& a, const Built* b) const {
    const std::uint32_t counts = b ? std::min(a.count, b->count) : a.count;
    if (b && a.count != b->count && d.copies.empty())
      throw InputError(find_place(table, "between").location(),
                       "'" + d.between[0] + "' has " + std::to_string(a.count) + " bodies and '" + d.between[1] +
                           "' has " + std::to_string(b->count),
                       "say which copies are joined: copies = [0, 2]");
    if (d.copies.empty()) {
      for (std::uint32_t k = 0; k < counts; ++k)
        add(a.first + k, b ? b->first + k : rigid::kWorld, a.places[k] * a.written.inverse(), k == 0);
      return;
    }
    auto copy = [&](std::size_t k, const Built& of) {
      const int n = k < d.copies.size() ? d.copies[k] : d.copies[0];
      if (static_cast<std::uint32_t>(n) >= of.count)
        throw InputError(find_place(table, "copies").location(),
                         "names copy " + std::to_string(n) + " of " + std::to_string(of.count),
                         "copies are counted from 0");
      return of.first + static_cast<std::uint32_t>(n);
    };
    // Where copies are named, `at` is where the joint is.
    add(copy(0, a), b ? copy(1, *b) : rigid::kWorld, Eigen::Isometry3d::Identity(), true);
  }
};

}  // namespace

std::vector<std::shared_ptr<ports::FieldSampler>> plane_colliders(const Scene& scene) {
  std::vector<std::shared_ptr<ports::FieldSampler>> planes;
  for (const RigidDescription& d : scene.description.rigid) {
    if (!d.shape.plane) continue;
    const rigid::Traits traits = traits_of(d, scene.description.bodies);
    for (const Eigen::Isometry3d& place : places_of(d)) {
      sim::ColliderDescription collider;
      collider.shape.emplace();
      collider.shape->plane = geometry::Plane{place.translation(), place.linear().col(1)};
      collider.friction = traits.friction, collider.restitution = traits.restitution;
      planes.push_back(sim::make_collider(collider));
    }
  }
  return planes;
}

std::unique_ptr<sim::System> build_rigid(const Scene& scene,
                                         const std::vector<std::shared_ptr<ports::FieldSampler>>& planes) {
  const SceneDescription& d = scene.description;
  auto element = [&](const char* list, std::size_t i) -> const Value& {
    static const Value nowhere{ValueTable{}};
    const Value* values = scene.source.find(list);
    return values && values->is_array() && i < values->array().size() ? values->array()[i] : nowhere;
  };
  sim::RigidBodies bodies;
  bodies.planes.assign(planes.begin(), planes.end());
  std::vector<Built> built;
  for (std::size_t i = 0; i < d.rigid.size(); ++i) {
    bodies.model.traits.push_back(traits_of(d.rigid[i], d.bodies));
    bodies.looks.push_back({d.rigid[i].name, d.rigid[i].colour});
    built.push_back(
        add_bodies(d.rigid[i], scene, element("rigid", i), static_cast<std::uint32_t>(i + 1), bodies));
  }
  auto named = [&](const std::string& name) -> const Built& {
    const auto found = std::find_if(d.rigid.begin(), d.rigid.end(), [&](const auto& r) { return r.name == name; });
    return built[static_cast<std::size_t>(found - d.rigid.begin())];
  };
  for (std::size_t i = 0; i < d.joint.size(); ++i) {
    const JointDescription& joint = d.joint[i];
    const JointBuilder builder{joint, element("joint", i), bodies};
    if (joint.chain)
      builder.chain(named(joint.between[0]));
    else
      builder.pairs(named(joint.between[0]), joint.between.size() > 1 ? &named(joint.between[1]) : nullptr);
  }
  bodies.state.joint_forces.resize(bodies.model.joints.size());
  bodies.state.joints_broken.resize(bodies.model.joints.size());
  return std::make_unique<sim::RigidSystem>(sim::kThrown, d.bodies, std::move(bodies));
}

}  // namespace selkie::scene
