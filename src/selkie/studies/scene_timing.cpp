// See scene_timing.h.
#include "selkie/studies/scene_timing.h"

#include <chrono>

namespace selkie::studies {

SceneTiming time_world(sim::World& world, int warmup_frames, int frames) {
  SceneTiming timing;
  auto advance_to = [&](std::int64_t frame, auto&& count) {
    while (timing.ok && world.frame() < frame) {
      const sim::SyncReport report = world.sync_step();
      timing.ok = report.ok;
      timing.trouble = report.trouble;
      if (report.ok) count(report);
    }
  };
  const std::int64_t begin_frame = world.frame() + warmup_frames;
  advance_to(begin_frame, [](const sim::SyncReport&) {});
  const auto begin = std::chrono::steady_clock::now();
  advance_to(begin_frame + frames, [&](const sim::SyncReport& report) {
    ++timing.steps;
    for (const auto& [phase, time] : report.phases) {
      timing.phases[phase].seconds += time.seconds;
      timing.phases[phase].self_seconds += time.self_seconds;
      timing.phases[phase].calls += time.calls;
    }
  });
  timing.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  timing.frames = static_cast<int>(world.frame() - begin_frame);
  return timing;
}

}  // namespace selkie::studies
