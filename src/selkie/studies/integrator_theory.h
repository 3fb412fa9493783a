// What theory says of the mass-spring integrators on ẍ + 2ζω ẋ + ω² x = 0, z = ωh. From the sources where
// they print it (RT-04 … RT-09, HY-30, HY-31), otherwise derived; the derivations stand in the .cpp.
#pragma once

#include "selkie/solids/mass_spring/params.h"

namespace selkie::studies {

// Global orders on a smooth non-linear problem.
struct Orders {
  int position = 0;
  int velocity = 0;
};
Orders theoretical_orders(mass_spring::Integrator integrator, bool damped);

// Largest stable z: infinity if stable at any, 0 if unstable at any.
double theoretical_limit(mass_spring::Integrator integrator, double zeta);

// Growth of an undamped amplitude per step: the spectral radius of the step.
double theoretical_radius(mass_spring::Integrator integrator, double z);

// Trace and determinant of undamped Newmark with intervals τ₁, τ₂ in units of the step.
struct NewmarkMap {
  double trace = 0, determinant = 0;
};
NewmarkMap theoretical_newmark(double z, double tau_first, double tau_second);

// Distance fallen from rest after n steps, in units of g h².
double theoretical_fall(mass_spring::Integrator integrator, int n);

}  // namespace selkie::studies
