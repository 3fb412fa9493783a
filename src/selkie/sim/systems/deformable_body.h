// What the adapters of deformable bodies share: the drawn surface, pins that move, points that couplings
// push, and what a user may do to a body. A body's State has positions, velocities, pinned, grabbed_vertex,
// grab_target and grab_offset.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "selkie/geometry/mesh.h"
#include "selkie/geometry/skinning.h"
#include "selkie/geometry/triangle_tree.h"
#include "selkie/ports/drawable.h"
#include "selkie/ports/hand.h"
#include "selkie/sim/event_arguments.h"
#include "selkie/sim/motion.h"
#include "selkie/sim/system.h"

namespace selkie::sim {

// What an adapter knows beyond the solver: how the body is drawn and how its pins move.
struct DeformableBody {
  std::vector<geometry::Triangle> triangles;  // surface; empty: drawn as lines
  std::vector<geometry::Tet> tets;            // empty: a surface or lines
  std::vector<Vec3> rest_positions;           // t = 0, what driven pins move from
  std::vector<Motion> motions;
  std::vector<std::int32_t> motion_of_vertex;  // index into motions, -1: stays; empty: none is driven
  std::optional<double> fixed_step;            // s; replaces the solver's own limit
  Vec3 colour{0.8, 0.8, 0.8};

  // A finer surface that is shown in place of `triangles`, carried by the body's vertices.
  struct Skin {
    geometry::Skin weights;
    std::vector<geometry::Triangle> triangles;
  };
  std::optional<Skin> skin = std::nullopt;

  // Where a pinned vertex is that begins the step at `start`: one that nothing drives stays there, whoever
  // pinned or placed it.
  Vec3 pinned_position(std::uint32_t vertex, double time, const Vec3& start) const {
    const std::int32_t index = motion_of_vertex[vertex];
    return index < 0 ? start : motions[static_cast<std::size_t>(index)].pose(time) * rest_positions[vertex];
  }
};

// What to tell of steps of `step` seconds, fixed by the user, that are longer than the method is stable with;
// empty when they are not.
std::string fixed_step_warning(double step, double stability_limit);

// The drawn part with its own numbering, so that files hold no vertex that nothing shows.
class DrawnPart {
 public:
  // The vertices that triangles (or, without any, the lines) use, renumbered in ascending order.
  DrawnPart(std::size_t vertex_count, std::span<const geometry::Triangle> triangles,
            std::span<const geometry::Segment> lines);
  // What a body shows: its skin, its triangles, or the lines.
  DrawnPart(std::size_t vertex_count, const DeformableBody& body, std::span<const geometry::Segment> lines);

  // Valid until the next call and while the arrays given are. `values` holds one number per vertex of the
  // body.
  ports::Drawable draw(std::span<const Vec3> positions, std::span<const Vec3> velocities,
                       const std::string& value_name, const std::string& unit,
                       std::span<const double> values);

 private:
  std::vector<std::uint32_t> vertices_;  // without a skin
  std::optional<geometry::Skin> skin_;
  std::vector<geometry::Triangle> triangles_;
  std::vector<geometry::Segment> lines_;
  std::vector<geometry::Tet> tets_;  // of the body, in its own numbering
  std::vector<Vec3> positions_, velocities_;
  std::vector<double> values_;
};

// Impulses of couplings, collected per vertex.
struct SurfaceImpulses {
  std::vector<double> inverse_masses;  // as couplings see them: 0 where pinned
  std::vector<Vec3> impulses;

