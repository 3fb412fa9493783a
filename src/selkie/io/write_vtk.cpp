// See write_vtk.h. [VTK XML file formats, "appended raw": each block is a 64-bit byte count and the values]
#include "selkie/io/write_vtk.h"

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <limits>
#include <utility>
#include <variant>

#include "selkie/core/text.h"
#include "selkie/io/atomic_file.h"
#include "selkie/io/detail/poly_view.h"
#include "selkie/io/detail/xml_text.h"

namespace selkie::io {
namespace {

double radius_of(const ports::Drawable& drawable) {
  if (const auto* points = std::get_if<ports::Points>(&drawable.shape)) return points->radius;
  if (const auto* curves = std::get_if<ports::Curves>(&drawable.shape)) return curves->radius;
  return 0;
}

// Gathers the XML text and the blocks it refers to, then lays both out in one buffer.
class AppendedFile {
 public:
  AppendedFile(const char* type, const VtkOptions& options) : options_(options) {
    xml_ = fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n",
        type);
  }

  void line(const std::string& text) { xml_ += text + '\n'; }

  // `extra` are further XML attributes of the array's tag.
  void block(const std::string& name, const char* number_type, int components, std::size_t bytes,
             std::function<void(std::byte*)> fill, const char* extra = "") {
    line(
        fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"{} format=\"appended\" "
                    "offset=\"{}\"/>",
                    number_type, detail::xml_escaped(detail::printable(name)), components, extra, offset_));
    blocks_.push_back({offset_, bytes, std::move(fill)});
    offset_ += sizeof(std::uint64_t) + bytes;
  }

  void numbers(const std::string& name, int components, std::span<const double> values) {
    if (options_.double_values)
      block(name, "Float64", components, values.size() * sizeof(double),
            [values](std::byte* out) { detail::put_values<double>(values, out); });
    else
      block(name, "Float32", components, values.size() * sizeof(float),
            [values](std::byte* out) { detail::put_values<float>(values, out); });
  }

  template <class T>
  void raw(const std::string& name, const char* number_type, int components, std::span<const T> values) {
    block(name, number_type, components, values.size_bytes(), [values](std::byte* out) {
      if (!values.empty()) std::memcpy(out, values.data(), values.size_bytes());
    });
  }

  // What ParaView shows as field data: the time, and how the drawable wishes to look.
  void field_data(const ports::Drawable* drawable) {
    std::vector<std::pair<const char*, std::vector<double>>> fields;
    if (options_.time) fields.push_back({"TimeValue", {*options_.time}});
    if (drawable != nullptr) {
      const Vec3& c = drawable->colour;
      fields.push_back({"Colour", {c.x(), c.y(), c.z()}});
      fields.push_back({"Look", {static_cast<double>(drawable->look)}});
      fields.push_back({"Backdrop", {drawable->backdrop ? 1.0 : 0.0}});
      fields.push_back({"Radius [m]", {radius_of(*drawable)}});
    }
    if (fields.empty()) return;
    line("<FieldData>");
    for (auto& [name, values] : fields)
      block(
          name, "Float64", static_cast<int>(values.size()), values.size() * sizeof(double),
          [values = values](std::byte* out) {
            std::memcpy(out, values.data(), values.size() * sizeof(double));
          },
          " NumberOfTuples=\"1\"");
    line("</FieldData>");
  }

  std::vector<std::byte> finish() {
    line("<AppendedData encoding=\"raw\">");
    xml_ += '_';
    const std::string tail = "\n</AppendedData>\n</VTKFile>\n";
    std::vector<std::byte> bytes(xml_.size() + offset_ + tail.size());
    std::memcpy(bytes.data(), xml_.data(), xml_.size());
    for (const Block& b : blocks_) {
      std::byte* out = bytes.data() + xml_.size() + b.offset;
      const std::uint64_t length = b.bytes;
      std::memcpy(out, &length, sizeof(length));
      b.fill(out + sizeof(length));
    }
    std::memcpy(bytes.data() + xml_.size() + offset_, tail.data(), tail.size());
    return bytes;
  }

