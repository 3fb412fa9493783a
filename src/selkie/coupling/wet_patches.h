// Where a liquid's cells meet a body: patches of its surface cut by the cells (LE-33), or whole faces between cells
// inside and outside (LE-46). Either way they close every cell, so that the shares of faces follow from them
// (grid/cut_surface.h).
#pragma once

#include "selkie/ports/wet_body.h"

namespace selkie::coupling {

void find_patches(const grid::Shape& shape, const ports::WetBody& body, grid::CutSurface& cut);

}  // namespace selkie::coupling
