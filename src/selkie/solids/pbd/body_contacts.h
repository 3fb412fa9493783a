// Contacts with solids that give way (thrown rigid bodies), as constraints between the body and the solid:
// both move by their inverse masses, so momentum is kept whatever the number of sweeps. The solid takes the
// sum of what its contacts felt as impulses. The paths of all vertices and middles of triangles are tested
// against the path of the solid (ports::MovableSolid::sweep), so nothing is crossed by a solid that spans
// some of them. Limits: a smaller one slips through; the turning of the solid within a sub-step is not felt
// by its other contacts.
#pragma once

#include "selkie/solids/pbd/step.h"

namespace selkie::pbd {

void find_body_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                        const State& to, Work& work);
void project_body_contacts(const State& to, Work& work);
// Gives the solids what their contacts felt.
void push_bodies(const Inputs& inputs, Interval interval, State& to, Work& work);

// Longest step (s) in which no solid that comes near moves by more than half its size relative to the
// vertices on its way, but at least 1 ms; infinity where none comes near.
double body_step_limit(const Params& params, std::span<ports::MovableSolid* const> bodies,
                       const State& state);

}  // namespace selkie::pbd
