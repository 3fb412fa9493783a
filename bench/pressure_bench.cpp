// Speed of the pressure solve to 1e-6, set-up excluded, beside the memory bandwidth of the same run and,
// where it was built, beside hypre's conjugate gradients with PFMG on the same problem in turns with ours.
// Prints CSV;
// `--csv FILE` also writes it, `--size N` runs one size.
//
// The limit: an iteration cannot do with less than 11 passes over a float per cell (r twice and z once in the
// cycle, z, p, p in the turn, p, x, x, r, r in the advance), coarse levels excluded.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "bench/bandwidth.h"
#include "bench/pressure_problem.h"
#include "selkie/core/parallel.h"
#include "selkie/grid/pressure.h"

using namespace selkie;
using namespace selkie::grid;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Solved {
  double seconds = 0, build = 0;
  int iterations = 0;
  double residual = 0;
};

Solved solve(const bench::PressureProblem& problem, int repeats) {
  const int n = problem.n;
  const Shape shape(3, {n, n, n}, 1.0);
  OpenSides sides{};
  sides[2][1] = true;
  CellKinds kinds = all_fluid(shape, sides);
  FaceField<float> open;
  open.assign(shape, 1.0f);
  Buffer<float> b(shape.size(), 0.0f), p(shape.size(), 0.0f);
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        if (problem.solid(i, j, k)) view(shape, kinds)(i, j, k) = code_of(CellKind::solid);
        for (std::size_t a = 0; a < 3; ++a)
          view(shape, open)[a](i, j, k) = static_cast<float>(problem.open(static_cast<int>(a), i, j, k));
        view(shape, b)(i, j, k) = static_cast<float>(problem.right(i, j, k));
      }
  PressureSolver<float> solver;
  Solved result;
  result.seconds = result.build = std::numeric_limits<double>::infinity();
  const PressureDomain<float> domain{
      shape, view(shape, std::as_const(kinds)), view(shape, std::as_const(open)), {}};
  for (int repeat = 0; repeat < repeats; ++repeat) {
    auto begin = Clock::now();
    solver.build(domain);
    result.build = std::min(result.build, seconds_since(begin));
    begin = Clock::now();
    const linalg::SolveReport report =
        solver.solve(view(shape, std::as_const(b)), view(shape, p), {.tolerance = 1e-6});
    result.seconds = std::min(result.seconds, seconds_since(begin));
    result.iterations = report.iterations;
    result.residual = report.residual;
  }
  return result;
}

// "iterations residual seconds" of the peer; seconds 0 without it.
Solved peer([[maybe_unused]] const bench::PressureProblem& problem, [[maybe_unused]] int ranks) {
  Solved result;
#ifdef SELKIE_HYPRE_PEER
  const std::string command = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n " +
                              std::to_string(ranks) + " " SELKIE_HYPRE_PEER " " + std::to_string(problem.n) +
                              (problem.obstacles ? " 1" : " 0") + " 2>/dev/null";
  if (FILE* pipe = popen(command.c_str(), "r")) {
    if (std::fscanf(pipe, "%d %lf %lf", &result.iterations, &result.residual, &result.seconds) != 3)
      result = {};
    pclose(pipe);
  }
#endif
  return result;
}

void table(const std::vector<int>& sizes, std::ostream& out) {
  out << "cells,obstacles,threads,iterations,residual,seconds,build_seconds,ns_per_cell,triad_gb_per_s,limit_"
         "seconds,"
         "share_of_limit,hypre_iterations,hypre_seconds,times_faster\n";
  for (const int n : sizes)
    for (const bool obstacles : {false, true})
      for (const int threads : {1, 2}) {
        set_thread_count(threads);
        const bench::PressureProblem problem{n, obstacles};
        const Solved other = n <= 128 ? peer(problem, threads) : Solved{};
        const Solved own = solve(problem, n > 128 ? 3 : 10);
        const double triad = bench::measure_bandwidth(std::size_t{256} << 20, threads).bytes_per_second;
        const double cells = static_cast<double>(n) * n * n;
        const double limit = 11 * 4 * cells * own.iterations / triad;
        std::ostringstream row;
        row << n << ',' << obstacles << ',' << threads << ',' << own.iterations << ',' << own.residual << ','
            << own.seconds << ',' << own.build << ',' << 1e9 * own.seconds / cells << ',' << 1e-9 * triad
            << ',' << limit << ',' << limit / own.seconds << ',' << other.iterations << ',' << other.seconds
            << ',' << other.seconds / own.seconds << '\n';
        out << row.str();
        std::cout << row.str() << std::flush;
      }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> sizes{64, 128, 256};
  std::string file;
  for (int a = 1; a + 1 < argc; ++a) {
    if (std::string(argv[a]) == "--csv") file = argv[a + 1];
    if (std::string(argv[a]) == "--size") sizes = {std::atoi(argv[a + 1])};
  }
  std::ostringstream text;
  table(sizes, text);
  if (!file.empty()) std::ofstream(file) << text.str();
  return 0;
}
