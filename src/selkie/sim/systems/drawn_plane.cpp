// See drawn_plane.h.
#include "selkie/sim/systems/drawn_plane.h"

#include <algorithm>

namespace selkie::sim {

void DrawnPlane::begin(const grid::Shape& shape) {
  if (!positions_.empty() && shape == shape_) return;
  shape_ = shape;
  const int nx = shape.cells()[0], ny = shape.cells()[1];
  positions_.clear(), triangles_.clear();
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) positions_.push_back(shape.position(grid::Place::cell, i, j, 0));
  for (int j = 0; j + 1 < ny; ++j)
    for (int i = 0; i + 1 < nx; ++i) {
      const auto low = static_cast<std::uint32_t>(j * nx + i), high = low + static_cast<std::uint32_t>(nx);
      triangles_.push_back({low, low + 1, high + 1});
      triangles_.push_back({low, high + 1, high});
    }
  const std::size_t count = positions_.size();
  velocities_.assign(count, Vec3::Zero());
  speeds_.assign(count, 0), vorticities_.assign(count, 0);
  densities_.assign(count, 0), temperatures_.assign(count, 0);
}

void DrawnPlane::fill(FunctionRef<Sample(int i, int j)> sample) {
  const int nx = shape_.cells()[0], ny = shape_.cells()[1];
  auto at = [&](int i, int j) { return static_cast<std::size_t>(j * nx + i); };
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const Sample s = sample(i, j);
      const std::size_t v = at(i, j);
      velocities_[v] = s.velocity, speeds_[v] = s.velocity.norm();
      densities_[v] = s.density, temperatures_[v] = s.temperature;
    }
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      // One-sided at the edges.
      const int west = std::max(i - 1, 0), east = std::min(i + 1, nx - 1), south = std::max(j - 1, 0),
                north = std::min(j + 1, ny - 1);
      const double along_x = velocities_[at(east, j)].y() - velocities_[at(west, j)].y();
      const double along_y = velocities_[at(i, north)].x() - velocities_[at(i, south)].x();
      vorticities_[at(i, j)] = along_x / (std::max(east - west, 1) * shape_.cell_size()) -
                               along_y / (std::max(north - south, 1) * shape_.cell_size());
    }
}

ports::TriangleSurface DrawnPlane::surface() const {
  return {positions_,
          triangles_,
          {{"velocity",
            "m/s",
            3,
            {velocities_.empty() ? nullptr : velocities_[0].data(), 3 * velocities_.size()}},
           {"speed", "m/s", 1, speeds_},
           {"vorticity", "1/s", 1, vorticities_},
           {"density", "1", 1, densities_},
           {"temperature", "K", 1, temperatures_}}};
}

}  // namespace selkie::sim
