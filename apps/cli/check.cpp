// `selkie check`: validates a scene without running it; prints it resolved, with the schedule and estimates.
#include <fmt/format.h>

#include <cmath>

#include "commands.h"
#include "selkie/core/schema.h"
#include "selkie/core/text.h"
#include "selkie/scene/paths.h"
#include "selkie/scene/scene.h"
#include "selkie/scene/scene_type.h"
#include "shipped_scenes.h"

namespace selkie::cli {
namespace {

// Sub-steps of each system per frame, from its limit at the initial state.
double substeps_per_frame(sim::World& world, sim::System& system) {
  const double sync = 1 / world.settings().fps / world.settings().steps_per_frame;
  const double limit = system.step_limit(world.environment());
  return world.settings().steps_per_frame * (std::isfinite(limit) ? std::ceil(sync / limit) : 1);
}

}  // namespace

int check(const CommonOptions& common, const SceneOptions& options) {
  const scene::Scene scene = scene::load(find_scene(options.scene), options.settings);
  sim::World world = scene::build(scene);
  scene::require_something_to_simulate(scene, world);
  double memory = 0;
  for (const auto& system : world.systems())
    if (!system->dormant()) memory += system->estimate().memory_bytes;
  if (common.json) {
    Value out;
    const scene::SceneDescription full = scene::with_full_paths(scene);
    out["scene"] = write(scene::scene_type(), &full);
    ValueArray schedule, systems;
    for (const std::string& line : world.schedule()) schedule.push_back(Value{line});
    for (const auto& system : world.systems()) {
      if (system->dormant()) continue;
      Value entry;
      entry["name"].data = system->name();
      entry["kind"].data = std::string(system->kind());
      entry["size"].data = system->estimate().size;
      entry["memory_bytes"].data = system->estimate().memory_bytes;
      entry["substeps_per_frame"].data = substeps_per_frame(world, *system);
      if (const std::string warning = system->estimate().warning; !warning.empty())
        entry["warning"].data = warning;
      systems.push_back(std::move(entry));
    }
    out["schedule"].data = std::move(schedule);
    out["systems"].data = std::move(systems);
    out["memory_bytes"].data = memory;
    fmt::print("{}\n", to_json(out));
    return kDone;
  }
  if (common.quiet) return kDone;
  fmt::print("# the resolved scene\n{}\n# the schedule\n", scene::resolved(scene));
  for (const std::string& line : world.schedule()) fmt::print("# {}\n", line);
  fmt::print("\n# estimates\n");
  for (const auto& system : world.systems()) {
    if (system->dormant()) continue;
    const sim::Estimate estimate = system->estimate();
    fmt::print("# {} ({}): {}; about {}; {:.0f} sub-step(s) a frame at the start\n", system->name(),
               system->kind(), estimate.size, bytes_text(estimate.memory_bytes),
               substeps_per_frame(world, *system));
    if (!estimate.warning.empty()) fmt::print("#   warning: {}\n", estimate.warning);
  }
  fmt::print("# all systems: about {}\n", bytes_text(memory));
  return kDone;
}

}  // namespace selkie::cli
