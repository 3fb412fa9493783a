// Moves vertices of flat tets to places where the least dihedral angle around them is larger. Connections
// stay, so the mesh is no longer exactly Delaunay afterwards; what it loses there it gains for a solver.
#pragma once

#include "selkie/geometry/closed_surface.h"
#include "selkie/geometry/mesh.h"

namespace selkie::geometry::detail {

// Vertices below `fixed` stay (corners and sharp edges), those below `on_surface` keep to the surface, the
// others are free. `reach` (m) bounds a move. Serial, with counter-based random numbers.
void smooth_slivers(TetMesh& mesh, std::size_t fixed, std::size_t on_surface, const ClosedSurface& surface,
                    double reach);

}  // namespace selkie::geometry::detail
