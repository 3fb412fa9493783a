// [[lattice_boltzmann]]: a box of gas on a lattice, as a scene writes it. The scene's colliders are its
// obstacles.
#pragma once

#include <string>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/fluids/lattice_boltzmann/solver.h"
#include "selkie/scene/domain_description.h"

namespace selkie::scene {

struct PeriodicDescription {
  bool x = false, y = false, z = false;
};
constexpr auto describe(PeriodicDescription*) {
  using P = PeriodicDescription;
  return Members{member("x", &P::x, "", "what leaves at high x comes in at low x"),
                 member("y", &P::y, "", "as x"), member("z", &P::z, "", "as x")};
}
static_assert(complete<PeriodicDescription>());

// Velocities of the walls, such as the lid of a cavity.
struct WallsDescription {
  Vec3 low_x = Vec3::Zero(), high_x = Vec3::Zero();
  Vec3 low_y = Vec3::Zero(), high_y = Vec3::Zero();
  Vec3 low_z = Vec3::Zero(), high_z = Vec3::Zero();
};
constexpr auto describe(WallsDescription*) {
  using W = WallsDescription;
  return Members{member("low_x", &W::low_x, "m/s", "of the wall at low x"),
                 member("high_x", &W::high_x, "m/s", "of the wall at high x"),
                 member("low_y", &W::low_y, "m/s", "of the wall at low y"),
                 member("high_y", &W::high_y, "m/s", "of the wall at high y"),
                 member("low_z", &W::low_z, "m/s", "of the wall at low z"),
                 member("high_z", &W::high_z, "m/s", "of the wall at high z")};
}
static_assert(complete<WallsDescription>());

struct LatticeBoltzmannDescription {
  std::string name;
  DomainDescription domain;
  PeriodicDescription periodic;
  WallsDescription walls;
  VelocityFormulas initial;
  lattice_boltzmann::Params params;
};
constexpr auto describe(LatticeBoltzmannDescription*) {
  using L = LatticeBoltzmannDescription;
  return Members{
      member("name", &L::name, "", "unique name: file stem, --set, Python").required(),
      member("domain", &L::domain, "", "the box the gas lives in"),
      member("periodic", &L::periodic, "", "axes whose ends are joined; the others end at walls"),
      member("walls", &L::walls, "", "how the walls slide"),
      member("initial", &L::initial, "", "velocity at the start, as formulas"),
      member("params", &L::params, "", "").inlined(),
  };
}
static_assert(complete<LatticeBoltzmannDescription>());
std::vector<Problem> validate(const LatticeBoltzmannDescription& lattice);

}  // namespace selkie::scene
