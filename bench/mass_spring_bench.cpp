// Speed of the mass-spring force pass and of whole implicit steps against the memory bandwidth of the same
// machine in the same run, on tet blocks of about 10⁴, 10⁵ and 10⁶ springs. One and two threads and the triad
// take turns, so that what else the machine does meets all alike; the best of each counts. Prints CSV, headed
// by the machine;
// `--csv FILE` also writes it, and beside it the speeds of the force pass as an SVG plot.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/bandwidth.h"
#include "bench/threads.h"
#include "selkie/core/parallel.h"
#include "selkie/geometry/generators.h"
#include "selkie/io/atomic_file.h"
#include "selkie/io/write_svg.h"
#include "selkie/solids/mass_spring/forces.h"
#include "selkie/solids/mass_spring/step.h"

using namespace selkie;
using namespace selkie::mass_spring;

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

// What the figures of a file belong to.
std::string machine() {
  std::ifstream cpus("/proc/cpuinfo");
  std::string name = "unknown processor";
  for (std::string line; std::getline(cpus, line);)
    if (line.starts_with("model name")) {
      name = line.substr(line.find(':') + 2);
      break;
    }
  return "# " + name + ", " + std::to_string(std::thread::hardware_concurrency()) + " hardware threads, " +
#if defined(__clang__)
         "clang "
#else
         "g++ "
#endif
         __VERSION__ "\n";
}

// Best time and best triad with one and with two threads, which take turns.
struct Measured {
  std::array<double, 2> seconds, triad;
};
Measured measure(int rounds, int repeats, double bytes, const std::function<void()>& run) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  Measured best{{kNever, kNever}, {0, 0}};
  for (int round = 0; round < rounds; ++round)
    for (const int threads : {1, 2}) {
      bench::use_threads(threads);
      const auto t = static_cast<std::size_t>(threads - 1);
      best.triad[t] =
          std::max(best.triad[t],
                   bench::measure_bandwidth(static_cast<std::size_t>(bytes), threads, 2).bytes_per_second);
      best.seconds[t] = std::min(best.seconds[t], best_time(repeats, run));
    }
  return best;
}

// What memory itself gives one and two threads: the triad over far more than any cache holds. The triad of
// measure() is over as much as the body, which may lie in the last cache.
std::array<double, 2> memory_bandwidth() {
  constexpr std::size_t kBeyondCaches = std::size_t{1} << 29;
  std::array<double, 2> best{0, 0};
  for (int round = 0; round < 4; ++round)
    for (const int threads : {1, 2}) {
      bench::use_threads(threads);
      double& most = best[static_cast<std::size_t>(threads - 1)];
      most = std::max(most, bench::measure_bandwidth(kBeyondCaches, threads, 2).bytes_per_second);
    }
  return best;
}

struct Body {
  Model model;
  Params params;
  State state;
};

// A block of n³ cells with seven springs per vertex inside, slightly deformed and moving.
Body make_body(int n) {
  geometry::BoxShape shape;
  shape.divisions = {n, n, n};
  const geometry::TetMesh mesh = geometry::tet_box(shape);
  Body body;
  body.model = from_tets(mesh, 1000);
  body.params.damping_kind = DampingKind::absolute;
  body.params.damping = 0.1;
  body.state = make_state(body.model, mesh.positions);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const Vec3& x = mesh.positions[i];
    body.state.positions[i] += 0.02 / n * Vec3(std::sin(7 * x.y()), std::sin(9 * x.z()), std::sin(8 * x.x()));
    body.state.velocities[i] = Vec3(x.y(), -x.x(), 0.1 * x.z());
  }
  return body;
}

constexpr std::array<int, 3> kCells = {10, 23, 51};

io::LinePlot empty_speed_plot() {
  io::LinePlot plot{.name = "mass_spring",
                    .title = "Speed of the mass-spring force pass",
                    .caption = "Tet blocks, best of many passes, damping along the springs or none.",
                    .x = {.label = "springs", .scale = io::Scale::logarithmic},
                    .y = {.label = "10⁶ springs per second", .low = 0},
                    .series = {}};
  for (const char* name :
       {"damped, 1 thread", "damped, 2 threads", "undamped, 1 thread", "undamped, 2 threads"})
    plot.series.push_back({name, {}, {}});
  return plot;
}

// What a pass must move: a spring's ends, rest length, stiffness and damping, and x, v (24 bytes each) and f
// (32, padded) of every vertex once.
double pass_bytes(const Model& model, bool damped) {
  return static_cast<double>(model.spring_count()) * (damped ? 32 : 24) +
         model.vertex_count * ((damped ? 48.0 : 24.0) + 32);
}

