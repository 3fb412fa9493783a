// VTK XML files with appended raw data, for ParaView: VTP (surfaces, points, curves, arrows, height fields),
// VTI (volumes, as cell data), VTU (tetrahedra). Array names carry their unit: "speed [m/s]"; time, colour,
// look (number of ports::Look), backdrop and radius are field data. Little-endian, 64-bit headers,
// uncompressed, one contiguous buffer, one write.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "selkie/ports/drawable.h"

namespace selkie::io {

struct VtkOptions {
  bool double_values = false;       // positions and attributes as Float64 instead of Float32
  std::optional<double> time = {};  // s; stored as field data "TimeValue"
};

// A tetrahedral mesh as plain arrays.
struct TetArrays {
  std::span<const Vec3> positions;
  std::span<const std::array<std::uint32_t, 4>> tets;
  std::vector<ports::Attribute> point_attributes = {};
  std::vector<ports::Attribute> cell_attributes = {};
};

// ".vti" for volumes, ".vtp" for all else.
std::string vtk_extension(const ports::Drawable& drawable);

// The bytes of a VTP or VTI file, whichever fits the drawable, and of a VTU file. InputError when spans
// disagree in length or an index points past the vertices.
std::vector<std::byte> vtk_bytes(const ports::Drawable& drawable, const VtkOptions& options = {});
std::vector<std::byte> vtk_bytes(const TetArrays& mesh, const VtkOptions& options = {});

void write_vtk(const std::filesystem::path& path, const ports::Drawable& drawable,
               const VtkOptions& options = {});
void write_vtk(const std::filesystem::path& path, const TetArrays& mesh, const VtkOptions& options = {});

}  // namespace selkie::io
