// A solid's surface cut by the cells of a grid (LE-33) [Zarifi17 §5.1.1, §5.4]: one patch per element and
// cell, and from the patches the exact share of every face that the solid covers (LE-34, "more faithful"
// variant).
//
// Cutting keeps what it cuts: both halves share their new points, so areas add up to round-off whatever lies
// exactly on a grid plane. A patch in a plane belongs to the cell on the fluid's side.
//
// Covered areas need no geometry of their own. Solid and surface close every cell, so along a row of cells
//   covered(face above) = covered(face below) + Σ patches' area vectors along the row
// and a stream u = v = const passes every cell without a defect. [LE-35, free stream]
#pragma once

#include <span>
#include <vector>

#include "selkie/geometry/mesh.h"
#include "selkie/grid/field.h"

namespace selkie::grid {

// A closed surface: triangles with normals out of the solid, or in 2-D segments with the solid on their left.
struct SurfaceElements {
  std::span<const Vec3> positions;  // m
  std::span<const geometry::Triangle> triangles = {};
  std::span<const geometry::Segment> segments = {};
};

struct Patch {
  Index cell;             // −1 and n: beyond the grid
  std::uint32_t element;  // of the surface
  Vec3 area;              // m² (2-D: m), along the normal into the solid
  Vec3 weights;           // of the element's corners at the centroid; the third is zero in 2-D
};
inline bool inside(const Shape& shape, const Index& cell) {
  for (std::size_t a = 0; a < 3; ++a)
    if (cell[a] < 0 || cell[a] >= shape.cells()[a]) return false;
  return true;
}
// World position of a patch's centroid.
Vec3 centroid(const SurfaceElements& surface, const Patch& patch);

struct CutSurface {
  std::vector<Patch> patches;  // in the order of the elements

  std::vector<std::vector<Patch>> blocks;  // scratch
};
void cut_surface(const Shape& shape, const SurfaceElements& surface, CutSurface& cut);

// Takes the shares that the solid covers away from the open shares of all faces, down to zero: walls and
// several solids may follow one another. `scratch` becomes a field of the shape.
template <class T>
void cover_faces(const Shape& shape, std::span<const Patch> patches, FaceViews<T> open,
                 Buffer<double>& scratch);

}  // namespace selkie::grid
