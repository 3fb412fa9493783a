// Interface advection: a surface carried by a given flow that brings it back to where it was. Zalesak's
// slotted disc, the single vortex and the three-dimensional deformation field; by the level set alone and
// with markers. [Zalesak79; Enright02; LeVeque96] HY-08
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "selkie/grid/advect.h"
#include "selkie/grid/particle_level_set.h"
#include "selkie/studies/study.h"

namespace selkie::studies {

enum class InterfaceCase {
  disc,         // slot 5 × 25 in a disc of radius 15 in [0,100]², one revolution in 628 s
  vortex,       // disc of radius 0.15 at (0.5, 0.75) in the unit square, there and back in 8 s
  deformation,  // ball of radius 0.15 at (0.35, 0.35, 0.35) in the unit cube, there and back in 3 s
};
std::string_view name_of(InterfaceCase test);
double exact_measure(InterfaceCase test);  // area or volume, as the literature gives it

struct InterfaceSetup {
  InterfaceCase test = InterfaceCase::vortex;
  int cells = 128;  // along each side
  bool markers = true;
  grid::Scheme scheme = grid::Scheme::maccormack;  // of φ, with the limiter `revert`
  double cfl = 1;
  double end = 1;      // share of the whole time
  int per_cell = 0;    // markers; 0: as grid::MarkerParams
  int reseedings = 9;  // during the whole time: of 8 s at 24 frames a second, every 20 frames (HY-08)
};
struct InterfaceRun {
  double start = 0, end = 0;  // area or volume enclosed
  double l1 = 0;              // m: ∫ |difference of insides| over the length or area of the surface
  double loss = 0;            // 1 − end / exact
  int steps = 0;
  std::size_t markers = 0;
  Buffer<double> phi;  // at the end, at cell centres
  grid::Shape shape;
};
InterfaceRun carry_interface(const InterfaceSetup& setup);

// Loss and L1 error of one case, by the level set alone and with markers. All cases, at 64 and 128 cells (in
// 3-D at 64), with `full` up to 256 and 128: interface_tables() in liquid_cases.h.
Table interface_table(InterfaceCase test, std::span<const int> sizes);

}  // namespace selkie::studies
