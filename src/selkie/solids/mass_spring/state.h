// State of a mass-spring body: everything that influences a later step. The velocities double as the warm
// start of the implicit solves (RT-09), so a restart needs nothing else.
#pragma once

#include <cstdint>
#include <span>

#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/math/types.h"
#include "selkie/solids/mass_spring/model.h"

namespace selkie::mass_spring {

struct State {
  Buffer<Vec3> positions;
  Buffer<Vec3> velocities;
  Buffer<std::uint8_t> pinned;
  std::int64_t grabbed_vertex = -1;
  Vec3 grab_target = Vec3::Zero();
  Vec3 grab_offset = Vec3::Zero();
  double previous_step = 0;
};

constexpr auto describe(State*) {
  return Members{
      member("positions", &State::positions, "m", "Vertex positions"),
      member("velocities", &State::velocities, "m/s", "Vertex velocities"),
      member("pinned", &State::pinned, "",
             "1: the vertex stays, or follows its prescribed motion; 2: led by the hand; 3: both"),
      member("grabbed_vertex", &State::grabbed_vertex, "", "Vertex held by the user, -1 for none"),
      member("grab_target", &State::grab_target, "m", "Where the held vertex is drawn to"),
      member("grab_offset", &State::grab_offset, "m", "From the held vertex to the point that was taken"),
      member("previous_step", &State::previous_step, "s",
             "Length of the Verlet step before; 0 starts Verlet from a true velocity"),
  };
}
static_assert(complete<State>());

// At rest in `positions`, nothing pinned.
State make_state(const Model& model, std::span<const Vec3> positions);

void pin(State& state, std::uint32_t vertex);
void unpin(State& state, std::uint32_t vertex);

// The user holds one vertex: inside each step it moves towards `target` as a kinematic vertex, at no more
// than params.grab_speed whatever the masses (RT-48). Grabbing again moves the target or changes the vertex.
void grab(State& state, std::uint32_t vertex, const Vec3& target);
void release(State& state);

}  // namespace selkie::mass_spring
