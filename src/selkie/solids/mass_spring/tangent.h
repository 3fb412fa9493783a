// The matrices of the implicit integrators (RT-11, HY-31) and the solve they share (RT-12).
//   A = M + stiffness·K + damping·D,  K = −∂f/∂x, D = −∂f/∂v,
// so each spring adds axial·n nᵀ + transverse·(I − n nᵀ) to two diagonal blocks and subtracts it from one
// off-diagonal block (E9). [Müller08 eq. 3.33; Selle08 §5.5]
#pragma once

#include "selkie/linalg/solve_report.h"
#include "selkie/solids/mass_spring/step.h"

namespace selkie::mass_spring {

enum class Geometric {
  none,      // direction frozen: only the stiffness along the spring (HY-31)
  positive,  // with tension / l across the spring, left out in compression, so that A is positive definite
  absolute,  // with |tension| / l across it: shorter steps than `positive` where all springs are compressed
  exact,     // the true Jacobian, which is indefinite for springs under strong compression
};

struct TangentWeights {
  double stiffness = 0;  // s²
  double damping = 0;    // s
  Geometric geometric = Geometric::positive;
};

// One spring's block, d = x_j − x_i.
Mat3 spring_tangent(const Params& params, double k, double b, double l0, const Vec3& d,
                    const TangentWeights& weights);

// Fills work.system->matrix with A at positions x.
void assemble_tangent(const Model& model, const Params& params, const Buffer<Vec3>& x,
                      const TangentWeights& weights, Work& work);

// Solves A·solution = rhs (both in `work`) for the free vertices; entries of kinematic ones become zero.
// Filters the matrix. Not ok unless converged to params.tolerance.
StepReport solve_change(const Model& model, const Params& params, Work& work);

// The same for several right sides: the matrix is filtered and factorised, or its preconditioner made, once.
// filter_rhs() takes what the constraints do not leave free out of `rhs`. Iterations need not be as exact as
// those of a step.
StepReport prepare_solves(const Model& model, const Params& params, Work& work);
void filter_rhs(Work& work);
StepReport solve_prepared(const Model& model, const Params& params, Work& work);

// Bytes that direct solves of steps up to `longest_step` (s) may take, 0 where there surely are none. An
// estimate: nested dissection leaves n^(4/3) blocks in solids and n log n in sheets and ropes.
double direct_solve_bytes(const Model& model, const Params& params, double longest_step);

// Velocity after `duration` under forces taken at x and answered implicitly:
//   A v_new = M v + duration·F_e(x),
// F_e everything but damping; attached masses take part, with the velocities they bring. Kinematic vertices
// keep their given velocities. v_new may not be v.
StepReport solve_velocity(const Model& model, const Params& params, const Inputs& inputs,
                          const Buffer<Vec3>& x, const Buffer<Vec3>& v, double duration,
                          const TangentWeights& weights, Buffer<Vec3>& v_new, Work& work);

// Gravity and given loads on vertex i, N.
inline Vec3 load_on(const Model& model, const Inputs& inputs, std::size_t i) {
  const Vec3 weight = model.masses[i] * inputs.gravity;
  return inputs.forces.empty() ? weight : Vec3(weight + inputs.forces[i]);
}

}  // namespace selkie::mass_spring
