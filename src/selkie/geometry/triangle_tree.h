// A tree of bounding boxes over the triangles of a surface: nearest points and rays. Built once for a
// topology by halving along the longest axis; when vertices move, refit() is enough. Queries may run in
// parallel.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "selkie/core/function_ref.h"
#include "selkie/geometry/mesh.h"

namespace selkie::geometry {

// A point of a triangle by the weights of its corners.
struct TrianglePoint {
  Vec3 point;
  Vec3 weights;
};
TrianglePoint nearest_on_triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& point);

struct SurfacePoint {
  std::uint32_t triangle = 0;
  Vec3 point = Vec3::Zero();
  Vec3 weights = Vec3::Zero();  // of the triangle's corners
  double distance = 0;          // m, from where the query started
};

enum class Facing { any, along };  // `along`: only triangles whose normal has a part along the ray

class TriangleTree {
 public:
  TriangleTree() = default;
  TriangleTree(std::span<const Vec3> positions, std::span<const Triangle> triangles);

  void refit(std::span<const Vec3> positions);

  bool empty() const { return triangles_.empty(); }
  std::span<const Triangle> triangles() const { return triangles_; }

  // Only triangles that `counts` (empty: all) are looked at; of equals the lowest number wins.
  using Choice = FunctionRef<bool(std::uint32_t triangle)>;
  std::optional<SurfacePoint> nearest(std::span<const Vec3> positions, const Vec3& point,
                                      double within = std::numeric_limits<double>::infinity(),
                                      Choice counts = {}) const;
  // The first triangle on origin + s·direction, 0 ≤ s ≤ reach; direction of length one. Those that the origin
  // lies on count.
  std::optional<SurfacePoint> first_hit(std::span<const Vec3> positions, const Vec3& origin,
                                        const Vec3& direction, double reach, Facing facing,
                                        Choice counts = {}) const;

 private:
  struct Node {
    BoundingBox box;
    std::uint32_t first = 0, count = 0;  // of a leaf: in order_; count 0: an inner node
    std::uint32_t right = 0;             // the left child follows at once
  };
  std::uint32_t build(std::span<const Vec3> centers, std::uint32_t begin, std::uint32_t end);

  std::vector<Triangle> triangles_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
};

}  // namespace selkie::geometry
