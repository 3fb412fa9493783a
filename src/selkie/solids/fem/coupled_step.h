// An elastic body inside a joint solve with a liquid (LE-37, LE-43) [Zarifi17 Algorithm 4]. Positions move
// first, with the velocities of the last solve, as the liquid's markers do; then velocities are solved for
// where the body is:
//
//   v = v_free + A⁻¹ (h f)
//
// with v_free the velocity of a step without the liquid (any law, contacts and pins included) and f the
// liquid's forces. The body's integrator decides both, and they belong together:
//
//   backward Euler       forces at x + h v,   A = (1 + hτ_M) M + (h² + hτ_K) K      as in the source; damps
//   average acceleration (M + ½hD + ¼h²K)(v_free − v₀) = h (F(x) − D v₀), A that matrix   keeps energy
//   symplectic Euler     M (v_free − v₀) = h (F(x) − D v₀),   A = M                       keeps energy
//
// The latter two are Newmark's family with β = ¼ and 0 in staggered form [staggered_step.cpp]: what they keep
// is the energy of v and of positions half a step on, x + ½hv. For comparison (LE-45, "damping only") the
// free step is backward Euler's without damping and the liquid meets mass and damping alone:
// v_free = A⁻¹ M v̂ with A = (1 + hτ_M) M + hτ_K K.
//
// Contacts with colliders have to hold against the liquid, too. So they are found in a step that knows the
// liquid's forces of the last one, f₀ (State::group_forces), and those that the step holds are held in the
// joint solve: v = v(f₀) + A_c⁻¹ h (f − f₀), A_c the matrix of what they leave free. One that the liquid pulls
// off is let go a step later.
#pragma once

#include "selkie/solids/fem/response.h"
#include "selkie/solids/fem/step.h"

namespace selkie::fem {

// `to` holds the moved positions and v_free; `work` is ready for respond() (response.h) with `answer`, which
// on entry says `elastic` or `damped` and on return what the integrator makes of the former: a step of average
// acceleration that would gain energy is backward Euler's, as in step(). `moved` is scratch.
StepReport begin_coupled(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                         Answer& answer, const State& from, State& to, State& moved, Work& work);

}  // namespace selkie::fem
