// Speed of position-based cloth: distance projections per second of a sheet of 100 × 100 vertices with links
// along edges and between vertices two edges apart (107,414), and whole steps of it falling over a ball
// beside Bullet's soft body with the same links and iterations, in turns. Prints CSV; `--csv FILE` also
// writes it.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/threads.h"
#include "selkie/core/parallel.h"
#include "selkie/geometry/generators.h"
#include "selkie/geometry/shapes.h"
#include "selkie/io/atomic_file.h"
#include "selkie/solids/pbd/project.h"
#include "selkie/solids/pbd/step.h"

using namespace selkie;
using namespace selkie::pbd;

namespace {

constexpr double kMass = 0.3;  // kg

geometry::TriangleMesh sheet(int n) {
  geometry::SheetShape shape;
  shape.center = Vec3(0, 0.7, 0);
  shape.size = {2, 2};
  shape.divisions = {n - 1, n - 1};
  return geometry::sheet(shape);
}

// Edges, and pairs of vertices that share a neighbour and no edge.
std::vector<geometry::Segment> peer_links(const geometry::TriangleMesh& mesh) {
  std::vector<geometry::Segment> links = geometry::unique_edges(mesh.triangles);
  const geometry::VertexAdjacency around = geometry::vertex_adjacency(mesh.positions.size(), links);
  std::set<geometry::Segment> known(links.begin(), links.end());
  auto each_neighbour = [&](std::uint32_t i, auto&& visit) {
    for (std::uint32_t k = around.offsets[i]; k < around.offsets[i + 1]; ++k) visit(around.neighbours[k]);
  };
  for (std::uint32_t i = 0; i < mesh.positions.size(); ++i)
    each_neighbour(i, [&](std::uint32_t m) {
      each_neighbour(m, [&](std::uint32_t j) {
        if (j > i && known.insert({i, j}).second) links.push_back({i, j});
      });
    });
  return links;
}

Model make_sheet(int n) {
  const geometry::TriangleMesh mesh = sheet(n);
  const double each = kMass / static_cast<double>(mesh.positions.size());
  Model model =
      from_links(mesh.positions, std::vector<double>(mesh.positions.size(), each), peer_links(mesh));
  model.triangles = mesh.triangles;
  return model;
}

double seconds_of(auto&& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void projection_table(std::ostream& out, int n) {
  out << "vertices,links,form,threads,projections_per_s,times_one_thread\n";
  const Model model = make_sheet(n);
  State state = make_state(model);
  for (Vec3& x : state.positions) x.y() += 0.01 * std::sin(20 * x.x());
  for (const double compliance : {0.0, 1e-6}) {
    double one = 0;
    for (const int threads : {1, 2}) {
      bench::use_threads(threads);
      Work work;
      State to = state;
      predict(model, {}, {}, {0, 1, 1.0 / 60}, to, work);
      Params params;
      params.stretch_compliance = compliance;
      const SweepRule rule = sweep_rule(params, 1.0 / 60);
      reset_multipliers(model, rule, work);
      constexpr int kSweeps = 10, kRepeats = 200;
      double best = std::numeric_limits<double>::infinity();
      for (int r = 0; r < kRepeats; ++r)
        best = std::min(best, seconds_of([&] {
                          for (int k = 0; k < kSweeps; ++k)
                            project_links(model.stretch, rule.stretch, rule.compliant,
                                          work.stretch_multipliers, work);
                        }));
      const double rate = kSweeps * static_cast<double>(model.stretch.batch.count) / best;
      if (threads == 1) one = rate;
      out << model.vertex_count << ',' << model.stretch.batch.count << ','
          << (compliance > 0 ? "xpbd" : "pbd") << ',' << threads << ',' << rate << ',' << rate / one << '\n';
    }
  }
}

class Solid final : public ports::FieldSampler {
 public:
  explicit Solid(geometry::AnalyticShape shape) : shape_(shape) {}
  ports::FieldSample sample(const Vec3& point, double) const override {
    const auto [distance, normal] = geometry::signed_distance(shape_, point);
    return {distance, normal, Vec3::Zero()};
  }
  bool still() const override { return true; }

 private:
  geometry::AnalyticShape shape_;
};

struct Timing {
  double links = 0, median = 0, fastest = 0, lowest = 0, highest = 0;  // ms, m
};

Timing time_sheet(int n, int iterations, int steps, int threads) {
  bench::use_threads(threads);
  const Model model = make_sheet(n);
  State state = make_state(model), to = state;
  Params params;
  params.method = Method::pbd;
  params.iterations = iterations;
  params.stretch_stiffness = 0.9;
  params.contact_thickness = 0.01;
  const Solid ball({.ball = geometry::Ball{Vec3::Zero(), 0.5}});
  const Solid floor({.plane = geometry::Plane{Vec3(0, -1, 0), Vec3::UnitY()}});
  const ports::FieldSampler* colliders[] = {&ball, &floor};
  Work work;
  std::vector<double> times;
  bool ok = true;
  for (int s = 0; s < steps; ++s) {
    const double taken = seconds_of([&] {
      ok = ok && step(model, params, {.colliders = colliders}, {s, s + 1, 1.0 / 60}, state, to, work).ok;
    });
    state = to;
    if (s >= steps / 2) times.push_back(1e3 * taken);
  }
  std::sort(times.begin(), times.end());
  Timing timing{static_cast<double>(model.stretch.batch.count), times[times.size() / 2], times[0], 1e9, -1e9};
  for (const Vec3& x : state.positions)
    timing.lowest = std::min(timing.lowest, x.y()), timing.highest = std::max(timing.highest, x.y());
  if (!ok) timing.median = timing.fastest = std::numeric_limits<double>::quiet_NaN();
  return timing;
}

Timing time_peer([[maybe_unused]] int n, [[maybe_unused]] int iterations, [[maybe_unused]] int steps) {
  Timing timing;
#ifdef SELKIE_BULLET_PEER
  const std::string command = std::string(SELKIE_BULLET_PEER) + " " + std::to_string(n) + " " +
                              std::to_string(iterations) + " " + std::to_string(steps);
  if (FILE* pipe = popen(command.c_str(), "r")) {
    if (std::fscanf(pipe, "%lf %lf %lf %lf %lf", &timing.links, &timing.median, &timing.fastest,
                    &timing.lowest, &timing.highest) != 5)
      timing = {};
    pclose(pipe);
  }
#endif
  return timing;
}

void sheet_table(std::ostream& out, int n, int steps) {
  out << "\nvertices,iterations,engine,threads,links,median_ms,fastest_ms,lowest_m,highest_m,times_faster\n";
  constexpr int kIterations = 10;
  auto row = [&](const char* engine, int threads, const Timing& t, double faster) {
    out << n * n << ',' << kIterations << ',' << engine << ',' << threads << ',' << t.links << ',' << t.median
        << ',' << t.fastest << ',' << t.lowest << ',' << t.highest << ',' << faster << '\n';
  };
  const Timing peer = time_peer(n, kIterations, steps);
  row("bullet", 1, peer, 1);
  for (const int threads : {1, 2}) {
    const Timing own = time_sheet(n, kIterations, steps, threads);
    row("selkie", threads, own, peer.median / own.median);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::filesystem::path csv;
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) == "--csv" && i + 1 < argc) csv = argv[++i];
  std::ostringstream text;
  projection_table(text, 100);
  sheet_table(text, 100, 120);
  std::cout << text.str();
  if (!csv.empty()) io::write_file_atomically(csv, text.str());
  return 0;
}
