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
#include "selkie/solids/fem/coarse.h"

namespace selkie::fem {

// ∂P/∂F of all elements in the form of material.h's Tangent, [group][entry][lane]. With one frame (linear and
// warped stiffness) V = I and the coefficients are those of Hooke's law, so that U is all there is.
struct TangentField {
  bool one_frame = true;
  double mu = 0, lambda = 0;  // Pa, of one frame
  Buffer<double> u, v;
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
  Buffer<std::uint32_t> chunk_done;
  linalg::PcgWork pcg;
  std::unique_ptr<linalg::BlockSparseSymmetric<3>> matrix;  // built at the first direct solve
  linalg::SparseCholesky cholesky;
  std::unique_ptr<CoarseSystem> coarse;  // built at the first iterative solve of a large body
};

// Fills every array with NaN or absurd integers: a step afterwards must give the same bits.
void poison(Work& work);

}  // namespace selkie::fem
