// Speed of water on surfaces: milliseconds per stage of a step with three sub-steps, beside those that the
// source printed for its five meshes (2.4 GHz, one thread) [Angst07 Table 7.1; SW-48], then whole steps on
// spheres of 2.5 thousand to a million vertices (radius scaled, so that three sub-steps always suffice).
// Best and median of many steps. Prints CSV; `--csv FILE` also writes it; `--quick` leaves out the largest.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/fluids/surface_water/phases.h"
#include "selkie/geometry/creature.h"
#include "selkie/geometry/figure.h"
#include "selkie/geometry/generators.h"

using namespace selkie;
using namespace selkie::surface_water;

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// A character that sways: enough to move every vertex, a few operations each.
struct Sway {
  std::vector<Vec3> positions;
  void move(const Model& model, double t) {
    positions.resize(model.rest.size());
    const double a = 0.1 * std::sin(3 * t), b = 0.07 * std::sin(2 * t);
    parallel_for(positions.size(), [&](std::size_t v) {
      const Vec3& x = model.rest[v];
      positions[v] = Vec3(x.x() + a * x.y() * x.y(), x.y() * (1 + b), x.z() + b * x.x());
    });
  }
};

enum Stage { kAnimate, kFlatten, kAdvect, kForces, kHeights, kRates, kStages };
struct Times {
  std::vector<double> stage[kStages];
  std::vector<double> whole;
};

State start_state(const Model& model) {
  State state = make_state(model, 0.2);
  for (std::size_t v = 0; v < state.depth.size(); ++v)
    state.depth[v] += 0.02 * std::sin(4 * model.rest[v].y());
  return state;
}

// Stage by stage, in the order of step(); flattening is timed alone, though measure() has it inside.
Times time_stages(const Model& model, int steps) {
  Params params;
  State state = start_state(model);
  Work work;
  Sway sway;
  Inputs inputs;
  Times times;
  const double dt = 1.0 / 60;
  prepare(model, work);
  for (int s = 0; s < steps + 3; ++s) {
    double ms[kStages];
    auto begin = Clock::now();
    sway.move(model, s * dt);
    inputs.positions = sway.positions;
    move_mesh(model, params, inputs, dt, state, work);
    ms[kAnimate] = since(begin);
    begin = Clock::now();
    flatten(model.complex, work.metric);
    ms[kFlatten] = since(begin);
    begin = Clock::now();
    advect_all(model, params, work.metric, dt, state, work);
    ms[kAdvect] = since(begin);
    begin = Clock::now();
    split_accelerations(model, params, inputs, work.metric, state, work);
    ms[kForces] = since(begin);
    begin = Clock::now();
    integrate_explicit(model, params, inputs, work.metric, dt, 3, state, work);
    ms[kHeights] = since(begin);
    begin = Clock::now();
    store_rates(model, work.metric, work, state);
    ms[kRates] = since(begin);
    if (s >= 3)
      for (int k = 0; k < kStages; ++k) times.stage[k].push_back(ms[k]);
  }
  return times;
}

std::vector<double> time_steps(const Model& model, int steps, int& substeps) {
  Params params;
  State state = start_state(model), from = state;
  Work work;
  Sway sway;
  Inputs inputs;
  std::vector<double> whole;
  const double dt = 1.0 / 60;
  for (int s = 0; s < steps + 3; ++s) {
    const auto begin = Clock::now();
    sway.move(model, s * dt);
    inputs.positions = sway.positions;
    from = state;
    const StepReport report = step(model, params, inputs, {s, s + 1, dt}, from, state, work);
    if (s >= 3) whole.push_back(since(begin));
    if (!report.ok) std::cerr << report.trouble << '\n', std::exit(3);
  }
  substeps = choose_substeps(model, params, work.metric, dt, state, work).count;
  return whole;
}

