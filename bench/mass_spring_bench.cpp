// Speed of the mass-spring force pass against the memory bandwidth of the same machine in the same run, and
// of whole implicit steps, on tet blocks of about 10⁴, 10⁵ and 10⁶ springs. Prints CSV; `--csv FILE` also
// writes it, and beside it the speeds of the force pass as an SVG plot. The compulsory traffic of the force
// pass: a spring's 32 bytes, and x, v (24 bytes each) and f (32 bytes, padded) of every vertex once.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
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

void force_table(std::ostream& out, io::LinePlot& plot) {
  out << "springs,vertices,damping,threads,springs_per_s,bytes_per_spring,gb_per_s,triad_gb_per_s,"
         "share_of_limit,gain,machine_gain,share_of_machine_gain,chunks,colours\n";
  for (const int cells : kCells) {
    Body body = make_body(cells);
    Work work;
    const double springs = static_cast<double>(body.model.spring_count());
    const double vertices = body.model.vertex_count;
    const int repeats = static_cast<int>(std::clamp(2e8 / springs, 60.0, 4000.0));
    for (const bool damped : {true, false}) {
      body.params.damping = damped ? 0.1 : 0;
      const double bytes = springs * (damped ? 32 : 24) + vertices * ((damped ? 48 : 24) + 32);
      std::array<double, 2> rate{}, triad{};
      for (const int threads : {1, 2}) {
        bench::use_threads(threads);
        const auto t = static_cast<std::size_t>(threads - 1);
        triad[t] = bench::measure_bandwidth(static_cast<std::size_t>(bytes), threads).bytes_per_second;
        const double seconds = best_time(repeats, [&] {
          accumulate_forces(body.model, body.params, body.state.positions, body.state.velocities, work.forces,
                            work);
        });
        rate[t] = springs / seconds;
        io::Series& series = plot.series[t + (damped ? 0u : 2u)];
        series.x.push_back(springs);
        series.y.push_back(rate[t] / 1e6);
        const double gain = rate[t] / rate[0], machine = triad[t] / triad[0];
        out << springs << ',' << vertices << ',' << (damped ? "yes" : "no") << ',' << threads << ','
            << rate[t] << ',' << bytes / springs << ',' << bytes / seconds / 1e9 << ',' << triad[t] / 1e9
            << ',' << bytes / seconds / triad[t] << ',' << gain << ',' << machine << ',' << gain / machine
            << ',' << body.model.schedule.chunk_count() << ',' << body.model.schedule.colours << '\n';
      }
    }
  }
}

// Whole steps of 1/60 s, the top layer pinned, from the deformed start.
void step_table(std::ostream& out) {
  out << "\nsprings,integrator,solver,threads,ms_per_step,iterations,ok\n";
  const Interval frame{0, kTicksPerFrame, 1.0 / 60 / static_cast<double>(kTicksPerFrame)};
  for (const int cells : kCells) {
    Body body = make_body(cells);
    for (std::uint32_t i = 0; i < body.model.vertex_count; ++i)
      if (body.state.positions[i].y() > 0.499) pin(body.state, i);
    for (const Solver solver : {Solver::automatic, Solver::pcg_jacobi, Solver::pcg_ic, Solver::cholesky}) {
      if (solver == Solver::cholesky && cells > 10) continue;  // fill of 3-D meshes: many seconds a step
      body.params.solver = solver;
      for (const int threads : {1, 2}) {
        bench::use_threads(threads);
        Work work;
        State to = body.state;
        StepReport report = step(body.model, body.params, {}, frame, body.state, to, work);
        const double seconds = best_time(cells > 23 ? 2 : 5, [&] {
          report = step(body.model, body.params, {}, frame, body.state, to, work);
        });
        out << body.model.spring_count() << ',' << name_of(body.params.integrator) << ','
            << describe(static_cast<Solver*>(nullptr))[static_cast<std::size_t>(solver)] << ',' << threads
            << ',' << 1e3 * seconds << ',' << report.iterations << ',' << report.ok << '\n';
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::ostringstream table;
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
