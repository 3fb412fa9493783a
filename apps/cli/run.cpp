// `selkie run`: a scene to frames, statistics and checkpoints.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "commands.h"
#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/scene/scene.h"
#include "selkie/sim/input_log.h"
#include "selkie/sim/run.h"
#include "shipped_scenes.h"
#include "terminal.h"

namespace selkie::cli {
namespace {

namespace fs = std::filesystem;

sim::RunSettings settings_of(const scene::Scene& scene, const RunOptions& options) {
  const scene::SceneDescription& d = scene.description;
  sim::RunSettings settings;
  settings.folder = options.folder.empty() ? fs::path("out") / d.scene.name : fs::path(options.folder);
  settings.frames = options.frames >= 0 ? options.frames : d.scene.frames;
  settings.resume = options.resume;
  settings.overwrite = options.overwrite;
  settings.every = d.output.every;
  settings.checkpoint_every = d.output.checkpoint_every;
  settings.formats.clear();
  for (const scene::OutputFormat format : d.output.formats)
    settings.formats.push_back(static_cast<io::FrameFormat>(format));
  settings.scene_text = scene::resolved(scene);
  settings.scene_identity = scene::identity(scene);
  return settings;
}

// As a shell must see it.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-./=,:+") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string resume_command(const RunOptions& options, const fs::path& folder) {
  std::string command =
      "selkie run " + quoted(options.scene) + " -o " + quoted(folder.string()) + " --resume";
  for (const std::string& setting : options.settings) command += " --set " + quoted(setting);
  if (options.frames >= 0) command += " --frames " + std::to_string(options.frames);
  return command;
}

void print_summary(const CommonOptions& common, const sim::RunResult& result, const fs::path& folder) {
  static constexpr const char* kEnds[] = {"finished", "interrupted", "failed"};
  const char* end = kEnds[static_cast<int>(result.end)];
  if (common.json) {
    Value summary;
    summary["event"].data = std::string("end");
    summary["end"].data = std::string(end);
    summary["frame"].data = std::int64_t{result.frame};
    summary["steps"].data = std::int64_t{result.step};
    summary["seconds"].data = result.seconds;
    summary["hash"].data = result.hash.hex();
    summary["folder"].data = folder.string();
    if (!result.trouble.empty()) summary["trouble"].data = result.trouble;
    fmt::print("{}\n", to_json(summary, 0));
  } else if (!common.quiet) {
    fmt::print("{} at frame {} after {} ({} steps), state hash {}\n", end, result.frame,
               duration_text(result.seconds), result.step, result.hash.hex());
    fmt::print("wrote {} frame files, scene.toml, stats.csv, log.txt and checkpoint.h5 to {}\n",
               result.files.size(), folder.string());
    if (!result.files.empty())
      fmt::print("  {} ... {}\n", result.files.front().filename().string(),
                 result.files.back().filename().string());
  }
}

}  // namespace

int run(const CommonOptions& common, const RunOptions& options) {
  const scene::Scene scene = scene::load(find_scene(options.scene), options.settings);
  sim::World world = scene::build(scene);
  const bool empty = std::all_of(world.systems().begin(), world.systems().end(),
                                 [](const auto& system) { return system->dormant(); });
  if (empty && options.inputs.empty() && world.pending_events().empty())
    throw InputError(
        {options.scene, 0, 0}, "holds no system to simulate",
        "add one, for example [[mass_spring]]; docs/scene-format.md lists what a scene may hold");
  // A resumed world takes its pending events from the checkpoint.
  if (!options.inputs.empty()) {
    const std::vector<ports::InputEvent> events = sim::read_events(options.inputs);
    if (!options.resume) {
      world.forget_pending_events();  // the scene's own, which a recording holds already
      for (const ports::InputEvent& event : events) world.queue(event);
    }
    world.check_pending_events();
  }
  const sim::RunSettings settings = settings_of(scene, options);
  catch_interrupts();
  sim::RunResult result;
  {
    ProgressLine line(common);
    result = sim::run(
        world, settings, [&](const sim::Progress& progress) { line.show(progress); }, interrupted());
  }
  print_summary(common, result, settings.folder);
  switch (result.end) {
    case sim::RunEnd::finished:
      return kDone;
    case sim::RunEnd::interrupted:
      if (!common.json)
        fmt::print(stderr, "interrupted; continue with\n  {}\n", resume_command(options, settings.folder));
      return kInterrupted;
    case sim::RunEnd::failed:
      fmt::print(stderr,
                 "numerical failure: {}\n  every finished frame and the last good state are kept in {}; try "
                 "a smaller "
                 "step, softer parameters or an implicit integrator\n",
                 result.trouble, settings.folder.string());
      return kNumericalFailure;
  }
  return kDone;
}

}  // namespace selkie::cli
