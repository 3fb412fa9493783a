// Speed of shallow water on a height field: a dam break over a bumpy ground, all of it wet, stepped as in a
// scene (step limit and copy of the state included). Full cell-steps a second (a step of second order has two
// stages), nanoseconds a cell, and the share of the memory limit: the least traffic of the method (State and
// ground read and State written once, both stages together) over the time, by the triad's bandwidth. Prints
// CSV; `--csv FILE` also writes it; `--quick` leaves out the largest grid.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "bench/bandwidth.h"
#include "selkie/core/parallel.h"
#include "selkie/fluids/shallow_water/step.h"

using namespace selkie;
using namespace selkie::shallow_water;

namespace {

// Median seconds of a step.
template <class Real>
double time_steps(int cells, Method method, Order order, Limiter limiter, int steps) {
  Grid grid;
  grid.cells = {cells, cells};
  grid.cell_size = 100.0 / cells;
  Model<Real> model =
      make_model<Real>(grid, [](double x, double z) { return 0.3 * std::sin(0.3 * x) * std::cos(0.2 * z); });
  model.method = method;
  Params params;
  params.order = order;
  params.limiter = limiter;
  State<Real> state = make_state(model);
  fill_to_level(
      model, 2.0, [](double x, double) { return x < 50; }, state);
  fill_to_level(
      model, 1.0, [](double, double) { return true; }, state);
  State<Real> from = state;
  Work<Real> work;
  std::vector<double> times;
  for (int s = 0; s < steps + 3; ++s) {
    const auto begin = std::chrono::steady_clock::now();
    const double dt = step_limit(model, params, 9.81, state);
    from = state;
    const StepReport report = step(model, params, Inputs{}, {s, s + 1, dt}, from, state, work);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!report.ok) std::cerr << report.trouble << '\n', std::exit(3);
    if (s >= 3) times.push_back(seconds);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <class Real>
void row(std::ostream& out, const char* precision, int cells, int threads, Order order, Limiter limiter,
         double triad, Method method = Method::conservative) {
  const int steps = std::max(5, 6'000'000 / (cells * cells));
  const double seconds = time_steps<Real>(cells, method, order, limiter, steps);
  const double count = double(cells) * cells;
  const double fields = 7;  // read 3 + 1, write 3
  const bool plain = method == Method::conservative;
  out << (plain ? "conservative" : "semi-lagrangian") << ',' << precision << ','
      << (order == Order::first || !plain ? "first" : "second") << ','
      << (order == Order::first || !plain ? ""
          : limiter == Limiter::minmod    ? "minmod"
                                          : "monotonised")
      << ',' << cells << ',' << threads << ',' << count / seconds / 1e6 << ',' << 1e9 * seconds / count << ','
      << (plain ? std::to_string(fields * sizeof(Real) * count / seconds / triad) : "") << ',' << triad / 1e9
      << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  bool quick = false;
  for (int a = 1; a < argc; ++a) {
    if (std::string(argv[a]) == "--csv" && a + 1 < argc) file = argv[++a];
    if (std::string(argv[a]) == "--quick") quick = true;
  }
  std::ostringstream out;
  out << "method,precision,order,limiter,cells_a_side,threads,million_cell_steps_per_s,ns_per_cell,"
         "share_of_memory_limit,triad_gb_per_s\n";
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    const double triad = bench::measure_bandwidth(std::size_t{256} << 20, threads).bytes_per_second;
    for (const int cells : quick ? std::vector<int>{1024} : std::vector<int>{256, 1024, 2048}) {
      for (const Limiter limiter : {Limiter::minmod, Limiter::monotonised}) {
        row<float>(out, "float", cells, threads, Order::second, limiter, triad);
        row<double>(out, "double", cells, threads, Order::second, limiter, triad);
      }
      row<float>(out, "float", cells, threads, Order::first, Limiter::minmod, triad);
      row<double>(out, "double", cells, threads, Order::first, Limiter::minmod, triad);
      row<float>(out, "float", cells, threads, Order::first, Limiter::minmod, triad, Method::semi_lagrangian);
    }
  }
  set_thread_count(0);
  std::cout << out.str();
  if (!file.empty()) std::ofstream(file) << out.str();
}