  template <class State>
  ports::SurfaceSamples samples(const State& state, const std::vector<double>& masses_inverted) {
    inverse_masses = masses_inverted;
    for (std::size_t i = 0; i < inverse_masses.size(); ++i)
      if (state.pinned[i] || static_cast<std::int64_t>(i) == state.grabbed_vertex) inverse_masses[i] = 0;
    impulses.assign(inverse_masses.size(), Vec3::Zero());
    return {state.positions.span(), state.velocities.span(), {}, inverse_masses, impulses};
  }
  template <class State>
  void accept(double dt, State& state) const {
    for (std::size_t i = 0; i < impulses.size(); ++i) {
      const Vec3 change = inverse_masses[i] * impulses[i];
      state.velocities[i] += change;
      state.positions[i] += dt * change;
    }
  }
};

std::uint32_t nearest_vertex(std::span<const Vec3> positions, const Vec3& point);  // the lowest of equals

// The point of a surface that is nearest to another one, in the first of equal triangles.
geometry::SurfacePoint nearest_on_surface(std::span<const Vec3> positions,
                                          std::span<const geometry::Triangle> surface, const Vec3& point);

// What a hand takes hold of at `point`: a vertex, and further corners of its face unless the point is as good
// as at that vertex or on one edge. Bodies without a surface are held at the nearest vertex alone.
struct HeldFace {
  std::uint32_t vertex = 0;  // the corner nearest to the point
  std::vector<std::uint32_t> others;
};
HeldFace find_held_face(std::span<const Vec3> positions, std::span<const geometry::Triangle> surface,
                        const Vec3& point);

// Takes hold of a point: it keeps its place relative to the face, and is drawn to `target`.
template <class State>
void grab_point(std::span<const geometry::Triangle> surface, const Vec3& point, const Vec3& target,
                State& state) {
  ports::release_hand(state);
  const HeldFace held = find_held_face(std::as_const(state.positions).span(), surface, point);
  state.grabbed_vertex = held.vertex;
  state.grab_offset = point - state.positions[held.vertex];
  state.grab_target = target - state.grab_offset;
  for (const std::uint32_t v : held.others) state.pinned[v] |= ports::kHeld;
}

inline std::vector<std::string> body_actions() {
  return {"grab", "drag", "release", "impulse", "push", "kick", "pin", "unpin"};
}

// "grab" (vertex or point, target), "drag" (target), "release", "impulse" (point, impulse), "push" (point,
// direction, strength, radius), "kick" (velocity), "pin" and "unpin" (vertex or point). False: another
// action.
template <class State>
bool apply_body_action(const ports::InputEvent& event, const DeformableBody& body,
                       std::span<const double> inverse_masses, State& state) {
  const EventArguments arguments(event);
  const std::string& action = event.action;
  auto vertex = [&] {
    return arguments.has("point")
               ? nearest_vertex(state.positions, arguments.vector("point"))
               : static_cast<std::uint32_t>(arguments.index("vertex", state.positions.size()));
  };
  auto add_velocity = [&](std::size_t i, const Vec3& change) {
    if (!state.pinned[i]) state.velocities[i] += change;
  };
  if (action == "grab") {
    const Vec3 target = arguments.vector("target");
    if (arguments.has("point")) {
      grab_point(body.triangles, arguments.vector("point"), target, state);
    } else {
      const std::uint32_t held = vertex();
      ports::release_hand(state);
      state.grabbed_vertex = held;
      state.grab_target = target;
    }
  } else if (action == "drag") {
    const Vec3 target = arguments.vector("target");
    if (state.grabbed_vertex >= 0)  // late mouse events find nothing: harmless
      state.grab_target = target - state.grab_offset;
  } else if (action == "release") {
    ports::release_hand(state);
  } else if (action == "impulse") {
    const std::uint32_t hit = vertex();
    add_velocity(hit, inverse_masses[hit] * arguments.vector("impulse"));
  } else if (action == "push") {
    const GaussianPush push(arguments);
    for (std::size_t i = 0; i < state.positions.size(); ++i) add_velocity(i, push.at(state.positions[i]));
  } else if (action == "kick") {
    constexpr double kFastest = 1000;  // m/s
    const Vec3 velocity = arguments.vector("velocity", kFastest);
    for (std::size_t i = 0; i < state.positions.size(); ++i) add_velocity(i, velocity);
  } else if (action == "pin") {
    const std::uint32_t held = vertex();
    state.pinned[held] |= ports::kPinned;
    state.velocities[held] = Vec3::Zero();
  } else if (action == "unpin") {
    const std::uint32_t freed = vertex();
    state.pinned[freed] = static_cast<std::uint8_t>(state.pinned[freed] & ~ports::kPinned);
  } else {
    return false;
  }
  return true;
}

}  // namespace selkie::sim
