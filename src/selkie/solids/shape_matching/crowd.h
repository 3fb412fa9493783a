// Contacts between the bodies of a crowd. Every vertex is a ball of its body's radius; balls of different
// bodies keep apart. Pairs come from a hashed lattice (RT-17) once per step; corrections are summed per
// vertex from both ends alike, so that momentum is kept to round-off and the result is the same for any
// number of threads. Where surfaces tell that two balls are on the wrong side of each other (bodies put into
// one another, RT-02) they are led apart along the line between the bodies' centres instead. [Müller05;
// Macklin14 §5.1] Limits: gaps between balls wider than a ball let others through; edges and faces are not
// tested.
#pragma once

#include "selkie/solids/shape_matching/step.h"

namespace selkie::shape_matching {

// Centres, bounds and outward normals of the bodies.
void measure_bodies(const Model& model, const State& from, Work& work);

// Lists for every vertex those of other bodies that it may touch within the step.
void find_neighbours(const Model& model, const Inputs& inputs, double dt, const State& from, Work& work);

// Moves work.predicted apart: nothing comes closer than it may or, if it was too close already, than it was,
// less what kRestingSpeed allows. Friction opposes slip.
void part_neighbours(const Model& model, const Params& params, double dt, const State& from, Work& work);

// Leads what overlaps apart at no more than ports::kWayOut, without giving it velocity. Returns how many
// vertices touch others.
int leave_neighbours(const Model& model, double dt, const State& from, State& to, Work& work);

}  // namespace selkie::shape_matching
