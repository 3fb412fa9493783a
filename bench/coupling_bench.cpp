// Speed of the strong coupling: the scene dam-break-beam at 40³, 60³ and 100³ cells with beams of 135, 352 and 725
// vertices, once the water has reached the beam; seconds of a sub-step and of its joint solve, iterations, on one
// and two threads. The solver's ratio to IC-CG is in `selkie verify coupling-solvers --full`. Prints CSV; `--csv FILE`
// also writes it; `--quick` leaves out 100³.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/scene/scene.h"

using namespace selkie;

namespace {

struct Size {
  int cells;
  const char* divisions;
};

void run(const Size& size, int threads, std::ostream& out) {
  set_thread_count(threads);
  const std::vector<std::string> settings{"scene.scale=1",
                                          "water.domain.cells=" + std::to_string(size.cells),
                                          std::string("beam.mesh.tet_box.divisions=") + size.divisions};
  sim::World world =
      scene::build(scene::load(std::string(SELKIE_SCENE_FOLDER) + "/dam-break-beam.toml", settings));
  const std::int64_t first = 8, last = 11;  // frames
  double seconds = 0, joint = 0;
  int substeps = 0;
  double most = 0;
  while (world.frame() < last) {
    const bool counts = world.frame() >= first;
    const auto begin = std::chrono::steady_clock::now();
    const sim::SyncReport report = world.sync_step();
    if (!report.ok) {
      std::cerr << report.trouble << '\n';
      std::exit(3);
    }
    if (!counts) continue;
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (const auto& [phase, time] : report.phases)
      if (phase == "joint_solve") joint += time.seconds;
    for (const sim::SystemReport& part : report.systems)
      if (part.system == "water")
        substeps += part.substeps, most = std::max(most, double(part.step.iterations) / part.substeps);
  }
  out << size.cells << ',' << threads << ',' << substeps << ',' << seconds / substeps << ',' << joint / substeps << ','
      << most << std::endl;
  set_thread_count(0);
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--csv" && i + 1 < argc) file = argv[++i];
    else if (std::string(argv[i]) == "--quick") quick = true;
  }
  std::ostringstream table;
  table << "cells,threads,steps,seconds_a_step,joint_solve_seconds,iterations_a_solve\n";
  for (const Size& size : {Size{40, "[2, 14, 2]"}, Size{60, "[3, 21, 3]"}, Size{100, "[4, 28, 4]"}})
    for (const int threads : {1, 2})
      if (!quick || size.cells < 100) {
        run(size, threads, table);
        std::cerr << table.str().substr(table.str().rfind('\n', table.str().size() - 2) + 1);
      }
  std::cout << table.str();
  if (!file.empty()) std::ofstream(file) << table.str();
}
