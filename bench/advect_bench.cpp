// Speed of advection: a cell field and a staggered velocity at 64³, 128³ and 256³, one and two threads, in
// float, beside a plain scalar loop (one thread) and the memory bandwidth of the same machine in the same
// run. Prints CSV; `--csv FILE` also writes it, `--size N` runs one size. Flows: "smooth", a swirl of a few
// waves per box; "rough", the same with white noise of one cell in each face, so that neighbouring rays end
// in unrelated cells. CFL (largest |u|Δt/Δx) is 2 in both. ns_per_cell is of the whole call; best of several
// runs, since all noise slows.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "bench/bandwidth.h"
#include "bench/plain_advection.h"
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

// Bytes that an advection cannot do without: per pass over a field the three velocity components and what is
// carried are read, the result is written; MacCormack's second pass reads one field more.
double least_bytes(Scheme scheme, bool whole, const Shape& shape) {
  const double fields = scheme == Scheme::semi_lagrangian ? 5 : scheme == Scheme::maccormack ? 11 : 18;
  return fields * (whole ? 3 : 1) * sizeof(float) * static_cast<double>(shape.cell_count());
}

// Time of the plain loop, and the mean difference of its result from ours.
struct Plain {
  double seconds = 0, difference = 0;
};
Plain plain_loop(Problem& p) {
  bench::PlainAdvection plain(p.shape);
  FaceField<float> out;
  out.assign(p.shape);
  const auto steps = static_cast<float>(p.flow.dt / p.shape.cell_size());
  Plain result;
  result.seconds = best_time(p.shape.cells()[0] > 128 ? 2 : 3,
                             [&] { plain.velocity(p.flow.velocity, steps, view(p.shape, out)); });
  advect_velocity(p.shape, {Scheme::maccormack, Limiter::clamp, Trace::euler}, p.flow, p.flow.velocity,
                  view(p.shape, p.velocity_out), p.work);
  double samples = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const View<const float> plain_u = view(p.shape, out)[a], own_u = view(p.shape, p.velocity_out)[a];
    const Index n = p.shape.samples(face_place(axis));
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i, ++samples)
          result.difference += double(std::abs(plain_u(i, j, k) - own_u(i, j, k)));
  }
  result.difference /= samples;
  return result;
}

double time_of(Problem& p, bool whole, Scheme scheme, int repeats) {
  const Problem& read = p;
  const AdvectOptions options{scheme, Limiter::clamp, Trace::euler};
  return best_time(repeats, [&] {
    if (whole)
      advect_velocity(p.shape, options, p.flow, p.flow.velocity, view(p.shape, p.velocity_out), p.work);
    else
      advect(p.shape, Place::cell, options, p.flow, view(p.shape, read.scalar), view(p.shape, p.scalar_out),
             p.work);
  });
}

// False if the plain loop gives something else.
bool table(const std::vector<int>& sizes, std::ostream& out) {
  out << "cells,flow,field,scheme,limiter,threads,ms,ns_per_cell,gain,plain_ms,times_plain,least_gb_per_s,"
         "triad_gb_per_s\n";
  std::array<double, 2> triad{};
  for (const int threads : {1, 2})
    triad[static_cast<std::size_t>(threads - 1)] =
        bench::measure_bandwidth(192u << 20, threads).bytes_per_second / 1e9;
  bool same = true;
  for (const int n : sizes)
    for (const bool rough : {false, true}) {
      Problem p(n, rough);
      const int repeats = n > 128 ? 4 : n == 128 ? 15 : 60;
      const Plain plain = plain_loop(p);
      // Rays end at coordinates up to n, which float rounds to n 2⁻²⁴ cells, and rough values change by order one
      // a cell. A mean, because where a ray ends within that of a sample the bounds may be those of the next
      // stencil.
      if (plain.difference > n * 6e-8) {
        std::cerr << "the plain loop differs by " << plain.difference << " on the mean\n";
        same = false;
      }
      for (const bool whole : {false, true})
        for (const Scheme scheme : {Scheme::semi_lagrangian, Scheme::maccormack, Scheme::bfecc}) {
          double alone = 0;
          for (const int threads : {1, 2}) {
            set_thread_count(threads);
            const double t = time_of(p, whole, scheme, repeats);
            if (threads == 1) alone = t;
            const bool beside_plain = whole && scheme == Scheme::maccormack;
            std::ostringstream row;
            row << n << "," << (rough ? "rough" : "smooth") << "," << (whole ? "velocity" : "scalar") << ","
                << describe(static_cast<Scheme*>(nullptr))[static_cast<std::size_t>(scheme)] << ",clamp,"
                << threads << "," << t * 1e3 << "," << t * 1e9 / static_cast<double>(p.shape.cell_count())
                << "," << alone / t << ",";
            if (beside_plain)
              row << plain.seconds * 1e3 << "," << plain.seconds / t;
            else
              row << ",";
            row << "," << least_bytes(scheme, whole, p.shape) / t / 1e9 << ","
                << triad[static_cast<std::size_t>(threads - 1)] << "\n";
            out << row.str();
            std::cout << row.str() << std::flush;
          }
        }
    }
  return same;
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
  const bool same = table(sizes, text);
  if (!file.empty() && !(std::ofstream(file) << text.str())) return 4;
  return same ? 0 : 1;
}
