// A fine surface carried by the tetrahedra of a coarse body [RT-16]: each point keeps the weights that it has
// in its tet at rest, or, outside the body, extrapolated ones of the nearest tet. Weights sum to one, so that
// every affine motion of the body is followed exactly.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "selkie/geometry/mesh.h"

namespace selkie::geometry {

struct Skin {
  std::vector<Tet> carriers;                   // corners of the tet that carries each point
  std::vector<std::array<double, 4>> weights;  // of those corners

  std::size_t size() const { return carriers.size(); }
};

// Weights of a point in a tet; they sum to one and are negative beyond a face. The tet must have a volume.
std::array<double, 4> barycentric_weights(const std::array<Vec3, 4>& tet, const Vec3& point);

// Of several tets that hold a point the first carries it. The mesh must have a tet.
Skin make_skin(const TetMesh& rest, std::span<const Vec3> points);

// points[i] = Σ weight · value of the carrier's corners: positions, velocities or figures. Parallel, without
// allocation.
void apply(const Skin& skin, std::span<const Vec3> values, std::span<Vec3> points);
void apply(const Skin& skin, std::span<const double> values, std::span<double> points);

}  // namespace selkie::geometry
