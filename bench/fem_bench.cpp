// Speed of the finite elements: force pass of each law and stiffness product on blocks of about 10⁴, 10⁵ and
// 10⁶ tetrahedra beside the memory bandwidth of the same machine, explicit forces and steps beside Bullet's
// in turns with ours (where Bullet was installed when this was built), and steps of a beam of 23,040
// tetrahedra. Prints CSV; `--csv FILE` also writes it; `--quick` leaves out the million, `--passes` all but
// the first table. The compulsory traffic of the force pass: a tetrahedron's 96 bytes (corners, rest shape,
// volume), x (24 bytes) and f (32 bytes, padded) of every vertex once; the product reads 88 bytes a
// tetrahedron (corners, turned rest shape). `times_smallest` is the time per tetrahedron over that of the
// smallest block.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "bench/bandwidth.h"
#include "bench/threads.h"
#include "selkie/core/parallel.h"
#include "selkie/geometry/generators.h"
#include "selkie/io/atomic_file.h"
#include "selkie/solids/fem/elements.h"
#include "selkie/solids/fem/step.h"

using namespace selkie;
using namespace selkie::fem;

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

// A block of n³ cells, bent and stretched by some percent.
struct Block {
  Model model;
  Buffer<Vec3> x;
  explicit Block(int n)
      : model(from_tets(geometry::tet_box({Vec3::Zero(), Vec3(1, 1, 1), {n, n, n}}), 1000)) {
    x.copy_from(model.rest_positions.data(), model.vertex_count);
    for (Vec3& p : x) p += 0.02 * Vec3(std::sin(7 * p.y()), std::sin(9 * p.z()), std::sin(8 * p.x()));
  }
};

void pass_table(std::ostream& out, const std::vector<int>& sizes) {
  out << "tets,pass,law,threads,tets_per_s,ns_per_tet,gb_per_s,triad_gb_per_s,share_of_limit,times_"
         "smallest\n";
  std::map<std::string, double> smallest;
  for (const int cells : sizes) {
    const Block block(cells);
    const double tets = static_cast<double>(block.model.element_count), vertices = block.model.vertex_count;
    const int repeats = static_cast<int>(std::clamp(1e7 / tets, 5.0, 300.0));
    for (const int threads : {1, 2}) {
      bench::use_threads(threads);
      auto row = [&](const char* pass, Law law, double bytes, const std::function<void()>& run) {
        run();
        const double seconds = best_time(repeats, run);
        const double triad =
            bench::measure_bandwidth(static_cast<std::size_t>(bytes), threads).bytes_per_second;
        out << tets << ',' << pass << ',' << name_of(law) << ',' << threads << ',' << tets / seconds << ','
            << 1e9 * seconds / tets << ',' << bytes / seconds / 1e9 << ',' << triad / 1e9 << ','
            << bytes / seconds / triad << ','
            << seconds / tets /
                   smallest
                       .try_emplace(pass + std::string(name_of(law)) + std::to_string(threads),
                                    seconds / tets)
                       .first->second
            << '\n';
      };
      Work work;
      Params params;
      for (const Law law : kAllLaws) {
        params.law = law;
        row("forces", law, 96 * tets + 56 * vertices,
            [&] { elastic_forces(block.model, params, block.x, work); });
      }
      params.law = Law::corotational;
      find_tangents(block.model, params, block.x, TangentKind::frozen, work.tangent);
      row("product", params.law, 88 * tets + 56 * vertices,
          [&] { stiffness_product(block.model, work.tangent, block.x.data()->data(), work); });
    }
  }
}

struct PeerTimes {
  double pass = 0, step = 0;  // s; 0 without the peer
};
PeerTimes peer([[maybe_unused]] int cells, [[maybe_unused]] int repeats) {
  PeerTimes times;
#ifdef SELKIE_BULLET_PEER
  const std::string command =
      std::string(SELKIE_BULLET_PEER) + " " + std::to_string(cells) + " " + std::to_string(repeats);
  if (FILE* pipe = popen(command.c_str(), "r")) {
    double tets = 0;
    if (std::fscanf(pipe, "%lf %lf %lf", &tets, &times.pass, &times.step) != 3) times = {};
    pclose(pipe);
  }
#endif
  return times;
}

