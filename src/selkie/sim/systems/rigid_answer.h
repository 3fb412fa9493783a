// How bodies whose solvers know positions and no forces answer impulses of contacts. A part that nothing pins
// answers nearly as the stiff body it is: with the motion that the impulses give it as a whole, kept to what
// colliders below it leave, plus a share of 1/n of what its n vertices would do each by itself, so that a
// vertex gives way about as much as the part. Parts that are pinned, and cloth, answer vertex by vertex.
// Symmetric and positive as contacts want it; what nothing holds takes up the impulses to round-off.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "selkie/math/types.h"
#include "selkie/ports/deformable_solid.h"

namespace selkie::sim {

class RigidAnswer {
 public:
  // Part p: vertices part_begin[p] … part_begin[p+1]-1. `stiff`, one per part: whether it moves as a whole.
  RigidAnswer(std::vector<std::uint32_t> part_begin, std::vector<std::uint8_t> stiff)
      : part_begin_(std::move(part_begin)), stiff_(std::move(stiff)), parts_(stiff_.size()) {}

  // `inverse_masses` (1/kg) are 0 for pinned and grabbed vertices.
  void prepare(std::span<const Vec3> positions, std::span<const double> inverse_masses,
               std::span<const ports::HeldVertex> held);
  // Δv per vertex from impulses (N·s).
  void respond(std::span<const Vec3> impulses, std::span<Vec3> changes) const;

 private:
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  using Mat6 = Eigen::Matrix<double, 6, 6>;
  struct Part {
    bool whole = false;          // moves as a whole, too
    double share = 1;            // of what each vertex does by itself
    Vec3 centre = Vec3::Zero();  // m
    Mat6 answer = Mat6::Zero();  // velocity and spin from momentum and angular momentum about the centre
  };
  // What moves along with a vertex at `arm` from the centre: its velocity along `direction`.
  static Vec6 row(const Vec3& arm, const Vec3& direction);
  void prepare_part(std::size_t p, std::span<const ports::HeldVertex> held);

  std::vector<std::uint32_t> part_begin_;
  std::vector<std::uint8_t> stiff_;
  std::vector<Part> parts_;
  std::vector<Vec3> positions_;
  std::vector<double> inverse_masses_;
  std::vector<Mat3> local_;            // 1/kg, of held vertices: what they are left
  std::vector<std::int32_t> held_of_;  // index into local_, -1: free
};

}  // namespace selkie::sim
