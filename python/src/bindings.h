// What module.cpp calls: one function per group of public headers, each in the file of its name.
#pragma once

#include <pybind11/pybind11.h>

namespace selkie::python {

namespace py = pybind11;

void bind_errors(py::module_& m);   // core/error.h
void bind_reports(py::module_& m);  // ports/step_report.h, sim/world.h (SyncReport), sim/run.h (RunResult)
void bind_world(py::module_& m);    // sim/world.h, sim/checkpoint.h, sim/input_log.h
void bind_system(py::module_& m);   // sim/system.h
void bind_rigid_queries(py::module_& m);       // solids/rigid/queries.h, after bind_system
void bind_scene(py::module_& m);               // scene/scene.h, sim/run.h
void bind_studies(py::module_& m);             // studies/study.h
void bind_grid(py::module_& m);                // grid/advect.h, grid/projection.h
void bind_math(py::module_& m);                // math/rotation.h, math/svd.h
void bind_geometry(py::module_& m);            // geometry/generators.h, geometry/shapes.h, geometry/mesh.h
void bind_meshes(py::module_& m);              // io/read_mesh.h, geometry/mesh_check.h
void bind_mass_spring(py::module_& m);         // solids/mass_spring/model.h, params.h, state.h, step.h
void bind_mass_spring_forces(py::module_& m);  // solids/mass_spring/forces.h, tangent.h, diagnostics.h
void bind_shallow_water(py::module_& m);       // fluids/shallow_water/*.h
void bind_surface_water(py::module_& m);       // fluids/surface_water/*.h

}  // namespace selkie::python
