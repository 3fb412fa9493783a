// Times a world per phase, after a warm-up: what `selkie bench` prints.
#pragma once

#include "selkie/core/profile.h"
#include "selkie/sim/world.h"

namespace selkie::studies {

struct SceneTiming {
  int frames = 0;
  int steps = 0;
  double seconds = 0;  // wall clock of the timed frames
  PhaseTimes phases;   // summed over the timed frames
  bool ok = true;
  std::string trouble;
};

SceneTiming time_world(sim::World& world, int warmup_frames, int frames);

}  // namespace selkie::studies
