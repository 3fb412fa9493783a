// Scenes to worlds, and whole runs with files.
#include <exception>

#include "bindings.h"
#include "computing.h"
#include "reports.h"
#include "selkie/core/error.h"
#include "selkie/core/parallel.h"
#include "selkie/core/schema.h"
#include "selkie/scene/paths.h"
#include "selkie/scene/scene_type.h"
#include "value_conversion.h"
#include "world_handle.h"

namespace selkie::python {
namespace {

using Handle = std::shared_ptr<WorldHandle>;

Handle load(const py::object& path, const py::object& set) {
  const std::filesystem::path file = path_from(path);
  return std::make_shared<WorldHandle>(scene::load(file, settings_from(set)),
                                       std::vector{std::filesystem::absolute(file)});
}

Handle from_dictionary(const py::dict& description, const py::object& folder, const py::object& set) {
  return std::make_shared<WorldHandle>(
      scene::from_value(to_value(description, "scene"), path_from(folder), settings_from(set)));
}

Handle world_from(const py::object& scene, const py::object& set) {
  if (py::isinstance<WorldHandle>(scene)) {
    if (!set.is_none())
      throw InputError("'set' cannot change a world that is already built", "assign world[\"name\"].key");
    return scene.cast<Handle>();
  }
  if (py::isinstance<py::dict>(scene)) return from_dictionary(scene, py::str("."), set);
  return load(scene, set);
}

sim::RunSettings settings_of(const WorldHandle& handle, const std::filesystem::path& folder,
                             const py::object& frames, bool resume, bool overwrite,
                             const py::object& formats) {
  scene::OutputSettings output = handle.scene.description.output;
  if (!formats.is_none()) {
    Value given;
    given["formats"] = to_value(formats, "");
    read(type_of<scene::OutputSettings>(), given, &output, "output");
  }
  scene::SceneSettings length = handle.scene.description.scene;
  if (!frames.is_none()) {
    Value given;
    given["frames"] = argument_value(frames, "frames");
    read(type_of<scene::SceneSettings>(), given, &length, "");
  }
  sim::RunSettings settings;
  settings.folder = folder;
  settings.frames = length.frames;
  settings.resume = resume;
  settings.overwrite = overwrite;
  settings.formats.clear();
  for (const scene::OutputFormat format : output.formats)
    settings.formats.push_back(static_cast<io::FrameFormat>(format));
  settings.every = output.every;
  settings.checkpoint_every = output.checkpoint_every;
  settings.scene_text = scene::resolved(handle.scene);
  settings.scene_identity = handle.identity;
  settings.sources = handle.sources;
  return settings;
}
static_assert(static_cast<int>(scene::OutputFormat::vdb) == static_cast<int>(io::FrameFormat::vdb) &&
              static_cast<int>(scene::OutputFormat::vtk) == static_cast<int>(io::FrameFormat::vtk));

// The run itself, without the interpreter lock. Ctrl-C and an exception of the callback end it between two
// sync steps, so that files and checkpoint are whole; what was raised is raised again afterwards.
sim::RunResult compute(WorldHandle& handle, const sim::RunSettings& settings, const py::object& progress) {
  std::exception_ptr raised;
  std::atomic<bool> interrupt = false;
  auto between_steps = [&](const sim::Progress& now) {
    const py::gil_scoped_acquire acquire;
    handle.use = WorldHandle::Use::reporting;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress.is_none()) progress(now);
    } catch (...) {
      raised = std::current_exception();
      interrupt = true;
    }
    handle.accept_writes();
    handle.use = WorldHandle::Use::stepping;
  };
  sim::RunResult result;
  {
    const Stepping stepping(handle);
    const Computing computing;
    result = sim::run(handle.world, settings, between_steps, interrupt);
  }
  handle.steps = result.step;
  if (raised) std::rethrow_exception(raised);
  return result;
}

RunOutcome run(const py::object& scene, const py::object& folder, const py::object& frames, bool resume,
               bool overwrite, const py::object& set, const py::object& formats, const py::object& progress) {
  const Handle handle = world_from(scene, set);
  const std::filesystem::path target =
      folder.is_none() ? std::filesystem::path("out") / handle->scene.description.scene.name
                       : path_from(folder);
  if (!resume) scene::require_something_to_simulate(handle->scene, handle->world);
  const sim::RunSettings settings = settings_of(*handle, target, frames, resume, overwrite, formats);
  sim::RunResult result = compute(*handle, settings, progress);
  if (result.end == sim::RunEnd::failed)
    throw NumericalError(result.trouble, handle->world.time(), result.retries);
  return {std::move(result), target};
}

void set_threads(int count) {
  if (count < 0) throw InputError("'count' is " + std::to_string(count), "use 0 for one thread per core");
  if (Computing::running() > 0)
    throw std::runtime_error(
        "a step, a run or a study is computing, in another thread or in the one that called this");
  set_thread_count(count);
}

py::dict info() {
  py::dict dict;
  dict["version"] = SELKIE_VERSION;
  dict["threads"] = thread_count();
  dict["compiler"] = SELKIE_COMPILER;
  dict["build"] = SELKIE_BUILD;
  py::list kinds;
  for (const Field& field : scene::scene_type().fields)
    if (field.name != "scene" && field.name != "output") kinds.append(field.name);
  dict["tables"] = kinds;
  return dict;
}

}  // namespace

void bind_scene(py::module_& m) {
  m.def("load", &load, py::arg("path"), py::arg("set") = py::none(),
        "A World from a scene file.\n\n"
        "set: changes as with --set, {\"cloth.stiffness\": 200, \"scene.frames\": 10} or\n"
        "[\"cloth.stiffness=200\"]. Raises InputError with file, line and column.");
  m.def("scene", &from_dictionary, py::arg("description"), py::arg("folder") = ".",
        py::arg("set") = py::none(),
        "A World from a dictionary with the keys of a scene file.\n\n"
        "folder: what mesh file names are relative to. Lists may be NumPy arrays; None counts as absent.");
  m.def("run", &run, py::arg("scene"), py::arg("folder") = py::none(), py::arg("frames") = py::none(),
        py::arg("resume") = false, py::arg("overwrite") = false, py::arg("set") = py::none(),
        py::arg("formats") = py::none(), py::arg("progress") = py::none(),
        "Computes a scene to files, as `selkie run` does: frames, stats.csv, checkpoint.\n\n"
        "scene: a path, a dictionary or a World (which continues from where it is).\n"
        "folder: default out/<name>. frames: where to stop, default from the scene.\n"
        "resume: continue from the folder's checkpoint. overwrite: replace a run that is there.\n"
        "formats: a list of \"ply\", \"vdb\", \"vtk\". progress: called with a Progress after each step.\n\n"
        "Ctrl-C, or an exception in progress, stops between two steps and keeps what is finished, with a\n"
        "checkpoint to resume from. Raises NumericalError when a step fails for good; the same is kept.");
  m.def("set_threads", &set_threads, py::arg("count"),
        "How many threads steps may use; 0: one per core. Results do not depend on it.");
  m.def("info", &info,
        "Version, threads, compiler and build type, and the kinds of tables a scene may hold.");
  m.def("scene_format", &scene::format_markdown, "Every key a scene file may hold, as Markdown.");
}

}  // namespace selkie::python
