// Questions about rigid bodies: rays, overlaps, neighbours. Methods of System that only "thrown" can answer.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <limits>

#include "arrays.h"
#include "bindings.h"
#include "selkie/core/error.h"
#include "selkie/sim/systems/rigid_system.h"
#include "system_handle.h"

namespace selkie::python {
namespace {

const rigid::Lookup& bodies_of(const SystemHandle& handle) {
  if (auto* system = dynamic_cast<sim::RigidSystem*>(&handle.get())) return system->look_up();
  throw InputError("'" + handle.get().name() + "' is a " + std::string(handle.get().kind()) +
                       " system and holds no rigid bodies",
                   "ask world[\"thrown\"], which holds all of them");
}

py::dict ray_cast(const SystemHandle& handle, const py::object& origins, const py::object& directions) {
  const rigid::Lookup& bodies = bodies_of(handle);
  const std::vector<Vec3> from = points_from(origins, "origins"), along = points_from(directions, "directions");
  if (from.size() != along.size())
    throw InputError("there are " + std::to_string(from.size()) + " origins and " + std::to_string(along.size()) +
                     " directions", "give as many of one as of the other");
  const std::size_t count = from.size();
  py::array_t<std::int64_t> body(static_cast<py::ssize_t>(count));
  std::vector<double> distance(count, std::numeric_limits<double>::infinity());
  std::vector<Vec3> point(count, Vec3::Constant(std::numeric_limits<double>::quiet_NaN())), normal = point;
  for (std::size_t k = 0; k < count; ++k) {
    const auto hit = bodies.ray_cast(from[k], along[k]);
    body.mutable_data()[k] = hit ? static_cast<std::int64_t>(hit->body) : -1;
    if (hit) distance[k] = hit->distance, point[k] = hit->point, normal[k] = hit->normal;
  }
  py::dict hits;
  hits["body"] = body;
  hits["distance"] = to_numpy(distance);
  hits["point"] = to_numpy(point), hits["normal"] = to_numpy(normal);
  return hits;
}

std::vector<std::size_t> overlapping(const SystemHandle& handle, const std::string& shape, const py::object& position,
                                     double size) {
  const rigid::Lookup& bodies = bodies_of(handle);
  if (shape != "ball" && shape != "box")
    throw InputError("'shape' is \"" + shape + "\"", "choose \"ball\" or \"box\"");
  if (!(size > 0)) throw InputError("'size' must be above 0", "it is the radius, or half an edge, in m");
  const contact::Kind kind = shape == "ball" ? contact::Kind::ball : contact::Kind::box;
  return bodies.overlapping({kind, Vec3::Constant(size), nullptr}, {vector_from(position, "position"), Mat3::Identity()});
}

std::vector<std::size_t> within(const SystemHandle& handle, const py::object& point, double radius) {
  return bodies_of(handle).within(vector_from(point, "point"), radius);
}

}  // namespace

void bind_rigid_queries(py::module_& m) {
  const py::object system = m.attr("System");
  auto method = [&](const char* name, auto function, auto... extra) {
    system.attr(name) = py::cpp_function(function, py::name(name), py::is_method(system), extra...);
  };
  method("ray_cast", &ray_cast, py::arg("origins"), py::arg("directions"),
         "Of rigid bodies: the first one that each ray meets. Origins and directions (of any length) have shape\n"
         "(n, 3). Returns arrays: 'body' (its place in positions, -1: none), 'distance' (m, inf: none), 'point',\n"
         "'normal'. Many rays in one call cost little more than one.");
  method("overlapping", &overlapping, py::arg("shape"), py::arg("position"), py::arg("size"),
         "Of rigid bodies: places of those that a \"ball\" (size: its radius, m) or \"box\" (half an edge) would\n"
         "overlap.");
  method("within", &within, py::arg("point"), py::arg("radius"),
         "Of rigid bodies: places of those within `radius` (m) of a point.");
}

}  // namespace selkie::python
