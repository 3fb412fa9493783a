// Inflows and drains: where liquid comes from and where it goes, by volume per second. Both work on whole
// particles: by time t an inflow has sent ⌊rate (t − start) / volume of a particle⌋ of them, so that what
// flowed in depends on the clock and not on the steps.
#pragma once

#include <cstdint>
#include <span>

#include "selkie/core/function_ref.h"
#include "selkie/fluids/liquid/inflow.h"
#include "selkie/fluids/liquid/solids.h"
#include "selkie/ports/time.h"

namespace selkie::liquid {

// Where the shape of inflow (or drain) n has moved to at a time; empty: they stay.
using Pose = FunctionRef<Eigen::Isometry3d(std::size_t n, double time)>;

// Adds the particles of the interval at the end of the list. Places inside solids or outside the domain give
// none. Returns how many were added.
template <class Real>
std::uint64_t add_inflow(const Model& model, std::span<const Inflow> inflows, Pose pose, Colliders colliders,
                         Interval interval, State<Real>& state);

// Marks particles in drains with kDropped. Returns how many.
template <class Real>
std::uint64_t take_drained(const Model& model, std::span<const Drain> drains, Pose pose, Interval interval,
                           const State<Real>& state, Buffer<std::uint32_t>& key);

// Adds to `rate` (1/s, cell field) how fast liquid grows in inflows whose cells are full, and shrinks in
// drains of a given rate.
template <class Real>
void add_growth(const Model& model, std::span<const Inflow> inflows, Pose inflow_pose,
                std::span<const Drain> drains, Pose drain_pose, Interval interval, const CellRanges& ranges,
                Buffer<Real>& rate);

// Whether add_growth() would add anything.
bool grows(std::span<const Inflow> inflows, std::span<const Drain> drains, Interval interval);

}  // namespace selkie::liquid
