// The mass-spring solver without a World, for studies: Model, Params, State and step. What a state says of
// itself is in bind_mass_spring_forces.cpp.
#include "bindings.h"
#include "computing.h"
#include "mass_spring_handle.h"
#include "selkie/sim/collider.h"
#include "selkie/solids/mass_spring/step.h"
#include "solver_classes.h"

namespace selkie::python {
namespace {

using mass_spring::Model;
using mass_spring::Params;
using mass_spring::State;
using StatePtr = std::shared_ptr<MassSpringHandle>;

struct Collider {
  std::shared_ptr<ports::FieldSampler> sampler;
};

// ---- Model ----

std::shared_ptr<Model> share(Model model) { return std::make_shared<Model>(std::move(model)); }

std::shared_ptr<Model> build(const py::object& positions, const py::object& springs, const py::object& masses,
                             const py::object& factors, const py::object& rest_lengths,
                             bool stiffness_per_length) {
  const std::vector<Vec3> points = points_from(positions, "positions");
  const auto ends = indices_from<2>(springs, "springs");
  std::vector<mass_spring::SpringInput> inputs(ends.size());
  for (std::size_t s = 0; s < ends.size(); ++s) inputs[s].ends = ends[s];
  auto fill = [&](const py::object& given, const char* name, auto mass_spring::SpringInput::*member) {
    if (given.is_none()) return;
    const std::vector<double> numbers = numbers_from(given, name);
    if (numbers.size() != inputs.size())
      throw InputError("'" + std::string(name) + "' holds " + std::to_string(numbers.size()) +
                       " numbers, but there are " + std::to_string(inputs.size()) + " springs");
    for (std::size_t s = 0; s < inputs.size(); ++s) inputs[s].*member = numbers[s];
  };
  fill(factors, "factors", &mass_spring::SpringInput::factor);
  fill(rest_lengths, "rest_lengths", &mass_spring::SpringInput::rest_length);
  const std::vector<double> kilograms = numbers_from(masses, "masses");
  if (kilograms.size() != points.size())
    throw InputError("'masses' holds " + std::to_string(kilograms.size()) + " numbers, but there are " +
                     std::to_string(points.size()) + " vertices");
  return share(
      mass_spring::build_model(points, inputs, kilograms, {.stiffness_per_length = stiffness_per_length}));
}

void bind_model(py::module_& m) {
  py::class_<Model, std::shared_ptr<Model>>(m, "Model",
                                            "Masses and springs: what never changes. Arrays are copies.")
      .def_readonly("vertex_count", &Model::vertex_count, "Number of vertices.")
      .def_property_readonly("spring_count", &Model::spring_count, "Number of springs.")
      .def_property_readonly(
          "masses", [](const Model& model) { return to_numpy(model.masses); }, "(n,) kg.")
      .def_property_readonly(
          "springs", [](const Model& model) { return to_numpy(model.springs); },
          "(m, 2) vertices, (low, high), in an order of the solver's own; `source` leads back to the list "
          "given.")
      .def_property_readonly(
          "rest_lengths", [](const Model& model) { return to_numpy(model.rest_lengths); }, "(m,) m.")
      .def_property_readonly(
          "source", [](const Model& model) { return to_numpy(std::span<const std::uint32_t>(model.source)); },
          "(m,) place of each spring in the list given to build_model().")
      .def_property_readonly(
          "altitude_count", [](const Model& model) { return model.altitudes.tets.size(); },
          "Number of altitude springs: tetrahedra, or pairs of triangles, that have one.")
      .def_property_readonly("total_mass", &mass_spring::total_mass, "kg.")
      .def("__repr__", [](const Model& model) {
        return "<selkie.mass_spring.Model: " + std::to_string(model.vertex_count) + " vertices, " +
               std::to_string(model.spring_count()) + " springs>";
      });
  m.def(
      "build_model", &build, py::arg("positions"), py::arg("springs"), py::arg("masses"),
      py::arg("factors") = py::none(), py::arg("rest_lengths") = py::none(),
      py::arg("stiffness_per_length") = false,
      "A Model from arrays: rest positions (n, 3) in m, springs (m, 2), masses (n,) in kg.\n\n"
      "factors (m,): multiply stiffness and damping of each spring. rest_lengths (m,) in m: default the\n"
      "distance in the rest positions. stiffness_per_length: spring constants are stiffness / rest length.");
  m.def(
      "from_triangles",
      [](const py::object& positions, const py::object& triangles, double density, double bending,
         bool per_length, double altitude) {
        return share(mass_spring::from_triangles(
            {points_from(positions, "positions"), indices_from<3>(triangles, "triangles")}, density, bending,
            {.stiffness_per_length = per_length, .altitude_factor = altitude}));
      },
      py::arg("positions"), py::arg("triangles"), py::arg("density"), py::arg("bending") = 0.0,
      py::arg("stiffness_per_length") = false, py::arg("altitude") = 0.0,
      "A Model with a spring per edge of a surface; density in kg/m².\n\n"
      "bending > 0 adds bending springs between the far vertices of neighbouring triangles.\n"
      "altitude > 0 adds axial bending: a spring along the shortest altitude of each such pair, which\n"
      "resists the first bit of bending of a flat sheet, too.\n"
      "Both are factors of the stiffness of the edge springs.");
  m.def(
      "from_tets",
      [](const py::object& positions, const py::object& tets, double density, bool per_length,
         double altitude) {
        return share(mass_spring::from_tets(
            {points_from(positions, "positions"), indices_from<4>(tets, "tets")}, density,
            {.stiffness_per_length = per_length, .altitude_factor = altitude}));
      },
      py::arg("positions"), py::arg("tets"), py::arg("density"), py::arg("stiffness_per_length") = false,
      py::arg("altitude") = 0.0,
      "A Model with a spring per edge of a tetrahedral mesh; density in kg/m³.\n\n"
      "altitude > 0 adds a spring along the shortest altitude of each tetrahedron, by which flattened and\n"
      "inverted ones recover; a factor of the stiffness of the edge springs.");
  m.def(
      "from_segments",
      [](const py::object& positions, const py::object& segments, double density, bool per_length) {
        return share(mass_spring::from_segments(
            {points_from(positions, "positions"), indices_from<2>(segments, "segments")}, density,
            {.stiffness_per_length = per_length}));
      },
      py::arg("positions"), py::arg("segments"), py::arg("density"), py::arg("stiffness_per_length") = false,
      "A Model with a spring per segment; density in kg/m.");
}

// ---- State ----

StatePtr make_state(const std::shared_ptr<Model>& model, const py::object& positions,
                    const py::object& pinned) {
  const std::vector<Vec3> points = points_from(positions, "positions");
  if (points.size() != model->vertex_count)
    throw InputError("'positions' holds " + std::to_string(points.size()) + " vertices, but the model has " +
                     std::to_string(model->vertex_count));
  auto handle = std::make_shared<MassSpringHandle>();
  handle->model = model;
  handle->state = mass_spring::make_state(*model, points);
  if (pinned.is_none()) return handle;
  const std::vector<py::object> items = items_from(pinned, "pinned", "vertices");
  for (std::size_t k = 0; k < items.size(); ++k) {
    const auto vertex = argument_from<std::int64_t>(items[k], "pinned[" + std::to_string(k) + "]");
    if (vertex < 0 || vertex >= static_cast<std::int64_t>(model->vertex_count))
      throw InputError("'pinned' names vertex " + std::to_string(vertex) + ", but the model has " +
                           std::to_string(model->vertex_count) + " vertices",
                       "vertices are counted from 0");
    mass_spring::pin(handle->state, static_cast<std::uint32_t>(vertex));
  }
  return handle;
}

void bind_state(py::module_& m) {
  State empty;
  const std::string doc =
      "Everything that influences a later step. Attributes are NumPy views of the solver's own memory:\n"
      "write into them at will. State(model, positions, pinned=[0, 1]) is at rest.\n\n" +
      arrays_table(arrays_of(empty));
  py::class_<MassSpringHandle, StatePtr> state(m, "State", doc.c_str());
  state.def(py::init(&make_state), py::arg("model"), py::arg("positions"), py::arg("pinned") = py::none());
  bind_state_arrays(state);
}

// ---- steps ----

// What a World would let go of without a word is a mistake here: nobody but the caller has written it.
void require_vertex_in_hand(const MassSpringHandle& handle) {
  const std::int64_t vertex = handle.state.grabbed_vertex;
  if (vertex >= static_cast<std::int64_t>(handle.model->vertex_count))
    throw InputError("'grabbed_vertex' is " + std::to_string(vertex) + ", but the model has " +
                         std::to_string(handle.model->vertex_count) + " vertices",
                     "vertices are counted from 0; -1 holds none");
}

StepReport step(const std::shared_ptr<Model>& model, const Params& params, const StatePtr& handle, double dt,
                const py::object& gravity, double time, const py::object& forces,
                const py::object& pinned_motion, const py::object& colliders) {
  require_same_model(model, *handle);
  const Interval interval = interval_of(time, dt);
  mass_spring::Inputs inputs;
  inputs.gravity = vector_from(gravity, "gravity");
  std::vector<Vec3> loads;
  if (!forces.is_none()) {
    loads = points_from(forces, "forces");
    if (loads.size() != model->vertex_count)
      throw InputError("'forces' must hold one force per vertex (" + std::to_string(model->vertex_count) +
                       ")");
    inputs.forces = loads;
  }
  std::vector<const ports::FieldSampler*> samplers;
  const std::vector<py::object> solids = items_from(colliders, "colliders", "Colliders");
  for (const py::object& solid : solids) {
    if (!py::isinstance<Collider>(solid))
      throw InputError("'colliders' holds " + std::string(py::repr(solid)) + ", which is no Collider",
                       "make one with Collider(shape={\"ball\": {\"radius\": 0.5}})");
    samplers.push_back(solid.cast<const Collider&>().sampler.get());
  }
  inputs.colliders = samplers;
  auto motion = [&](std::uint32_t vertex, double when) {
    const py::gil_scoped_acquire acquire;
    return vector_from(pinned_motion(vertex, when), "pinned_motion");
  };
  if (!pinned_motion.is_none()) {
    if (PyCallable_Check(pinned_motion.ptr()) == 0)
      throw InputError(
          "'pinned_motion' is " + std::string(py::repr(pinned_motion)) + ", which cannot be called",
          "give a function of a vertex and a time (s) that returns a position (m)");
    inputs.pinned_motion = motion;
  }

  require_vertex_in_hand(*handle);  // last: what was called up to here may have written the state
  return step_or_restore(*handle, time, [&] {
    const Computing computing;
    return mass_spring::step(*model, params, inputs, interval, handle->before, handle->state, handle->work);
  });
}

void bind_steps(py::module_& m) {
  py::class_<Collider>(
      m, "Collider",
      "A solid that stops vertices: Collider(shape={\"ball\": {\"radius\": 0.5}}, friction=0.3),\n"
      "with the keys of a scene's [[collider]].")
      .def(py::init([](const py::kwargs& keywords) {
        sim::ColliderDescription description;
        read_keywords(type_of<sim::ColliderDescription>(), &description, keywords, "collider");
        return Collider{sim::make_collider(description)};
      }));
  const py::tuple earth = py::make_tuple(0.0, -9.81, 0.0);
  m.def("step", &step, py::arg("model"), py::arg("params"), py::arg("state"), py::arg("dt"),
        py::arg("gravity") = earth, py::arg("time") = 0.0, py::arg("forces") = py::none(),
        py::arg("pinned_motion") = py::none(), py::arg("colliders") = py::tuple(),
        "Advances `state` in place by dt (s) and returns a StepReport.\n\n"
        "gravity in m/s²; time: the clock at the start, s; forces (n, 3): further loads in N;\n"
        "pinned_motion(vertex, time): where a pinned vertex is, m; colliders: a list of Collider.\n"
        "Raises NumericalError, with the state as before, when the step fails: take a shorter one.");
  m.def(
      "step_limit",
      [](const std::shared_ptr<Model>& model, const Params& params, const StatePtr& s) {
        require_same_model(model, *s);
        return mass_spring::step_limit(*model, params, s->state);
      },
      py::arg("model"), py::arg("params"), py::arg("state"),
      "The step a scheduler should take, s: stability_limit() less 10 %.");
  m.def(
      "stability_limit",
      [](const std::shared_ptr<Model>& model, const Params& params, const StatePtr& s) {
        require_same_model(model, *s);
        return mass_spring::stability_limit(*model, params, s->state);
      },
      py::arg("model"), py::arg("params"), py::arg("state"),
      "The longest stable step, s; inf for the unconditionally stable integrators.");
}

}  // namespace

void bind_mass_spring(py::module_& m) {
  bind_model(m);
  bind_params<Params>(m, "Parameters of a mass-spring body: Params(stiffness=200, integrator=\"rk4\").");
  bind_state(m);
  bind_steps(m);
  bind_mass_spring_forces(m);
}

}  // namespace selkie::python
