// The water as a surface to look at: where the depth exceeds an iso level, a front sheet at the water's
// height and a back sheet just below it, stitched along the shore; or, in place of the back sheet, caps over
// the dry parts, so that a filled figure looks solid. [Angst07 App. A; SW-40, SW-41, SW-50]
#pragma once

#include <span>
#include <vector>

#include "selkie/fluids/surface_water/state.h"

namespace selkie::surface_water {

struct SheetOptions {
  double iso_level = 0.01;   // m
  double thickness = 0.001;  // m, ε
  bool back = true;          // without it the surface is closed only where everything is wet
  bool cap = false;          // triangles across every shore that comes back to itself; without a back
};

struct Sheet {
  std::vector<Vec3> positions;
  std::vector<geometry::Triangle> triangles;
  std::vector<std::uint32_t> source;       // the mesh vertex that each position belongs to
  std::vector<geometry::Segment> shore;    // pairs of positions: the shore, water on its left from outside
  std::vector<std::uint32_t> front, back;  // scratch: position of each vertex's front and back
  std::vector<std::uint32_t> crossing;     // scratch: position on each edge, by face and corner
  std::vector<double> fade;                // scratch: largest α of each vertex's crossed edges
  std::vector<std::uint32_t> next, loop;   // scratch: along the shore
};

// Fills `sheet`, reusing its memory.
void make_sheet(const Model& model, const Metric& metric, const State& state, const SheetOptions& options,
                Sheet& sheet);

// True when no vertex is below the iso level.
bool all_wet(const State& state, double iso_level);

}  // namespace selkie::surface_water
