// What a closed triangle mesh encloses: inside or outside by ray parity, and distance to the surface [RT-13].
// Rays are segments to far points in fixed random directions; hits are decided by exact predicates, and a ray
// that meets an edge or a vertex is cast anew in the next direction, so parity cannot go wrong by round-off.
// The mesh must be watertight (mesh_check.h: kWatertight) and must outlive the object. Queries are
// thread-safe.
#pragma once

#include <limits>
#include <optional>

#include "selkie/geometry/box_tree.h"
#include "selkie/geometry/mesh.h"

namespace selkie::geometry {

// The point of the triangle (a, b, c) nearest to p; the triangle may be degenerate.
Vec3 closest_point_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

BoundingBox box_of(const TriangleMesh& mesh, const Triangle& triangle);

class ClosedSurface {
 public:
  explicit ClosedSurface(const TriangleMesh& mesh);

  const TriangleMesh& mesh() const { return mesh_; }
  const BoundingBox& box() const { return box_; }
  const BoxTree& tree() const { return tree_; }

  // Points exactly on the surface count as inside.
  bool inside(const Vec3& point) const;

  struct Closest {
    Vec3 point;
    double distance;  // m
    std::uint32_t triangle;
  };
  // Nothing when the surface is `within` or farther away.
  std::optional<Closest> closest(const Vec3& point,
                                 double within = std::numeric_limits<double>::infinity()) const;

  // Positive inside; ±within when the surface is farther away than that.
  double signed_distance(const Vec3& point, double within = std::numeric_limits<double>::infinity()) const;

 private:
  enum class Parity { even, odd, on_surface, unclear };
  Parity cast(const Vec3& from, const Vec3& to) const;

  const TriangleMesh& mesh_;
  BoundingBox box_;
  BoxTree tree_;
};

}  // namespace selkie::geometry
