// The extension module selkie._selkie; selkie/__init__.py shows its names under `selkie`.
#include "bindings.h"

PYBIND11_MODULE(_selkie, m) {
  using namespace selkie::python;
  // Classes and functions take the module name they are found under: help(), repr() and errors say `selkie`.
  const py::object own_name = m.attr("__name__");
  m.attr("__name__") = "selkie";
  bind_errors(m);
  bind_reports(m);
  bind_system(m);
  bind_rigid_queries(m);
  bind_world(m);
  bind_scene(m);
  bind_studies(m);
  py::module_ math = m.def_submodule(
      "math", "Rotations and decompositions of 3x3 (and 2x2) matrices; a leading axis makes a batch.");
  bind_math(math);
  py::module_ geometry = m.def_submodule("geometry",
                                         "Meshes from a few numbers or from files, as arrays; checks and "
                                         "measures; signed distances of simple solids.");
  bind_geometry(geometry);
  bind_meshes(geometry);
  py::module_ grid = m.def_submodule(
      "grid", "Transport and pressure projection on uniform grids, from arrays to arrays, in 2-D and 3-D.");
  bind_grid(grid);
  py::module_ mass_spring = m.def_submodule(
      "mass_spring", "The mass-spring solver on its own: build a Model, choose Params, step a State.");
  bind_mass_spring(mass_spring);
  py::module_ shallow_water = m.def_submodule(
      "shallow_water", "Water on a height field on its own: build a Model, choose Params, step a State.");
  bind_shallow_water(shallow_water);
  py::module_ surface_water = m.def_submodule(
      "surface_water",
      "Water on a triangle mesh on its own: build a Model, choose Params, step a State; its operators.");
  bind_surface_water(surface_water);
  m.attr("__name__") = own_name;
}
