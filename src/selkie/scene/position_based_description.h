// What a scene file may say of a position-based body.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "selkie/geometry/placement.h"
#include "selkie/scene/body_description.h"
#include "selkie/solids/pbd/model.h"
#include "selkie/solids/pbd/params.h"

namespace selkie::scene {

struct PositionBasedDescription {
  std::string name;
  BodyMesh mesh;
  std::optional<geometry::Placement> place;
  std::optional<double> density;
  std::optional<double> mass;
  pbd::Bending bending = pbd::Bending::dihedral;
  bool inflated = false;
  Vec3 velocity = Vec3::Zero();
  std::vector<PinDescription> pin;
  std::optional<double> step;
  Vec3 colour{0.45, 0.6, 0.4};
  pbd::Params params;
};
constexpr auto describe(PositionBasedDescription*) {
  using P = PositionBasedDescription;
  return Members{
      member("name", &P::name, "", "unique name: file stem, --set, couplings, Python").required(),
      member("mesh", &P::mesh, "",
             "where vertices and constraints come from: edges keep their lengths, tetrahedra their volumes")
          .required(),
      member("place", &P::place, "", "moves, turns and scales the mesh"),
      member("density", &P::density, "kg/m³, kg/m² or kg/m",
             "of tetrahedra, triangles or segments; default 1000, 0.2 or 0.1")
          .above(0),
      member("mass", &P::mass, "kg", "whole mass; instead of density").above(0),
      member("bending", &P::bending, "", "how surfaces resist bending; ropes know none and links"),
      member("inflated", &P::inflated, "", "a closed surface holds its volume, times inflation: a balloon"),
      member("velocity", &P::velocity, "m/s", "initial velocity of every vertex"),
      member("pin", &P::pin, "", "vertices that are held or driven"),
      member("step", &P::step, "s", "longest step; absent: the sync step of the scene").above(0),
      member("colour", &P::colour, "", "red, green, blue in pictures").between(0, 1),
      member("params", &P::params, "", "").inlined(),
  };
}
static_assert(complete<PositionBasedDescription>());
std::vector<Problem> validate(const PositionBasedDescription& body);

}  // namespace selkie::scene
