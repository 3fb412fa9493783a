// What a scene file may say of shape-matched bodies: what they are made like, and how many of them stand
// where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "selkie/geometry/placement.h"
#include "selkie/scene/body_description.h"
#include "selkie/solids/shape_matching/params.h"

namespace selkie::scene {

// One make of body.
struct MatchedBody {
  BodyMesh mesh;
  std::optional<geometry::Placement> place;
  Vec3 colour{0.45, 0.55, 0.75};
};
constexpr auto describe(MatchedBody*) {
  using M = MatchedBody;
  return Members{
      member("mesh", &M::mesh, "",
             "its points: of tetrahedra, of a surface (its inside moves with it), or of a chain")
          .required(),
      member("place", &M::place, "", "moves, turns and scales the mesh"),
      member("colour", &M::colour, "", "red, green, blue in pictures").between(0, 1),
  };
}
static_assert(complete<MatchedBody>());

// Many bodies on a lattice, layer by layer from below.
struct Copies {
  std::int64_t count = 1;
  double spacing = 1;
  std::array<int, 2> per_layer = {10, 10};
  Vec3 first = Vec3::Zero();
  double jitter = 0;
  bool turned = true;
  std::int64_t seed = 1;
};
constexpr auto describe(Copies*) {
  using C = Copies;
  return Members{
      member("count", &C::count, "", "how many bodies in all; the makes take turns")
          .between(1, 1e6)
          .required(),
      member("spacing", &C::spacing, "m", "between their middles").above(0).required(),
      member("per_layer", &C::per_layer, "", "bodies along x and z of a layer").between(1, 1e4),
      member("first", &C::first, "m", "middle of the lowest layer"),
      member("jitter", &C::jitter, "", "random displacement, as a share of the spacing").between(0, 0.5),
      member("turned", &C::turned, "", "each at random"),
      member("seed", &C::seed, "", "of the random numbers").at_least(0),
  };
}
static_assert(complete<Copies>());

struct ShapeMatchingDescription {
  std::string name;
  std::vector<MatchedBody> body;
  std::optional<Copies> copies;
  double density = 1000;
  double thickness = 0.01;
  std::optional<double> radius;
  int cluster = 0;
  int overlap = 1;
  Vec3 velocity = Vec3::Zero();
  std::vector<PinDescription> pin;
  std::optional<double> step;
  shape_matching::Params params;
};
constexpr auto describe(ShapeMatchingDescription*) {
  using S = ShapeMatchingDescription;
  return Members{
      member("name", &S::name, "", "unique name: file stem, --set, couplings, Python").required(),
      member("body", &S::body, "", "the bodies or, with copies, their makes").required(),
      member("copies", &S::copies, "", "a crowd: many copies; absent: each body once, where it stands"),
      member("density", &S::density, "kg/m³", "mass per volume; closed surfaces are full").above(0),
      member("thickness", &S::thickness, "m", "of open surfaces and chains").above(0),
      member("radius", &S::radius, "m",
             "distance that vertices keep from solids, and half that from each other's bodies; absent: half "
             "the mean edge of each body")
          .above(0),
      member("cluster", &S::cluster, "",
             "most vertices that are matched as one before clusters are grown; 0: the whole body")
          .between(0, 1e9),
      member("overlap", &S::overlap, "", "rings of neighbours by which clusters are grown").between(0, 100),
      member("velocity", &S::velocity, "m/s", "initial velocity of every vertex"),
      member("pin", &S::pin, "", "vertices that are held or driven"),
      member("step", &S::step, "s",
             "longest sub-step; absent: such that bodies do not miss each other; sync steps are cut evenly")
          .above(0),
      member("params", &S::params, "", "").inlined(),
  };
}
static_assert(complete<ShapeMatchingDescription>());
std::vector<Problem> validate(const ShapeMatchingDescription& description);

}  // namespace selkie::scene
