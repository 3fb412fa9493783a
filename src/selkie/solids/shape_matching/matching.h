// Fitting clusters to points and drawing points to goals (RT-34 … RT-36), and plastic flow.
//
// Legend: q rest position and r present position, each from its mass centre; A_pq = Σ m r qᵀ; R the rotation
// nearest to A_pq; A = A_pq (Σ m q qᵀ)⁻¹ the best linear map; S_p lasting deformation of the shape at rest,
// so that S_p q stands for q. All goals keep linear and angular momentum: Σ m (g − p) = 0 and Σ m r × g = 0.
#pragma once

#include <span>

#include "selkie/solids/shape_matching/model.h"
#include "selkie/solids/shape_matching/params.h"
#include "selkie/solids/shape_matching/state.h"
#include "selkie/solids/shape_matching/work.h"

namespace selkie::shape_matching {

// The fit of one cluster to points p (all of the model's), and its quadratic map where the mode asks for one.
// Volume (area of flat, length of straight point sets) of goals is kept in mode linear. Where A squeezes the
// shape below 1/8 of it, goals turn towards the rigid ones, which restore flat and inverted shapes.
Fit fit_cluster(const Model& model, const Params& params, std::size_t cluster, std::span<const Vec3> p,
                const Mat3& previous_rotation, const Mat3& plastic, Mat39& quadratic);

// Where a cluster wants one of its vertices.
Vec3 cluster_goal(const Model& model, const Params& params, std::size_t cluster, std::size_t vertex,
                  const Fit& fit, const Mat39& quadratic);

// Where all of its clusters want a vertex, on average.
Vec3 mean_goal(const Model& model, const Params& params, std::size_t vertex, const Work& work);

// Fits all clusters to work.predicted; rotations go to `to`.
void fit_clusters(const Model& model, const Params& params, const State& from, State& to, Work& work);

// Moves work.predicted towards the mean goal of each free vertex's clusters.
void draw_to_goals(const Model& model, const Params& params, double share, Work& work);

// Share of the way to the goals per round, such that all rounds together move by the stiffness, or as
// backward Euler moves an oscillator of the given frequency: k = (2πf h)²/(1 + (2πf h)²).
double share_per_round(const Params& params, double h);

// S_p after h seconds: beyond the yield strain it follows the stretch S of A at the rate of creep, at
// constant volume and up to the largest strain. [Müller05 §4.4] Deviation: S is the symmetric factor of A
// itself; Rᵀ A is not symmetric where the points' moments differ.
Mat3 flow(const Params& params, double h, const Fit& fit, const Mat3& plastic);
void flow_all(const Model& model, const Params& params, double h, const State& from, State& to,
              const Work& work);

}  // namespace selkie::shape_matching
