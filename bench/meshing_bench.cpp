// Speed of the meshers: tetrahedra from a closed surface of about 20,000 triangles by the fitted lattice and
// by Delaunay, Delaunay of random points alone, checks and skinning, on one and on two threads. Prints CSV;
// `--csv FILE` also writes it; `--quick` leaves out the million points.
#include <chrono>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/core/random.h"
#include "selkie/geometry/creature.h"
#include "selkie/geometry/skinning.h"
#include "selkie/geometry/tetrahedra/delaunay.h"
#include "selkie/geometry/tetrahedra/mesher.h"
#include "selkie/io/atomic_file.h"
#include "selkie/math/random_vector.h"

using namespace selkie;
using namespace selkie::geometry;

namespace {

double seconds_of(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void surface_table(std::ostream& out, int threads) {
  set_thread_count(threads);
  const TriangleMesh surface = creature({.divisions = 60});
  auto row = [&](const char* task, std::size_t items, double seconds, const AngleRange& angles) {
    out << task << ',' << surface.triangles.size() << ',' << items << ',' << threads << ',' << seconds << ','
        << static_cast<double>(items) / seconds << ',' << angles.min << ',' << angles.max << '\n';
  };
  const AngleRange none{0, 0};
  row("check", surface.triangles.size(), seconds_of([&] { (void)check_mesh(surface, kSolidSurface); }), none);
  for (const Mesher mesher : {Mesher::bcc, Mesher::delaunay}) {
    TetMesh mesh;
    const double seconds = seconds_of([&] { mesh = fill_surface(surface, mesher, 46); });
    row(mesher == Mesher::bcc ? "bcc" : "delaunay", mesh.tets.size(), seconds, dihedral_angles(mesh));
    if (mesher != Mesher::bcc) continue;
    Skin skin;
    const double made = seconds_of([&] { skin = make_skin(mesh, surface.positions); });
    row("make_skin", skin.size(), made, none);
    std::vector<Vec3> carried(skin.size());
    const int repeats = 200;
    const double applied = seconds_of([&] {
      for (int n = 0; n < repeats; ++n) apply(skin, mesh.positions, carried);
    });
    row("apply_skin", skin.size() * repeats, applied, none);
  }
}

void points_table(std::ostream& out, const std::vector<std::size_t>& sizes) {
  for (const std::size_t count : sizes) {
    RandomStream random(1, 0);
    std::vector<Vec3> points(count);
    for (Vec3& p : points) p = random_vector(random, 0, 1);
    std::size_t tets = 0;
    const double seconds = seconds_of([&] { tets = delaunay(points).tets.size(); });
    out << "delaunay_points_" << count << ",0," << tets << ",1," << seconds << ','
        << static_cast<double>(tets) / seconds << ",0,0\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string csv;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--csv" && i + 1 < argc) csv = argv[++i];
    if (std::string(argv[i]) == "--quick") quick = true;
  }
  std::ostringstream out;
  out << "task,triangles,items,threads,seconds,items_per_s,min_dihedral,max_dihedral\n";
  surface_table(out, 1);
  surface_table(out, 2);
  set_thread_count(1);
  points_table(out, quick ? std::vector<std::size_t>{10000, 100000}
                          : std::vector<std::size_t>{10000, 100000, 1000000});
  std::cout << out.str();
  if (!csv.empty()) io::write_file_atomically(csv, std::string_view(out.str()));
}
