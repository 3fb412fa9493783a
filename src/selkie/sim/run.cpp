// See run.h. The order that makes a kill at any moment harmless: frame files, then stats synced, then the
// checkpoint. A resumed run recomputes what came after the checkpoint and writes the same bytes over it.
#include "selkie/sim/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>

#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/core/text.h"
#include "selkie/io/atomic_file.h"
#include "selkie/io/read_toml.h"
#include "selkie/io/stats.h"
#include "selkie/sim/checkpoint.h"
#include "selkie/sim/input_log.h"

namespace selkie::sim {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What a run writes beside its frames.
constexpr std::array<std::string_view, 6> kRunFiles{"scene.toml",    "stats.csv",  "log.txt",
                                                    "checkpoint.h5", "series.pvd", "inputs.toml"};

// Adds the names of all that a scene may write frames of; nothing when it cannot be read.
void add_names(FunctionRef<Value()> read_scene, std::vector<std::string>& names) {
  static constexpr std::array<std::string_view, 3> kWithoutFrames{"camera", "material", "collider"};
  try {
    const Value root = read_scene();
    for (const TableEntry& entry : root.table()) {
      const bool frames =
          std::find(kWithoutFrames.begin(), kWithoutFrames.end(), entry.key) == kWithoutFrames.end();
      if (!frames || !entry.value.is_array()) continue;
      for (const Value& element : entry.value.array())
        if (const Value* name = element.find("name"))
          if (const auto* text = std::get_if<std::string>(&name->data)) names.push_back(*text);
    }
  } catch (const InputError&) {
  }
}

// "lake.0012.ply" of the system "lake", or "lake-ground.0012.ply" of a part of it.
bool is_frame_of(const std::vector<std::string>& systems, std::string_view file) {
  const std::optional<io::FrameFileName> frame = io::parse_frame_file_name(file);
  return frame && std::any_of(systems.begin(), systems.end(), [&](const std::string& system) {
           return frame->name == system || (!system.empty() && frame->name.starts_with(system + "-"));
         });
}

// "a, b, c and 5 more".
std::string some_of(const std::vector<fs::path>& files) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, files.size()); ++i)
    text += (i == 0 ? "" : ", ") + files[i].filename().string();
  if (files.size() > kShown) text += fmt::format(" and {} more", files.size() - kShown);
  return text;
}

// The system that draws this, or the one of its bodies.
std::string owner_of(const System& system, const ports::Drawable& drawable) {
  return drawable.name.starts_with(system.name()) ? system.name() : drawable.name;
}

// What a frame shows. Names of systems differ, yet a part of one ("lake-ground" of "lake") may be called like
// another: the files of one would replace those of the other.
std::vector<ports::Drawable> drawables_of(World& world, std::span<const io::FrameFormat> formats) {
  std::vector<ports::Drawable> all;
  std::map<std::string, std::string> owners;  // of the beginnings of file names
  for (const auto& system : world.systems())
    for (ports::Drawable& drawable : system->drawables()) {
      const std::string owner = owner_of(*system, drawable);
      for (const std::string& stem : io::frame_stems_of(drawable, formats)) {
        const std::string& first = owners.emplace(stem, owner).first->second;
        if (first != owner)
          throw InputError(
              fmt::format("'{}' and '{}' would both write the frame files {}.NNNN", first, owner, stem),
              fmt::format("give '{}' another name", stem == owner ? owner : first));
      }
      all.push_back(std::move(drawable));
    }
  return all;
}

class Driver {
 public:
  Driver(World& world, const RunSettings& settings) : world_(world), settings_(settings) {
    checkpoint_ = settings_.folder / "checkpoint.h5";
    std::vector<fs::path> old;
    if (settings_.resume) {
      load();
    } else {
      old = files_in_the_way();
      refuse_to_overwrite(old);
      first_ = drawables_of(world_, settings_.formats);  // refuses names while nothing is touched
    }
    io::make_output_folder(settings_.folder);
    open_log_file((settings_.folder / "log.txt").string(),
                  settings_.resume ? LogStart::append : LogStart::anew);
    if (!settings_.resume) remove_old_run(old);
    // A run may be resumed from its own copy of the scene.
    if (const fs::path copy = settings_.folder / "scene.toml"; !is_source(copy))
      io::write_file_atomically(copy, settings_.scene_text);
    stats_.emplace(settings_.resume ? io::StatsTable::resume(stats_path(), note_.frame, note_.step)
                                    : io::StatsTable(stats_path()));
    io::FrameWriterOptions options;
    options.formats = settings_.formats;
    if (settings_.resume) options.resume_time = world_.time();
    writer_.emplace(settings_.folder, options);
    log_info(fmt::format("{} at frame {} of {}", settings_.resume ? "resumed" : "started", world_.frame(),
                         settings_.frames));
  }
  ~Driver() { close_log_file(); }

