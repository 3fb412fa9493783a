// Bounds of a body's fastest frequency and damping rate, and how long they hold. For K = Σ k n nᵀ over
// springs, (a − b)² ≤ (1 + c) a² + (1 + 1/c) b² with c = √(m_i/m_j) bounds ω² by the largest norm over
// vertices of Σ k (w_i + √(w_i w_j)) n nᵀ, w the inverse masses (0 if pinned): a block form of Gershgorin's
// circles (HY-30), exact for the chain, and a third of the plain row sum where springs point everywhere. The
// same with b bounds the damping rate β.
#pragma once

#include <cmath>

#include "selkie/solids/mass_spring/params.h"
#include "selkie/solids/mass_spring/state.h"
#include "selkie/solids/mass_spring/work.h"

namespace selkie::mass_spring {

// Which part of the elastic stiffness an integrator treats explicitly.
enum class ExplicitPart { all, across_springs };

// How much ω² may rise before bounds are found anew, β by half of it: ω by 7.7 % where step_limit() leaves
// 11 %.
inline constexpr double kAllowedRise = 0.16;

struct Rates {
  double omega = 0;       // 1/s, ≥ every angular frequency
  bool undamped = false;  // something without damping takes part
  double beta = 0;        // 1/s, ≥ every damping rate in ẍ + βẋ + ω²x = 0
  // ω² and β rise by no more than kAllowedRise while (seconds passed)·ageing + (metres that a vertex is away
  // from where its velocity would have taken it)·straying ≤ 1. Infinite where that is not known.
  double ageing = 0;    // 1/s
  double straying = 0;  // 1/m
  double fastest() const { return (beta + std::sqrt(beta * beta + 4 * omega * omega)) / 2; }
};

Rates bound_rates(const Model& model, const Params& params, const State& state, ExplicitPart part,
                  Work& work);

}  // namespace selkie::mass_spring
