// make_interop_files DIR: three small frames of every kind of drawable in every format, plus one VTU file.
// tests/interop/check_blender.py and check_paraview.py know these numbers and assert them.
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "selkie/io/frame_writer.h"
#include "selkie/io/write_vtk.h"

namespace {

using selkie::Vec3;
using namespace selkie::ports;
using Triangle = std::array<std::uint32_t, 3>;

// A sheet of 5 × 4 vertices in the plane y = 0.1 · frame, moving up at 2.4 m/s.
struct Sheet {
  explicit Sheet(int frame) {
    for (std::uint32_t j = 0; j < 4; ++j)
      for (std::uint32_t i = 0; i < 5; ++i) {
        positions.emplace_back(0.25 * i, 0.1 * frame, 0.25 * j);
        velocity.insert(velocity.end(), {0, 2.4, 0});
        tension.push_back(10.0 * i + j);
      }
    for (std::uint32_t j = 0; j < 3; ++j)
      for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t a = 5 * j + i;
        triangles.push_back({a, a + 5, a + 1});
        triangles.push_back({a + 1, a + 5, a + 6});
      }
  }
  std::vector<Attribute> attributes() const {
    return {{"velocity", "m/s", 3, velocity}, {"tension", "N", 1, tension}};
  }
  std::vector<Vec3> positions;
  std::vector<double> velocity, tension;
  std::vector<Triangle> triangles;
};

// 20 × 12 × 12 cells of 0.1 m; density 1 in the first 8 × 8 × 8 of them, empty elsewhere.
struct Smoke {
  Smoke() : density(20 * 12 * 12), velocity(3 * density.size()) {
    for (std::size_t k = 0; k < 8; ++k)
      for (std::size_t j = 0; j < 8; ++j)
        for (std::size_t i = 0; i < 8; ++i) {
          const std::size_t cell = (k * 12 + j) * 20 + i;
          density[cell] = 1;
          velocity[3 * cell + 1] = 0.5f;
        }
  }
  std::vector<float> density, velocity;
};

void write_frames(const std::filesystem::path& folder) {
  selkie::io::FrameWriter writer(folder,
                                 {.formats = {selkie::io::FrameFormat::ply, selkie::io::FrameFormat::vdb,
                                              selkie::io::FrameFormat::vtk}});
  const std::vector<std::array<std::uint32_t, 2>> lines = {{0, 1}, {1, 2}, {2, 3}};
  const std::vector<double> heights = {0, 0.1, 0, 0.1, 0.2, 0.1};
  const Smoke smoke;
  for (int frame = 0; frame < 3; ++frame) {
    const Sheet sheet(frame);
    const std::vector<double> age(sheet.positions.size(), frame / 24.0);
    const std::vector<Vec3> forces(sheet.positions.size(), Vec3(0, -9.81, 0));
    const std::vector<Drawable> drawables = {
        {.name = "cloth", .shape = TriangleSurface{sheet.positions, sheet.triangles, sheet.attributes()}},
        {.name = "drops", .shape = Points{sheet.positions, 0.01, {{"age", "s", 1, age}}}},
        {.name = "hair", .shape = Curves{std::span(sheet.positions).first(4), lines, 0.001, {}}},
        {.name = "smoke",
         .shape = Volume{Vec3(1, 2, 3),
                         0.1,
                         {20, 12, 12},
                         {{"density", "kg/m3", 1, smoke.density}, {"velocity", "m/s", 3, smoke.velocity}}}},
        {.name = "forces", .shape = Vectors{"force", "N", sheet.positions, forces}},
        {.name = "pond", .shape = HeightSurface{Vec3(0, 1, 0), 0.5, {3, 2}, heights, {}}}};
    writer.submit(frame, frame / 24.0, drawables);
  }
  for (const auto& file : writer.finish()) std::printf("%s\n", file.filename().c_str());
}

// Two tetrahedra that share a face.
void write_beam(const std::filesystem::path& folder) {
  const std::vector<Vec3> positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  const std::vector<std::array<std::uint32_t, 4>> tets = {{0, 1, 2, 3}, {1, 2, 3, 4}};
  const std::vector<double> stress = {1.5, 2.5};
  selkie::io::write_vtk(
      folder / "beam.vtu",
      {.positions = positions, .tets = tets, .cell_attributes = {{"stress", "Pa", 1, stress}}});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: make_interop_files DIR\n"), 2;
  try {
    write_frames(argv[1]);
    write_beam(argv[1]);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
