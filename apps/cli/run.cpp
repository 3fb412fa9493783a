// `selkie run`: a scene to frames, statistics and checkpoints.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "commands.h"
#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/scene/paths.h"
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
  settings.sources = scene::files_of(scene);
  settings.sources.push_back(find_scene(options.scene));
  if (!options.inputs.empty()) settings.sources.emplace_back(options.inputs);
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

// The first and the last file of each series of frames.
void print_sequences(const std::vector<fs::path>& files) {
  struct Sequence {
    std::string name, extension, first, last;
  };
  std::vector<Sequence> sequences;
  for (const fs::path& path : files) {
    const std::string file = path.filename().string();
    const std::optional<io::FrameFileName> frame = io::parse_frame_file_name(file);
    if (!frame) continue;
    const auto at = std::find_if(sequences.begin(), sequences.end(), [&](const Sequence& s) {
      return s.name == frame->name && s.extension == frame->extension;
    });
    if (at == sequences.end())
      sequences.push_back({frame->name, frame->extension, file, file});
    else
      at->last = file;
  }
  constexpr std::size_t kShown = 12;
  for (std::size_t i = 0; i < std::min(kShown, sequences.size()); ++i)
    fmt::print("  {}{}\n", sequences[i].first,
               sequences[i].last == sequences[i].first ? "" : " ... " + sequences[i].last);
  if (sequences.size() > kShown) fmt::print("  and {} more series\n", sequences.size() - kShown);
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
    std::string others;
    for (const fs::path& file : result.others)
      others += (file == result.others.back() ? " and " : ", ") + file.filename().string();
    fmt::print("wrote {} frame files{} to {}\n", result.files.size(), others, folder.string());
    print_sequences(result.files);
  }
}

}  // namespace

int run(const CommonOptions& common, const RunOptions& options) {
  if (options.resume && !options.inputs.empty())
    throw InputError("--inputs cannot be used with --resume",
                     "the checkpoint holds the input events that are still to come: leave --inputs out, or "
                     "start again with --overwrite");
  const scene::Scene scene = scene::load(find_scene(options.scene), options.settings);
  sim::World world = scene::build(scene);
  if (!options.inputs.empty()) {
    world.forget_pending_events();  // the scene's own, which a recording holds already
    for (ports::InputEvent& event : sim::read_events(options.inputs)) world.queue(std::move(event));
    world.check_pending_events();
  } else if (!options.resume) {  // a world of thrown bodies is empty until its checkpoint is read
    scene::require_something_to_simulate(scene, world);
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
