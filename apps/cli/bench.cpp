// `selkie bench`: shipped scenes after a warm-up, time per frame and phase, with one or several numbers of
// threads; `--plots` draws it.
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "selkie/core/parallel.h"
#include "selkie/io/atomic_file.h"
#include "selkie/io/write_svg.h"
#include "selkie/scene/scene.h"
#include "selkie/studies/scene_timing.h"
#include "selkie/studies/timing_plots.h"
#include "shipped_scenes.h"

namespace selkie::cli {
namespace {

Value json_of(const studies::TimedScene& scene) {
  const studies::SceneTiming& timing = scene.timing;
  Value entry;
  entry["scene"].data = scene.name;
  entry["threads"].data = std::int64_t{scene.threads};
  entry["frames"].data = std::int64_t{timing.frames};
  entry["ms_per_frame"].data = timing.seconds / timing.frames * 1e3;
  for (const auto& [phase, time] : timing.phases)
    entry["phases"][phase].data = time.seconds / timing.frames * 1e3;
  return entry;
}

void print(const studies::TimedScene& scene) {
  const studies::SceneTiming& timing = scene.timing;
  fmt::print("{:<24} {:9.3f} ms a frame, {:.2f} steps a frame, {} thread(s)\n", scene.name,
             timing.seconds / timing.frames * 1e3, static_cast<double>(timing.steps) / timing.frames,
             scene.threads);
  for (const auto& [phase, time] : timing.phases)
    fmt::print("  {:<30} {:9.3f} ms {:5.1f} % {:8} calls\n", phase, time.seconds / timing.frames * 1e3,
               100 * time.seconds / timing.seconds, time.calls);
}

void draw(const std::vector<studies::TimedScene>& timed, bool scaling, const CommonOptions& common,
          const std::string& folder) {
  std::vector<io::Plot> plots = {studies::phase_plot(timed)};
  if (scaling) plots.emplace_back(studies::scaling_plot(timed));
  for (const io::Plot& plot : plots) {
    const std::string file = io::write_svg(folder, "bench", plot).string();
    if (!common.quiet && !common.json) fmt::print("drawn: {}\n", file);
  }
}

}  // namespace

int bench(const CommonOptions& common, const BenchOptions& options) {
  std::vector<std::string> names = options.scenes;
  if (names.empty())
    for (const ShippedScene& scene : shipped_scenes()) names.push_back(scene.name);
  std::vector<int> thread_counts = options.thread_counts;
  if (thread_counts.empty()) thread_counts = {thread_count()};
  std::sort(thread_counts.begin(), thread_counts.end());
  thread_counts.erase(std::unique(thread_counts.begin(), thread_counts.end()), thread_counts.end());
  if (!options.plots.empty()) io::make_output_folder(options.plots);  // before the work, not after it

  std::vector<studies::TimedScene> timed;
  for (const std::string& name : names) {
    const auto scene = scene::load(find_scene(name), options.settings);
    for (const int threads : thread_counts) {
      set_thread_count(threads);
      sim::World world = scene::build(scene);
      timed.push_back({name, threads, studies::time_world(world, options.warmup, options.frames)});
      if (!timed.back().timing.ok) {
        fmt::print(stderr, "{}: numerical failure: {}\n", name, timed.back().timing.trouble);
        return kNumericalFailure;
      }
      if (!common.json && !common.quiet) print(timed.back());
    }
  }
  if (common.json) {
    ValueArray results;
    for (const studies::TimedScene& scene : timed) results.push_back(json_of(scene));
    fmt::print("{}\n", to_json(Value{std::move(results)}));
  }
  if (!options.plots.empty()) draw(timed, thread_counts.size() > 1, common, options.plots);
  return kDone;
}

}  // namespace selkie::cli
