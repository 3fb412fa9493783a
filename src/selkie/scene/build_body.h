// Meshes and pins of deformable bodies, as a scene describes them. What can only be known with the mesh in
// hand (a pin that holds nothing, a broken mesh) is said here, at the place in the file.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "selkie/core/buffer.h"
#include "selkie/core/value.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/geometry/placement.h"
#include "selkie/scene/body_description.h"
#include "selkie/scene/scene.h"
#include "selkie/sim/systems/deformable_body.h"

namespace selkie::scene {

using AnyMesh = std::variant<geometry::TriangleMesh, geometry::TetMesh, geometry::SegmentMesh>;

struct BodySource {
  const std::string& name;  // of the system
  const Scene& scene;
  const Value& table;  // of the system in the file
};

// Of bodies that are solid by nature: a closed shape means what it encloses. A box becomes a box of
// tetrahedra; other shapes are filled with tetrahedra as large as their triangles.
BodyMesh filled(const BodyMesh& mesh);

// The mesh, placed and checked.
AnyMesh make_mesh(const BodyMesh& mesh, const std::optional<geometry::Placement>& place,
                  const geometry::MeshRequirements& want, const BodySource& source);

// Positions and surface triangles of a mesh, for the adapter.
sim::DeformableBody make_body(const AnyMesh& mesh);

// Lets the body show the surface that its tetrahedra were made from, where the description asks for that.
void add_skin(const BodyMesh& description, const std::optional<geometry::Placement>& place,
              const AnyMesh& mesh, const BodySource& source, sim::DeformableBody& body);

// Which vertices the region of `pin` holds, one byte each. Throws where it names a vertex that is not there;
// `path` leads to the region in the table, `what` names it in messages.
std::vector<std::uint8_t> vertices_held(const PinDescription& pin, const BodySource& source,
                                        const std::string& path, const std::string& what,
                                        std::span<const Vec3> positions);

// "the body reaches from [...] to [...]", for a region that holds nothing.
std::string extent_text(std::span<const Vec3> positions);

// Marks the pinned vertices and gives them their motions. Pins in order; a vertex in several regions follows
// the last.
void apply_pins(std::span<const PinDescription> pins, const BodySource& source, Buffer<std::uint8_t>& pinned,
                sim::DeformableBody& body);

}  // namespace selkie::scene