  RunResult operator()(FunctionRef<void(const Progress&)> progress, const std::atomic<bool>& interrupt) {
    const Clock::time_point begin = Clock::now();
    const std::int64_t first = world_.frame();
    RunResult result;
    try {
      if (!settings_.resume) {
        finish_frame(nullptr);
        write_checkpoint();  // so that a run killed early can be resumed, too
      }
      while (world_.frame() < settings_.frames) {
        const SyncReport report = world_.sync_step();
        if (!report.ok) {
          result.end = RunEnd::failed;
          result.retries = report.retries;
          result.trouble = fmt::format("t = {:.6g} s: {} (after {} halvings of the step)", report.time,
                                       report.trouble, report.retries);
          break;
        }
        ++note_.step;
        if (world_.at_frame())
          finish_frame(&report);
        else
          record(report, nullptr);
        progress(progress_of(report, first, seconds_since(begin)));
        if (interrupt.load(std::memory_order_relaxed)) {
          result.end = RunEnd::interrupted;
          break;
        }
      }
      write_checkpoint();
      result.files = writer_->finish();
    } catch (const OutputError& error) {
      log_info(error.what());  // the caller tells the user; the log file keeps it
      throw OutputError(error.path(), std::string(error.what()).substr(error.path().size() + 2),
                        last_checkpoint_ < 0
                            ? "no checkpoint had been written yet"
                            : fmt::format("every frame written so far and the checkpoint at frame {} "
                                          "are kept; make room and continue with --resume",
                                          last_checkpoint_));
    }
    std::error_code ignored;
    for (const std::string_view name : kRunFiles)
      if (fs::exists(settings_.folder / name, ignored)) result.others.push_back(settings_.folder / name);
    result.frame = world_.frame();
    result.step = note_.step;
    result.hash = world_.hash();
    result.seconds = seconds_since(begin);
    if (result.end == RunEnd::failed) log_info("numerical failure: " + result.trouble);
    log_info(fmt::format("ended at frame {}, hash {}", result.frame, result.hash.hex()));
    return result;
  }

 private:
  fs::path stats_path() const { return settings_.folder / "stats.csv"; }

  void load() {
    std::error_code error;
    const bool found = fs::exists(checkpoint_, error);
    if (error)
      throw InputError({checkpoint_.string(), 0, 0}, "cannot be read: " + error.message(),
                       "check the permissions of the folder");
    if (!found)
      throw InputError({settings_.folder.string(), 0, 0}, "holds no checkpoint to resume from",
                       "run without --resume to start from the beginning");
    note_ = read_checkpoint_note(checkpoint_);
    if (note_.scene != settings_.scene_identity)
      throw InputError(
          {checkpoint_.string(), 0, 0},
          "was written by a different scene or different --set values" + std::string(other_reason(note_)),
          "resume with the scene that started the run (its copy is scene.toml beside the checkpoint), "
          "or start again in another folder");
    load_checkpoint(world_, checkpoint_);
    last_checkpoint_ = note_.frame;
  }

  bool is_source(const fs::path& file) const {
    std::error_code error;
    return std::any_of(settings_.sources.begin(), settings_.sources.end(),
                       [&](const fs::path& source) { return fs::equivalent(file, source, error) && !error; });
  }

