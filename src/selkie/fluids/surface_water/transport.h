// Parallel transport in space, as the source writes it: a unit quaternion that gathers the rotations about
// the hinges of a path. [Angst07 §5.2.3; SW-22, E21] The solver turns in frames instead (advect.h); both
// agree to round-off, and this one serves whoever has vectors in space.
#pragma once

#include <span>

#include "selkie/fluids/surface_water/metric.h"

namespace selkie::surface_water {

// Rotation about the edge opposite to corner c of face f that lays the face across the edge into f's plane.
Quat hinge_rotation(const Complex& complex, const Metric& metric, std::span<const Vec3> positions,
                    std::size_t f, std::uint32_t c);

// Angle in (-π, π] by which a tangent vector is turned when it is carried once around vertex v,
// counter-clockwise; by the hinges of its fan. Equals the angle deficit 2π - Σθ up to whole turns.
double holonomy(const Complex& complex, const Metric& metric, std::span<const Vec3> positions, std::size_t v);

}  // namespace selkie::surface_water
