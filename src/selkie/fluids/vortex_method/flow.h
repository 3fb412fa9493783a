// From particles to the flow they induce: strengths are spread on the edges of the grid, −∇²ψ = ω is solved
// component by component, and u = ∇×ψ lands on the faces, where its discrete divergence is zero by
// construction. [Selle08 §3.3, steps 2 and 4]
//
// Walls: ψ along a wall is zero, hence no flow through it; ∇·ψ = 0 then makes the component across a wall
// even. With that the three components do not mix: each is one solve of the common pressure solver, whose air
// cells (value zero, one cell away) are the wall edges and whose solid cells are the even ends.
#pragma once

#include <array>
#include <span>

#include "selkie/fluids/vortex_method/layers.h"
#include "selkie/fluids/vortex_method/params.h"
#include "selkie/fluids/vortex_method/state.h"
#include "selkie/grid/field.h"
#include "selkie/grid/pressure.h"
#include "selkie/math/types.h"
#include "selkie/ports/step_report.h"

namespace selkie::vortex_method {

template <class Real>
using EdgeFields = std::array<Buffer<Real>, 3>;  // on Model::edges

template <class Real>
struct FlowWork {
  Layers layers;
  EdgeFields<Real> vorticity;  // times Δx²: the right sides
  grid::FaceField<Real> velocity;
  std::array<grid::PressureSolver<Real>, 3> solvers;
  bool built = false;  // the matrices are there; they depend on the model alone
};

// vorticity = scale · Σ α w / Δx³ on edges inside the box; `layers` has these positions.
template <class Real>
void spread(const Model& model, std::span<const Vec3> positions, std::span<const Vec3> strengths,
            const Layers& layers, double scale, EdgeFields<Real>& vorticity);

// velocity = ∇×ψ at all faces, walls included.
template <class Real>
void curl(const Model& model, const std::array<const Buffer<Real>*, 3>& stream,
          grid::FaceField<Real>& velocity);

// The flow of these particles: into `stream`, which is also where the solves begin, and work.velocity.
template <class Real>
StepReport find_flow(const Model& model, const Params& params, std::span<const Vec3> positions,
                     std::span<const Vec3> strengths, const std::array<Buffer<Real>*, 3>& stream,
                     FlowWork<Real>& work);

// Velocity and its gradient G_ij = ∂u_i/∂x_j at a point of the box, by the kernel that spreads strengths.
struct FlowAtPoint {
  Vec3 velocity;
  Mat3 gradient;
};
template <class Real>
FlowAtPoint flow_at(const Model& model, const grid::FaceField<Real>& velocity, const Vec3& point);

// Fastest face, m/s; largest |∇·u|, 1/s; ½ Σ u² Δx³, m⁵/s², of unit density.
template <class Real>
double top_speed(const Model& model, const grid::FaceField<Real>& velocity);
template <class Real>
double largest_divergence(const Model& model, const grid::FaceField<Real>& velocity);
template <class Real>
double kinetic_energy(const Model& model, const grid::FaceField<Real>& velocity);

}  // namespace selkie::vortex_method
