// The integrators, each `from` → `to` for the vertices that the constraints leave free. Legend: θ = 1 for
// backward Euler and ½ for average acceleration, D = τ_M M + τ_K K, F = f(x) + loads.
#pragma once

#include "selkie/solids/fem/solve.h"
#include "selkie/solids/fem/step.h"

namespace selkie::fem {

// One way to advance the vertices that the constraints leave free.
struct Scheme {
  StepReport (*advance)(const Model&, const Params&, double h, const State& from, State& to,
                        Work&) = nullptr;
  // Impulse (N·s) that the constraints gave vertex i in the last `advance`: M(v⁺−v) less all other impulses.
  // Fills work.forces. Null: contacts are not held inside the solve but resolved after it.
  void (*impulses)(const Model&, const Params&, double h, const State& from, const State& to,
                   Work&) = nullptr;
  // Energy gained in the last `advance` without contacts over what is allowed; above 1 the step is taken by
  // backward Euler instead and that number is the report's `cfl`. Null: not watched.
  double (*gain)(const Model&, const Params&, double h, const State& from, const State& to, Work&) = nullptr;
};
Scheme scheme_of(Integrator integrator);

// step() by a scheme whatever the parameters' integrator.
StepReport step_by(Scheme scheme, const Model& model, const Params& params, const Inputs& inputs,
                   Interval interval, const State& from, State& to, Work& work);

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

// The part of average acceleration inside a joint solve [staggered_step.cpp]: `from` has the positions that
// the step ends with, and
//   ((1 + ½hτ_M) M + (¼h² + ½hτ_K) K)(v⁺ − v) = h (F − D v).
// Positions of `to` are where v⁺ leads in the next step, for contacts.
SystemWeights staggered_weights(const Params& params, double h);
StepReport staggered_step(const Model& model, const Params& params, double h, const State& from, State& to,
                          Work& work);
// Once after each staggered_step, whose forces it takes from `work`.
void staggered_impulses(const Model& model, const Params& params, double h, const State& from,
                        const State& to, Work& work);
double staggered_gain(const Model& model, const Params& params, double h, const State& from, const State& to,
                      Work& work);

// `gained` (J) over the share of the energy in play that one linearisation may gain; infinity for NaN.
double gain_over_allowed(const Model& model, const Params& params, double gained, double in_play);

// Scheme::impulses of linear_step with θ = 1 and of Newton steps.
void constraint_impulses(const Model& model, const Params& params, double h, const State& from,
                         const State& to, Work& work);

}  // namespace selkie::fem
