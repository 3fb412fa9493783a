// One step of shallow water on a surface that may move [Angst07 App. B.1; SW-42]:
//
//   the mesh moves: areas change, depths with them, its acceleration is felt as inertia
//   velocities are advected over the whole step
//   bodies in the water are found; accelerations are split along and across the normal
//   k sub-steps of depths by mass fluxes and velocities by pressure (or one implicit step)
//   velocities become barycentric rates, which cross the next motion of the mesh
//
// Limits: one layer with one velocity per column, hydrostatic, no breaking waves; momentum is not conserved;
// water on thin parts overlaps with that of the other side.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "selkie/fluids/surface_water/advect.h"
#include "selkie/fluids/surface_water/params.h"
#include "selkie/fluids/surface_water/state.h"
#include "selkie/geometry/triangle_tree.h"
#include "selkie/ports/step_report.h"
#include "selkie/ports/surface.h"
#include "selkie/ports/time.h"

namespace selkie::surface_water {

// Water that appears (or, with a negative rate, vanishes) at some vertices, shared by their dual areas.
struct Source {
  std::vector<std::uint32_t> vertices;
  double rate = 0;  // m³/s
};

// A push around a point: acceleration · exp(−d²/2 radius²) [SW-30].
struct Push {
  Vec3 point, acceleration;  // m, m/s²
  double radius = 1;         // m
};

struct Inputs {
  std::span<const Vec3> positions{};  // of the vertices at the end of the step; empty: they stay
  bool jump = false;                  // the mesh was put there: no inertia
  Vec3 gravity{0, -9.81, 0};          // m/s², of the world
  Vec3 acceleration = Vec3::Zero();   // m/s², a uniform field
  std::span<const Vec3> field{};      // m/s² per vertex; empty: none
  std::span<const Push> pushes{};
  std::span<const Source> sources{};
  double rim_depth = 0;  // m, of a rim whose level is held
  std::span<ports::MovableSolid* const> bodies{};
  std::span<const std::shared_ptr<ports::FieldSampler>>
      colliders{};  // what droplets bounce off, as off bodies
};

// A column that a body sticks out of [SW-31].
struct ColumnHit {
  bool touches = false;
  std::uint32_t face = 0;
  std::uint32_t part = 0;  // 0: the middle of the face; else one more than the corner
  double below = 0;        // m, from the column's bottom to the body
  Vec3 point = Vec3::Zero(), normal = Vec3::UnitY(), velocity = Vec3::Zero();  // of the body there
};

struct ImplicitWork;  // detail/implicit_work.h

// Scratch: nothing that influences a result.
struct Work {
  Work();
  ~Work();
  Work(Work&&) noexcept;
  Work& operator=(Work&&) noexcept;
  Metric metric;  // of a mesh that has moved
  Buffer<FaceRates> rates;
  Buffer<double> velocity_x, velocity_y;  // m/s per face
  // Frozen over the sub-steps, per face: mean normal acceleration, tangential acceleration less that of the
  // bottom's slope, gradient of the normal acceleration times its share.
  Buffer<double> pull, force_x, force_y, slope_x, slope_y;
  std::array<Buffer<double>, 3> outflow;  // m³/s per corner
  Buffer<Vec3> acceleration;              // m/s² per vertex
  Buffer<double> normal_raw, normal;      // m/s² per vertex: before and after clamping and smoothing
  Buffer<Vec3> reaction;                  // m/s² per face, of drag
  Buffer<double> pressed;                 // m/s² per face, of bodies pushing the water down
  Buffer<double> scalar_a, scalar_b;      // per vertex
  std::vector<ColumnHit> touched;         // columns under the body at hand
  geometry::TriangleTree tree;            // of the mesh, for droplets
  std::unique_ptr<ImplicitWork> implicit;
  double bodies_impulse[3] = {0, 0, 0};  // N·s that the water's drag gave to bodies in the last step
};
void poison(Work& work);

// Reads `from`, writes `to` (equal to `from` on entry).
StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work);

// The metric that belongs to the positions of the last step taken with these inputs.
const Metric& metric_of(const Model& model, const Inputs& inputs, const Work& work);

}  // namespace selkie::surface_water
