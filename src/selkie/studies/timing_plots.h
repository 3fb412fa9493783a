// What `selkie bench --plots` draws: where the time of each scene goes, and what more threads gain.
#pragma once

#include <span>
#include <string>

#include "selkie/io/plot.h"
#include "selkie/studies/scene_timing.h"

namespace selkie::studies {

struct TimedScene {
  std::string name;
  int threads = 1;
  SceneTiming timing;
};

// One bar per scene and number of threads: each phase without its inner ones, and what no phase covers. A
// scene's first bar is 100 %.
io::BarPlot phase_plot(std::span<const TimedScene> scenes);

// Speed over that with the scene's first number of threads.
io::LinePlot scaling_plot(std::span<const TimedScene> scenes);

}  // namespace selkie::studies
