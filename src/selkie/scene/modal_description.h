// What a scene file may say of bodies in reduced coordinates.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "selkie/geometry/placement.h"
#include "selkie/scene/body_description.h"
#include "selkie/solids/modal/params.h"

namespace selkie::scene {

// A block of copies of one body, each turned a little at random.
struct CopiesDescription {
  std::array<int, 3> count = {1, 1, 1};
  Vec3 spacing = Vec3::Ones();
  double tilt = 0;
  std::int64_t seed = 1;
};
constexpr auto describe(CopiesDescription*) {
  using C = CopiesDescription;
  return Members{
      member("count", &C::count, "", "copies along x, y and z; the first stands where the mesh does")
          .between(1, 1e4),
      member("spacing", &C::spacing, "m", "from one copy to the next along x, y and z"),
      member("tilt", &C::tilt, "degrees", "each copy is turned by up to this, about an axis at random")
          .between(0, 180),
      member("seed", &C::seed, "", "another number, other turns").at_least(0),
  };
}
static_assert(complete<CopiesDescription>());
std::vector<Problem> validate(const CopiesDescription& copies);

struct ModalDescription {
  std::string name;
  BodyMesh mesh;
  std::optional<geometry::Placement> place;
  CopiesDescription copies;
  int modes = 20;
  double young = 1e7;
  double poisson = 0.3;
  double density = 1000;
  Vec3 velocity = Vec3::Zero();
  Vec3 spin = Vec3::Zero();
  std::vector<PinDescription> pin;
  Vec3 colour{0.7, 0.7, 0.75};
  modal::Params params;
};
constexpr auto describe(ModalDescription*) {
  using M = ModalDescription;
  return Members{
      member("name", &M::name, "", "unique name: file stem, --set, Python").required(),
      member("mesh", &M::mesh, "",
             "where the tetrahedra come from: tet_box, tet_ball, tet_spoon, tetrahedra inside a closed "
             "surface, or a "
             ".msh file; box, ball and the other closed shapes are filled")
          .required(),
      member("place", &M::place, "", "moves, turns and scales the mesh"),
      member("copies", &M::copies, "", "more bodies of the same shape"),
      member("modes", &M::modes, "", "how many of the lowest modes of vibration are kept").between(1, 1000),
      member("young", &M::young, "Pa", "Young's modulus: stress per strain in tension").above(0),
      member("poisson", &M::poisson, "1", "Poisson's ratio, below 0.5").above(-1),
      member("density", &M::density, "kg/m³", "mass per volume").above(0),
      member("velocity", &M::velocity, "m/s", "initial velocity of the bodies"),
      member("spin", &M::spin, "rad/s", "initial angular velocity of the bodies"),
      member("pin", &M::pin, "", "vertices that are held; without any, the bodies are free"),
      member("colour", &M::colour, "", "red, green, blue in pictures").between(0, 1),
      member("params", &M::params, "", "").inlined(),
  };
}
static_assert(complete<ModalDescription>());
std::vector<Problem> validate(const ModalDescription& body);

}  // namespace selkie::scene
