// The inversion guard: springs know lengths, not sides, so a tetrahedron turned inside out or pressed flat is
// as content as an upright one. Bodies of tetrahedra therefore also resist being emptied: with J = V/V0 the
// signed volume over that at rest and K = guard · stiffness · relative stiffness of the tetrahedron,
//   E = ½ K (τ − J)² while J < τ, else 0;  f_i = K (τ − J) ∂J/∂x_i.
// Beyond J = −1 E goes on as a straight line: a tetrahedron drawn out to many times its size would otherwise
// feel forces beyond any measure. [Teschner04 §3.2: the energy of a tetrahedron's volume; theirs acts always
// and on both sides] It has no damping of its own. Limit: one flattened to a line has no ∂J/∂x.
#pragma once

#include <algorithm>
#include <array>

#include "selkie/core/parallel.h"
#include "selkie/solids/mass_spring/model.h"
#include "selkie/solids/mass_spring/params.h"
#include "selkie/solids/mass_spring/squeezed.h"
#include "selkie/solids/mass_spring/tangent.h"
#include "selkie/solids/mass_spring/work.h"

namespace selkie::mass_spring {

inline bool has_guard(const Model& model, const Params& params) {
  return params.inversion_guard > 0 && params.stiffness > 0 && !model.guard.tets.empty();
}

// K of tetrahedron t, J.
inline double guard_stiffness(const Model& model, const Params& params, std::size_t t) {
  return params.inversion_guard * params.stiffness * model.guard.relative_stiffness[t];
}

// E / K and −(dE/dJ) / K of a tetrahedron that misses τ − J = `missing` > 0.
inline double most_missing(const Params& params) { return 1 + params.inversion_threshold; }
inline double guard_potential(const Params& params, double missing) {
  const double bent = std::min(missing, most_missing(params));
  return bent * (missing - 0.5 * bent);
}
inline double guard_push(const Params& params, double missing) {
  return std::min(missing, most_missing(params));
}

// J, and ∂J/∂x of the four corners (1/m). `x(i)` is the position of vertex i.
template <class Positions>
double volume_ratio(const InversionGuard& guard, std::size_t t, const Positions& x) {
  const auto& [a, b, c, d] = guard.tets[t];
  const Vec3 origin = x(a), e1 = x(b) - origin, e2 = x(c) - origin, e3 = x(d) - origin;
  return guard.inverse_determinants[t] * e1.cross(e2).dot(e3);
}
std::array<Vec3, 4> volume_gradients(const InversionGuard& guard, std::size_t t, const Buffer<Vec3>& x);

// Σ E, J.
template <class Positions>
double guard_energy(const Model& model, const Params& params, const Positions& x) {
  if (!has_guard(model, params)) return 0;
  return deterministic_sum(model.guard.tets.size(), [&](std::size_t t) {
    const double missing = params.inversion_threshold - volume_ratio(model.guard, t, x);
    return missing > 0 ? guard_stiffness(model, params, t) * guard_potential(params, missing) : 0;
  });
}

// f += guard forces at x. `stayed`: see find_squeezed().
void add_guard_forces(const Model& model, const Params& params, const Buffer<Vec3>& x, Buffer<Vec4>& f,
                      Work& work, bool stayed);

// Adds stiffness times the guard's K to work.system->matrix: with Geometric::exact its true second
// derivative, otherwise s (∂J/∂x)(∂J/∂x)ᵀ, which is positive semidefinite (s the secant slope of dE/dJ), and
// with Geometric::absolute also a bound of the rest on the diagonal.
void add_guard_tangent(const Model& model, const Params& params, const Buffer<Vec3>& x,
                       const TangentWeights& weights, Work& work);

}  // namespace selkie::mass_spring
