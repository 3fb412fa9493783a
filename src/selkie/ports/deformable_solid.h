// A deformable body as contacts meet it: where its vertices went during a sync step, its tetrahedra and
// surface, or its triangles and outline where it lives in the plane, and how it answers impulses. Coupling
// and solver know each other through this alone (RT-18, RT-19).
#pragma once

#include <cstdint>
#include <span>

#include "selkie/geometry/mesh.h"
#include "selkie/ports/step_report.h"

namespace selkie::ports {

class DeformableSolid {
 public:
  virtual ~DeformableSolid() = default;

  // Never change.
  virtual std::span<const geometry::Tet> tets() const = 0;              // empty: cloth, a rope, or flat
  virtual std::span<const geometry::Triangle> surface() const = 0;      // of tetrahedra: outwards
  virtual std::span<const std::uint32_t> surface_vertices() const = 0;  // that may touch others; ascending
  virtual std::span<const Vec3> rest_positions() const = 0;             // m
  // Of a body in a plane z = const, which it never leaves; else empty.
  virtual std::span<const geometry::Triangle> flat_cells() const { return {}; }
  virtual std::span<const geometry::Segment> outline() const { return {}; }  // its inside on the left

  // At both ends of the sync step just taken.
  virtual std::span<const Vec3> start_positions() const = 0;   // m
  virtual std::span<const Vec3> positions() const = 0;         // m
  virtual std::span<const Vec3> velocities() const = 0;        // m/s
  virtual std::span<const double> inverse_masses() const = 0;  // 1/kg; 0: held

  // How impulses (N·s, one per vertex) change the velocities over a step of `dt` seconds, elasticity
  // included: Δv = (M + dt D + dt² K)⁻¹ p, symmetric and positive, with held vertices and those on colliders
  // kept. prepare() once, then any number of respond(). Without held vertices Σ M Δv = Σ p to round-off.
  virtual StepReport prepare(double dt) = 0;
  virtual StepReport respond(std::span<const Vec3> impulses, std::span<Vec3> changes) = 0;

  // Takes the answer: changes of velocity, and of position.
  virtual void move(std::span<const Vec3> velocity_changes, std::span<const Vec3> displacements) = 0;
};

// A vertex on a collider: at rest it stays, otherwise it may slide, not go deeper.
struct HeldVertex {
  std::uint32_t vertex = 0;
  Vec3 normal = Vec3::UnitY();
  bool rests = false;
};

}  // namespace selkie::ports
