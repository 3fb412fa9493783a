// `selkie bench`: shipped scenes after a warm-up, time per frame and phase.
#include <fmt/format.h>

#include "commands.h"
#include "selkie/core/parallel.h"
#include "selkie/scene/scene.h"
#include "selkie/studies/scene_timing.h"
#include "shipped_scenes.h"

namespace selkie::cli {

int bench(const CommonOptions& common, const BenchOptions& options) {
  std::vector<std::string> names = options.scenes;
  if (names.empty())
    for (const ShippedScene& scene : shipped_scenes()) names.push_back(scene.name);
  ValueArray results;
  for (const std::string& name : names) {
    sim::World world = scene::build(scene::load(find_scene(name), options.settings));
    const studies::SceneTiming timing = studies::time_world(world, options.warmup, options.frames);
    if (!timing.ok) {
      fmt::print(stderr, "{}: numerical failure: {}\n", name, timing.trouble);
      return kNumericalFailure;
    }
    const double per_frame = timing.seconds / timing.frames * 1e3;
    if (common.json) {
      Value entry;
      entry["scene"].data = name;
      entry["threads"].data = std::int64_t{thread_count()};
      entry["frames"].data = std::int64_t{timing.frames};
      entry["ms_per_frame"].data = per_frame;
      for (const auto& [phase, time] : timing.phases)
        entry["phases"][phase].data = time.seconds / timing.frames * 1e3;
      results.push_back(std::move(entry));
      continue;
    }
    fmt::print("{:<24} {:9.3f} ms a frame, {:.2f} steps a frame, {} thread(s)\n", name, per_frame,
               static_cast<double>(timing.steps) / timing.frames, thread_count());
    for (const auto& [phase, time] : timing.phases)
      fmt::print("  {:<30} {:9.3f} ms {:5.1f} % {:8} calls\n", phase, time.seconds / timing.frames * 1e3,
                 100 * time.seconds / timing.seconds, time.calls);
  }
  if (common.json) fmt::print("{}\n", to_json(Value{std::move(results)}));
  return kDone;
}

}  // namespace selkie::cli
