// Speed and memory of a liquid step: a dam break in a closed box of edge 2 m, FLIP with 8 particles a cell,
// residual 1e-4, no meshing, in float, at 64³ and 128³ on one and two threads, beside Blender's Mantaflow at
// the same resolution in the same run (where `blender` is installed). Steps of 1/24 s like Mantaflow's. Prints
// CSV; `--csv FILE` also writes it; `--quick` leaves out 128³ and Blender. The figure is the median of the
// steps after the first ones; bytes are what State and Work hold.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/fluids/liquid/step.h"

using namespace selkie;

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

double allocated_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

struct Timing {
  double seconds = 0, active_cells = 0, particles = 0, bytes = 0, iterations = 0;
  PhaseTimes phases;
  int steps = 0;
};

Timing dam_break(int cells, int warm_up, int steps) {
  const double before = allocated_bytes();
  liquid::Model model;
  model.shape = grid::Shape(3, {cells, cells, cells}, 2.0 / cells);
  liquid::Params params;
  liquid::State<float> state = liquid::make_state<float>(model);
  liquid::Work<float> work;
  // The block of bench/peers/mantaflow_liquid.py.
  liquid::seed<float>(
      model, 1,
      [](const Vec3& x) { return x.x() < 0.8 && x.y() > 0.01 && x.y() < 1.19 && x.z() > 0.01 && x.z() < 1.99; }, {},
      state.born, state.particles);
  liquid::prepare(model, params, {}, 0, state, work);
  liquid::State<float> from = state;
  Timing timing;
  std::vector<double> times, iterations;
  for (int s = 0; s < warm_up + steps; ++s) {
    if (s == warm_up) take_phase_times();
    const auto begin = std::chrono::steady_clock::now();
    from = state;
    const StepReport report = liquid::step<float>(model, params, {}, {s, s + 1, 1.0 / 24}, from, state, work);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!report.ok) {
      std::cerr << "step failed: " << report.trouble << '\n';
      std::exit(3);
    }
    if (s >= warm_up) times.push_back(seconds), iterations.push_back(report.iterations);
  }
  timing.seconds = median(times), timing.iterations = median(iterations);
  timing.particles = static_cast<double>(state.particles.size());
  timing.active_cells = static_cast<double>(
      std::count(work.flow.kinds.begin(), work.flow.kinds.end(), grid::code_of(grid::CellKind::fluid)));
  timing.bytes = allocated_bytes() - before;
  timing.phases = take_phase_times();
  timing.steps = steps;
  return timing;
}

// Median seconds of a step, or 0 without Blender.
double mantaflow(int cells, int threads, int frames) {
  const std::string command = "blender -t " + std::to_string(threads) + " -b --factory-startup -P \"" +
                              SELKIE_PEER_FOLDER "/mantaflow_liquid.py\" -- " + std::to_string(cells) + ' ' +
                              std::to_string(frames) + " 2>/dev/null";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return 0;
  std::vector<double> times;
  char line[512];
  while (std::fgets(line, sizeof line, pipe)) {
    int frame = 0;
    double seconds = 0;
    if (std::sscanf(line, "STEP %d %lf", &frame, &seconds) == 2 && frame > frames / 4) times.push_back(seconds);
  }
  pclose(pipe);
  return median(times);
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  bool quick = false;
  for (int a = 1; a < argc; ++a) {
    if (std::string(argv[a]) == "--csv" && a + 1 < argc) file = argv[++a];
    if (std::string(argv[a]) == "--quick") quick = true;
  }
  std::ostringstream out, phases;
  out << "cells,threads,ms_per_step,ns_per_active_cell,iterations,particles,bytes_per_active_cell,"
         "bytes_per_particle,mantaflow_ms_per_step,times_faster\n";
  phases << "\ncells,threads,phase,ms_per_step\n";
  for (const int threads : {1, 2})
    for (const int cells : quick ? std::vector<int>{64} : std::vector<int>{64, 128}) {
      set_thread_count(threads);
      const double peer = quick ? 0 : mantaflow(cells, threads, cells > 64 ? 10 : 20);
      const Timing t = dam_break(cells, 4, cells > 64 ? 6 : 16);
      out << cells << ',' << threads << ',' << 1e3 * t.seconds << ',' << 1e9 * t.seconds / t.active_cells << ','
          << t.iterations << ',' << t.particles << ',' << t.bytes / t.active_cells << ',' << t.bytes / t.particles
          << ',' << (peer > 0 ? std::to_string(1e3 * peer) : "") << ','
          << (peer > 0 ? std::to_string(peer / t.seconds) : "") << '\n';
      for (const auto& [name, time] : t.phases)
        phases << cells << ',' << threads << ',' << name << ',' << 1e3 * time.self_seconds / t.steps << '\n';
    }
  std::cout << out.str() << phases.str();
  if (!file.empty()) std::ofstream(file) << out.str() << phases.str();
}
