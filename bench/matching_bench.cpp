// Speed of shape matching: steps of the shipped crowd after it has fallen into its bowl, and the matching
// pass alone on one large body of overlapping clusters, with one and two threads. Prints CSV; `--csv FILE`
// also writes it; `--quick` lets fewer bodies fall for a shorter time.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/geometry/generators.h"
#include "selkie/io/atomic_file.h"
#include "selkie/scene/scene.h"
#include "selkie/sim/systems/shape_matching_system.h"
#include "selkie/solids/shape_matching/matching.h"

using namespace selkie;
namespace sm = selkie::shape_matching;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void crowd_table(std::ostream& out, bool quick) {
  out << "bodies,vertices,threads,steps,ms_per_step,steps_per_s,million_vertices_per_s\n";
  const std::filesystem::path file = std::filesystem::path(SELKIE_SCENE_FOLDER) / "matching-crowd.toml";
  const std::vector<std::string> settings{quick ? "crowd.copies.count=100" : "crowd.copies.count=500"};
  sim::World world = scene::build(scene::load(file, settings));
  while (world.frame() < (quick ? 20 : 75)) (void)world.sync_step();
  auto& crowd = dynamic_cast<sim::ShapeMatchingSystem&>(*world.find("crowd"));
  const double vertices = crowd.model().vertex_count;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    double seconds = 0;
    int steps = 0;
    while (steps < (quick ? 20 : 60)) {
      const auto begin = Clock::now();
      const sim::SyncReport report = world.sync_step();
      seconds += seconds_since(begin);
      for (const sim::SystemReport& system : report.systems)
        if (system.system == "crowd") steps += system.substeps;
    }
    out << crowd.model().body_count() << ',' << vertices << ',' << threads << ',' << steps << ','
        << 1e3 * seconds / steps << ',' << steps / seconds << ',' << 1e-6 * vertices * steps / seconds
        << '\n';
  }
}

void matching_table(std::ostream& out) {
  out << "\nvertices,clusters,mode,threads,ms_per_pass,million_vertices_per_s\n";
  const sm::BodyInput block =
      sm::from_tets(geometry::tet_box({Vec3::Zero(), Vec3(1, 1, 1), {40, 40, 40}}), 1000);
  for (const int cluster : {0, 200}) {
    const sm::Model model = sm::build_model(std::span(&block, 1), {.vertices = cluster, .overlap = 1});
    sm::State state = sm::make_state(model), to = state;
    for (const sm::Mode mode : {sm::Mode::rigid, sm::Mode::linear, sm::Mode::quadratic})
      for (const int threads : {1, 2}) {
        set_thread_count(threads);
        sm::Params params;
        params.mode = mode;
        sm::Work work;
        work.predicted = state.positions;
        work.kinematic.assign(model.vertex_count, 0);
        double best = std::numeric_limits<double>::infinity();
        for (int n = 0; n < 10; ++n) {
          const auto begin = Clock::now();
          sm::fit_clusters(model, params, state, to, work);
          sm::draw_to_goals(model, params, 0.5, work);
          best = std::min(best, seconds_since(begin));
        }
        out << model.vertex_count << ',' << model.cluster_count() << ','
            << describe(static_cast<sm::Mode*>(nullptr))[static_cast<std::size_t>(mode)] << ',' << threads
            << ',' << 1e3 * best << ',' << 1e-6 * model.vertex_count / best << '\n';
      }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string csv;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick")
      quick = true;
    else if (argument == "--csv" && i + 1 < argc)
      csv = argv[++i];
    else {
      std::cerr << "usage: matching_bench [--quick] [--csv FILE]\n";
      return 2;
    }
  }
  std::ostringstream text;
  crowd_table(text, quick);
  matching_table(text);
  std::cout << text.str();
  if (!csv.empty()) io::write_file_atomically(csv, text.str());
  return 0;
}