void force_table(std::ostream& out, io::LinePlot& plot) {
  out << "springs,vertices,damping,threads,springs_per_s,bytes_per_spring,gb_per_s,triad_gb_per_s,"
         "share_of_limit,gain,machine_gain,share_of_machine_gain,chunks,colours,memory_gb_per_s,share_of_memory\n";
  constexpr int kRounds = 6;
  const std::array<double, 2> memory = memory_bandwidth();
  for (const int cells : kCells) {
    Body body = make_body(cells);
    Work work;
    const double springs = static_cast<double>(body.model.spring_count());
    const int repeats = static_cast<int>(std::clamp(2e8 / springs, 60.0, 4000.0)) / kRounds;
    for (const bool damped : {true, false}) {
      body.params.damping = damped ? 0.1 : 0;
      const double bytes = pass_bytes(body.model, damped);
      const Measured best = measure(kRounds, repeats, bytes, [&] {
        accumulate_forces(body.model, body.params, body.state.positions, body.state.velocities, work.forces,
                          work);
      });
      for (const std::size_t t : {0u, 1u}) {
        const double rate = springs / best.seconds[t];
        io::Series& series = plot.series[t + (damped ? 0u : 2u)];
        series.x.push_back(springs);
        series.y.push_back(rate / 1e6);
        const double gain = best.seconds[0] / best.seconds[t], machine_gain = best.triad[t] / best.triad[0];
        out << springs << ',' << body.model.vertex_count << ',' << (damped ? "yes" : "no") << ',' << t + 1
            << ',' << rate << ',' << bytes / springs << ',' << bytes / best.seconds[t] / 1e9 << ','
            << best.triad[t] / 1e9 << ',' << bytes / best.seconds[t] / best.triad[t] << ',' << gain << ','
            << machine_gain << ',' << gain / machine_gain << ',' << body.model.schedule.chunk_count() << ','
            << body.model.schedule.colours << ',' << memory[t] / 1e9 << ','
            << bytes / best.seconds[t] / memory[t] << '\n';
      }
    }
  }
}

// What a step with conjugate gradients must move. An iteration reads the matrix (72 bytes and an index a
// spring, 72 a vertex) and the preconditioner (block Jacobi: 72 a vertex; incomplete Cholesky: as much as the
// matrix, twice), and thirteen vectors of 24 bytes a vertex are read or written; before the first one comes a
// product for the right side. Around them: the matrix is written, the preconditioner made from it, and the
// springs are passed four times (forces, matrix, energy before and after).
double step_bytes(const Model& model, bool incomplete_cholesky, int iterations) {
  const double springs = static_cast<double>(model.spring_count()), vertices = model.vertex_count;
  const double matrix = 76 * springs + 72 * vertices;
  const double preconditioner = incomplete_cholesky ? matrix : 72 * vertices;
  return (iterations + 1) * (matrix + (incomplete_cholesky ? 2 : 1) * preconditioner + 13 * 24 * vertices) +
         2 * matrix + preconditioner + 4 * pass_bytes(model, true);
}

// Whole steps of 1/60 s, the top layer pinned, from the deformed start. A factorisation is bound by
// arithmetic, so there is no share for it.
void step_table(std::ostream& out) {
  out << "\nsprings,integrator,solver,threads,ms_per_step,springs_per_s,iterations,ok,bytes_per_spring,gb_"
         "per_s,"
         "triad_gb_per_s,share_of_limit,gain\n";
  const Interval frame{0, kTicksPerFrame, 1.0 / 60 / static_cast<double>(kTicksPerFrame)};
  for (const int cells : kCells) {
    Body body = make_body(cells);
    const double springs = static_cast<double>(body.model.spring_count());
    for (std::uint32_t i = 0; i < body.model.vertex_count; ++i)
      if (body.state.positions[i].y() > 0.499) pin(body.state, i);
    for (const Solver solver : {Solver::automatic, Solver::pcg_jacobi, Solver::pcg_ic, Solver::cholesky}) {
      if (solver == Solver::cholesky && cells > 10) continue;  // fill of 3-D meshes: many seconds a step
      body.params.solver = solver;
      Work work;
      State to = body.state;
      StepReport report = step(body.model, body.params, {}, frame, body.state, to, work);  // allocates
      const bool ic =
          solver == Solver::pcg_ic || (solver == Solver::automatic && body.model.vertex_count > 30000);
      const double bytes = step_bytes(body.model, ic, report.iterations);
      const double touched =
          152 * springs + 600 * body.model.vertex_count;  // for the triad: what a step holds
      const Measured best = measure(3, cells > 23 ? 1 : 5, touched, [&] {
        report = step(body.model, body.params, {}, frame, body.state, to, work);
      });
      for (const std::size_t t : {0u, 1u}) {
        out << springs << ',' << name_of(body.params.integrator) << ','
            << describe(static_cast<Solver*>(nullptr))[static_cast<std::size_t>(solver)] << ',' << t + 1
            << ',' << 1e3 * best.seconds[t] << ',' << springs / best.seconds[t] << ',' << report.iterations
            << ',' << report.ok << ',';
        if (solver == Solver::cholesky)
          out << ",,,";
        else
          out << bytes / springs << ',' << bytes / best.seconds[t] / 1e9 << ',' << best.triad[t] / 1e9 << ','
              << bytes / best.seconds[t] / best.triad[t];
        out << ',' << best.seconds[0] / best.seconds[t] << '\n';
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::ostringstream table;
  table << machine();
  io::LinePlot speeds = empty_speed_plot();
  force_table(table, speeds);
  std::cout << table.str() << std::flush;
  std::ostringstream steps;
  step_table(steps);
  std::cout << steps.str();
  if (argc == 3 && std::string(argv[1]) == "--csv") {
    const std::filesystem::path csv = argv[2];
    io::write_file_atomically(csv, table.str() + steps.str());
    io::write_file_atomically(std::filesystem::path(csv).replace_extension(".svg"), io::to_svg(speeds));
  }
  return 0;
}
