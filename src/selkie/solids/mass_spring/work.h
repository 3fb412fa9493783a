// Scratch of a mass-spring step: kept between steps so that a step allocates nothing; nothing in it
// influences a result. The matrix pattern and its symbolic analysis are pure functions of the Model.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/linalg/cholesky.h"
#include "selkie/linalg/pcg.h"
#include "selkie/linalg/preconditioners.h"
#include "selkie/math/types.h"
#include "selkie/ports/body_contact.h"

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

// Vertices held to a collider inside an implicit solve: free to slide along the surface, not through it.
struct SlidingContacts {
  Buffer<std::int32_t> of_vertex;  // index into the others, -1: none; empty: no contact at all
  Buffer<Vec3> normals;
  Buffer<double> speeds;    // m/s, along the normal over the step
  Buffer<Mat3> projectors;  // I − n nᵀ
};

// A vertex that would touch a collider at the end of the step.
struct ContactCandidate {
  std::uint32_t vertex = 0;
  Vec3 normal;
  Vec3 velocity;  // m/s, that sticks to the surface
  double friction = 0;
  std::uint32_t collider = 0;
  double gap = 0;            // m, to the surface at the start of the step; at least 0
  double bounce = 0;         // m/s, rebound along the normal
  Vec3 slip = Vec3::Zero();  // direction in which it already slides; zero: at rest on the surface
};

// Tetrahedra that may be squeezed while no vertex strays far from where it was seen. Only spares time: what
// is not watched need not be asked.
struct WatchedTets {
  Buffer<Vec3> seen;           // m, positions at which the list was made
  Buffer<std::uint32_t> tets;  // ascending, and room for all
  std::size_t count = 0;
  double threshold = std::numeric_limits<double>::quiet_NaN();  // share of the volume; none yet
};

// The altitude spring of one tetrahedron during a step: linear, along a fixed direction.
struct ChosenAltitude {
  Vec3 direction = Vec3::Zero();
  std::array<double, 4> weights{};  // of the corners
  double rest_length = 0;           // m
  double stiffness = 0;             // N/m; 0: no spring
  double damping = 0;               // N·s/m
};

struct Work {
  Buffer<Vec4> forces;  // N; padded to 32 bytes so that a spring's share is one vector add
  Buffer<Vec3> stage_positions, stage_velocities;
  Buffer<Vec3> sum_positions, sum_velocities;
  Buffer<double> rhs, solution;     // of the linear system, three per vertex
  Buffer<double> downhill;          // −∇Φ of step_equation.h
  Buffer<double> newton_residuals;  // relative, before the first and after every iteration (for reports)
  Buffer<std::array<double, 16>> bounds;  // of step_limit(): two symmetric matrices per vertex, and more
  Buffer<double> root_mobilities;         // 1/√kg, 0 if pinned
  Buffer<std::array<double, 2>> block_maxima;
  Buffer<std::uint8_t> kinematic;            // pinned or grabbed
  Buffer<std::uint32_t> kinematic_vertices;  // the same as a list, ascending
  Buffer<Vec3> kinematic_velocities;         // mean velocity of each over the step
  SlidingContacts sliding;
  std::vector<ContactCandidate> candidates;
  ports::BodyContacts bodies;
  Buffer<double> vertex_stiffness;  // N/m, of all springs at a vertex
  Buffer<Vec3> contact_loads;       // N per vertex: given loads and friction
  WatchedTets watched;
  Buffer<ChosenAltitude> altitudes;
  Buffer<std::uint32_t> squeezed;           // tetrahedra that the inversion guard acts on, and room for all
  Buffer<std::uint32_t> squeezed_in_block;  // how many of each block
  Buffer<std::uint32_t> chunk_done;
  std::unique_ptr<LinearSystem> system;  // built at the first implicit step
};

// Fills every array with NaN or absurd integers: a step afterwards must give the same bits.
void poison(Work& work);

}  // namespace selkie::mass_spring
