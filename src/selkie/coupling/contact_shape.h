// What contacts look into: cells and surface of a body. A body in the plane is met as a slab: its triangles
// drawn out across the plane to prisms of three tetrahedra, its outline to walls of two triangles. Its
// vertices are looked for half-way up, where every way out lies in the plane, so that one search and one
// choice of ways out serve both. Vertices i and i + n of a slab are vertex i of the body's n.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "selkie/geometry/triangle_tree.h"
#include "selkie/ports/deformable_solid.h"

namespace selkie::coupling {

// A point of a body's surface, by vertices of the body.
struct Foot {
  geometry::Triangle corners{};  // in the plane: both ends of a segment, the first once more
  Vec3 weights = Vec3::Zero();
};

class ContactShape {
 public:
  ContactShape() = default;
  explicit ContactShape(const ports::DeformableSolid& body);  // where the body is at rest

  void follow(const ports::DeformableSolid& body) { place(body, body.positions()); }  // where it is now

  bool solid() const { return size_ > 0; }  // cloth and ropes have no inside
  bool flat() const { return !flat_tets_.empty(); }
  double size() const { return size_; }  // m, mean edge of the cells
  std::span<const Vec3> positions() const { return flat() ? std::span<const Vec3>(slab_) : positions_; }
  std::span<const geometry::Tet> tets() const {
    return flat() ? std::span<const geometry::Tet>(flat_tets_) : tets_;
  }
  std::span<const geometry::Triangle> faces() const {
    return flat() ? std::span<const geometry::Triangle>(walls_) : faces_;
  }

  std::uint32_t vertex(std::uint32_t corner) const { return corner < count_ ? corner : corner - count_; }
  bool tet_has(std::uint32_t tet, std::uint32_t vertex) const;
  bool face_has(std::uint32_t face, std::uint32_t vertex) const;
  Vec3 face_normal(std::uint32_t face) const;  // outwards
  Foot foot(const geometry::SurfacePoint& point) const;
  // Whether the cell is turned inside out.
  bool is_turned(const ports::DeformableSolid& body, std::uint32_t tet) const;

 private:
  void place(const ports::DeformableSolid& body, std::span<const Vec3> positions);

  std::span<const Vec3> positions_;
  std::span<const geometry::Tet> tets_;
  std::span<const geometry::Triangle> faces_;
  std::uint32_t count_ = 0;
  double size_ = 0;

  // Of a body in the plane.
  std::vector<Vec3> slab_;
  std::vector<geometry::Tet> flat_tets_;
  std::vector<geometry::Triangle> walls_;
  double plane_ = 0;  // m, its z
};

}  // namespace selkie::coupling
