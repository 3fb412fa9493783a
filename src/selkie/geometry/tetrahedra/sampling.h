// Points on and in a closed surface, as evenly as a mesh of Delaunay tetrahedra wants them [RT-13].
// Deviations from the source: corners and sharp edges are sampled before faces, so that they survive;
// candidates on the faces are drawn by area and kept where none is near (random ones alone clump); the
// interior lattice is body-centred, which makes far better tets than a cubic one. Random numbers are
// counter-based: the same points for any number of threads.
#pragma once

#include <vector>

#include "selkie/geometry/closed_surface.h"

namespace selkie::geometry {

struct SolidSamples {
  std::vector<Vec3> surface;    // corners and sharp edges first
  std::size_t sharp_count = 0;  // how many of them are on corners and sharp edges
  std::vector<Vec3> interior;   // at least half the spacing from the surface
};

// About `spacing` metres between neighbours on the surface; the same is the side of the interior lattice's
// cubes.
SolidSamples sample_solid(const ClosedSurface& surface, double spacing);

}  // namespace selkie::geometry
