// State of a set of rigid bodies, balls and boxes: everything that influences a later step. Arrays grow when
// bodies are added. Contacts are solved from nothing in every step, so no history is kept.
#pragma once

#include <cstdint>
#include <tuple>

#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/math/types.h"

namespace selkie::rigid {

enum class Shape : std::uint8_t { ball, box };

struct State {
  Buffer<Vec3> positions;
  Buffer<Vec4> orientations;
  Buffer<Vec3> velocities;
  Buffer<Vec3> angular_velocities;
  Buffer<std::uint8_t> shapes;
  Buffer<Vec3> half_sizes;
  Buffer<double> masses;
  Buffer<Vec3> inertias;
  Buffer<std::uint64_t> identities;
  std::uint64_t next_identity = 0;
  std::int64_t grabbed_body = -1;
  Vec3 grab_point = Vec3::Zero();
  Vec3 grab_target = Vec3::Zero();

  std::size_t count() const { return positions.size(); }
};

constexpr auto describe(State*) {
  using S = State;
  return std::tuple{
      member("positions", &S::positions, "m", "centres of mass"),
      member("orientations", &S::orientations, "", "world from body, as quaternions x, y, z, w"),
      member("velocities", &S::velocities, "m/s", "of the centres of mass"),
      member("angular_velocities", &S::angular_velocities, "rad/s", "in the world frame"),
      member("shapes", &S::shapes, "", "0: ball, 1: box"),
      member("half_sizes", &S::half_sizes, "m", "half edges of a box; the radius of a ball, three times"),
      member("masses", &S::masses, "kg", "masses"),
      member("inertias", &S::inertias, "kg·m²", "principal moments of inertia, in the body frame"),
      member("identities", &S::identities, "", "a number that no other body ever gets"),
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
};

// Adds a solid body of uniform density; returns its place.
std::size_t add(State& state, const Body& body);
void clear(State& state);  // identities are not given out again

inline Shape shape_of(const State& state, std::size_t i) { return static_cast<Shape>(state.shapes[i]); }
inline Quat orientation(const State& state, std::size_t i) { return Quat(state.orientations[i]); }
Eigen::Isometry3d world_from_body(const State& state, std::size_t i);
double bounding_radius(const State& state, std::size_t i);
Mat3 inverse_inertia(const State& state, std::size_t i);  // in the world frame
Vec3 velocity_at(const State& state, std::size_t i, const Vec3& point);

// Changes the motion of a body as an impulse (N·s) at a point of it does.
void apply_impulse(State& state, std::size_t i, const Vec3& point, const Vec3& impulse);

// The user holds the point of body i that is nearest to `point`; inside each step it is drawn to `target` at
// no more than params.grab_speed whatever the mass (RT-48).
void grab(State& state, std::size_t i, const Vec3& point, const Vec3& target);
void release(State& state);

}  // namespace selkie::rigid
