// The equation an implicit Euler step solves, and the energy it is the gradient of:
//   F(v) = M(v − vⁿ) − h f(xⁿ + h v, v) = 0,      F = ∇Φ,
//   Φ(v) = ½ (v − vⁿ)ᵀM(v − vⁿ) − h fᵀv + U(xⁿ + h v) + ½ h vᵀD v,
// (and ½ (v − u)ᵀC(v − u) for masses C of other bodies that are attached with velocity u)
// with f the loads, U the energy of springs and inversion guard and D their damping. A velocity that lowers Φ
// below Φ(0) cannot blow up: the elastic energy it reaches is bounded by what the motion and the loads held.
// [Martin11 §3; Gast15 §3]
#pragma once

#include "selkie/solids/mass_spring/step.h"

namespace selkie::mass_spring {

struct StepEquation {
  const Model& model;
  const Params& params;
  const Inputs& inputs;
  const State& from;
  double h;
};

// work.rhs = −F(v) on free vertices; returns its norm. Leaves x = xⁿ + h v in work.stage_positions.
double step_imbalance(const StepEquation& equation, const Buffer<Vec3>& v, Work& work);

// Φ(v), J. Kinematic vertices carry no inertia of their own.
double step_energy(const StepEquation& equation, const Buffer<Vec3>& v, const Work& work);

// Lowers Φ from `v` by Newton directions with the positive part of the Jacobian and step halving, until
// little more is to be gained or params.newton_iterations are spent. Every linear solve must reach its
// tolerance.
StepReport lower_step_energy(const StepEquation& equation, Buffer<Vec3>& v, Work& work);

}  // namespace selkie::mass_spring
