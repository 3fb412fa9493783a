// Scratch of a mass-spring step: kept between steps so that a step allocates nothing; nothing in it
// influences a result. The matrix pattern and its symbolic analysis are pure functions of the Model.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "selkie/core/buffer.h"
#include "selkie/linalg/cholesky.h"
#include "selkie/linalg/pcg.h"
#include "selkie/linalg/preconditioners.h"
#include "selkie/math/types.h"

namespace selkie::mass_spring {

// Matrix, preconditioners and direct solver of the implicit integrators.
struct LinearSystem {
  explicit LinearSystem(std::shared_ptr<const linalg::BlockPattern> pattern) : matrix(std::move(pattern)) {}
  linalg::BlockSparseSymmetric<3> matrix;
  linalg::BlockJacobiPreconditioner<3> jacobi;
  linalg::IncompleteCholesky<3> incomplete_cholesky;
  linalg::SparseCholesky cholesky;
  linalg::PcgWork pcg;
};

struct Work {
  Buffer<Vec4> forces;  // N; padded to 32 bytes so that a spring's share is one vector add
  Buffer<Vec3> stage_positions, stage_velocities;
  Buffer<Vec3> sum_positions, sum_velocities;
  Buffer<double> rhs, solution;     // of the linear system, three per vertex
  Buffer<double> downhill;          // −∇Φ of step_equation.h
  Buffer<double> newton_residuals;  // relative, before the first and after every iteration (for reports)
  Buffer<std::array<double, 12>> bounds;     // of step_limit(): two symmetric matrices per vertex
  Buffer<std::uint8_t> kinematic;            // pinned or grabbed
  Buffer<std::uint32_t> kinematic_vertices;  // the same as a list, ascending
  Buffer<Vec3> kinematic_velocities;         // mean velocity of each over the step
  Buffer<std::uint32_t> chunk_done;
  std::unique_ptr<LinearSystem> system;  // built at the first implicit step
};

// Fills every array with NaN or absurd integers: a step afterwards must give the same bits.
void poison(Work& work);

}  // namespace selkie::mass_spring
