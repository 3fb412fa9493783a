// How 2-D gases are drawn: a plane of triangles with a vertex at each cell's middle, carrying velocity,
// speed, vorticity, smoke and heat to be coloured by.
#pragma once

#include <vector>

#include "selkie/core/function_ref.h"
#include "selkie/geometry/mesh.h"
#include "selkie/grid/shape.h"
#include "selkie/ports/drawable.h"

namespace selkie::sim {

class DrawnPlane {
 public:
  struct Sample {
    Vec3 velocity;  // m/s
    double density = 0;
    double temperature = 0;  // K above ambient
  };

  // Lays out the vertices of a 2-D grid; does nothing when they are there.
  void begin(const grid::Shape& shape);
  // Takes the values at all cells (i, j); vorticity comes from differences of the velocities.
  void fill(FunctionRef<Sample(int i, int j)> sample);
  ports::TriangleSurface surface() const;

 private:
  grid::Shape shape_;
  std::vector<Vec3> positions_, velocities_;
  std::vector<geometry::Triangle> triangles_;
  std::vector<double> speeds_, vorticities_, densities_, temperatures_;
};

}  // namespace selkie::sim
