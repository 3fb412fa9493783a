// See timing_plots.h.
#include "selkie/studies/timing_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace selkie::studies {
namespace {

constexpr std::size_t kNamedPhases = 7;  // the rest is one part: more colours could not be told apart

double seconds_per_frame(const SceneTiming& timing) { return timing.seconds / std::max(1, timing.frames); }

const TimedScene& first_of(std::span<const TimedScene> scenes, const std::string& name) {
  return *std::find_if(scenes.begin(), scenes.end(), [&](const TimedScene& s) { return s.name == name; });
}

// Phases by their share summed over all bars, largest first; names decide between equals.
std::vector<std::string_view> largest_phases(std::span<const TimedScene> scenes) {
  std::map<std::string_view, double> shares;
  for (const TimedScene& scene : scenes)
    for (const auto& [phase, time] : scene.timing.phases)
      shares[phase] += time.self_seconds / scene.timing.seconds;
  std::vector<std::string_view> names;
  for (const auto& [phase, share] : shares) names.push_back(phase);
  std::stable_sort(names.begin(), names.end(),
                   [&](std::string_view a, std::string_view b) { return shares[a] > shares[b]; });
  return names;
}

}  // namespace

io::BarPlot phase_plot(std::span<const TimedScene> scenes) {
  io::BarPlot plot{.name = "phases",
                   .title = "Time per phase",
                   .caption = "Wall time of a frame, each phase without the phases inside it.",
                   .value_label = "% of the scene's first bar",
                   .layout = io::BarPlot::Layout::stacked,
                   .groups = {},
                   .parts = {}};
  std::vector<std::string_view> phases = largest_phases(scenes);
  if (phases.size() > kNamedPhases) phases.resize(kNamedPhases);
  for (const std::string_view phase : phases) plot.parts.push_back({std::string(phase), {}});
  plot.parts.push_back({"everything else", {}});

  for (const TimedScene& scene : scenes) {
    const double per_frame = seconds_per_frame(scene.timing);
    const double whole = seconds_per_frame(first_of(scenes, scene.name).timing);
    plot.groups.push_back(
        fmt::format("{}, {} thread{}", scene.name, scene.threads, scene.threads == 1 ? "" : "s"));
    plot.notes.push_back(fmt::format("{:.3g} ms", 1e3 * per_frame));
    double rest = per_frame;
    for (std::size_t p = 0; p < phases.size(); ++p) {
      const auto found = scene.timing.phases.find(phases[p]);
      const double own = found == scene.timing.phases.end()
                             ? 0
                             : found->second.self_seconds / std::max(1, scene.timing.frames);
      plot.parts[p].values.push_back(100 * std::max(0.0, own / whole));
      rest -= own;
    }
    plot.parts.back().values.push_back(100 * std::max(0.0, rest / whole));  // clocks of phases round
  }
  return plot;
}

io::LinePlot scaling_plot(std::span<const TimedScene> scenes) {
  io::LinePlot plot{.name = "scaling",
                    .title = "Gain with threads",
                    .caption = "Speed of whole frames over that with the fewest threads timed.",
                    .x = {.label = "threads", .whole = true},
                    .y = {.label = "gain", .low = 0},
                    .series = {}};
  io::Series ideal{"as many times as threads", {}, {}};
  for (const TimedScene& scene : scenes) {
    const TimedScene& first = first_of(scenes, scene.name);
    auto series = std::find_if(plot.series.begin(), plot.series.end(),
                               [&](const io::Series& s) { return s.name == scene.name; });
    if (series == plot.series.end()) series = plot.series.insert(series, io::Series{scene.name, {}, {}});
    series->x.push_back(scene.threads);
    series->y.push_back(seconds_per_frame(first.timing) / seconds_per_frame(scene.timing));
    if (scene.name == scenes.front().name) {
      ideal.x.push_back(scene.threads);
      ideal.y.push_back(static_cast<double>(scene.threads) / first.threads);
    }
  }
  plot.series.push_back(std::move(ideal));
  return plot;
}

}  // namespace selkie::studies
