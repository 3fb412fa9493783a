// Speed of advection: a cell field and a staggered velocity at 64³, 128³ and 256³, one and two threads, in
// float, beside the memory bandwidth of the same machine in the same run. Prints CSV; `--csv FILE` also
// writes it. Flows: "smooth", a swirl of a few waves per box; "rough", the same with white noise of one cell
// in each face, so that neighbouring rays end in unrelated cells. CFL (largest |u|Δt/Δx) is 2 in both.
// ns_per_cell is of the whole call; best of several runs, since all noise slows.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>

#include "bench/bandwidth.h"
#include "selkie/core/parallel.h"
#include "selkie/grid/advect.h"
#include "selkie/grid/loops.h"

using namespace selkie;
using namespace selkie::grid;

namespace {

template <class Run>
double best_time(int repeats, Run&& run) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int n = 0; n < repeats; ++n) {
    const auto begin = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

double noise(int i, int j, int k, int axis) {
  const std::uint32_t h =
      static_cast<std::uint32_t>(i * 73856093 ^ j * 19349663 ^ k * 83492791 ^ axis * 2654435);
  return static_cast<double>((h * 2654435761u) >> 8) / double(1 << 23) - 1;
}

struct Problem {
  Shape shape;
  FaceField<float> velocity, velocity_out;
  Buffer<float> scalar, scalar_out;
  AdvectWork<float> work;
  Flow<float> flow;

  Problem(int n, bool rough) : shape(3, {n, n, n}, 1.0 / n) {
    velocity.assign(shape);
    velocity_out.assign(shape);
    for (int axis = 0; axis < 3; ++axis) {
      const Index count = shape.samples(face_place(axis));
      const View<float> u = view(shape, velocity.component[static_cast<std::size_t>(axis)]);
      for (int k = 0; k < count[2]; ++k)
        for (int j = 0; j < count[1]; ++j)
          for (int i = 0; i < count[0]; ++i) {
            const Vec3 x = shape.position(face_place(axis), i, j, k);
            const double wave = std::sin(9 * x[(axis + 1) % 3] + axis) * std::cos(7 * x[(axis + 2) % 3]) +
                                0.3 * std::sin(23 * x[axis] + 5 * x[(axis + 1) % 3]);
            u(i, j, k) =
                static_cast<float>(rough ? 0.5 * wave / 1.3 + 0.5 * noise(i, j, k, axis) : wave / 1.3);
          }
    }
    fill(shape, Place::cell, scalar,
         [](const Vec3& x) { return std::sin(20 * x.x()) * std::cos(17 * x.y() + x.z()); });
    scalar_out.assign(shape.size(), 0.f);
    const Problem& self = *this;
    flow.velocity = view(shape, self.velocity);
    flow.dt = 2.0 / n;
  }
};

void table(std::ostream& out) {
  out << "cells,flow,field,scheme,limiter,threads,ms,ns_per_cell,gain,triad_gb_per_s\n";
  std::array<double, 2> triad{};
  for (const int threads : {1, 2})
    triad[static_cast<std::size_t>(threads - 1)] =
        bench::measure_bandwidth(192u << 20, threads).bytes_per_second / 1e9;
  for (const int n : {64, 128, 256})
    for (const bool rough : {false, true}) {
      Problem p(n, rough);
      const Problem& read = p;
      const double cells = static_cast<double>(p.shape.cell_count());
      const int repeats = n == 256 ? 4 : n == 128 ? 15 : 60;
      for (const bool whole : {false, true})
        for (const Scheme scheme : {Scheme::semi_lagrangian, Scheme::maccormack, Scheme::bfecc}) {
          const AdvectOptions options{scheme, Limiter::clamp, Trace::euler};
          double alone = 0;
          for (const int threads : {1, 2}) {
            set_thread_count(threads);
            const double t = best_time(repeats, [&] {
              if (whole)
                advect_velocity(p.shape, options, p.flow, p.flow.velocity, view(p.shape, p.velocity_out),
                                p.work);
              else
                advect(p.shape, Place::cell, options, p.flow, view(p.shape, read.scalar),
                       view(p.shape, p.scalar_out), p.work);
            });
            if (threads == 1) alone = t;
            out << n << "," << (rough ? "rough" : "smooth") << "," << (whole ? "velocity" : "scalar") << ","
                << describe(static_cast<Scheme*>(nullptr))[static_cast<std::size_t>(scheme)] << ",clamp,"
                << threads << "," << t * 1e3 << "," << t * 1e9 / cells << "," << alone / t << ","
                << triad[static_cast<std::size_t>(threads - 1)] << "\n";
          }
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
  std::ostringstream text;
  table(text);
  std::cout << text.str();
  if (argc == 3 && std::string(argv[1]) == "--csv") {
    std::ofstream file(argv[2]);
    file << text.str();
    if (!file) return 4;
  }
  return 0;
}
