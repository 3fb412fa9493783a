// State of a position-based body: everything that influences a later step. Lagrange multipliers live within
// a sub-step only, so they are no part of it.
#pragma once

#include <cstdint>

#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/math/types.h"
#include "selkie/solids/pbd/model.h"

namespace selkie::pbd {

struct State {
  Buffer<Vec3> positions;
  Buffer<Vec3> velocities;
  Buffer<std::uint8_t> pinned;
  std::int64_t grabbed_vertex = -1;
  Vec3 grab_target = Vec3::Zero();
  Vec3 grab_offset = Vec3::Zero();
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
  };
}
static_assert(complete<State>());

// At rest in the positions of the model, nothing pinned.
State make_state(const Model& model);

void pin(State& state, std::uint32_t vertex);

}  // namespace selkie::pbd
