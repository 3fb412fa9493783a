// Sides of the domain and solids in it, as the projection and the transport see them.
#pragma once

#include "selkie/fluids/smoke/step.h"

namespace selkie::smoke {

// Solids at the end of the interval: open shares of faces, their velocities, cell kinds.
template <class Real>
void place_solids(const Model& model, const Params& params, const Inputs& inputs, double time,
                  Work<Real>& work);

// Marks the cells from which a ray may reach a solid: they are carried at first order (HY-06).
template <class Real>
void mark_first_order(const Model& model, double reach, Work<Real>& work);

// Velocity of closed faces from their open neighbours, layer by layer: what rays that dip into a solid find
// (RT-50, LE-20).
template <class Real>
void extrapolate_into_solids(const Model& model, int layers, Work<Real>& work, State<Real>& state);

// What project() takes, of the present scratch.
template <class Real>
grid::ProjectionInputs<Real> projection_inputs(const Model& model, const Work<Real>& work, bool expanding);

SolidDistance nearest_solid(std::span<const ports::FieldSampler* const> colliders, const Vec3& point,
                            double time);

}  // namespace selkie::smoke
