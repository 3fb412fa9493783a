// Stanford PLY. Vertices need x, y, z; faces a list named vertex_indices or vertex_index; all other elements
// and properties are read past, whatever their order.
#include "selkie/io/detail/mesh_parts.h"
#include "selkie/io/detail/non_finite.h"
#include "selkie/io/detail/ply_source.h"
#include "selkie/io/read_mesh.h"

namespace selkie::io {
namespace {

using detail::PlyElement;
using detail::PlyProperty;
using detail::PlySource;

void read_vertices(PlySource& in, const PlyElement& element, std::vector<Vec3>& positions) {
  int found = 0;
  std::vector<int> axis(element.properties.size(), -1);  // which coordinate each property holds
  for (std::size_t i = 0; i < axis.size(); ++i)
    for (int k = 0; k < 3; ++k)
      if (!element.properties[i].list_count && element.properties[i].name == std::string(1, "xyz"[k])) {
        axis[i] = k;
        found |= 1 << k;
      }
  if (found != 7) in.fail_here("the vertices lack one of the properties x, y, z");
  positions.reserve(element.count);
  detail::NonFinite broken;
  for (std::uint64_t row = 0; row < element.count; ++row) {
    Vec3 position = Vec3::Zero();
    for (std::size_t i = 0; i < axis.size(); ++i) {
      if (axis[i] < 0) {
        in.skip(element.properties[i]);
        continue;
      }
      const double value = in.scalar(element.properties[i].type);
      broken.see(row, value, in.value_start());
      position[axis[i]] = value;
    }
    positions.push_back(position);
  }
  broken.require_none(in);
}

void read_faces(PlySource& in, const PlyElement& element, std::vector<geometry::Triangle>& triangles) {
  std::size_t corner_list = element.properties.size();
  for (std::size_t i = 0; i < element.properties.size(); ++i) {
    const PlyProperty& property = element.properties[i];
    if (property.list_count && (property.name == "vertex_indices" || property.name == "vertex_index"))
      corner_list = i;
  }
  if (corner_list == element.properties.size()) in.fail_here("the faces lack the list vertex_indices");
  std::vector<std::uint32_t> corners;
  for (std::uint64_t row = 0; row < element.count; ++row)
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
      const PlyProperty& property = element.properties[i];
      if (i != corner_list) {
        in.skip(property);
        continue;
      }
      corners.resize(in.list_count(property));
      if (corners.size() < 3)
        in.fail("face " + std::to_string(row) + " has " + std::to_string(corners.size()) + " corners",
                "a face needs three or more");
      for (std::uint32_t& corner : corners) corner = in.whole(property.type, "a vertex index");
      detail::add_fan(corners, triangles);
    }
}

}  // namespace

geometry::TriangleMesh parse_ply(std::string_view bytes, const std::string& source) {
  PlySource in(bytes, source);
  geometry::TriangleMesh mesh;
  for (const PlyElement& element : in.elements()) {
    if (element.properties.empty()) continue;  // rows of nothing take no bytes
    in.begin(element);
    if (element.name == "vertex")
      read_vertices(in, element, mesh.positions);
    else if (element.name == "face")
      read_faces(in, element, mesh.triangles);
    else
      in.skip_rows(element);
  }
  detail::require_readable(mesh, source);
  return mesh;
}

}  // namespace selkie::io
