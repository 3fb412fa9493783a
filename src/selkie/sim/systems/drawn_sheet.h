// How height fields are drawn: a vertex at each cell's middle, and walls from the rim down to given heights,
// so that water has a side and ground looks solid.
#pragma once

#include <vector>

#include "selkie/core/function_ref.h"
#include "selkie/geometry/mesh.h"

namespace selkie::sim {

class DrawnSheet {
 public:
  // Lays out nx × nz vertices from (x0, z0) on; does nothing when they are there.
  void begin(int nx, int nz, double x0, double z0, double spacing);
  // Heights of the surface, and of the foot of the walls below the vertices of the rim.
  void fill(FunctionRef<double(int i, int j)> top, FunctionRef<double(int i, int j)> foot);

  const std::vector<Vec3>& positions() const { return positions_; }
  const std::vector<geometry::Triangle>& triangles() const { return triangles_; }
  // Values at the cells as values at all vertices.
  void spread(FunctionRef<double(int i, int j)> value, std::vector<double>& values) const;

 private:
  int nx_ = 0, nz_ = 0;
  std::vector<Vec3> positions_;
  std::vector<geometry::Triangle> triangles_;
  std::vector<std::array<int, 2>> rim_;  // cells around, in the order that turns the walls outwards
};

}  // namespace selkie::sim
