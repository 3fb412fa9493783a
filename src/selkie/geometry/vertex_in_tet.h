// Which vertices lie inside which tetrahedra, among bodies and within each (RT-18): the vertices are hashed
// once, then every tetrahedron looks through the cells of its bounding box, in parallel. That is the order of
// [Teschner03 §3]; since few vertices lie on a surface, it fills the table with far less than the other way
// round [Müller08 §3.7], and the pairs are the same. Limit: edges that cross without a vertex inside are not
// found.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "selkie/core/function_ref.h"
#include "selkie/geometry/mesh.h"
#include "selkie/geometry/spatial_hash.h"

namespace selkie::geometry {

// A vertex this share of the tetrahedron outside still counts as inside: one that lies on a face belongs to
// it, whatever round-off says.
inline constexpr double kOnFace = 1e-9;

// Barycentric weights of a point; false where it is outside or the tetrahedron is flat.
bool tet_weights(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3, const Vec3& point,
                 Vec4& weights);

struct TouchingBody {
  std::span<const Vec3> positions;
  std::span<const std::uint32_t> vertices;  // to be found in others: those of the surface
  std::span<const Tet> tets;                // may be empty: then nothing is found in it
  std::span<const Vec3> points = {};        // where the vertices are looked for; empty: at their positions

  const Vec3& point(std::size_t vertex) const { return points.empty() ? positions[vertex] : points[vertex]; }
};

struct VertexInTet {
  std::uint32_t vertex_body = 0, vertex = 0, tet_body = 0, tet = 0;
  Vec4 weights = Vec4::Zero();
};

class TetDetector {
 public:
  // Pairs sorted by (vertex body, vertex, tet body, tet), valid until the next call. `may_touch(a, b)` says
  // whether vertices of a are looked for in tetrahedra of b; a == b asks for the body itself, where
  // tetrahedra that own the vertex do not count. Bodies whose bounding boxes are apart cost nothing more.
  std::span<const VertexInTet> find(std::span<const TouchingBody> bodies,
                                    FunctionRef<bool(std::size_t a, std::size_t b)> may_touch);

 private:
  struct Job {
    std::uint32_t body, begin, end;
  };
  struct Entered {
    std::uint32_t body, vertex;
  };
  void pair_up(std::span<const TouchingBody> bodies, FunctionRef<bool(std::size_t, std::size_t)> may_touch);
  void enter_vertices(std::span<const TouchingBody> bodies);
  void search(std::span<const TouchingBody> bodies, const Job& job, std::vector<VertexInTet>& found) const;
  bool pairs(std::size_t a, std::size_t b) const { return paired_[a * boxes_.size() + b] != 0; }

  SpatialHash hash_;
  std::vector<BoundingBox> boxes_, point_boxes_;
  std::vector<BoundingBox> shared_;    // of each body's tetrahedra, the part that partners reach
  std::vector<BoundingBox> entering_;  // of each body's vertices, the part that reaches partners
  std::vector<std::uint8_t> paired_;   // [a][b]
  std::vector<Entered> entered_;       // what the hash's ids stand for
  std::vector<Job> jobs_;
  std::vector<std::vector<VertexInTet>> found_by_job_;
  std::vector<VertexInTet> found_;
};

}  // namespace selkie::geometry
