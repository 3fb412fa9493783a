// Scratch of a step of an elastic body: kept between steps so that a step allocates nothing; nothing in it
// influences a result.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/linalg/cholesky.h"
#include "selkie/linalg/pcg.h"
#include "selkie/math/types.h"
#include "selkie/ports/body_contact.h"
#include "selkie/solids/fem/coarse.h"

namespace selkie::fem {

// ∂P/∂F of all elements in the form of material.h's Tangent, [group][entry][lane]. With one frame (linear and
// warped stiffness) V = I and the coefficients are those of Hooke's law, so that U is all there is. Hooke's
// law does not depend on the frame, hence U K Uᵀ is the stiffness of the turned rest shape: products read
// nothing but its gradients.
struct TangentField {
  bool one_frame = true;
  double mu = 0, lambda = 0;  // Pa, of one frame
  Buffer<double> u, v;
  Buffer<double> turned;       // of one frame: √volume · Dm⁻¹ Uᵀ, √m
  Buffer<double> stretch;      // upper triangle, row by row
  Buffer<double> flip, twist;  // per pair of axes
};

// Vertices that are not free: S projects their motion to what is left.
struct Constraints {
  Buffer<std::int32_t> of_vertex;  // index into the others, -1: free
  Buffer<Mat3> projectors;         // zero: held; I − n nᵀ: free to slide along a surface
};

// A vertex that would touch a collider at the end of the step.
struct ContactCandidate {
  enum class Hold { stick, slide, open };
  std::uint32_t vertex = 0;
  Vec3 normal;
  Vec3 velocity;  // m/s, that sticks to the surface
  std::size_t collider = 0;
  double gap = 0;  // m, to the surface before the step
  double friction = 0;
  double bounce = 0;  // m/s, rebound along the normal
  Hold hold = Hold::stick;
  Vec3 load;  // N, friction of sliding ones
};

// Inertia of other bodies that vertices carry with them inside a solve, summed per vertex.
struct AttachedMasses {
  Buffer<std::int32_t> of_vertex;  // index into the others, -1: none; empty: nothing is attached at all
  Buffer<Mat3> masses;             // kg
  Buffer<Vec3> momenta;            // N·s, that they bring

  std::int32_t at(std::size_t vertex) const { return of_vertex.empty() ? -1 : of_vertex[vertex]; }
};

struct Work {
  Buffer<Vec4> sums;    // elements' contributions per vertex, padded to 32 bytes
  Buffer<Vec3> forces;  // N
  Buffer<Vec3> loads;   // N: weight, given forces, pressure
  TangentField tangent, damping_tangent;
  Buffer<double> rhs, solution;  // of the linear system, three per vertex
  Buffer<Vec3> stage_positions, stage_velocities, still;
  Buffer<Vec3> damping;   // N·s
  Buffer<Mat3> diagonal;  // of the matrix, per vertex
  Buffer<Mat3> inverse_diagonal;
  Buffer<std::uint8_t> kinematic;  // pinned or grabbed
  Buffer<std::uint32_t> kinematic_vertices;
  Buffer<Vec3> kinematic_velocities;  // mean velocity of each over the step
  Constraints constraints;
  std::vector<ContactCandidate> contacts;        // one per vertex at most, ascending
  std::vector<ContactCandidate> found_contacts;  // at the end of a trial
  ports::BodyContacts bodies;
  AttachedMasses attached;
  Buffer<std::uint32_t> chunk_done;
  linalg::PcgWork pcg;
  std::unique_ptr<linalg::BlockSparseSymmetric<3>> matrix;  // built at the first direct solve
  linalg::SparseCholesky cholesky;
  bool two_levels = false;               // the coarse system is fresh and takes part
  std::unique_ptr<CoarseSystem> coarse;  // built at the first iterative solve of a large body
};

// Fills every array with NaN or absurd integers: a step afterwards must give the same bits.
void poison(Work& work);

}  // namespace selkie::fem
