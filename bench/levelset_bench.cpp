// Speed of the level set: redistancing by closest points and by marching, markers, surface meshes and
// surfaces from particles, at 64³ and 128³, one and two threads, in float. A ball of 0.3 of the box;
// distances up to 5 cells, 16 markers a cell. Prints CSV; `--csv FILE` also writes it, `--size N` runs one
// size. Times are wall time, best of several runs.
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

#include "selkie/core/parallel.h"
#include "selkie/core/random.h"
#include "selkie/grid/loops.h"
#include "selkie/grid/particle_level_set.h"
#include "selkie/grid/particle_surface.h"
#include "selkie/io/surface_mesh.h"

using namespace selkie;
using namespace selkie::grid;

namespace {

template <class Prepare, class Run>
double best_time(int repeats, Prepare&& prepare, Run&& run) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int n = 0; n < repeats; ++n) {
    prepare();
    const auto begin = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

struct Report {
  std::ostringstream out;
  void line(const std::string& what, int size, int threads, double seconds, double count,
            const std::string& of) {
    out << what << ',' << size << ',' << threads << ',' << 1e3 * seconds << ',' << 1e9 * seconds / count
        << ',' << of << '\n';
  }
};

void run_size(int n, int threads, Report& report) {
  set_thread_count(threads);
  const int repeats = n <= 64 ? 15 : 5;
  const Shape shape(3, {n, n, n}, 1.0 / n);
  const Vec3 centre(0.5, 0.51, 0.49);
  Buffer<float> exact, phi;
  fill(shape, Place::cell, exact, [&](const Vec3& x) { return (x - centre).norm() - 0.3; });
  phi = exact;
  const View<float> field = view(shape, phi);
  const View<const float> read = field;
  DistanceWork<float> distance_work;
  double band = 0;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) band += std::abs(field(i, j, k)) < 5.0f / float(n) ? 1 : 0;
  for (const DistanceMethod method : {DistanceMethod::closest, DistanceMethod::marching})
    report.line(method == DistanceMethod::closest ? "redistance-closest" : "redistance-marching", n, threads,
                best_time(
                    repeats, [&] { phi = exact; },
                    [&] {
                      redistance(shape, Place::cell, {method, 5}, field, distance_work);
                    }),
                band, "cell of the band");

  MarkerParams params;
  params.per_cell = 16;
  Markers<float> markers;
  MarkerWork<float> work;
  reseed_markers<float>(shape, Place::cell, params, read, markers, work);
  const auto count = double(markers.size());
  FaceField<float> velocity;
  velocity.assign(shape);
  fill(shape, Place::face_x, velocity.component[0], [](const Vec3& x) { return std::sin(6 * x.y()); });
  fill(shape, Place::face_y, velocity.component[1], [](const Vec3& x) { return std::cos(6 * x.z()); });
  const Markers<float> start = markers;
  report.line("markers-move-rk2", n, threads,
              best_time(
                  repeats, [&] { markers = start; },
                  [&] {
                    move_markers(shape, MarkerMotion::rk2, view(shape, std::as_const(velocity)), 0.5 / n,
                                 markers);
                  }),
              count, "marker");
  report.line("markers-correct", n, threads,
              best_time(
                  repeats, [&] { phi = exact; },
                  [&] { correct_level_set(shape, Place::cell, markers, field, work); }),
              count, "marker");
  report.line("markers-reseed", n, threads,
              best_time(
                  repeats, [&] { markers = start; },
                  [&] { reseed_markers<float>(shape, Place::cell, params, read, markers, work); }),
              count, "marker");
  phi = exact;
  io::SurfaceMesh surface;
  io::SurfaceMeshWork mesh_work;
  const double mesh_time = best_time(
      repeats, [] {}, [&] { io::make_surface_mesh(shape, Place::cell, read, {}, surface, mesh_work); });
  report.line("surface-mesh", n, threads, mesh_time, double(surface.mesh.triangles.size()), "triangle");
}

void run_particles(int n, int threads, Report& report) {
  set_thread_count(threads);
  const Shape shape(3, {n, n, n}, 1.0 / n);
  std::vector<Vec3> positions;
  std::uint64_t counter = 0;
  for (int k = 0; k < 2 * n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < 2 * n; ++i) {
        Vec3 x(i, j, k);
        for (int a = 0; a < 3; ++a) x[a] += random_uniform(1, 2, counter++);
        positions.push_back(0.5 / n * x);
      }
  SortedStorage<float> sorted;
  sort_particles<float>(shape, positions, sorted);
  Buffer<float> phi(shape.size(), 0.0f);
  ParticleSurfaceWork<float> work;
  for (const ParticleKernel kernel : {ParticleKernel::averaged, ParticleKernel::anisotropic}) {
    ParticleSurfaceParams params;
    params.kernel = kernel;
    report.line(
        kernel == ParticleKernel::averaged ? "particles-averaged" : "particles-anisotropic", n, threads,
        best_time(
            3, [] {}, [&] { surface_from_particles(shape, params, sorted.view(), view(shape, phi), work); }),
        double(positions.size()), "particle of a half-full box");
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  std::vector<int> sizes{64, 128};
  for (int a = 1; a + 1 < argc; a += 2) {
    if (std::string(argv[a]) == "--csv") file = argv[a + 1];
    if (std::string(argv[a]) == "--size") sizes = {std::atoi(argv[a + 1])};
  }
  Report report;
  report.out << "what,cells,threads,ms,ns_each,of\n";
  for (const int n : sizes)
    for (const int threads : {1, 2}) {
      run_size(n, threads, report);
      run_particles(n, threads, report);
    }
  std::cout << report.out.str();
  if (!file.empty()) std::ofstream(file) << report.out.str();
  return 0;
}
