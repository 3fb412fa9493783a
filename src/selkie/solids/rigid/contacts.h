// Where bodies touch colliders and one another, now or within the step ahead. A body that will meet something on its
// way gets a contact there with a positive separation, which the solver lets it use up and no more; where it moves
// more than its own size the way is followed to the moment of impact, so that nothing is crossed and nothing
// beside the way is felt. Manifolds persist: while two bodies have hardly moved against each other their points
// are kept, and forces of the last step are handed on to points found anew.
#pragma once

#include "selkie/solids/rigid/step.h"

namespace selkie::rigid {

// Bodies closer than this share of the smaller one's half extent have a manifold, also at rest.
inline constexpr double kTouchMargin = 0.005;

// What margins against a shape are a share of, m: its smallest half extent. A fixed mesh is a surface and has no
// thickness (a flat one no extent either): its largest, so that the partner's decides.
inline double thickness(const contact::Shape& shape) {
  return shape.kind == contact::Kind::mesh ? shape.size.maxCoeff() : shape.size.minCoeff();
}

// Poses, shapes, boxes and reach of every body for a step of dt.
void place_bodies(const Model& model, const Params& params, const Inputs& inputs, double dt, const State& state,
                  Work& work);

// Pairs that may touch, sorted: work.pairs. At least one of each is dynamic and awake.
void find_pairs(const Model& model, const State& state, Work& work);

// Manifolds of all pairs and of bodies with colliders: work.touches, sorted by bodies. Those of sleeping bodies are
// carried over from the state as they are.
void find_touches(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                  const State& state, Work& work);

// A body against the solids that no solver moves, by distance: balls at their centre, others at corners, at points
// on round parts, and where they come nearest.
void touch_collider(const Inputs& inputs, Interval interval, const State& state, const Work& work, std::uint32_t body,
                    std::uint32_t collider, std::vector<Touch>& touches);

// True where neither body can have moved since the last step: their manifolds stay as they are.
bool both_rest(const State& state, std::uint32_t a, std::uint32_t b);

// Hands the forces of old manifolds [first, last) of the state on to points of `touch` that are close to theirs.
void inherit_forces(const State& state, std::size_t first, std::size_t last, double closeness, Touch& touch);

// Remembers the touches for the next step.
void remember_touches(const Work& work, State& state);

}  // namespace selkie::rigid
