// Colliders: solids that no solver moves. Analytic shapes and closed meshes, at rest or following formulas;
// every system sees them as FieldSamplers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "selkie/geometry/mesh.h"
#include "selkie/geometry/placement.h"
#include "selkie/geometry/shapes.h"
#include "selkie/ports/surface.h"
#include "selkie/sim/motion.h"

namespace selkie::sim {

struct ColliderMesh {
  std::string file;
  std::optional<geometry::Placement> place;
};
constexpr auto describe(ColliderMesh*) {
  using M = ColliderMesh;
  return Members{
      member("file", &M::file, "", "a closed surface beside the scene: .obj .ply .stl .gltf .glb").required(),
      member("place", &M::place, "", "moves, turns and scales the mesh"),
  };
}
static_assert(complete<ColliderMesh>());

struct ColliderDescription {
  std::string name;
  std::optional<geometry::AnalyticShape> shape;
  std::optional<ColliderMesh> mesh;
  std::optional<MotionFormulas> motion;
  double friction = 0.5;
  double restitution = 0;
};
constexpr auto describe(ColliderDescription*) {
  using C = ColliderDescription;
  return Members{
      member("name", &C::name, "", "what messages and pictures call it"),
      member("shape", &C::shape, "", "its form, at t = 0"),
      member("mesh", &C::mesh, "", "or a closed mesh, at t = 0"),
      member("motion", &C::motion, "", "how it moves; absent: it stays"),
      member("friction", &C::friction, "", "Coulomb coefficient").at_least(0),
      member("restitution", &C::restitution, "", "share of the normal speed given back").between(0, 1),
  };
}
static_assert(complete<ColliderDescription>());

std::vector<Problem> validate(const ColliderDescription& collider);

// The mesh in its place. Throws InputError where the file cannot be read or the surface is not closed.
geometry::TriangleMesh read_collider_mesh(const ColliderMesh& mesh);

std::shared_ptr<ports::FieldSampler> make_collider(const ColliderDescription& description);

}  // namespace selkie::sim
