// What a scene file may say of an elastic body.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "selkie/geometry/placement.h"
#include "selkie/scene/body_description.h"
#include "selkie/solids/fem/params.h"

namespace selkie::scene {

// Where on the surface something pushes or pulls, and how hard.
struct TractionDescription {
  std::optional<geometry::Box> box;
  std::optional<geometry::Ball> ball;
  std::optional<geometry::Cylinder> cylinder;
  std::optional<geometry::Plane> half_space;
  std::vector<std::int64_t> vertices;
  std::vector<std::string> force;
  std::string pressure = "0";
};
constexpr auto describe(TractionDescription*) {
  using T = TractionDescription;
  return Members{
      member("box", &T::box, "", "surface triangles with all corners inside a box along the axes"),
      member("ball", &T::ball, "", "those inside a ball"),
      member("cylinder", &T::cylinder, "", "those inside a cylinder"),
      member("half_space", &T::half_space, "", "those behind a plane"),
      member("vertices", &T::vertices, "", "those between vertices by number, counted from 0").at_least(0),
      member("force", &T::force, "N",
             "three formulas in t: the whole force along x, y and z, spread evenly over the area at rest"),
      member("pressure", &T::pressure, "Pa",
             "formula in t: pushes into the surface however it has turned; negative: pulls"),
  };
}
static_assert(complete<TractionDescription>());
std::vector<Problem> validate(const TractionDescription& traction);

struct ElasticDescription {
  std::string name;
  BodyMesh mesh;
  std::optional<geometry::Placement> place;
  double density = 1000;
  double thickness = 0.1;
  Vec3 stretch = Vec3::Ones();
  Vec3 velocity = Vec3::Zero();
  std::vector<PinDescription> pin;
  std::vector<TractionDescription> traction;
  std::optional<double> step;
  Vec3 colour{0.75, 0.35, 0.3};
  fem::Params params;
};
constexpr auto describe(ElasticDescription*) {
  using E = ElasticDescription;
  return Members{
      member("name", &E::name, "", "unique name: file stem, --set, couplings, Python").required(),
      member("mesh", &E::mesh, "",
             "where the elements come from: tetrahedra (tet_box, tet_ball, tetrahedra inside a closed "
             "surface, a "
             ".msh file), or a flat sheet in a plane z = const for a body of plane strain; box, ball and the "
             "other "
             "closed shapes are filled")
          .required(),
      member("place", &E::place, "", "moves, turns and scales the mesh"),
      member("density", &E::density, "kg/m³", "mass per volume").above(0),
      member("thickness", &E::thickness, "m", "of bodies of triangles, along z").above(0),
      member(
          "stretch", &E::stretch, "",
          "along the axes about the middle, at the start: 0.5 three times lets go an eighth of the volume at "
          "rest, 0 starts flat and a negative one inside out"),
      member("velocity", &E::velocity, "m/s", "initial velocity of every vertex"),
      member("pin", &E::pin, "", "vertices that are held or driven"),
      member("traction", &E::traction, "", "forces and pressures on parts of the surface"),
      member("step", &E::step, "s",
             "longest sub-step, in place of the method's stability limit; sync steps are cut evenly")
          .above(0),
      member("colour", &E::colour, "", "red, green, blue in pictures").between(0, 1),
      member("params", &E::params, "", "").inlined(),
  };
}
static_assert(complete<ElasticDescription>());

}  // namespace selkie::scene
