// Speed and memory of a smoke step: a plume in an open box, MacCormack for velocity and scalars, residual
// 1e-4, in float, at 64³, 128³ and 256³ on one and two threads, beside Blender's Mantaflow at 128³ in the
// same run (where `blender` is installed) and the machine's own bandwidth; then what vortex particles cost in
// the shipped explosion at full scale (HY-12). Prints CSV; `--csv FILE` also writes it; `--quick` leaves out
// 256³, Blender and the explosion. Selkie's figure is the median of the steps after the plume has risen;
// Mantaflow's likewise, though its writing of its own cache is in it. bytes_per_cell counts what State and
// Work hold.
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

#include "bench/bandwidth.h"
#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/fluids/smoke/step.h"
#include "selkie/scene/scene.h"
#include "selkie/studies/scene_timing.h"

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
  double seconds = 0, bytes_per_cell = 0, iterations = 0;
  PhaseTimes phases;
  int steps = 0;
};

// The box of edge 2 m and the hot ball that bench/peers/mantaflow_gas.py has, too.
Timing plume(int cells, int warm_up, int steps) {
  const double before = allocated_bytes();
  smoke::Model model;
  model.shape = grid::Shape(3, {cells, cells, cells}, 2.0 / cells);
  model.sides.fill(smoke::Side::open);
  smoke::Params params;
  smoke::Emitter ball;
  ball.shape = geometry::AnalyticShape{.ball = geometry::Ball{.center = Vec3(1, 0.35, 1), .radius = 0.25}};
  smoke::State<float> state = smoke::make_state<float>(model), next = state;
  smoke::Work<float> work;
  smoke::Inputs inputs;
  inputs.emitters.list = {&ball, 1};
  std::vector<double> times, iterations;
  Timing timing;
  for (int s = 0; s < warm_up + steps; ++s) {
    if (s == warm_up) take_phase_times();
    const auto begin = std::chrono::steady_clock::now();
    next = state;
    const StepReport report =
        smoke::step<float>(model, params, inputs, {s, s + 1, 1.0 / 24}, state, next, work);
    std::swap(state, next);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!report.ok) {
      std::cerr << "step failed: " << report.trouble << '\n';
      std::exit(3);
    }
    if (s >= warm_up) times.push_back(seconds), iterations.push_back(report.iterations);
  }
  timing.seconds = median(times);
  timing.iterations = median(iterations);
  timing.bytes_per_cell = (allocated_bytes() - before) / double(model.shape.cell_count());
  timing.phases = take_phase_times();
  timing.steps = steps;
  return timing;
}

// Median seconds of a step, or 0 without Blender.
double mantaflow(int cells, int threads, int frames) {
  const std::string command = "blender -t " + std::to_string(threads) + " -b --factory-startup -P \"" +
                              SELKIE_PEER_FOLDER "/mantaflow_gas.py\" -- " + std::to_string(cells) + ' ' +
                              std::to_string(frames) + " 2>/dev/null";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return 0;
  std::vector<double> times;
  char line[512];
  while (std::fgets(line, sizeof line, pipe)) {
    int frame = 0;
    double seconds = 0;
    if (std::sscanf(line, "STEP %d %lf", &frame, &seconds) == 2 && frame > frames / 2)
      times.push_back(seconds);
  }
  pclose(pipe);
  return median(times);
}

// Frames after the last particle was born, 6000 of them in flight.
void explosion(std::ostream& out, int threads) {
  set_thread_count(threads);
  const std::vector<std::string> settings = {"scene.scale=1"};
  sim::World world = scene::build(scene::load(SELKIE_SCENE_FOLDER "/smoke-explosion.toml", settings));
  const studies::SceneTiming timing = studies::time_world(world, 12, 4);
  double all = 0, vortices = 0;
  for (const auto& [name, time] : timing.phases) {
    all += time.self_seconds;
    if (name.starts_with("smoke.vortex")) vortices += time.self_seconds;
  }
  const double steps = timing.steps;
  out << "180x260x180," << threads << ',' << timing.steps << ',' << 1e3 * timing.seconds / steps << ','
      << 1e3 * vortices / steps << ',' << vortices / (all - vortices) << '\n';
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
  out << "program,cells,threads,ms_per_step,ns_per_cell,iterations,bytes_per_cell,times_faster_than_"
         "mantaflow,triad_gb_per_s\n";
  phases << "\ncells,threads,phase,ms_per_step\n";
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    const double triad = bench::measure_bandwidth(std::size_t{256} << 20, threads).bytes_per_second / 1e9;
    const double peer = quick ? 0 : mantaflow(128, threads, 16);
    if (peer > 0)
      out << "mantaflow,128," << threads << ',' << 1e3 * peer << ',' << 1e9 * peer / (128.0 * 128 * 128)
          << ",,,,\n";
    for (const int cells : quick ? std::vector<int>{64, 128} : std::vector<int>{128, 64, 256}) {
      const Timing t = plume(cells, 16, cells > 200 ? 4 : 8);
      out << "selkie," << cells << ',' << threads << ',' << 1e3 * t.seconds << ','
          << 1e9 * t.seconds / (double(cells) * cells * cells) << ',' << t.iterations << ','
          << t.bytes_per_cell << ',' << (cells == 128 && peer > 0 ? std::to_string(peer / t.seconds) : "")
          << ',' << triad << '\n';
      for (const auto& [name, time] : t.phases)
        phases << cells << ',' << threads << ',' << name << ',' << 1e3 * time.self_seconds / t.steps << '\n';
    }
  }
  std::ostringstream burst;
  if (!quick) {
    burst << "\nexplosion,threads,steps,ms_per_step,vortex_ms_per_step,vortices_add\n";
    for (const int threads : {1, 2}) explosion(burst, threads);
  }
  set_thread_count(0);
  const std::string all = out.str() + burst.str() + phases.str();
  std::cout << all;
  if (!file.empty()) std::ofstream(file) << all;
}
