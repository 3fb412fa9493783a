// What acts on the water besides its own pressure, as separate parts of a step: rain, sources, friction of
// the ground, sideways gravity, fields, damping layers. Each keeps the ledger of the volume it adds.
#pragma once

#include "selkie/fluids/shallow_water/step.h"

namespace selkie::shallow_water {

// Rain gathers until a layer is thick enough to be added without being rounded away.
template <class Real>
void add_rain(const Model<Real>& model, const Params& params, double dt, State<Real>& state);

// Sinks take what is there and no more.
template <class Real>
void add_sources(const Model<Real>& model, std::span<const Source> sources, double dt, State<Real>& state);

// Manning's friction, implicit: q / (1 + dt g n² |q| / h^(7/3)), after the push of gravity along x and z.
// Conservative method: `flow` is a discharge.
template <class Real>
void add_friction(const Model<Real>& model, const Params& params, const Vec3& gravity, double dt,
                  State<Real>& state);

// A field of accelerations: what lies along the ground moves the water; the upright part a adds to the normal
// acceleration, so that the depth average of the pressure gives a∇h + ½h∇a [RT-60]. Gravity and it together
// never lift: beyond that the field is cut.
template <class Real>
void add_field(const Model<Real>& model, const Params& params, const Inputs& inputs, double dt,
               State<Real>& state);

// Draws surface and motion to rest along open sides. [RT-57]
template <class Real>
void damp_sides(const Model<Real>& model, const Params& params, double dt, State<Real>& state);

}  // namespace selkie::shallow_water
