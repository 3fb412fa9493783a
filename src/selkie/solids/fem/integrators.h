// The integrators, each `from` → `to` for the vertices that the constraints leave free. Legend: θ = 1 for
// backward Euler and ½ for average acceleration, D = τ_M M + τ_K K, F = f(x) + loads.
#pragma once

#include "selkie/solids/fem/step.h"

namespace selkie::fem {

// Weight, given forces and pressure into work.loads; friction of sliding contacts.
void collect_loads(const Model& model, const Params& params, const Inputs& inputs, const State& from,
                   Work& work);

// One linearisation: (M + θhD + θ²h²K) v⁺ = M v + hF − (1−θ)h(θhK + D)v,  x⁺ = x + h((1−θ)v + θv⁺).
// [Zarifi17 §3.5; with K frozen at x]
StepReport linear_step(const Model& model, const Params& params, double h, double theta, const State& from,
                       State& to, Work& work);

// linear_step with θ = ½, trusted while energy grows by no more than the work done on the body; backward
// Euler otherwise, and the report's `cfl` is then above 1: the gain over the allowed one.
StepReport average_acceleration(const Model& model, const Params& params, double h, const State& from,
                                State& to, Work& work);

// linear_step with θ = 1, trusted while it lowers the step's energy below that of standing still; Newton's
// iteration otherwise.
StepReport backward_euler(const Model& model, const Params& params, double h, const State& from, State& to,
                          Work& work);

// Minimises the step's energy
//   Φ(v) = ½(v−vⁿ)ᵀM(v−vⁿ) + E(x + hv) − h v·loads + ½h vᵀDₙv
// by Newton's method with positive tangents and line search [Gast15]. Damping is that of the tangents at x.
StepReport backward_euler_newton(const Model& model, const Params& params, double h, const State& from,
                                 State& to, Work& work);

StepReport symplectic_euler(const Model& model, const Params& params, double h, const State& from, State& to,
                            Work& work);

// Impulse (N·s) that the constraints gave vertex i in the last linear_step or Newton step: M(v⁺−v) less all
// other impulses. Fills work.forces.
void constraint_impulses(const Model& model, const Params& params, double h, const State& from,
                         const State& to, Work& work);

}  // namespace selkie::fem
