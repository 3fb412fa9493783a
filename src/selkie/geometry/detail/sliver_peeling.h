// Removes flat tets that lie at the boundary, one after another from outside, where the boundary stays a
// closed surface without pinches [RT-14]. Flat tets inside must stay: a gap would open.
#pragma once

#include "selkie/geometry/mesh.h"

namespace selkie::geometry::detail {

// Takes away boundary tets of less than `least_volume` (m³) or with a dihedral angle below `least_angle`
// (degrees); returns how many.
std::size_t peel_slivers(TetMesh& mesh, double least_volume, double least_angle);

}  // namespace selkie::geometry::detail
