// Signed distance to a closed triangle mesh: exact near the surface (nearest point, with the sign of the
// normal of the face, edge or corner it lies on [Baerentzen05]), trilinear on a grid sampled once further
// away, where only order and direction matter. Negative inside.
#pragma once

#include <vector>

#include "selkie/geometry/mesh.h"
#include "selkie/geometry/shapes.h"
#include "selkie/geometry/triangle_tree.h"

namespace selkie::geometry {

class MeshDistance {
 public:
  // The mesh must be watertight and oriented outwards (mesh_check.h, kWatertight). `cells` along the longest
  // side of the grid, which reaches a quarter of the mesh's size beyond it; 0: no grid, always exact.
  explicit MeshDistance(TriangleMesh mesh, int cells = 40);

  // The same triangles with their vertices elsewhere. Not for distances with a grid.
  void move(std::span<const Vec3> positions);

  SurfaceDistance at(const Vec3& point) const;     // several threads may ask at once
  SurfaceDistance exact(const Vec3& point) const;  // without the grid
  // The same, and where on the surface the nearest point lies.
  SurfaceDistance exact(const Vec3& point, SurfacePoint& nearest) const;

  const TriangleMesh& mesh() const { return mesh_; }

 private:
  Vec3 normal_at(const SurfacePoint& nearest) const;
  void find_normals();
  void sample_grid(int cells);

  TriangleMesh mesh_;
  TriangleTree tree_;
  std::vector<Vec3> face_normals_, vertex_normals_;
  std::vector<std::array<Vec3, 3>> edge_normals_;  // per triangle, of the edge opposite to each corner
  Vec3 origin_ = Vec3::Zero();
  double spacing_ = 1;  // m
  std::array<std::size_t, 3> nodes_{};
  std::vector<double> distances_;
};

}  // namespace selkie::geometry
