// What a scene file may say of what joins systems.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "selkie/core/describe.h"

namespace selkie::scene {

enum class CouplingKind { stitch, liquid_elastic, liquid_rigid };
constexpr auto describe(CouplingKind*) {
  return std::array<std::string_view, 3>{"stitch", "liquid-elastic", "liquid-rigid"};
}

// How a liquid and a body are solved. All but the first are there to be compared with. (LE-45)
enum class CouplingMode { full, weak, damping_only };
constexpr auto describe(CouplingMode*) {
  return std::array<std::string_view, 3>{"full", "weak", "damping-only"};
}

// How the body divides the cells. (LE-34, LE-46)
enum class CouplingShares { distance, exact, voxelised, sticking };
constexpr auto describe(CouplingShares*) {
  return std::array<std::string_view, 4>{"distance", "exact", "voxelised", "sticking"};
}

struct CouplingDescription {
  CouplingKind kind = CouplingKind::stitch;
  std::vector<std::string> between;
  double distance = 1e-3;
  double gap_share = 1;
  bool linear_load = true;
  CouplingShares shares = CouplingShares::exact;
  CouplingMode mode = CouplingMode::full;
  double tolerance = 1e-8;
  int iterations = 1;
};
constexpr auto describe(CouplingDescription*) {
  using C = CouplingDescription;
  return Members{
      member("kind", &C::kind, "",
             "what joins them: stitch holds points together that start close, liquid-elastic and liquid-rigid solve "
             "a liquid and bodies in it together")
          .required(),
      member("between", &C::between, "",
             "names of the two systems; all rigid bodies are one, whichever of them is named")
          .required(),
      member("distance", &C::distance, "m", "stitch: points closer than this at the start are joined")
          .above(0),
      member("gap_share", &C::gap_share, "", "stitch: share of a gap closed per step").between(0, 1),
      member("linear_load", &C::linear_load, "",
             "liquid: the pressure on the body is linear in a cell, which is of second order; false: constant"),
      member("shares", &C::shares, "",
             "liquid: how the body divides the faces of cells: exact cuts them by its surface, distance by its "
             "distance from their corners; voxelised takes whole cells, and sticking the body's whole velocity at "
             "them, both for comparison"),
      member("mode", &C::mode, "",
             "liquid: full solves both at once; for comparison: weak moves the body by the last pressures, "
             "damping-only leaves its stiffness out of the solve"),
      member("tolerance", &C::tolerance, "",
             "liquid: relative residual of the joint solve; where several bodies share it, the least counts")
          .between(1e-14, 0.1),
      member("iterations", &C::iterations, "",
             "liquid-elastic: joint solves a sub-step at most; after each one elastic bodies with the integrator "
             "backward-euler-newton are linearised anew under the forces it found, until these hardly change; "
             "where several bodies share it, the most counts")
          .between(1, 100),
  };
}
static_assert(complete<CouplingDescription>());

}  // namespace selkie::scene
