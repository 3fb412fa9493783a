// The triangle complex under the water: an oriented 2-manifold of any number of components, checked once and
// laid out for the loops of the solver. [Angst07 §4.1; SW-04] Faces know what lies across each edge, vertices
// the fan of their faces, counter-clockwise seen from outside (the source goes clockwise and so mirrors the
// flattened fans; nothing else changes).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/geometry/mesh.h"

namespace selkie::surface_water {

// A corner of a face in one number.
class Corner {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;  // across an edge of the rim
  static constexpr std::uint32_t pack(std::uint32_t face, std::uint32_t corner) { return face << 2 | corner; }
  static constexpr std::uint32_t face(std::uint32_t packed) { return packed >> 2; }
  static constexpr std::uint32_t corner(std::uint32_t packed) { return packed & 3; }
};

constexpr std::uint32_t next_corner(std::uint32_t c) { return c == 2 ? 0 : c + 1; }
constexpr std::uint32_t last_corner(std::uint32_t c) { return c == 0 ? 2 : c - 1; }

struct Complex {
  std::size_t vertex_count = 0, face_count = 0, component_count = 0;
  long euler_characteristic = 0;
  bool closed = true;
  std::array<Buffer<std::uint32_t>, 3> vertex;  // at corner c of each face
  // Across the edge opposite to corner c: the face there and its corner opposite to the same edge, packed.
  std::array<Buffer<std::uint32_t>, 3> across;
  Buffer<std::uint32_t> fan_begin;  // vertex_count + 1
  Buffer<std::uint32_t> fan;        // packed corners; entry e's first edge leads to the corner's next one
  Buffer<std::uint8_t> rim;         // 1 for vertices of the rim of an open mesh
  std::vector<std::uint32_t> rim_edges;  // packed: the edge opposite to the corner has no other face
  std::vector<geometry::Triangle> triangles;
};

// Throws InputError at `source` for indices out of range, positions that are not finite, faces without area,
// edges with more than two faces, neighbours of opposite orientation, vertices without a face or with two
// fans, and, unless `open` meshes are wanted, for edges with one face.
Complex make_complex(const geometry::TriangleMesh& mesh, const std::string& source, bool open = false);

// Throws InputError unless the mesh of another animation frame has the same triangles, and positions that
// are finite: water cannot follow a change of topology.
void require_same_topology(const Complex& complex, const geometry::TriangleMesh& frame,
                           const std::string& source);

}  // namespace selkie::surface_water
