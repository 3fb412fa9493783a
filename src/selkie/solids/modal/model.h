// Model of elastic bodies in reduced coordinates (RT-47): the r lowest modes of K Φ = M Φ Λ of one mesh,
// shared by all copies of the body. Free bodies have their six rigid motions taken out of the modes (loads
// act on the modes in the complement, which is inertia relief) and carried by a frame at the centre of mass
// along the principal axes; pinned bodies have a frame that stays. Everything is kept in that body frame.
// Limits: small strains; only the vertices of the surface are carried along. [Pentland89; Hauser03]
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/geometry/mesh_distance.h"
#include "selkie/linalg/block_sparse.h"
#include "selkie/math/types.h"

namespace selkie::modal {

inline constexpr std::size_t kPatches = 16;  // parts of the surface, each of which touches with one vertex
inline constexpr std::size_t kLanes = 8;     // vertices side by side, and what mode counts are padded to
inline constexpr std::size_t kTipAxes = 7;   // directions, and their opposites, in which extents are known

struct Model {
  bool pinned = false;              // the frame stays
  std::size_t mode_count = 0;       // r
  std::size_t padded_modes = 0;     // r rounded up to whole lanes
  std::vector<double> eigenvalues;  // λ, 1/s², ascending
  double mass = 0;                  // kg
  Vec3 inertia = Vec3::Ones();      // kg·m², principal moments
  double radius = 0;                // m, of the surface at rest about the origin of the body frame
  Eigen::Isometry3d mesh_from_body = Eigen::Isometry3d::Identity();  // where the mesh stood

  // Surface, in the body frame. The last block of eight vertices is filled up with zeros.
  std::size_t vertex_count = 0;
  std::vector<std::uint32_t> mesh_vertex;     // number in the mesh
  std::vector<geometry::Triangle> triangles;  // numbers of surface vertices
  Buffer<double> rest;                        // m, [block][component][lane]
  Buffer<double> modes;                       // 1/√kg, [block][mode][component][lane]
  Buffer<double> vertex_modes;                // the same, [vertex][component][padded mode]: for contacts
  std::vector<double> reach;                  // 1/√kg per mode, its largest |φ| on the surface

  std::vector<std::uint8_t> patch;  // of each vertex: parts of the surface of about equal size
  Buffer<double> extents;           // m, [vertex][lane]: along the axes and diagonals of the body frame

  // For encounters of bodies: the surface at rest in the body frame.
  std::shared_ptr<const geometry::MeshDistance> shape;
  geometry::TriangleTree tree;
  geometry::BoundingBox box;

  std::vector<Vec3> gravity_share;  // √kg, Σ m φ per mode; zero for free bodies
  std::vector<Mat3> spread;         // √kg·m, Σ m φ Xᵀ per mode: how spinning pulls on it

  std::size_t block_count() const { return (vertex_count + kLanes - 1) / kLanes; }
  Vec3 rest_position(std::size_t vertex) const {
    const double* p = rest.data() + vertex / kLanes * 3 * kLanes + vertex % kLanes;
    return {p[0], p[kLanes], p[2 * kLanes]};
  }
  Vec3 mode(std::size_t k, std::size_t vertex) const {
    const double* p = modes.data() + (vertex / kLanes * mode_count + k) * 3 * kLanes + vertex % kLanes;
    return {p[0], p[kLanes], p[2 * kLanes]};
  }
};

// What modes are found from: a mesh with lumped masses and the stiffness of its rest shape.
struct ElasticBody {
  std::span<const Vec3> positions;                   // m
  std::span<const double> masses;                    // kg, > 0
  const linalg::BlockSparseSymmetric<3>& stiffness;  // N/m
  std::span<const geometry::Triangle> surface;       // numbers of mesh vertices
  std::span<const std::uint8_t> pinned = {};         // 1: held in place; empty: a free body
};

// How many modes the body has besides rigid motions.
std::size_t available_modes(const ElasticBody& body);

// The lowest `mode_count` modes. Throws InputError if there are not so many, if pinned vertices lie on a line
// (the body could turn about it), or if the modes cannot be found.
Model make_model(const ElasticBody& body, std::size_t mode_count);

}  // namespace selkie::modal
