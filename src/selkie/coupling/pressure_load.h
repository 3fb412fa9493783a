// The Jacobian between cell pressures and the vertices of a body (LE-35, LE-36) [Zarifi17 §5.1]: J p is the
// force of the pressures on the vertices, Jᵀ v the flux of the vertices' motion out of the cells. One matrix,
// so the two are adjoint.
//
// `cell`: the pressure of a patch is that of its cell, as in the source: first order, with an error that
// follows the distance from surface to cell centre. `linear`: the pressure is extended from the cell's centre
// to the patch by differences with the neighbours it has an open face to. Weights sum to one, so the total
// flux is exact; that of a single cell is not.
//
// What a single cell has too much its neighbour has too little, and it flows through the face between them: a
// difference across a face of which the share s is open sends up to half of the patch's flux through it, 1/(2s)
// times as fast as the body moves. So a difference counts by min(1, s/kWideFace), and what a cell's own faces
// leave of a slope is that of the cells beside it, if these have better ones; in a gap thinner than a cell
// nobody has, and the load is constant.
#pragma once

#include <span>

#include "selkie/grid/cut_surface.h"
#include "selkie/ports/sides.h"
#include "selkie/ports/wet_body.h"

namespace selkie::coupling {

enum class LoadOrder { cell, linear };

// Rows: dims · vertex + axis. Columns: pressure unknowns.
ports::SparseRows pressure_jacobian(const ports::PressureCells& cells, int unknowns,
                                    const grid::SurfaceElements& surface,
                                    std::span<const grid::Patch> patches, LoadOrder order);

}  // namespace selkie::coupling