double best(std::vector<double> v) { return *std::min_element(v.begin(), v.end()); }
double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void stage_rows(std::ostream& out) {
  struct Source {
    const char* name;
    geometry::TriangleMesh mesh;
    double ms[6];  // animate, flatten, advect, height, velocity, rates
    double fps;
  };
  const std::vector<Source> sources{
      {"torus",
       geometry::torus_surface({.major_radius = 1, .minor_radius = 0.4, .divisions = {48, 16}}),
       {2.0, 1.95, 1.3, 1.47, 1.41, 0.33},
       75.5},
      {"figure", geometry::figure({.divisions = 29}).mesh, {3.79, 3.4, 2.36, 2.58, 2.43, 0.57}, 48.7},
      {"animal",
       geometry::creature({.height = 1.6, .divisions = 28}),
       {6.9, 6.4, 4.6, 3.75, 4.53, 1.08},
       33.6},
      {"sphere",
       geometry::icosphere({.radius = 1, .divisions = 16}),
       {6.2, 6.4, 4.5, 3.66, 4.65, 1.11},
       33.5},
      {"letters",
       geometry::letters({.depth = 0.32, .divisions = 15}),
       {8.84, 9.6, 6.4, 6.12, 6.96, 1.62},
       23.0}};
  for (const Source& s : sources) {
    const Model model = make_model(s.mesh, 0.2, 10, s.name);
    const Times t = time_stages(model, 200);
    int substeps = 0;
    const std::vector<double> whole = time_steps(model, 200, substeps);
    // measure() flattens as well.
    const double ours[] = {best(t.stage[kAnimate]) - best(t.stage[kFlatten]),
                           best(t.stage[kFlatten]),
                           best(t.stage[kAdvect]),
                           best(t.stage[kForces]),
                           best(t.stage[kHeights]),
                           best(t.stage[kRates])};
    out << s.name << ',' << model.complex.vertex_count << ',' << model.complex.face_count;
    const double source[] = {s.ms[0], s.ms[1], s.ms[2], 0, s.ms[3] + s.ms[4], s.ms[5]};
    for (int k = 0; k < kStages; ++k) {
      out << ',' << ours[k] << ',';
      if (k != kForces) out << source[k];
    }
    out << ',' << best(whole) << ',' << median(whole) << ',' << 1000 / s.fps << '\n';
  }
}

void size_rows(std::ostream& out, bool quick) {
  for (const int divisions : quick ? std::vector<int>{16, 127} : std::vector<int>{16, 40, 127, 316}) {
    const Model model = make_model(geometry::icosphere({.radius = divisions / 16.0, .divisions = divisions}),
                                   0.2, 10, "sphere");
    for (const int threads : {1, 2}) {
      set_thread_count(threads);
      int substeps = 0;
      const std::vector<double> whole = time_steps(model,
                                                   divisions > 200   ? 8
                                                   : divisions > 100 ? 40
                                                                     : 300,
                                                   substeps);
      const double vertices = static_cast<double>(model.complex.vertex_count);
      out << model.complex.vertex_count << ',' << threads << ',' << substeps << ',' << best(whole) << ','
          << median(whole) << ',' << 1e6 * best(whole) / vertices / substeps << ',' << 1000 / median(whole)
          << '\n';
    }
    set_thread_count(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  bool quick = false;
  for (int a = 1; a < argc; ++a) {
    if (std::string(argv[a]) == "--csv" && a + 1 < argc) file = argv[++a];
    if (std::string(argv[a]) == "--quick") quick = true;
  }
  set_thread_count(1);
  std::ostringstream out;
  out << "mesh,vertices,triangles,animate_ms,source,flatten_ms,source,advect_ms,source,forces_ms,source,"
         "substeps_ms,source,"
         "rates_ms,source,step_best_ms,step_median_ms,source_frame_ms\n";
  stage_rows(out);
  out << "\nvertices,threads,substeps,step_best_ms,step_median_ms,ns_per_vertex_and_substep,steps_per_s\n";
  size_rows(out, quick);
  std::cout << out.str();
  if (!file.empty()) std::ofstream(file) << out.str();
}
