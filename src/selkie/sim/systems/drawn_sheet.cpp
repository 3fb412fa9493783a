// See drawn_sheet.h.
#include "selkie/sim/systems/drawn_sheet.h"

namespace selkie::sim {

void DrawnSheet::begin(int nx, int nz, double x0, double z0, double spacing) {
  if (nx == nx_ && nz == nz_) return;
  nx_ = nx, nz_ = nz;
  positions_.clear(), triangles_.clear(), rim_.clear();
  auto vertex = [&](int i, int j) { return static_cast<std::uint32_t>(j * nx + i); };
  for (int j = 0; j < nz; ++j)
    for (int i = 0; i < nx; ++i) positions_.emplace_back(x0 + i * spacing, 0, z0 + j * spacing);
  for (int j = 0; j + 1 < nz; ++j)
    for (int i = 0; i + 1 < nx; ++i) {
      const std::uint32_t a = vertex(i, j), b = vertex(i + 1, j), c = vertex(i, j + 1),
                          d = vertex(i + 1, j + 1);
      triangles_.push_back({a, c, b});
      triangles_.push_back({b, c, d});
    }
  if (nx < 2 || nz < 2) return;
  for (int i = 0; i + 1 < nx; ++i) rim_.push_back({i, 0});
  for (int j = 0; j + 1 < nz; ++j) rim_.push_back({nx - 1, j});
  for (int i = nx - 1; i > 0; --i) rim_.push_back({i, nz - 1});
  for (int j = nz - 1; j > 0; --j) rim_.push_back({0, j});
  // The walls have upper vertices of their own, so that attributes and normals of the surface end at the rim.
  const auto first = static_cast<std::uint32_t>(positions_.size()),
             around = static_cast<std::uint32_t>(rim_.size());
  for (int copy = 0; copy < 2; ++copy)
    for (const auto& [i, j] : rim_) positions_.push_back(positions_[vertex(i, j)]);
  for (std::uint32_t k = 0; k < around; ++k) {
    const std::uint32_t next = (k + 1) % around, a = first + k, b = first + next;
    triangles_.push_back({a, b, a + around});
    triangles_.push_back({b, b + around, a + around});
  }
}

void DrawnSheet::fill(FunctionRef<double(int, int)> top, FunctionRef<double(int, int)> foot) {
  for (int j = 0; j < nz_; ++j)
    for (int i = 0; i < nx_; ++i) positions_[static_cast<std::size_t>(j * nx_ + i)].y() = top(i, j);
  const std::size_t first = static_cast<std::size_t>(nx_) * static_cast<std::size_t>(nz_);
  for (std::size_t k = 0; k < rim_.size(); ++k) {
    const auto [i, j] = rim_[k];
    positions_[first + k].y() = positions_[static_cast<std::size_t>(j * nx_ + i)].y();
    positions_[first + rim_.size() + k].y() = foot(i, j);
  }
}

void DrawnSheet::spread(FunctionRef<double(int, int)> value, std::vector<double>& values) const {
  values.resize(positions_.size());
  for (int j = 0; j < nz_; ++j)
    for (int i = 0; i < nx_; ++i) values[static_cast<std::size_t>(j * nx_ + i)] = value(i, j);
  const std::size_t first = static_cast<std::size_t>(nx_) * static_cast<std::size_t>(nz_);
  for (std::size_t k = 0; k < 2 * rim_.size(); ++k) {
    const auto [i, j] = rim_[k % rim_.size()];
    values[first + k] = values[static_cast<std::size_t>(j * nx_ + i)];
  }
}

}  // namespace selkie::sim
