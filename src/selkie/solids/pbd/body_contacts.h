// Contacts with solids that give way (thrown rigid bodies), as constraints between the body and the solid:
// both move by their inverse masses, so momentum is kept whatever the number of sweeps. The solid takes the
// sum of what its contacts felt as impulses. Tested against the path of the solid
// (ports::MovableSolid::sweep) are the paths of all vertices and of one point of each triangle: where the
// centre of the solid would pass through it, else the one nearest to the centre. So no triangle is crossed
// by a solid's centre, whatever its size and speed (RT-38). Limits: a box whose corner meets a large triangle
// far from the point nearest to its centre goes in with that corner; the turning of the solid within a
// sub-step is not felt by its other contacts.
#pragma once

#include "selkie/solids/pbd/step.h"

namespace selkie::pbd {

inline constexpr int kBodyRounds = 4;  // of holding what the sweeps let pass

// Before a sub-step: what is inside a solid is led out of it by and by, and the solid out of it; neither
// gains velocity (RT-02).
void leave_bodies(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                  State& to);

void find_body_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                        const State& to, Work& work);
void project_body_contacts(const State& to, Work& work);
// Adds contacts where the sweeps have let a triangle pass the centre of a solid; false if there are none.
bool find_body_crossings(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                         const State& to, Work& work);
// kg·m, what body and solid have felt in a contact: times 1/h the impulse. Where they overlapped before it is
// at most what stops the approach: sweeps that contradict each other would press without end.
Vec3 felt_by(const BodyContact& contact, const Work& work);
// Gives the solids what their contacts felt.
void push_bodies(const Inputs& inputs, Interval interval, State& to, Work& work);

// Longest step (s) in which no solid that comes near moves by more than half its size relative to the
// vertices on its way, but at least 0.1 ms; infinity where none comes near.
double body_step_limit(const Params& params, std::span<ports::MovableSolid* const> bodies,
                       const State& state);

}  // namespace selkie::pbd
