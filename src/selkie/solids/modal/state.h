// State of modal bodies: everything that influences a later step. Contacts are solved from nothing in every
// step, so no history is kept.
#pragma once

#include <cstdint>
#include <span>

#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/math/types.h"
#include "selkie/solids/modal/model.h"

namespace selkie::modal {

struct State {
  Buffer<Vec3> positions;
  Buffer<Vec4> orientations;
  Buffer<Vec3> velocities;
  Buffer<Vec3> angular_velocities;
  Buffer<double> displacements;
  Buffer<double> rates;
  std::int64_t grabbed_body = -1;
  std::int64_t grabbed_vertex = -1;
  std::int64_t grabbed_triangle = -1;
  Vec3 grab_weights = Vec3::Zero();
  Vec3 grab_target = Vec3::Zero();
  Vec3 grab_offset = Vec3::Zero();

  std::size_t count() const { return positions.size(); }
};

constexpr auto describe(State*) {
  using S = State;
  return Members{
      member("positions", &S::positions, "m", "centres of mass at rest, the origins of the body frames"),
      member("orientations", &S::orientations, "", "world from body, as quaternions x, y, z, w"),
      member("velocities", &S::velocities, "m/s", "of the body frames' origins"),
      member("angular_velocities", &S::angular_velocities, "rad/s", "in the world frame"),
      member("displacements", &S::displacements, "√kg·m", "modal coordinates, body by body"),
      member("rates", &S::rates, "√kg·m/s", "modal velocities, body by body"),
      member("grabbed_body", &S::grabbed_body, "", "body held by the user, -1 for none"),
      member("grabbed_vertex", &S::grabbed_vertex, "", "held vertex of that body's surface"),
      member("grabbed_triangle", &S::grabbed_triangle, "",
             "triangle of that surface that is held inside, -1: held at the vertex"),
      member("grab_weights", &S::grab_weights, "", "of the triangle's corners at the held point"),
      member("grab_target", &S::grab_target, "m", "where the held point is drawn to"),
      member("grab_offset", &S::grab_offset, "m", "from the held point to the one that was taken"),
  };
}
static_assert(complete<State>());

// Bodies at rest whose meshes are where `poses` put the mesh of the model (world from mesh).
State make_state(const Model& model, std::span<const Eigen::Isometry3d> poses);

inline Quat orientation(const State& state, std::size_t body) { return Quat(state.orientations[body]); }
std::span<const double> displacements(const Model& model, const State& state, std::size_t body);
std::span<const double> rates(const Model& model, const State& state, std::size_t body);

// Position and velocity of a surface vertex in the world.
Vec3 position_of(const Model& model, const State& state, std::size_t body, std::size_t vertex);
Vec3 velocity_of(const Model& model, const State& state, std::size_t body, std::size_t vertex);

// The point of the grabbed body's surface that a user holds.
struct HeldPoint {
  geometry::Triangle corners{};
  Vec3 weights = Vec3::Zero();
};
HeldPoint held_point(const Model& model, const State& state);
void release(State& state);

// Changes the motion of a body as an impulse (N·s) at a vertex of it does, frame and modes alike.
void apply_impulse(const Model& model, State& state, std::size_t body, std::size_t vertex,
                   const Vec3& impulse);

}  // namespace selkie::modal
