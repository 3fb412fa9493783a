// The user's hand on a deformable body (RT-48). It holds one vertex, and, where a point inside a face was
// taken, the other corners of that face with it: they are led by one and the same velocity, so that every
// point of the face keeps its place in the hand. (The vertex alone, with the point's offset from it, would
// let the face turn away below the hand; a vertex led by where the point is, instead of where it is itself,
// is a control loop through springs, stable only where these are damped.)
#pragma once

#include <cstdint>

#include "selkie/math/types.h"

namespace selkie::ports {

// Flags of a State's `pinned`. Whatever has one is moved, not integrated.
inline constexpr std::uint8_t kPinned = 1;  // stays, or follows its prescribed motion
inline constexpr std::uint8_t kHeld = 2;    // led along with the grabbed vertex

// Whether the hand leads a vertex; it comes before any pin.
template <class State>
bool is_led(const State& state, std::size_t vertex) {
  return state.grabbed_vertex >= 0 &&
         (static_cast<std::int64_t>(vertex) == state.grabbed_vertex || (state.pinned[vertex] & kHeld) != 0);
}

// m, how far the hand moves in a step of `dt` seconds that is to take the grabbed vertex along `way`: at a
// speed (m/s) that is capped, and the same whatever the body weighs.
inline Vec3 way_of_hand(const Vec3& way, double greatest_speed, double dt) {
  const double length = way.norm(), longest = greatest_speed * dt;
  return length > longest ? Vec3(longest / length * way) : way;
}

// Lets go of everything.
template <class State>
void release_hand(State& state) {
  state.grabbed_vertex = -1;
  state.grab_offset.setZero();
  for (std::uint8_t& flags : state.pinned) flags = static_cast<std::uint8_t>(flags & ~kHeld);
}

// After somebody wrote into a state: a hand that holds no vertex of the body holds nothing.
template <class State>
void check_hand(State& state) {
  const auto count = static_cast<std::int64_t>(state.positions.size());
  if (state.grabbed_vertex < 0 || state.grabbed_vertex >= count) release_hand(state);
}

}  // namespace selkie::ports
