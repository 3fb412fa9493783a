// Water on a triangle mesh without a World, for studies: Model, Params, State, step, operators and paths.
// Vertices and faces are numbered as in the model, which renumbers vertices; Model.original says how.
#include <algorithm>

#include "bindings.h"
#include "computing.h"
#include "selkie/fluids/surface_water/operators.h"
#include "selkie/fluids/surface_water/phases.h"
#include "solver_classes.h"

namespace selkie::python {
namespace {

namespace sw = selkie::surface_water;
using sw::Model;
using sw::Params;
using ModelPtr = std::shared_ptr<Model>;

// A State with what stepping it needs.
// Named apart from other handles: pybind11 tells types by name, and clang names those of unnamed namespaces alike.
struct SurfaceWaterHandle {
  ModelPtr model;
  sw::State state, before;
  sw::Work work;
};
using StatePtr = std::shared_ptr<SurfaceWaterHandle>;

void require_same_model(const ModelPtr& model, const SurfaceWaterHandle& state) {
  if (state.model != model)
    throw InputError("the state was made for another model", "make it with State(model, depth)");
}
void require_count(std::size_t given, std::size_t wanted, const char* name, const char* what) {
  if (given != wanted)
    throw InputError("'" + std::string(name) + "' holds " + std::to_string(given) +
                     " values, but there are " + std::to_string(wanted) + " " + what);
}

// ---- Model and State ----

ModelPtr build(const py::object& positions, const py::object& triangles, double bottom, double least_angle,
               bool open, const std::string& rim) {
  auto model = std::make_shared<Model>(
      sw::make_model({points_from(positions, "positions"), indices_from<3>(triangles, "triangles")}, bottom,
                     least_angle, "triangles", open));
  const auto names = describe(static_cast<sw::RimKind*>(nullptr));
  const auto at = std::find(names.begin(), names.end(), rim);
  if (at == names.end()) throw InputError("'rim' is \"" + rim + "\"", "use \"wall\", \"drain\" or \"level\"");
  model->rim = static_cast<sw::RimKind>(at - names.begin());
  return model;
}

StatePtr make_state(const ModelPtr& model, const py::object& depth) {
  auto handle = std::make_shared<SurfaceWaterHandle>();
  handle->model = model;
  handle->state = sw::make_state(*model, 0);
  write_array(*find_array(arrays_of(handle->state), "depth"), depth, "depth");
  return handle;
}

sw::Metric metric_now(const SurfaceWaterHandle& s) {
  sw::Metric metric;
  sw::measure(s.model->complex, s.state.positions, s.model->least_angle, metric);
  return metric;
}

void bind_classes(py::module_& m) {
  py::class_<Model, ModelPtr>(m, "Model",
                              "A mesh that water lives on: what never changes. Arrays are copies.")
      .def_property_readonly(
          "vertex_count", [](const Model& model) { return model.complex.vertex_count; },
          "Number of vertices.")
      .def_property_readonly(
          "face_count", [](const Model& model) { return model.complex.face_count; }, "Number of faces.")
      .def_property_readonly(
          "euler_characteristic", [](const Model& model) { return model.complex.euler_characteristic; },
          "Vertices - edges + faces.")
      .def_property_readonly(
          "component_count", [](const Model& model) { return model.complex.component_count; },
          "Parts that do not touch each other.")
      .def_property_readonly(
          "positions", [](const Model& model) { return to_numpy(std::span<const Vec3>(model.rest)); },
          "(n, 3) m, in the model's order.")
      .def_property_readonly(
          "triangles", [](const Model& model) { return to_numpy(model.complex.triangles); }, "(m, 3).")
      .def_property_readonly(
          "original",
          [](const Model& model) { return to_numpy(std::span<const std::uint32_t>(model.original)); },
          "(n,) number of each vertex in the arrays given to build_model().")
      .def_property_readonly(
          "areas", [](const Model& model) { return to_numpy(std::span<const double>(model.metric.area)); },
          "(m,) m².")
      .def_property_readonly(
          "dual_areas",
          [](const Model& model) { return to_numpy(std::span<const double>(model.metric.dual_area)); },
          "(n,) m², a third of every face around a vertex.")
      .def("__repr__", [](const Model& model) {
        return "<selkie.surface_water.Model: " + std::to_string(model.complex.vertex_count) + " vertices, " +
               std::to_string(model.complex.face_count) + " faces>";
      });
  m.def("build_model", &build, py::arg("positions"), py::arg("triangles"), py::arg("bottom") = 0.2,
        py::arg("least_angle") = 10.0, py::arg("open") = false, py::arg("rim") = "wall",
        "A Model from positions (n, 3) in m and triangles (m, 3), closed and oriented outwards.\n\n"
        "bottom: depth of the bottom below the mesh, m. least_angle: smaller ones are raised, degrees.\n"
        "open: a rim is allowed; rim: \"wall\", \"drain\" or \"level\".");
  sw::State empty;
  const std::string doc =
      "Everything that influences a later step. Attributes are NumPy views of the solver's own memory.\n"
      "State(model, depth) is at rest; depth in m, one number or one per vertex.\n\n" +
      arrays_table(arrays_of(empty));
  py::class_<SurfaceWaterHandle, StatePtr> state(m, "State", doc.c_str());
  state.def(py::init(&make_state), py::arg("model"), py::arg("depth"));
  bind_state_arrays(state);
}

// ---- step ----

StepReport step(const ModelPtr& model, const Params& params, const StatePtr& s, double dt,
                const py::object& positions, const py::object& acceleration, const py::object& field,
                double rim_depth, double time) {
  require_same_model(model, *s);
  const Interval interval = interval_of(time, dt);
  sw::Inputs inputs;
  inputs.acceleration = vector_from(acceleration, "acceleration");
  inputs.rim_depth = rim_depth;
  std::vector<Vec3> moved, pulls;
  if (!positions.is_none()) {
    moved = points_from(positions, "positions");
    require_count(moved.size(), model->complex.vertex_count, "positions", "vertices");
    inputs.positions = moved;
  }
  if (!field.is_none()) {
    pulls = points_from(field, "field");
    require_count(pulls.size(), model->complex.vertex_count, "field", "vertices");
    inputs.field = pulls;
  }
  return step_or_restore(*s, time, [&] {
    const Computing computing;
    return sw::step(*model, params, inputs, interval, s->before, s->state, s->work);
  });
}

// ---- operators ----

py::array gradient_of(const ModelPtr& model, const py::object& values) {
  const std::vector<double> f = numbers_from(values, "values");
  require_count(f.size(), model->complex.vertex_count, "values", "vertices");
  std::vector<Vec3> result(model->complex.face_count);
  for (std::size_t k = 0; k < result.size(); ++k)
    result[k] = sw::frame_of(model->complex, model->metric, model->rest, k)
                    .to_space(sw::gradient(model->complex, model->metric, f, k));
  return to_numpy(std::span<const Vec3>(result));
}

py::array divergence_of(const ModelPtr& model, const py::object& velocities) {
  const std::vector<Vec3> v = points_from(velocities, "velocities");
  require_count(v.size(), model->complex.face_count, "velocities", "faces");
  std::vector<double> x(v.size()), y(v.size()), result(model->complex.vertex_count);
  for (std::size_t k = 0; k < v.size(); ++k) {
    const Vec2 in = sw::frame_of(model->complex, model->metric, model->rest, k).to_plane(v[k]);
    x[k] = in[0], y[k] = in[1];
  }
  sw::divergence(model->complex, model->metric, x, y, result);
  return to_numpy(std::span<const double>(result));
}

py::array laplacian_of(const ModelPtr& model, const py::object& values) {
  const std::vector<double> f = numbers_from(values, "values");
  require_count(f.size(), model->complex.vertex_count, "values", "vertices");
  std::vector<double> result(f.size());
  sw::laplacian(model->complex, model->metric, f, result);
  return to_numpy(std::span<const double>(result));
}

py::array velocities_of(const StatePtr& s) {
  const sw::Metric metric = metric_now(*s);
  std::vector<Vec3> result(s->model->complex.face_count);
  for (std::size_t k = 0; k < result.size(); ++k)
    result[k] = sw::frame_of(s->model->complex, metric, s->state.positions, k)
                    .to_space(sw::vector_of(metric, k, Vec2(s->state.rate_1[k], s->state.rate_2[k])));
  return to_numpy(std::span<const Vec3>(result));
}

void set_velocities(const StatePtr& s, const py::object& velocities) {
  const std::vector<Vec3> v = points_from(velocities, "velocities");
  require_count(v.size(), s->model->complex.face_count, "velocities", "faces");
  const sw::Metric metric = metric_now(*s);
  for (std::size_t k = 0; k < v.size(); ++k) {
    const sw::Frame frame = sw::frame_of(s->model->complex, metric, s->state.positions, k);
    const Vec2 rates = sw::rates_of(metric, k, frame.to_plane(v[k]));
    s->state.rate_1[k] = rates[0], s->state.rate_2[k] = rates[1];
  }
}

py::dict trace_of(const StatePtr& s, std::uint32_t face, double time, const py::object& from) {
  if (face >= s->model->complex.face_count)
    throw InputError("'face' is " + std::to_string(face) + ", but there are " +
                     std::to_string(s->model->complex.face_count) + " faces");
  const Vec3 start = from.is_none() ? Vec3::Constant(1.0 / 3) : vector_from(from, "start");
  const double beta[3] = {start[0], start[1], start[2]};
  if (!(start.minCoeff() >= 0) || std::abs(start.sum() - 1) > 1e-9)
    throw InputError("'start' is no point of a triangle", "give three coordinates ≥ 0 that sum to 1");
  const sw::Metric metric = metric_now(*s);
  std::vector<sw::FaceRates> rates(s->model->complex.face_count);
  sw::interpolate_to_corners(s->model->complex, metric, s->state.rate_1, s->state.rate_2, rates);
  const sw::TraceEnd end = sw::trace(s->model->complex, metric, rates, face, beta, time);
  Vec3 point = Vec3::Zero();
  for (std::size_t c = 0; c < 3; ++c)
    point += end.beta[c] * s->state.positions[s->model->complex.vertex[c][end.face]];
  py::dict result;
  result["face"] = end.face, result["start"] = to_numpy(Vec3(end.beta[0], end.beta[1], end.beta[2]));
  result["point"] = to_numpy(point), result["crossings"] = end.crossings, result["left"] = end.left;
  return result;
}

py::dict diagnose_state(const StatePtr& s) {
  const sw::Diagnostics d = sw::diagnose(*s->model, metric_now(*s), s->state);
  py::dict result;
  result["volume"] = d.volume, result["kinetic"] = d.kinetic, result["potential"] = d.potential;
  result["top_speed"] = d.top_speed, result["shallowest"] = d.shallowest, result["deepest"] = d.deepest;
  result["wet_area"] = d.wet_area, result["area"] = d.area;
  return result;
}

}  // namespace

void bind_surface_water(py::module_& m) {
  bind_classes(m);
  bind_params<Params>(m, "Parameters of water on a surface: Params(method=\"leapfrog\", friction=99).");
  const py::tuple zero = py::make_tuple(0.0, 0.0, 0.0);
  m.def("step", &step, py::arg("model"), py::arg("params"), py::arg("state"), py::arg("dt"),
        py::arg("positions") = py::none(), py::arg("acceleration") = zero, py::arg("field") = py::none(),
        py::arg("rim_depth") = 0.0, py::arg("time") = 0.0,
        "Advances `state` in place by dt (s) and returns a StepReport.\n\n"
        "positions (n, 3): where the mesh is at the end, m; acceleration and field (n, 3): what acts on the\n"
        "water, m/s²; rim_depth: of an open mesh whose level is held, m.\n"
        "Raises NumericalError, with the state as before, when the step fails: take a shorter one.");
  m.def("gradient", &gradient_of, py::arg("model"), py::arg("values"),
        "(m, 3) gradient on faces of a function given at vertices, on the mesh at rest.");
  m.def("divergence", &divergence_of, py::arg("model"), py::arg("velocities"),
        "(n,) divergence at vertices of vectors (m, 3) on faces: minus the adjoint of gradient().");
  m.def("laplacian", &laplacian_of, py::arg("model"), py::arg("values"),
        "(n,) Laplacian of a function given at vertices: divergence(gradient()).");
  m.def("velocities", &velocities_of, py::arg("state"), "(m, 3) velocity of each face, m/s, a copy.");
  m.def("set_velocities", &set_velocities, py::arg("state"), py::arg("velocities"),
        "Sets the velocity of each face from (m, 3) in m/s; what is not tangential is dropped.");
  m.def("trace", &trace_of, py::arg("state"), py::arg("face"), py::arg("time"), py::arg("start") = py::none(),
        "Follows a path backwards for `time` (s) from barycentric coordinates `start` (default: the middle) "
        "of\n"
        "a face: a dict with face, start, point (m), crossings and the time left (s) where it was stopped.");
  m.def(
      "volume", [](const StatePtr& s) { return sw::volume(s->state); }, py::arg("state"),
      "m³: depth times dual area, without curvature correction.");
  m.def("diagnose", &diagnose_state, py::arg("state"),
        "A dict: volume (m³), kinetic and potential (J for 1 kg/m³), top_speed (m/s), shallowest, deepest "
        "(m),\n"
        "wet_area, area (m²).");
}

}  // namespace selkie::python
