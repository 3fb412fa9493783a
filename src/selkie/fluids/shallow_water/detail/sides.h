// What lies beyond the sides: ghost cells of the conservative scheme, and how to walk along a side.
#pragma once

#include "selkie/fluids/shallow_water/step.h"

namespace selkie::shallow_water::detail {

// Cells at a side: (k, d) is the k-th along it, d cells inwards; d = -1 and -2 are ghosts.
struct SideCells {
  std::ptrdiff_t first = 0, along = 0, inward = 0;
  int length = 0, across = 0;
  bool normal_is_x = true;
  double sign = 1;  // of the inward direction

  SideCells(const Grid& grid, std::size_t side);
  std::size_t at(int k, int d) const { return static_cast<std::size_t>(first + k * along + d * inward); }
};

// Whether the k-th cell along a side lies in the part that is of the side's kind.
bool in_part(const Grid& grid, const Side& side, std::size_t index, int k);

template <class Real>
struct GhostFields {
  Buffer<Real>&depth, &flow_x, &flow_z;
};

struct GhostTime {
  bool at_end = false;  // of the step; or at its start
  double passed = 0;    // s since the start; 0 leaves the ghosts of absorbing sides as they are
};

// Fills the ghosts of (depth, flow_x, flow_z). Absorbing sides carry their ghosts through the step: `old`
// holds those at its start.
template <class Real>
void fill_ghosts(const Model<Real>& model, const Params& params, const Inputs& inputs, const GhostTime& time,
                 const State<Real>& old, GhostFields<Real> fields);
// Places [begin, end) along one side.
template <class Real>
void fill_ghosts(const Model<Real>& model, const Params& params, const Inputs& inputs, const GhostTime& time,
                 const State<Real>& old, GhostFields<Real> fields, std::size_t side, int begin, int end);

}  // namespace selkie::shallow_water::detail
