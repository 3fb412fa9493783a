// Parts of a body's surface on which something pushes: dead loads spread over the area at rest, and pressures
// that follow the surface as it turns (taken where a step begins). Inner pressure acts on the walls of
// cavities; a body without any is pushed outwards as a whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "selkie/solids/fem/model.h"

namespace selkie::fem {

// Faces of tetrahedra, or edges of triangles in the plane.
struct LoadedPart {
  std::vector<geometry::Triangle> triangles;  // outwards
  std::vector<geometry::Segment> edges;       // outside lies to their right, seen from +z
  double area = 0;                            // m², of the rest shape

  bool empty() const { return triangles.empty() && edges.empty(); }
};

// The surface triangles, or boundary edges of bodies of triangles, whose corners are all chosen.
LoadedPart find_loaded_part(const Model& model, std::span<const std::uint8_t> chosen);

// Adds a traction, Pa along fixed directions, force per area of the rest shape.
void add_traction(const Model& model, const LoadedPart& part, const Vec3& traction, std::span<Vec3> forces);
void add_traction(const Model& model, std::span<const std::uint8_t> chosen, const Vec3& traction,
                  std::span<Vec3> forces);

// Adds a pressure, Pa into the surface at x, shared equally by the corners of each face.
void add_pressure(const Model& model, const LoadedPart& part, double pressure, std::span<const Vec3> x,
                  std::span<Vec3> forces);

// What inner pressure pushes, along the normals of the triangles: parts of the surface that enclose a
// negative volume, the walls of cavities, turned about so that they look into the material; or, where there
// are none, all of the surface.
std::vector<geometry::Triangle> pressed_surface(std::span<const Vec3> positions,
                                                std::span<const geometry::Triangle> surface);

}  // namespace selkie::fem
