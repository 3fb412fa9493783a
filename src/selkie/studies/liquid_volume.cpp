// How much liquid the exported surface encloses while a dam breaks: a scene as users write it, its mesh as they get
// it.
#include <fmt/format.h>

#include <cmath>

#include "selkie/geometry/mesh.h"
#include "selkie/scene/scene.h"
#include "selkie/studies/liquid_cases.h"

namespace selkie::studies::liquid_cases {
namespace {

constexpr double kSeconds = 10, kFps = 30;

std::string dam_break(int cells, std::string_view tracker, bool keep) {
  return fmt::format(R"([scene]
name = "dam-break"
fps  = {}
[[liquid]]
name    = "water"
domain  = {{ min = [0, 0, 0], max = [1, 1, 1], cells = {} }}
fill    = [ {{ box = {{ min = [0, 0, 0], max = [0.4, 0.6, 1] }} }} ]
tracker = "{}"
keep_volume = {}
)",
                     kFps, cells, tracker, keep);
}

double enclosed(sim::World& world) {
  for (const ports::Drawable& drawable : world.find("water")->drawables())
    if (const auto* surface = std::get_if<ports::TriangleSurface>(&drawable.shape))
      return geometry::volume(geometry::TriangleMesh{{surface->positions.begin(), surface->positions.end()},
                                                     {surface->triangles.begin(), surface->triangles.end()}});
  return NAN;
}

struct VolumeRun {
  bool ok = true;
  double worst = 0, end = 0;  // relative changes
  io::Series curve;
};
VolumeRun run_dam(int cells, std::string_view tracker, bool keep) {
  VolumeRun run;
  run.curve.name = fmt::format("{}, {}", tracker, keep ? "kept" : "left alone");
  sim::World world = scene::build(scene::parse(dam_break(cells, tracker, keep), "study", ".", {}));
  const double start = enclosed(world);
  for (int frame = 1; frame <= static_cast<int>(kSeconds * kFps) && run.ok; ++frame) {
    while (run.ok && world.time() < (frame - 1e-6) / kFps) run.ok = world.sync_step().ok;
    run.end = enclosed(world) / start - 1;
    if (!(std::abs(run.end) <= std::abs(run.worst))) run.worst = run.end;
    run.curve.x.push_back(world.time()), run.curve.y.push_back(100 * run.end);
  }
  return run;
}

}  // namespace

VolumeResult volume_table(int cells, bool uncorrected, double bound) {
  VolumeResult result{{fmt::format("Dam break {0}³: volume within the exported surface against the start", cells),
                       {"tracker", "correction", "at 10 s", "worst on the way", "bound at 10 s"},
                       {},
                       "From the triangles, by the divergence theorem. Rows without correction are reported only."},
                      {}};
  io::LinePlot plot;
  plot.name = "liquid-volume";
  plot.title = fmt::format("Dam break {}³: volume within the exported surface", cells);
  plot.caption = "Change against the start; with the correction by divergence (default) and without";
  plot.x.label = "t / s", plot.y.label = "change / %";
  for (const char* tracker : {"particles", "level-set"})
    for (const bool keep : {true, false}) {
      if (!keep && !uncorrected) continue;
      VolumeRun run = run_dam(cells, tracker, keep);
      result.table.rows.push_back({{tracker, keep ? "on (default)" : "off", fmt::format("{:+.2f} %", 100 * run.end),
                                    fmt::format("{:+.2f} %", 100 * run.worst), keep ? fmt::format("{:.1f} %", 100 * bound) : ""},
                                   run.ok && (!keep || std::abs(run.end) <= bound)});
      plot.series.push_back(std::move(run.curve));
    }
  result.plot = std::move(plot);
  return result;
}

}  // namespace selkie::studies::liquid_cases
