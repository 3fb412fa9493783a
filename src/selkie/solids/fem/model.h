// Model of an elastic body of linear elements: tetrahedra, or triangles in the xy plane under plane strain
// (whatever happens, they stay in their planes z = const). What never changes after building: rest shape,
// lumped masses (LE-24), pattern of the matrix. Elements stand in groups of eight with one value per element
// side by side, as the vector kernels of elements.h want them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/geometry/mesh.h"
#include "selkie/geometry/scatter.h"
#include "selkie/linalg/block_sparse.h"
#include "selkie/math/types.h"
#include "selkie/solids/fem/coarse.h"

namespace selkie::fem {

inline constexpr std::size_t kLanes = 8;

struct Model {
  int dimension = 3;      // 2: triangles, 3: tetrahedra
  double density = 1000;  // kg/m³
  double thickness = 1;   // m, of triangles
  std::uint32_t vertex_count = 0;
  std::vector<double> masses;          // kg, > 0
  std::vector<double> inverse_masses;  // 1/kg
  std::vector<Vec3> rest_positions;    // m

  // Element e sits in lane e % 8 of group e / 8. The last group is filled up with copies without volume.
  std::size_t element_count = 0;
  std::size_t group_count = 0;
  std::vector<std::uint32_t> source;   // place of each element in the mesh it was built from
  std::vector<std::uint32_t> corners;  // [group][corner][lane]
  Buffer<double> inverse_rest;  // 1/m, [group][row][column][lane]: Dm⁻¹, whose rows are the gradients
  Buffer<double> volumes;       // m³, [group][lane]

  std::vector<geometry::Triangle> surface;  // of tetrahedra: the boundary, outwards; of triangles: themselves
  std::vector<geometry::Triangle> pressed;  // of tetrahedra: what inner pressure pushes along its normals
  double volume = 0;                        // m³
  double least_altitude = 0;                // m, smallest height of an element

  geometry::ScatterSchedule schedule;                   // chunks of whole groups
  std::shared_ptr<const linalg::BlockPattern> pattern;  // of the stiffness matrix
  std::vector<linalg::Slot> slots;                      // [element][pair of corners (0,1), (0,2), ...]

  CoarseSpace coarse;  // of the preconditioner

  std::size_t corner_count() const { return static_cast<std::size_t>(dimension) + 1; }
  std::size_t pair_count() const { return corner_count() * (corner_count() - 1) / 2; }
  std::uint32_t corner(std::size_t element, std::size_t c) const {
    return corners[(element / kLanes * corner_count() + c) * kLanes + element % kLanes];
  }
  double element_volume(std::size_t element) const { return volumes[element]; }
};

// Throw InputError for an index out of range, an element that is flat or turned inside out, a vertex that
// belongs to no element, a density or thickness that is not positive, and triangles that are not parallel to
// the xy plane.
Model from_tets(const geometry::TetMesh& mesh, double density);
Model from_triangles(const geometry::TriangleMesh& mesh, double density, double thickness);

// Rows of Dm⁻¹ are the gradients of the shape functions of corners 1 … D; that of corner 0 is minus their
// sum.
template <int D>
Eigen::Matrix<double, D, D> inverse_rest_of(const Model& model, std::size_t element) {
  Eigen::Matrix<double, D, D> m;
  for (int r = 0; r < D; ++r)
    for (int c = 0; c < D; ++c)
      m(r, c) = model.inverse_rest[(element / kLanes * D * D + static_cast<std::size_t>(r * D + c)) * kLanes +
                                   element % kLanes];
  return m;
}

double total_mass(const Model& model);  // kg

}  // namespace selkie::fem
