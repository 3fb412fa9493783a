// The phases of a step, in its order; public so that each is tested and timed alone.
#pragma once

#include "selkie/fluids/surface_water/step.h"

namespace selkie::surface_water {

// Sizes all scratch; allocates only when the mesh has changed.
void prepare(const Model& model, Work& work);

// Moves the mesh: measures it, keeps every vertex's volume [SW-37], gathers the mesh's acceleration [SW-38].
void move_mesh(const Model& model, const Params& params, const Inputs& inputs, double dt, State& to,
               Work& work);

// Velocities of all faces at the end of advection, in frames (m/s).
void advect_all(const Model& model, const Params& params, const Metric& metric, double dt, const State& state,
                Work& work);

// Acceleration at vertices, split: along the normal into work.normal, across it into the frozen terms of the
// faces [SW-29]. `factor` is that of η∇a.
void split_accelerations(const Model& model, const Params& params, const Inputs& inputs, const Metric& metric,
                         State& to, Work& work);

// How many explicit sub-steps `dt` takes: params.substeps, or what the stability bound asks for [SW-26].
struct SubstepChoice {
  int count = 1;
  double limit = 0;  // s, longest stable sub-step by the bound
};
SubstepChoice choose_substeps(const Model& model, const Params& params, const Metric& metric, double dt,
                              const State& state, const Work& work);

// Cuts velocities that cross more than 16 triangles in a step: films on dry ground that are pushed hard.
void limit_speeds(const Model& model, const Metric& metric, double dt, Work& work);

// k sub-steps of mass fluxes and pressure. `heights_advected`: depths were, and change by η∇·v only [SW-27].
void integrate_explicit(const Model& model, const Params& params, const Inputs& inputs, const Metric& metric,
                        double dt, int count, State& to, Work& work);

// Drops what only other methods carry from step to step: the method may change between steps, and an old
// history would kick the water when it is taken up again.
void forget_histories(Method method, State& to);

// One implicit step of the depths, then of the velocities [SW-23 … SW-25, SW-49].
StepReport integrate_implicit(const Model& model, const Params& params, const Inputs& inputs,
                              const Metric& metric, double dt, State& to, Work& work);

// Adds what sources give in `dt`; sinks stop where nothing is left [SW-34].
void pour(const Inputs& inputs, const Metric& metric, double dt, State& to);

// Exchange over the rim of an open mesh.
void pass_rim(const Model& model, const Inputs& inputs, const Metric& metric, double dt, State& to,
              const Work& work);

// Frame velocities to rates.
void store_rates(const Model& model, const Metric& metric, const Work& work, State& to);

}  // namespace selkie::surface_water
