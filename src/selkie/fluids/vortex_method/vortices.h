// Vortices that a domain starts with: rings with Gaussian cores, Hill's spherical vortices, and balls of
// uniform vorticity. [Saffman70, Hill94]
#pragma once

#include <span>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/fluids/vortex_method/state.h"

namespace selkie::vortex_method {

// ω = Γ/(πa²) exp(−d²/a²) around the circle, d being the distance from it. Moves along its axis.
struct Ring {
  Vec3 center = Vec3::Zero();
  Vec3 axis = Vec3::UnitY();
  double radius = 0.2;
  double core = 0.05;
  double circulation = 1;
  double smoke = 1;
};
constexpr auto describe(Ring*) {
  using R = Ring;
  return Members{
      member("center", &R::center, "m", "middle of the circle"),
      member("axis", &R::axis, "", "the way it travels, if circulation is positive; of any length"),
      member("radius", &R::radius, "m", "of the circle").above(0),
      member("core", &R::core, "m", "where vorticity has fallen to 1/e of that on the circle").above(0),
      member("circulation", &R::circulation, "m²/s", "around the core"),
      member("smoke", &R::smoke, "", "amount of smoke on the circle; falls off as vorticity does")
          .at_least(0),
  };
}
static_assert(complete<Ring>());

// ω = A axis × d within a ball, A = 15 speed / 2 radius²: travels at its speed without changing shape.
struct HillVortex {
  Vec3 center = Vec3::Zero();
  Vec3 axis = Vec3::UnitY();
  double radius = 0.2;
  double speed = 1;
  double smoke = 1;
};
constexpr auto describe(HillVortex*) {
  using H = HillVortex;
  return Members{member("center", &H::center, "m", "middle of the ball"),
                 member("axis", &H::axis, "", "the way it travels; of any length"),
                 member("radius", &H::radius, "m", "of the ball").above(0),
                 member("speed", &H::speed, "m/s", "at which it travels in endless space"),
                 member("smoke", &H::smoke, "", "amount of smoke inside").at_least(0)};
}
static_assert(complete<HillVortex>());

// The flow feels the part of this vorticity that has no divergence.
struct Patch {
  Vec3 center = Vec3::Zero();
  double radius = 0.2;
  Vec3 vorticity = Vec3::UnitY();
  double smoke = 1;
};
constexpr auto describe(Patch*) {
  using P = Patch;
  return Members{member("center", &P::center, "m", "middle of the ball"),
                 member("radius", &P::radius, "m", "of the ball").above(0),
                 member("vorticity", &P::vorticity, "1/s", "inside the ball"),
                 member("smoke", &P::smoke, "", "amount of smoke inside").at_least(0)};
}
static_assert(complete<Patch>());

struct Vortices {
  std::vector<Ring> ring;
  std::vector<HillVortex> hill;
  std::vector<Patch> patch;
};
constexpr auto describe(Vortices*) {
  using V = Vortices;
  return Members{member("ring", &V::ring, "", "vortex rings"),
                 member("hill", &V::hill, "", "Hill's spherical vortices"),
                 member("patch", &V::patch, "", "balls of uniform vorticity")};
}
static_assert(complete<Vortices>());

// What is wrong with them on this grid: an axis without length, a core that the grid cannot see, a vortex
// that reaches out of the box.
std::vector<Problem> check(const grid::Shape& shape, const Vortices& vortices);

// One particle to each cell whose vorticity is above `cutoff` of the greatest; smoke where there is less.
template <class Real>
void seed(const Model& model, const Vortices& vortices, double cutoff, State<Real>& state);

}  // namespace selkie::vortex_method
