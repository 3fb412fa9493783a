// Contacts of free vertices with solids given as distance fields, moving ones included. Applied at the end of
// a step to what the integrator (and, for backward Euler, implicit_contacts.h) made of it: approach is
// removed, Coulomb friction opposes slip, penetration is undone [ports/vertex_contact.h].
#pragma once

#include "selkie/ports/vertex_contact.h"
#include "selkie/solids/mass_spring/inversion_guard.h"
#include "selkie/solids/mass_spring/step.h"

namespace selkie::mass_spring {

using ports::ContactLaw;
using ports::ContactMotion;
using ports::kWayOut;
using ports::resolve_contact;
using ports::sample_collider;
using ports::start_depth;
using ports::VertexPath;

// A leap that moves vertices by whole tetrahedra would press those flat, so bodies of tetrahedra leave slowly
// what they are deep in.
inline bool leaves_slowly(const Model& model, const Params& params, double depth) {
  constexpr double kDeep = 0.02;  // of a spring
  return has_guard(model, params) && depth > kDeep * model.mean_rest_length;
}

// Resolves all free vertices of `to` against every collider in turn; returns how many vertices touched one.
int project_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                     const State& from, State& to, const Work& work);

// How long a step may be where contacts are resolved after it and the springs alone set no limit: what falls
// by more than half a spring is flattened against the solid, all of a body at once. Infinite for other
// integrators.
double contact_step_limit(const Model& model, const Params& params, const Vec3& gravity, const State& state);

}  // namespace selkie::mass_spring