 private:
  struct Block {
    std::size_t offset, bytes;
    std::function<void(std::byte*)> fill;
  };
  const VtkOptions& options_;
  std::string xml_;
  std::vector<Block> blocks_;
  std::size_t offset_ = 0;
};

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " [" + unit + "]";
}

// Opens <PointData> or <CellData>, naming the first vector and the first scalar as the ones to show.
template <class Arrays>
std::string data_tag(const char* tag, const Arrays& arrays) {
  std::string text = fmt::format("<{}", tag);
  for (const auto& [components, role] : {std::pair{1, "Scalars"}, std::pair{3, "Vectors"}}) {
    for (const auto& a : arrays) {
      if (a.components != components) continue;
      text +=
          fmt::format(" {}=\"{}\"", role, detail::xml_escaped(detail::printable(with_unit(a.name, a.unit))));
      break;
    }
  }
  return text + '>';
}

void put_attributes(AppendedFile& file, const char* tag, const std::vector<ports::Attribute>& attributes) {
  file.line(data_tag(tag, attributes));
  for (const ports::Attribute& a : attributes)
    file.numbers(with_unit(a.name, a.unit), a.components, a.values);
  file.line(fmt::format("</{}>", tag));
}

void put_points(AppendedFile& file, std::span<const Vec3> positions) {
  file.line("<Points>");
  file.numbers("Points", 3, detail::numbers_of(positions));
  file.line("</Points>");
}

template <class Index>
void put_counting(std::byte* out, std::size_t count, std::size_t first, std::size_t step) {
  for (std::size_t k = 0; k < count; ++k, out += sizeof(Index)) {
    const auto value = static_cast<Index>(first + k * step);
    std::memcpy(out, &value, sizeof(value));
  }
}

// Cells of `corners` vertices each. VTK wants connectivity and offsets in one width; 64 bits only where the
// last offset needs them.
void put_cells(AppendedFile& file, std::size_t cells, std::size_t corners, const std::uint32_t* indices) {
  const std::size_t total = cells * corners;
  const bool wide = total > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  const char* type = wide ? "Int64" : "Int32";
  const std::size_t width = wide ? 8 : 4;
  file.block("connectivity", type, 1, total * width, [=](std::byte* out) {
    if (indices == nullptr)
      wide ? put_counting<std::int64_t>(out, total, 0, 1) : put_counting<std::int32_t>(out, total, 0, 1);
    else if (!wide)
      std::memcpy(out, indices, total * width);
    else
      for (std::size_t k = 0; k < total; ++k) {
        const std::int64_t value = indices[k];
        std::memcpy(out + k * width, &value, width);
      }
  });
  file.block("offsets", type, 1, cells * width, [=](std::byte* out) {
    wide ? put_counting<std::int64_t>(out, cells, corners, corners)
         : put_counting<std::int32_t>(out, cells, corners, corners);
  });
}

std::vector<std::byte> vtp_bytes(const ports::Drawable& drawable, const VtkOptions& options) {
  const detail::PolyView view = detail::poly_view(drawable);
  const std::size_t vertices = view.positions.size(), verts = view.is_cloud ? vertices : 0;
  AppendedFile file("PolyData", options);
  file.line("<PolyData>");
  file.field_data(&drawable);
  file.line(
      fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" "
                  "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">",
                  vertices, verts, view.lines.size(), view.triangles.size()));
  put_points(file, view.positions);
  put_attributes(file, "PointData", view.attributes);
  if (verts > 0) {
    file.line("<Verts>");
    put_cells(file, verts, 1, nullptr);
    file.line("</Verts>");
  }
  if (!view.lines.empty()) {
    file.line("<Lines>");
    put_cells(file, view.lines.size(), 2, view.lines.front().data());
    file.line("</Lines>");
  }
  if (!view.triangles.empty()) {
    file.line("<Polys>");
    put_cells(file, view.triangles.size(), 3, view.triangles.front().data());
    file.line("</Polys>");
  }
  file.line("</Piece>\n</PolyData>");
  return file.finish();
}

