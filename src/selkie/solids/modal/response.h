// How a modal body answers impulses on the vertices of its surface, as contacts with bodies of other systems
// ask it (ports::DeformableSolid): Δv = B A Bᵀ p. Here y is the motion of a body, velocity and spin of its
// frame in the world and the rates of its modes; B is what the vertices see of it; A is the answer of the
// frame and of each mode by backward Euler, 1/(1 + h(α + βλ) + h²λ), as in encounters.h, less what colliders
// below the body and a hand forbid. A and B Aᵀ Bᵀ are symmetric and not negative; a free body takes up the
// impulses to round-off. Limit: arms and axes are those of the state, as if the answer turned nothing.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "selkie/ports/deformable_solid.h"
#include "selkie/solids/modal/params.h"
#include "selkie/solids/modal/state.h"

namespace selkie::modal {

using Motion = Eigen::VectorXd;  // m/s, rad/s, √kg·m/s

struct BodyAnswer {
  Mat3 rotation = Mat3::Identity();  // world from body
  std::vector<Vec3> arms;            // m, of the surface's vertices from the centre, in the world
  Eigen::MatrixXd answer;            // A: motion per impulse in it
};

// For a step of `h` seconds. `surface` (m) are the vertices of the body, `held` those of them that lie on
// colliders.
BodyAnswer make_answer(const Model& model, const Params& params, double h, const State& state,
                       std::size_t body, std::span<const Vec3> surface,
                       std::span<const ports::HeldVertex> held);

// A Bᵀ p: the motion that impulses (N·s, one per vertex) cause.
Motion motion_by(const Model& model, const BodyAnswer& answer, std::span<const Vec3> impulses);
// B y: velocities (m/s) of the vertices.
void velocities_of(const Model& model, const BodyAnswer& answer, const Motion& motion,
                   std::span<Vec3> velocities);
// The motion whose velocities of the vertices these are, in the sense of least squares.
Motion fitted_motion(const Model& model, const BodyAnswer& answer, std::span<const Vec3> velocities);

// Adds to the velocities of a body, and moves it by a motion over one second.
void add_velocity(const Model& model, const Motion& motion, std::size_t body, State& state);
void add_displacement(const Model& model, const Motion& motion, std::size_t body, State& state);

}  // namespace selkie::modal
