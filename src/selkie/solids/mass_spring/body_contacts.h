// Contacts of vertices with solids that give way (rigid bodies thrown at cloth). The path of each vertex over
// the step is tested against the path of the solid, so nothing is crossed by a solid that spans some
// vertices.
//
// Backward Euler holds them inside its solve: a solid of effective mass m that touches k vertices is cut into
// k pieces, each fastened to one vertex (along the normal where it slides, wholly where it
// sticks); the solve moves both, and the solid takes the sum of what its pieces felt. [Tonge12, mass
// splitting, there between rigid bodies] Unlike impulses after the step this passes the springs' forces on to
// the solid, however light the vertices are; it conserves momentum and adds no energy. Other integrators
// exchange impulses after the step. Limits: a solid smaller than the spacing of the vertices slips through;
// edges are not tested; cloth and solid never bounce except by elasticity.
#pragma once

#include "selkie/solids/mass_spring/step.h"

namespace selkie::mass_spring {

// Every vertex that the free motion from → to brings into a solid, in the order of solids and vertices.
void find_body_contacts(const Params& params, const Inputs& inputs, Interval interval, const State& from,
                        const State& to, Work& work);

// Fills work.attached with the pieces of the contacts that are not open.
void attach_bodies(Work& work);

// Decides from the trial just solved which contacts stick, slide or open and how large each one's piece is.
// Friction of sliding ones is added to work.contact_loads.
void sort_body_contacts(const Inputs& inputs, double dt, const State& to, Work& work);

// Gives the solids what their pieces felt in the last solve.
void push_bodies(const Inputs& inputs, Interval interval, const State& to, Work& work);

// Without an implicit solve: impulses one after the other, so that no approach is answered twice.
int bounce_off_bodies(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                      const State& from, State& to, const Work& work);

// Parts vertices and solids that still overlap, without giving them velocity: each gives way by how easily it
// moves within a step, a vertex with the springs that hold it. Those that started inside leave by and by.
// Returns how many touched one.
int leave_bodies(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                 const State& from, State& to, Work& work);

// Longest step (s) in which no solid that comes near moves by more than half its size relative to the
// vertices on its way, but at least 1 ms; infinity where none comes near.
double body_step_limit(const Params& params, std::span<ports::MovableSolid* const> bodies,
                       const State& state);

}  // namespace selkie::mass_spring
