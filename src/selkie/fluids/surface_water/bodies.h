// Bodies thrown at the water: columns that a body has entered are found by rays, the water is pressed down
// under it, and buoyancy and drag act on it. [Angst07 §6.2; SW-31 … SW-33, E16 … E18]
#pragma once

#include "selkie/fluids/surface_water/step.h"

namespace selkie::surface_water {

// Leaves the reaction per face in `work` and pushes the bodies; returns how many columns touch one. Depths
// are never edited, so no volume can be lost.
int meet_bodies(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const Metric& metric, const State& state, Work& work);

// Follows the two rays of a column [SW-31].
ColumnHit find_column(const ports::MovableSolid& body, const ports::BoundingBall& ball, const Vec3& middle,
                      const Vec3& direction, double bottom, double depth, double time);

// Area of a triangle, projected along its normal onto the plane through `point` with normal `plane`, that
// lies between the column's bottom and top; times how far that plane faces the motion [SW-33].
double drag_area(const std::array<Vec3, 3>& corners, const Vec3& normal, const Vec3& point, const Vec3& plane,
                 double bottom, double top, const Vec3& direction);

}  // namespace selkie::surface_water