std::vector<std::byte> vti_bytes(const ports::Drawable& drawable, const ports::Volume& volume,
                                 const VtkOptions& options) {
  std::size_t cells = 1;
  for (const int n : volume.cells) cells *= static_cast<std::size_t>(n < 0 ? 0 : n);
  for (const ports::Volume::Field& f : volume.fields)
    detail::check_length(drawable.name, f.name, f.components, f.values.size(), cells);
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", volume.cells[0], volume.cells[1], volume.cells[2]);
  const std::string spacing = number_text(volume.cell_size);
  AppendedFile file("ImageData", options);
  file.line(fmt::format("<ImageData WholeExtent=\"{}\" Origin=\"{} {} {}\" Spacing=\"{} {} {}\">", extent,
                        number_text(volume.origin.x()), number_text(volume.origin.y()),
                        number_text(volume.origin.z()), spacing, spacing, spacing));
  file.field_data(&drawable);
  file.line(fmt::format("<Piece Extent=\"{}\">\n<PointData/>", extent));
  file.line(data_tag("CellData", volume.fields));
  for (const ports::Volume::Field& f : volume.fields)
    file.raw(with_unit(f.name, f.unit), "Float32", f.components, f.values);
  file.line("</CellData>\n</Piece>\n</ImageData>");
  return file.finish();
}

}  // namespace

std::string vtk_extension(const ports::Drawable& drawable) {
  return std::holds_alternative<ports::Volume>(drawable.shape) ? ".vti" : ".vtp";
}

std::vector<std::byte> vtk_bytes(const ports::Drawable& drawable, const VtkOptions& options) {
  const auto* volume = std::get_if<ports::Volume>(&drawable.shape);
  return volume ? vti_bytes(drawable, *volume, options) : vtp_bytes(drawable, options);
}

std::vector<std::byte> vtk_bytes(const TetArrays& mesh, const VtkOptions& options) {
  constexpr std::uint8_t kVtkTetra = 10;
  const std::size_t vertices = mesh.positions.size(), tets = mesh.tets.size();
  const std::uint32_t* indices = tets > 0 ? mesh.tets.front().data() : nullptr;
  detail::check_indices("tetrahedral mesh", {indices, 4 * tets}, vertices);
  for (const ports::Attribute& a : mesh.point_attributes)
    detail::check_length("tetrahedral mesh", a.name, a.components, a.values.size(), vertices);
  for (const ports::Attribute& a : mesh.cell_attributes)
    detail::check_length("tetrahedral mesh", a.name, a.components, a.values.size(), tets);
  AppendedFile file("UnstructuredGrid", options);
  file.line("<UnstructuredGrid>");
  file.field_data(nullptr);
  file.line(fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">", vertices, tets));
  put_points(file, mesh.positions);
  put_attributes(file, "PointData", mesh.point_attributes);
  put_attributes(file, "CellData", mesh.cell_attributes);
  file.line("<Cells>");
  put_cells(file, tets, 4, indices);
  file.block("types", "UInt8", 1, tets, [tets](std::byte* out) { std::memset(out, kVtkTetra, tets); });
  file.line("</Cells>\n</Piece>\n</UnstructuredGrid>");
  return file.finish();
}

void write_vtk(const std::filesystem::path& path, const ports::Drawable& drawable,
               const VtkOptions& options) {
  write_file_atomically(path, vtk_bytes(drawable, options));
}

void write_vtk(const std::filesystem::path& path, const TetArrays& mesh, const VtkOptions& options) {
  write_file_atomically(path, vtk_bytes(mesh, options));
}

}  // namespace selkie::io
