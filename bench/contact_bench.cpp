// Speed of contact between deformable bodies: detection among pairs of overlapping blocks (about 10⁴ and 10⁵
// vertices in all, and ten times as many bodies), and what contacts cost in a step of a stack of soft blocks.
// Prints CSV; `--csv FILE` also writes it; `--quick` leaves out the largest.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/geometry/generators.h"
#include "selkie/geometry/vertex_in_tet.h"
#include "selkie/io/atomic_file.h"
#include "selkie/scene/scene.h"
#include "selkie/sim/world.h"

using namespace selkie;

namespace {

double best_time(int repeats, const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int n = 0; n < repeats; ++n) {
    const auto begin = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

struct Block {
  geometry::TetMesh mesh;
  std::vector<std::uint32_t> surface;
  Block(const Vec3& corner, int cells)
      : mesh(geometry::tet_box({corner, corner + Vec3::Ones(), {cells, cells, cells}})) {
    std::vector<bool> used(mesh.positions.size(), false);
    for (const geometry::Triangle& t : geometry::boundary_triangles(mesh.tets))
      for (const std::uint32_t v : t) used[v] = true;
    for (std::uint32_t v = 0; v < used.size(); ++v)
      if (used[v]) surface.push_back(v);
  }
};

void detection_table(std::ostream& out, bool quick) {
  out << "bodies,vertices,surface_vertices,tets,pairs,threads,ms,ns_per_vertex\n";
  struct Case {
    int pairs, cells;
  };
  std::vector<Case> cases = {{1, 16}, {10, 7}, {100, 7}, {1, 36}};
  if (quick) cases.pop_back();
  for (const auto& [pairs, cells] : cases) {
    std::vector<Block> blocks;
    for (int p = 0; p < pairs; ++p) {  // each pair overlaps by a corner; pairs stand apart
      const Vec3 corner(3.0 * (p % 10), 0, 3.0 * (p / 10));
      blocks.emplace_back(corner, cells);
      blocks.emplace_back(corner + Vec3(0.71, 0.83, 0.67), cells);
    }
    std::vector<geometry::TouchingBody> bodies;
    std::size_t vertices = 0, surface = 0, tets = 0;
    for (const Block& block : blocks) {
      bodies.push_back({block.mesh.positions, block.surface, block.mesh.tets});
      vertices += block.mesh.positions.size(), surface += block.surface.size(),
          tets += block.mesh.tets.size();
    }
    for (const int threads : {1, 2}) {
      set_thread_count(threads);
      geometry::TetDetector detector;
      std::size_t found = 0;
      auto run = [&] {
        found = detector.find(bodies, [](std::size_t a, std::size_t b) { return a != b; }).size();
      };
      run();
      const double seconds = best_time(20, run);
      out << bodies.size() << ',' << vertices << ',' << surface << ',' << tets << ',' << found << ','
          << threads << ',' << 1e3 * seconds << ',' << 1e9 * seconds / static_cast<double>(vertices) << '\n';
    }
  }
}

// The shipped stack at rest: what of a step goes into contacts between bodies.
void stack_table(std::ostream& out) {
  out << "\nscene,threads,ms_per_step,find_share,answer_share\n";
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    const scene::Scene scene =
        scene::load(std::filesystem::path(SELKIE_SCENE_FOLDER) / "soft-stack.toml", {});
    sim::World world = scene::build(scene);
    constexpr int kSkipped = 30, kSteps = 40;
    double seconds = 0, find = 0, answer = 0;
    for (int n = 0; n < kSkipped + kSteps; ++n) {
      sim::SyncReport report;
      const double time = best_time(1, [&] { report = world.sync_step(); });
      if (n < kSkipped) continue;
      seconds += time;
      find += report.phases["contact.find"].seconds;
      answer += report.phases["contact.answer"].seconds;
    }
    out << "soft-stack," << threads << ',' << 1e3 * seconds / kSteps << ',' << find / seconds << ','
        << answer / seconds << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--csv" && i + 1 < argc) file = argv[++i];
    if (std::string(argv[i]) == "--quick") quick = true;
  }
  std::ostringstream table;
  detection_table(table, quick);
  stack_table(table);
  std::cout << table.str();
  if (!file.empty()) io::write_file_atomically(file, table.str());
  return 0;
}