// Explicit Neo-Hookean forces and whole explicit steps on one thread; Bullet computes in single precision.
void peer_table(std::ostream& out) {
  out << "\npeer_tets,what,tets_per_s,bullet_tets_per_s,times_faster\n";
  set_thread_count(1);
  for (const int cells : {12, 26}) {
    const Block block(cells);
    const double tets = static_cast<double>(block.model.element_count);
    const int repeats = static_cast<int>(std::clamp(3e6 / tets, 5.0, 300.0));
    Params params;
    params.law = Law::neo_hookean;
    params.integrator = Integrator::symplectic_euler;
    Work work;
    double pass = std::numeric_limits<double>::infinity(), whole = pass;
    PeerTimes best{pass, pass};
    State from = make_state(block.model), to = from;
    from.positions = block.x;
    Inputs inputs;
    inputs.gravity = Vec3::Zero();
    for (int turn = 0; turn < 3; ++turn) {
      pass = std::min(pass, best_time(repeats, [&] { elastic_forces(block.model, params, block.x, work); }));
      whole = std::min(whole, best_time(repeats, [&] {
                         if (!step(block.model, params, inputs, {0, 1, 1e-5}, from, to, work).ok)
                           std::cerr << "a step failed\n";
                       }));
      const PeerTimes other = peer(cells, repeats);
      best.pass = std::min(best.pass, other.pass);
      best.step = std::min(best.step, other.step);
    }
    auto row = [&](const char* what, double ours, double theirs) {
      out << tets << ',' << what << ',' << tets / ours << ',' << (theirs > 0 ? tets / theirs : 0) << ','
          << theirs / ours << '\n';
    };
    row("forces", pass, best.pass);
    row("explicit step", whole, best.step);
  }
}

// 8 × 8 × 60 cubes, 1 m long, ρ = 1000, ν = 0.45, one end pinned, gravity; steps of 1/60 s to 1e-4.
void beam_table(std::ostream& out) {
  out << "\nbeam_tets,young,solver,threads,ms_per_step,iterations,residual,ok\n";
  const double side = 8.0 / 60;
  const Model model = from_tets(geometry::tet_box({Vec3::Zero(), Vec3(side, side, 1), {8, 8, 60}}), 1000);
  for (const double young : {1e4, 1e5, 1e7})
    for (const Solver solver : {Solver::automatic, Solver::pcg, Solver::cholesky})
      for (const int threads : {1, 2}) {
        bench::use_threads(threads);
        Params params;
        params.young = young;
        params.poisson = 0.45;
        params.solver = solver;
        params.tolerance = 1e-4;
        params.max_iterations = 5000;
        State state = make_state(model), to = state;
        for (std::uint32_t i = 0; i < model.vertex_count; ++i)
          if (model.rest_positions[i].z() < 1e-9) pin(state, i);
        Work work;
        StepReport report;
        constexpr int kSteps = 12, kSkipped = 2;
        std::vector<double> seconds;
        int iterations = 0;
        bool ok = true;
        for (int n = 0; n < kSteps; ++n) {
          const double time = best_time(1, [&] {
            report = step(model, params, {}, {n, n + 1, 1.0 / 60}, state, to, work);
          });
          ok = ok && report.ok;
          state = to;
          if (n < kSkipped) continue;
          seconds.push_back(time);
          iterations += report.iterations;
        }
        // The median: a single step that the machine was busy elsewhere in would tell of that.
        std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
        out << model.element_count << ',' << young << ','
            << describe(static_cast<Solver*>(nullptr))[static_cast<std::size_t>(solver)] << ',' << threads
            << ',' << 1e3 * seconds[seconds.size() / 2] << ',' << iterations / (kSteps - kSkipped) << ','
            << report.residual << ',' << ok << '\n';
      }
}

}  // namespace

int main(int argc, char** argv) {
  bool quick = false, passes_only = false;
  std::filesystem::path csv;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--quick") quick = true;
    if (std::string(argv[i]) == "--passes") passes_only = true;
    if (std::string(argv[i]) == "--csv" && i + 1 < argc) csv = argv[++i];
  }
  std::ostringstream passes, peers, beams;
  pass_table(passes, quick ? std::vector<int>{12, 26} : std::vector<int>{12, 26, 55});
  std::cout << passes.str() << std::flush;
  if (passes_only) return 0;
  peer_table(peers);
  std::cout << peers.str() << std::flush;
  beam_table(beams);
  std::cout << beams.str();
  if (!csv.empty()) io::write_file_atomically(csv, passes.str() + peers.str() + beams.str());
  return 0;
}
