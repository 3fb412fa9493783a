// Energy of a sub-step. Projections onto constraints that hold at its start are orthogonal in the metric of
// the masses: of the free motion v they leave a part u with ⟨u, u⟩ = ⟨u, v⟩, which adds no energy and turns
// nothing round. Where constraints are broken at the start (by overlap, by a blow that the sweeps did not
// master, by a body pressed flat) what they give back becomes velocity, error over step length, without
// any energy to pay for it. Hence a motion that is faster than a projection is slowed down to what compliant
// constraints release and moving solids do as work pay for (RT-02): the motion of the body as a whole and
// that which deforms it, each by itself, so that momentum stays where nothing outside gave any.
#pragma once

#include "selkie/solids/pbd/project.h"
#include "selkie/solids/pbd/step.h"

namespace selkie::pbd {

// J, stored in the constraints at `points` for sub-steps of h seconds: ½C²/α, with the compliance α that
// a stiffness below 1 stands for where there are no compliances. Rigid constraints store nothing.
double stored_energy(const Model& model, const Params& params, double h, std::span<const Vec4> points);

// What constraints store may make the body this fast again, not faster: a body that was pressed flat would
// leap out of sight.
inline constexpr double kLeap = 3;  // m/s, root mean square

// Σ m u·u less Σ m u·v over free vertices, J: u the motion that the positions in `work` amount to, v the free
// one in `to`. Positive: faster than a projection.
double energy_gained(const Model& model, double h, const State& to, const Work& work);

// What may be gained: released by constraints, and done as work by solids that move. J
struct EnergyAllowed {
  double released = 0, work = 0;
  bool alone = false;     // nothing outside acts: the motion as a whole is what it was
  bool overlaps = false;  // a solid that was put there presses: nothing is given back
};
EnergyAllowed energy_allowed(const Model& model, const Params& params, const Inputs& inputs,
                             Interval interval, const State& to, Work& work);

// Slows the velocities down to that; `free` are those of the free motion.
void bound_motion(const Model& model, const EnergyAllowed& allowed, std::span<const Vec3> free, State& to);

}  // namespace selkie::pbd
