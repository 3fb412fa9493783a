// [[vortex_method]]: a closed box of gas that vortex particles move, as a scene writes it.
#pragma once

#include <string>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/fluids/vortex_method/params.h"
#include "selkie/fluids/vortex_method/vortices.h"
#include "selkie/scene/domain_description.h"

namespace selkie::scene {

struct VortexMethodDescription {
  std::string name;
  DomainDescription domain;
  vortex_method::Vortices vortices;
  std::string smoke = "0";
  bool show_particles = false;
  vortex_method::Params params;
};
constexpr auto describe(VortexMethodDescription*) {
  using V = VortexMethodDescription;
  return Members{
      member("name", &V::name, "", "unique name: file stem, --set, Python").required(),
      member("domain", &V::domain, "",
             "the box the gas lives in; three-dimensional, with closed slippery walls"),
      member("vortices", &V::vortices, "", "").inlined(),
      member("smoke", &V::smoke, "", "formula in x, y, z: smoke at the start besides that of the vortices"),
      member("show_particles", &V::show_particles, "", "draw and export vortex particles as points"),
      member("params", &V::params, "", "").inlined(),
  };
}
static_assert(complete<VortexMethodDescription>());
std::vector<Problem> validate(const VortexMethodDescription& box);

}  // namespace selkie::scene
