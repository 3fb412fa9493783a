// See run.h. The order that makes a kill at any moment harmless: frame files, then stats synced, then the
// checkpoint. A resumed run recomputes what came after the checkpoint and writes the same bytes over it.
#include "selkie/sim/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
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

// Names of the systems in the scene that a run left; none when it cannot be read.
std::vector<std::string> names_in_scene(const fs::path& file) {
  std::vector<std::string> names;
  try {
    const Value root = io::read_toml(file);
    for (const TableEntry& entry : root.table()) {
      if (!entry.value.is_array()) continue;
      for (const Value& element : entry.value.array())
        if (const Value* name = element.find("name"))
          if (const auto* text = std::get_if<std::string>(&name->data)) names.push_back(*text);
    }
  } catch (const InputError&) {
  }
  return names;
}

// "cloth.0012.ply" of the system "cloth": what the frame writer makes.
bool is_frame_of(const std::string& system, std::string_view file) {
  if (!file.starts_with(system + ".")) return false;
  file.remove_prefix(system.size() + 1);
  const std::size_t digits = std::min(file.find_first_not_of("0123456789"), file.size());
  static const std::array<std::string_view, 5> kExtensions{".ply", ".vdb", ".vtp", ".vti", ".vtu"};
  return digits >= 4 &&
         std::find(kExtensions.begin(), kExtensions.end(), file.substr(digits)) != kExtensions.end();
}

class Driver {
 public:
  Driver(World& world, const RunSettings& settings) : world_(world), settings_(settings) {
    checkpoint_ = settings_.folder / "checkpoint.h5";
    if (settings_.resume)
      load();
    else
      refuse_to_overwrite();
    io::make_output_folder(settings_.folder);
    open_log_file((settings_.folder / "log.txt").string());
    if (!settings_.resume) remove_old_run();
    io::write_file_atomically(settings_.folder / "scene.toml", settings_.scene_text);
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
    if (!fs::exists(checkpoint_))
      throw InputError({settings_.folder.string(), 0, 0}, "holds no checkpoint to resume from",
                       "run without --resume to start from the beginning");
    note_ = read_checkpoint_note(checkpoint_);
    if (note_.scene != settings_.scene_identity)
      throw InputError(
          {checkpoint_.string(), 0, 0}, "was written by a different scene or different --set values",
          "resume with the scene that started the run (its copy is scene.toml beside the checkpoint), "
          "or start again in another folder");
    load_checkpoint(world_, checkpoint_);
    last_checkpoint_ = note_.frame;
  }

  void refuse_to_overwrite() const {
    if (settings_.overwrite || !fs::exists(checkpoint_)) return;
    throw InputError(
        {settings_.folder.string(), 0, 0}, "already holds a run",
        "continue it with --resume, replace it with --overwrite, or choose another folder with -o");
  }

  // A new run must not be mistaken for the old one it replaces: the old checkpoint goes first, and no frame
  // of the old run may seem to belong to the new one.
  void remove_old_run() const {
    std::error_code ignored;
    fs::remove(checkpoint_, ignored);
    std::vector<std::string> names = names_in_scene(settings_.folder / "scene.toml");
    for (const auto& system : world_.systems()) names.push_back(system->name());
    std::vector<fs::path> frames;
    for (const auto& entry : fs::directory_iterator(settings_.folder, ignored))
      for (const std::string& name : names)
        if (is_frame_of(name, entry.path().filename().string())) frames.push_back(entry.path());
    for (const fs::path& frame : frames) fs::remove(frame, ignored);
    fs::remove(settings_.folder / "series.pvd", ignored);
    fs::remove(stats_path(), ignored);
    fs::remove(settings_.folder / "inputs.toml", ignored);
    io::remove_partial_files(settings_.folder);
  }

  void finish_frame(const SyncReport* report) {
    const Hash128 hash = world_.hash();
    if (report) record(*report, &hash);
    const std::int64_t frame = world_.frame();
    if (frame % settings_.every == 0 || frame == settings_.frames) {
      std::vector<ports::Drawable> all;
      for (const auto& system : world_.systems())
        for (ports::Drawable& drawable : system->drawables()) all.push_back(std::move(drawable));
      writer_->submit(frame, world_.time(), all);
    }
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
