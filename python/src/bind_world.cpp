// World: time, systems, events, checkpoints.
#include <algorithm>
#include <cmath>

#include "bindings.h"
#include "computing.h"
#include "reports.h"
#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/io/atomic_file.h"
#include "selkie/sim/checkpoint.h"
#include "selkie/sim/input_log.h"
#include "system_handle.h"
#include "value_conversion.h"

namespace selkie::python {
namespace {

constexpr const char* kClassDoc =
    "A running scene: systems, couplings and time. Made by selkie.load() or selkie.scene().\n\n"
    "    world = selkie.load(\"flag.toml\", set={\"cloth.stiffness\": 200})\n"
    "    world[\"cloth\"].velocities[:, 2] += 1   # m/s, written into the solver's own memory\n"
    "    world.step()\n\n"
    "Steps release Python's interpreter lock; a world is used by one thread at a time.";

using Handle = std::shared_ptr<WorldHandle>;

sim::SyncReport step(WorldHandle& handle) {
  sim::SyncReport report;
  {
    const Stepping stepping(handle);
    const Computing computing;
    report = handle.world.sync_step();
  }
  if (!report.ok) throw failure_of(report);
  ++handle.steps;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();  // Ctrl-C between steps
  return report;
}

py::object run_frames(WorldHandle& handle, std::int64_t count, const py::object& progress) {
  if (count < 0) throw InputError("'count' is " + std::to_string(count), "use a number of at least 0");
  py::object last = py::none();
  for (std::int64_t frame = 0; frame < count; ++frame) {
    sim::SyncReport report;
    do report = step(handle);
    while (!handle.world.at_frame());
    last = py::cast(std::move(report));
    if (!progress.is_none()) progress(last);
  }
  return last;
}

// Systems are made once per World object, so that world["cloth"] is world["cloth"].
py::object system_of(const py::object& self, const std::string& name) {
  const auto handle = self.cast<Handle>();
  handle->require_still();
  sim::System* system = handle->world.find(name);
  if (!system) {
    std::vector<std::string> known;
    for (const auto& each : handle->world.systems())
      if (!each->dormant()) known.push_back(each->name());
    const std::string nearest = nearest_word(name, known);
    throw py::key_error("there is no system called '" + name + "'" +
                        (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") +
                        (known.empty() ? " The world has none." : " Known: " + join_choices(known)));
  }
  py::dict own = self.attr("__dict__");
  py::dict made = own.contains("_systems") ? py::dict(own["_systems"]) : py::dict();
  own["_systems"] = made;
  const py::str key(name);
  if (!made.contains(key)) made[key] = make_system(handle, *system);
  return made[key];
}

py::dict event_dict(const ports::InputEvent& event) {
  py::dict dict;
  dict["tick"] = event.tick;
  dict["frame"] = static_cast<double>(event.tick) / static_cast<double>(kTicksPerFrame);
  dict["system"] = event.system;
  dict["action"] = event.action;
  dict["arguments"] = from_value(event.arguments);
  return dict;
}

py::list event_list(std::span<const ports::InputEvent> events) {
  py::list list;
  for (const ports::InputEvent& event : events) list.append(event_dict(event));
  return list;
}

void queue_event(WorldHandle& handle, const std::string& system, const std::string& action,
                 const py::object& arguments, const py::object& frame, const py::object& tick) {
  handle.require_still();
  if (frame.is_none() == tick.is_none())
    throw InputError("an event needs either 'frame' or 'tick'",
                     "frame may be a fraction: frame=1.5 is in the middle of the second frame");
  ports::InputEvent event{0, system, action, Value{ValueTable{}}};
  if (!arguments.is_none()) event.arguments = to_value(arguments, "arguments");
  if (!event.arguments.is_table()) throw InputError("'arguments' must be a dictionary");
  // No name: the world itself, as in an inputs.toml.
  if (!system.empty() && !handle.world.find(system))
    throw InputError("there is no system called '" + system + "'");
  if (tick.is_none()) {
    const auto when = argument_from<double>(frame, "frame");
    if (!(when >= 0 && when < 1e9))
      throw InputError("'frame' is " + number_text(when), "use a number from 0 to 1e9");
    event.tick = static_cast<Tick>(std::llround(when * static_cast<double>(kTicksPerFrame)));
  } else {
    event.tick = argument_from<Tick>(tick, "tick");
  }
  handle.world.queue(std::move(event));
}

// Tries the events as `selkie run --inputs` does, so that a bad one is not found out frames later.
void replay(WorldHandle& handle, const py::object& path) {
  handle.require_still();
  const std::filesystem::path file = path_from(path);
  std::vector<ports::InputEvent> events = sim::read_events(file);
  const std::span<const ports::InputEvent> pending = handle.world.pending_events();
  const std::vector<ports::InputEvent> before(pending.begin(), pending.end());
  handle.accept_writes();
  handle.world.forget_pending_events();  // the scene's own, which a recording holds already
  try {
    for (ports::InputEvent& event : events) handle.world.queue(std::move(event));
    handle.world.check_pending_events();
  } catch (...) {
    handle.world.forget_pending_events();
    for (const ports::InputEvent& event : before) handle.world.queue(event);
    throw;
  }
  handle.sources.push_back(std::filesystem::absolute(file));
}

py::tuple gravity(const WorldHandle& handle) {
  const Vec3& g = handle.world.environment().gravity;
  return py::make_tuple(g.x(), g.y(), g.z());
}

void set_gravity(WorldHandle& handle, const py::object& value) {
  handle.require_still();
  Value arguments{ValueTable{}};
  arguments["path"] = Value{std::string("gravity")};
  arguments["value"] = to_value(value, "world");
  handle.world.apply_now({0, "", "set", std::move(arguments)});
}

void save(WorldHandle& handle, const py::object& path) {
  handle.require_still();
  const std::int64_t frame = (handle.world.now() + kTicksPerFrame - 1) / kTicksPerFrame;
  sim::save_checkpoint(handle.world, {handle.identity, frame, handle.steps}, path_from(path));
}

void restore(WorldHandle& handle, const py::object& path) {
  handle.require_idle();
  const std::filesystem::path file = path_from(path);
  const sim::CheckpointNote note = sim::read_checkpoint_note(file);
  if (note.scene != handle.identity)
    throw InputError(
        {file.string(), 0, 0},
        "was written by a different scene or different settings" + std::string(sim::other_reason(note)),
        "build the world from the scene that wrote it");
  sim::load_checkpoint(handle.world, file);
  handle.steps = note.step;
}

template <class Class>
void bind_time(Class& world) {
  world
      .def(
          "step", [](WorldHandle& h) { return step(h); },
          "Advances by one sync step, or less after a retry, and returns a SyncReport.\n"
          "Raises NumericalError when even the shortest step fails; the world is then as before.")
      .def(
          "step_frame", [](WorldHandle& h) { return run_frames(h, 1, py::none()); },
          "Steps to the end of the present frame; the SyncReport of the last step.")
      .def("run_frames", &run_frames, py::arg("count"), py::arg("progress") = py::none(),
           "Steps through `count` frames, without files. `progress` is called with a SyncReport after each\n"
           "frame. Returns the last report.")
      .def_property_readonly(
          "time", [](const WorldHandle& h) { return h.world.time(); }, "Now, in s.")
      .def_property_readonly(
          "frame", [](const WorldHandle& h) { return h.world.frame(); }, "Completed frames.")
      .def_property_readonly(
          "tick", [](const WorldHandle& h) { return h.world.now(); },
          "Now as a whole number of ticks, 2**32 a frame.")
      .def_property_readonly(
          "at_frame", [](const WorldHandle& h) { return h.world.at_frame(); }, "True between frames.")
      .def_property_readonly(
          "fps", [](const WorldHandle& h) { return h.world.settings().fps; }, "Frames per second.")
      .def_property("gravity", &gravity, &set_gravity,
                    "Acceleration of free fall, m/s². Assigning it applies and records an input event.")
      .def(
          "hash",
          [](WorldHandle& h) {
            h.require_still();
            return h.world.hash().hex();
          },
          "32 hexadecimal digits over everything that influences a later step: equal means equal bits.")
      .def(
          "schedule",
          [](const WorldHandle& h) {
            py::list lines;
            for (const std::string& line : h.world.schedule()) lines.append(line);
            return lines;
          },
          "What a frame consists of, as `selkie check` prints it: a list of lines.");
}

template <class Class>
void bind_events(Class& world) {
  world
      .def("queue_event", &queue_event, py::arg("system"), py::arg("action"),
           py::arg("arguments") = py::none(), py::kw_only(), py::arg("frame") = py::none(),
           py::arg("tick") = py::none(),
           "Queues an action for later: world.queue_event(\"cloth\", \"set\",\n"
           "{\"path\": \"stiffness\", \"value\": 200}, frame=10). The system \"\" is the world itself:\n"
           "world.queue_event(\"\", \"set\", {\"path\": \"gravity\", \"value\": [0, 0, 0]}, frame=10).")
      .def("replay", &replay, py::arg("path"),
           "Queues every event of an inputs.toml in place of those that are pending. InputError when the\n"
           "world would refuse one of them; those that were pending then stay.")
      .def(
          "write_events",
          [](WorldHandle& h, const py::object& path) {
            h.require_still();
            io::write_file_atomically(path_from(path), sim::events_to_toml(h.world.applied_events()));
          },
          py::arg("path"),
          "Writes the applied events as an inputs.toml that replay() and `selkie run --inputs` read.")
      .def_property_readonly(
          "events", [](const WorldHandle& h) { return event_list(h.world.applied_events()); },
          "Applied events, a list of dictionaries: parameters set, grabs, ...\n"
          "Writes through NumPy views are not events.")
      .def_property_readonly(
          "pending_events", [](const WorldHandle& h) { return event_list(h.world.pending_events()); },
          "Queued events that are yet to be applied.");
}

std::ptrdiff_t awake_count(const sim::World& world) {
  return std::count_if(world.systems().begin(), world.systems().end(),
                       [](const auto& system) { return !system->dormant(); });
}

}  // namespace

void bind_world(py::module_& m) {
  py::class_<WorldHandle, Handle> world(m, "World", py::dynamic_attr(), kClassDoc);
  bind_time(world);
  bind_events(world);
  world.def("__getitem__", &system_of, py::arg("name"), "The System of that name.")
      .def("__contains__",
           [](const WorldHandle& h, const std::string& name) { return h.world.find(name) != nullptr; })
      .def("__len__", [](const WorldHandle& h) { return awake_count(h.world); })
      .def("__iter__", [](const py::object& self) { return py::iter(self.attr("systems")); })
      .def_property_readonly(
          "systems",
          [](const WorldHandle& h) {
            py::list names;
            for (const auto& system : h.world.systems())
              if (!system->dormant()) names.append(system->name());
            return names;
          },
          "Names of the systems, in the order of the scene; \"thrown\" only once something was thrown.")
      .def(
          "drawables",
          [](WorldHandle& h) {
            h.require_still();
            py::list all;
            for (const auto& system : h.world.systems())
              for (const py::handle drawable : drawables_of(*system)) all.append(drawable);
            return all;
          },
          "What everything looks like: a list of dictionaries of arrays (copies), as frames are written.")
      .def("save", &save, py::arg("path"),
           "Writes a checkpoint (HDF5): everything that influences a later step.")
      .def(
          "restore", &restore, py::arg("path"),
          "Goes back to a checkpoint of the same scene, in place: views stay valid, and the world continues\n"
          "bit for bit as the one that wrote it. InputError for a checkpoint of another scene.")
      .def_property_readonly(
          "scene_text", [](const WorldHandle& h) { return scene::resolved(h.scene); },
          "The scene as TOML with every default written out.")
      .def("__repr__", [](const WorldHandle& h) {
        return "<selkie.World '" + h.scene.description.scene.name + "': t = " + number_text(h.world.time()) +
               " s, " + std::to_string(awake_count(h.world)) + " system(s)>";
      });
}

}  // namespace selkie::python