  // Files in the folder that a new run would write, or remove because they are frames of an old one. Partial
  // files do not count: nobody else gives them their names.
  std::vector<fs::path> files_in_the_way() const {
    std::vector<std::string> names;
    add_names([&] { return io::read_toml(settings_.folder / "scene.toml"); }, names);
    add_names([&] { return io::parse_toml(settings_.scene_text, "scene.toml"); }, names);
    for (const auto& system : world_.systems()) names.push_back(system->name());
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator it(settings_.folder, error), end; !error && it != end; it.increment(error)) {
      const std::string name = it->path().filename().string();
      const bool ours = std::find(kRunFiles.begin(), kRunFiles.end(), name) != kRunFiles.end();
      std::error_code unknown;
      if ((ours || is_frame_of(names, name)) && !it->is_directory(unknown)) found.push_back(it->path());
    }
    if (error && error != std::errc::no_such_file_or_directory)
      io::throw_output_error(settings_.folder, error.value());
    std::sort(found.begin(), found.end());
    return found;
  }

  void refuse_to_overwrite(const std::vector<fs::path>& old) const {
    const SourceLocation folder{settings_.folder.string(), 0, 0};
    for (const fs::path& file : old)
      if (is_source(file))
        throw InputError(
            folder, "holds " + file.filename().string() + ", which the run reads and would replace or remove",
            "choose another folder with -o");
    if (settings_.overwrite || old.empty()) return;
    std::error_code ignored;
    if (fs::exists(checkpoint_, ignored))
      throw InputError(
          folder, "already holds a run",
          "continue it with --resume, replace it with --overwrite, or choose another folder with -o");
    throw InputError(folder, "already holds files that the run would replace or remove: " + some_of(old),
                     "choose another folder with -o, or let them go with --overwrite");
  }

  // A new run must not be mistaken for the old one it replaces: the old checkpoint goes first, and no frame
  // of the old run may seem to belong to the new one.
  void remove_old_run(const std::vector<fs::path>& old) const {
    std::error_code ignored;
    fs::remove(checkpoint_, ignored);
    for (const fs::path& file : old)
      if (file.filename() != "scene.toml" && file.filename() != "log.txt") fs::remove(file, ignored);
    io::remove_partial_files(settings_.folder);
  }

  void finish_frame(const SyncReport* report) {
    const Hash128 hash = world_.hash();
    if (report) record(*report, &hash);
    const std::int64_t frame = world_.frame();
    if (frame % settings_.every == 0 || frame == settings_.frames)
      writer_->submit(frame, world_.time(),
                      report ? drawables_of(world_, settings_.formats) : std::move(first_));
    if (report && frame % settings_.checkpoint_every == 0) write_checkpoint();
  }

  void record(const SyncReport& report, const Hash128* hash) {
    std::vector<io::StatsCell> cells{
        {"time", report.time}, {"dt", report.dt}, {"retries", std::int64_t{report.retries}}};
    for (const SystemReport& system : report.systems) {
      auto add = [&](const char* name, auto value) { cells.push_back({system.system + "." + name, value}); };
      add("substeps", std::int64_t{system.substeps});
      add("iterations", std::int64_t{system.step.iterations});
      add("residual", system.step.residual);
      add("cfl", system.step.cfl);
      add("contacts", std::int64_t{system.step.contacts});
      for (const auto& [name, value] : system.figures) cells.push_back({system.system + "." + name, value});
    }
    cells.push_back({"hash", hash ? hash->hex() : std::string()});
    for (const auto& [phase, time] : report.phases)
      cells.push_back({"ms." + std::string(phase), time.seconds * 1e3});
    const std::int64_t frame = (report.end + kTicksPerFrame - 1) / kTicksPerFrame;
    stats_->append(frame, note_.step, cells);
  }

  void write_checkpoint() {
    (void)writer_->finish();
    stats_->sync();
    if (!world_.applied_events().empty())
      io::write_file_atomically(settings_.folder / "inputs.toml", events_to_toml(world_.applied_events()));
    note_.scene = settings_.scene_identity;
    note_.frame = (world_.now() + kTicksPerFrame - 1) / kTicksPerFrame;
    save_checkpoint(world_, note_, checkpoint_);
    last_checkpoint_ = world_.frame();
  }

  Progress progress_of(const SyncReport& report, std::int64_t first, double elapsed) const {
    Progress p;
    p.frame = world_.frame(), p.frames = settings_.frames, p.step = note_.step, p.elapsed = elapsed;
    for (const SystemReport& system : report.systems) p.substeps = std::max(p.substeps, system.substeps);
    p.dt = report.dt / std::max(1, p.substeps);
    const double done =
        static_cast<double>(world_.now()) / static_cast<double>(kTicksPerFrame) - static_cast<double>(first);
    const double left = static_cast<double>(settings_.frames - first) - done;
    p.remaining = done > 0 ? elapsed * left / done : 0;
    return p;
  }

  World& world_;
  const RunSettings& settings_;
  std::vector<ports::Drawable> first_;  // of the initial state
  fs::path checkpoint_;
  CheckpointNote note_;
  std::int64_t last_checkpoint_ = -1;
  std::optional<io::StatsTable> stats_;
  std::optional<io::FrameWriter> writer_;
};

}  // namespace

RunResult run(World& world, const RunSettings& settings, FunctionRef<void(const Progress&)> progress,
              const std::atomic<bool>& interrupt) {
  return Driver(world, settings)(progress, interrupt);
}

}  // namespace selkie::sim
