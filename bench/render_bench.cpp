// Time of pictures of 960 × 540 at 16 samples per pixel: a matte surface of 100 000 triangles, and smoke on a
// 128³ grid. Prints CSV; `--csv FILE` also writes it. Goals on two cores: 10 s and 60 s;
// the time of all threads together tells what a busy machine hides.
#include <cmath>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "selkie/core/parallel.h"
#include "selkie/geometry/generators.h"
#include "selkie/render/render.h"

namespace {

using namespace selkie;

// A crumpled sheet over the ground: rays bounce between its folds.
geometry::TriangleMesh crumpled_sheet() {
  geometry::TriangleMesh mesh =
      geometry::sheet({.center = {0, 0.5, 0}, .size = {4, 4}, .divisions = {224, 224}});
  for (Vec3& x : mesh.positions)
    x.y() += 0.15 * std::sin(5 * x.x() + 2 * std::sin(3 * x.z())) + 0.1 * std::cos(7 * x.z() - x.x());
  return mesh;
}

// A billowing column.
std::vector<float> column(int cells) {
  std::vector<float> density(static_cast<std::size_t>(cells) * static_cast<std::size_t>(cells) *
                             static_cast<std::size_t>(cells));
  std::size_t i = 0;
  for (int z = 0; z < cells; ++z)
    for (int y = 0; y < cells; ++y)
      for (int x = 0; x < cells; ++x, ++i) {
        const Vec3 p = Vec3(x + 0.5, y + 0.5, z + 0.5) / cells;
        const double bend = 0.1 * std::sin(7 * p.y());
        const double r = std::hypot(p.x() - 0.5 - bend, p.z() - 0.5);
        const double lumps = std::sin(25 * p.x()) * std::sin(23 * p.y()) * std::sin(27 * p.z());
        density[i] = static_cast<float>(std::max(0.0, 1 - r / (0.12 + 0.25 * p.y()) + 0.6 * lumps));
      }
  return density;
}

void measure(std::ostream& out, const std::string& name, const ports::Drawable& drawable, double goal) {
  render::Settings settings;
  settings.samples = 16;
  const auto drawables = std::span(&drawable, 1);
  const ports::Camera camera = render::frame_camera(drawables, 16.0 / 9);
  const std::clock_t begin = std::clock();
  const render::Picture picture = render::render(drawables, {}, camera, {}, settings);
  const double cpu_seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  out << name << ',' << picture.width << ',' << picture.height << ',' << picture.samples << ','
      << thread_count() << ',' << picture.seconds << ',' << cpu_seconds << ',' << goal << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  std::ostringstream table;
  table << "picture,width,height,samples,threads,seconds,cpu_seconds,goal_seconds\n";

  const geometry::TriangleMesh mesh = crumpled_sheet();
  ports::Drawable sheet{
      .name = "sheet", .look = ports::Look::matte, .colour = {0.7, 0.3, 0.3}, .backdrop = false, .shape = {}};
  sheet.shape = ports::TriangleSurface{mesh.positions, mesh.triangles, {}};
  measure(table, "matte " + std::to_string(mesh.triangles.size()) + " triangles", sheet, 10);

  constexpr int kCells = 128;
  const std::vector<float> density = column(kCells);
  ports::Volume volume{
      .origin = {-1, 0, -1}, .cell_size = 2.0 / kCells, .cells = {kCells, kCells, kCells}, .fields = {}};
  volume.fields.push_back({"density", "", 1, density});
  ports::Drawable smoke{.name = "smoke",
                        .look = ports::Look::smoke,
                        .colour = {0.9, 0.9, 0.9},
                        .backdrop = false,
                        .shape = volume};
  measure(table, "smoke 128^3", smoke, 60);

  std::cout << table.str();
  if (argc == 3 && std::string(argv[1]) == "--csv") std::ofstream(argv[2]) << table.str();
  return 0;
}
