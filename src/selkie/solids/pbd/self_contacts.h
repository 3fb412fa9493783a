// A body against itself: no vertex passes through a triangle, however fast (RT-38), and keeps a distance from
// both sides (RT-32), with friction. Pairs come from a hashed lattice over the ways of the triangles (RT-17).
// Edges are not tested against edges.
#pragma once

#include "selkie/solids/pbd/step.h"

namespace selkie::pbd {

// How often crossings that the sweeps caused are looked for and held before vertices stay behind.
inline constexpr int kSelfRounds = 4;

// Fills work.self_contacts for the ways from to.positions to work.points.
void find_self_contacts(const Model& model, const Params& params, const State& to, Work& work);
void project_self_contacts(const Model& model, const Params& params, const State& to, Work& work);

// Adds vertices that end on the wrong side of a triangle; false if there is none.
bool find_crossings(const Model& model, const Params& params, const State& to, Work& work);
// The last resort: what still crosses stays where it was, with its triangle, until nothing crosses.
void freeze_crossings(const Model& model, const Params& params, const State& to, Work& work);

}  // namespace selkie::pbd
