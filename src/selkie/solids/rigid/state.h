// State of a set of rigid bodies: everything that influences a later step. Arrays grow when bodies are added.
// The angular momentum is kept, not the angular velocity: without torque it does not change at all (RT-40).
// Contacts carry the forces of the last step, from which the next one starts.
#pragma once

#include <cstdint>

#include "selkie/contact/shape.h"
#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/math/types.h"
#include "selkie/solids/rigid/model.h"

namespace selkie::rigid {

using Shape = contact::Kind;
enum class Role : std::uint8_t { dynamic, fixed, kinematic };

// What is remembered of a manifold: as numbers, so that State stays plain arrays.
struct TouchMemory {
  double normal[3];             // from b to a, in the frame of a
  double offset[3], turn[4];    // where b was in the frame of a when the points were found
  double on_a[4][3], on_b[4][3];  // points in the frames of the bodies; on_b of colliders: in the world
  double force[4];              // N along the normal
  double friction[3], twist;    // N in the world, N·m about the normal
};
using TouchPair = Eigen::Matrix<std::uint32_t, 4, 1>;     // a, b, points, 0
using TouchValues = Eigen::Matrix<double, 42, 1>;         // a TouchMemory
using JointForces = Eigen::Matrix<double, 8, 1>;
static_assert(sizeof(TouchMemory) == sizeof(TouchValues));
inline constexpr std::uint32_t kCollider = 0x80000000;    // a contact's b from here on: colliders

struct State {
  Buffer<Vec3> positions;
  Buffer<Vec4> orientations;
  Buffer<Vec3> velocities;
  Buffer<Vec3> angular_momenta;
  Buffer<std::uint8_t> shapes;
  Buffer<std::int32_t> forms;
  Buffer<Vec3> half_sizes;
  Buffer<std::uint8_t> roles;
  Buffer<std::uint32_t> traits;
  Buffer<double> masses;
  Buffer<Vec3> inertias;
  Buffer<std::uint64_t> identities;
  Buffer<double> rest_times;
  Buffer<std::uint8_t> asleep;
  Buffer<TouchPair> contact_pairs;
  Buffer<TouchValues> contact_values;
  Buffer<JointForces> joint_forces;
  Buffer<std::uint8_t> joints_broken;
  Buffer<Vec3> group_forces;
  Buffer<Vec3> group_torques;
  Vec3 gravity = Vec3::Zero();
  std::uint64_t next_identity = 0;
  std::int64_t grabbed_body = -1;
  Vec3 grab_point = Vec3::Zero();
  Vec3 grab_target = Vec3::Zero();

  std::size_t count() const { return positions.size(); }
};

constexpr auto describe(State*) {
  using S = State;
  return Members{
      member("positions", &S::positions, "m", "centres of mass"),
      member("orientations", &S::orientations, "", "world from body (principal axes), as quaternions x, y, z, w"),
      member("velocities", &S::velocities, "m/s", "of the centres of mass"),
      member("angular_momenta", &S::angular_momenta, "kg·m²/s",
             "about the centres of mass, in the world frame; of kinematic bodies: angular velocities"),
      member("shapes", &S::shapes, "",
             "0 ball, 1 box, 2 capsule, 3 cylinder, 4 hull, 5 compound, 6 mesh, 7 solid mesh, 8 plane"),
      member("forms", &S::forms, "", "number of the shared form of hulls, compounds and meshes; -1: none"),
      member("half_sizes", &S::half_sizes, "m", "half extents in the body frame; the radius of a ball, three times"),
      member("roles", &S::roles, "", "0: moved by forces, 1: fixed, 2: follows a given motion"),
      member("traits", &S::traits, "", "which material and group; 0: that of the parameters"),
      member("masses", &S::masses, "kg", "masses; those of fixed and kinematic bodies do not count"),
      member("inertias", &S::inertias, "kg·m²", "principal moments of inertia, in the body frame"),
      member("identities", &S::identities, "", "a number that no other body ever gets"),
      member("rest_times", &S::rest_times, "s", "for how long a body has been slow"),
      member("asleep", &S::asleep, "", "1: rests until something moves it"),
      member("contact_pairs", &S::contact_pairs, "", "bodies a and b (or 2³¹ + collider), number of points, 0"),
      member("contact_values", &S::contact_values, "m, N", "normal, pose, points and forces of a manifold"),
      member("joint_forces", &S::joint_forces, "N, N·m", "of the rows of each joint"),
      member("joints_broken", &S::joints_broken, "", "1: the joint has given way"),
      member("group_forces", &S::group_forces, "N",
             "of liquids and elastic bodies in one solve with the bodies, as the next step expects them; empty without such"),
      member("group_torques", &S::group_torques, "N·m", "likewise, about the centres of mass"),
      member("gravity", &S::gravity, "m/s²", "and the pull of the wind in the last step: when it changes everyone wakes up"),
      member("next_identity", &S::next_identity, "", "what the next body is called"),
      member("grabbed_body", &S::grabbed_body, "", "place of the body held by the user, -1 for none"),
      member("grab_point", &S::grab_point, "m", "the held point in the body frame"),
      member("grab_target", &S::grab_target, "m", "where the held point is drawn to"),
  };
}
static_assert(complete<State>());

struct Body {
  Shape shape = Shape::ball;
  Vec3 half_size = Vec3::Constant(0.5);  // m; a ball uses the first number
  double density = 1000;                 // kg/m³
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
  Vec3 velocity = Vec3::Zero();          // m/s
  Vec3 angular_velocity = Vec3::Zero();  // rad/s
  Role role = Role::dynamic;
  std::uint32_t traits = 0;
  std::int32_t form = -1;                // into Model::forms, which must be about its principal axes
  double mass = 0;                       // kg; 0: from the density (primitives)
  Vec3 inertia = Vec3::Zero();           // kg·m², with `mass`
};

// Adds a solid body of uniform density; returns its place.
std::size_t add(State& state, const Body& body);
// Takes away the bodies from `first` on and what touched them. Identities are not given out again.
void clear(State& state, std::size_t first = 0);

inline Shape shape_of(const State& state, std::size_t i) { return static_cast<Shape>(state.shapes[i]); }
contact::Shape shape_of(const Model& model, const State& state, std::size_t i);
inline Quat orientation(const State& state, std::size_t i) { return Quat(state.orientations[i]); }
inline bool is_dynamic(const State& state, std::size_t i) { return state.roles[i] == 0; }
Eigen::Isometry3d world_from_body(const State& state, std::size_t i);
contact::Pose pose_of(const State& state, std::size_t i);
double bounding_radius(const State& state, std::size_t i);
double inverse_mass(const State& state, std::size_t i);   // 1/kg; 0 where nothing moves it
Mat3 inverse_inertia(const State& state, std::size_t i);  // in the world frame
Vec3 angular_velocity(const State& state, std::size_t i);
void set_angular_velocity(State& state, std::size_t i, const Vec3& omega);
Vec3 velocity_at(const State& state, std::size_t i, const Vec3& point);
void wake(State& state, std::size_t i);

// Changes the motion of a body as an impulse (N·s) at a point of it does, and wakes it.
void apply_impulse(State& state, std::size_t i, const Vec3& point, const Vec3& impulse);

// The user holds the point of body i that is nearest to `point`; inside each step it is drawn to `target` at
// no more than params.grab_speed whatever the mass (RT-48).
void grab(const Model& model, State& state, std::size_t i, const Vec3& point, const Vec3& target);
void release(State& state);

}  // namespace selkie::rigid
