// [[smoke]]: a box of gas, as a scene writes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/fluids/smoke/emitter.h"
#include "selkie/fluids/smoke/params.h"
#include "selkie/scene/domain_description.h"
#include "selkie/scene/precision.h"
#include "selkie/sim/collider.h"
#include "selkie/sim/motion.h"

namespace selkie::scene {

struct SidesDescription {
  smoke::Side low_x = smoke::Side::closed, high_x = smoke::Side::closed;
  smoke::Side low_y = smoke::Side::closed, high_y = smoke::Side::open;
  smoke::Side low_z = smoke::Side::closed, high_z = smoke::Side::closed;
};
constexpr auto describe(SidesDescription*) {
  using S = SidesDescription;
  return Members{
      member("low_x", &S::low_x, "", "closed: a wall; open: gas flows through; wind: it flows with the wind"),
      member("high_x", &S::high_x, "", "as low_x"),
      member("low_y", &S::low_y, "", "as low_x"),
      member("high_y", &S::high_y, "", "as low_x; open by default"),
      member("low_z", &S::low_z, "", "as low_x"),
      member("high_z", &S::high_z, "", "as low_x"),
  };
}
static_assert(complete<SidesDescription>());

struct EmitterDescription {
  smoke::Emitter emitter;
  std::optional<sim::ColliderMesh> mesh;
  std::optional<sim::MotionFormulas> motion;
};
constexpr auto describe(EmitterDescription*) {
  using E = EmitterDescription;
  return Members{member("emitter", &E::emitter, "", "").inlined(),
                 member("mesh", &E::mesh, "", "or a closed mesh, inside which it emits"),
                 member("motion", &E::motion, "", "how it moves; absent: it stays")};
}
static_assert(complete<EmitterDescription>());
std::vector<Problem> validate(const EmitterDescription& emitter);

// Formulas in x, y, z (m) for the fields at the start.
struct InitialDescription {
  VelocityFormulas velocity;
  std::string density = "0", temperature = "0", fuel = "0";
};
constexpr auto describe(InitialDescription*) {
  using I = InitialDescription;
  return Members{
      member("velocity", &I::velocity, "", "").inlined(),
      member("density", &I::density, "", "formula in x, y, z"),
      member("temperature", &I::temperature, "K", "formula in x, y, z: above ambient"),
      member("fuel", &I::fuel, "", "formula in x, y, z"),
  };
}
static_assert(complete<InitialDescription>());
std::vector<Problem> validate(const InitialDescription& initial);

struct SmokeDescription {
  std::string name;
  DomainDescription domain;
  SidesDescription sides;
  std::vector<EmitterDescription> emit;
  std::optional<InitialDescription> initial;
  bool burns = false;
  bool show_vortices = false;
  Precision precision = Precision::single;
  smoke::Params params;
};
constexpr auto describe(SmokeDescription*) {
  using S = SmokeDescription;
  return Members{
      member("name", &S::name, "", "unique name: file stem, --set, couplings, Python").required(),
      member("domain", &S::domain, "", "the box the gas lives in"),
      member("sides", &S::sides, "", "what the six sides of the box are"),
      member("emit", &S::emit, "", "where smoke, heat, fuel and motion come from"),
      member("initial", &S::initial, "", "fields at the start, as formulas; absent: clear and at rest"),
      member("burns", &S::burns, "", "the gas carries fuel that can burn"),
      member("show_vortices", &S::show_vortices, "", "draw and export vortex particles as arrows"),
      member("precision", &S::precision, "",
             "numbers the gas is computed with; double takes twice the memory"),
      member("params", &S::params, "", "").inlined(),
  };
}
static_assert(complete<SmokeDescription>());
std::vector<Problem> validate(const SmokeDescription& smoke);

}  // namespace selkie::scene
