// The one pressure solver of all grid fluids: matrix-free conjugate gradients, preconditioned by a geometric
// multigrid cycle in float (HY-07, HY-19, RT-51, LE-09, LE-15, LE-16) [McAdams10, Batty07, Gibou02].
//
//   (A p)_c = Σ_f w_f (p_c − p_nb) + Σ_f∈air (w_f/θ_f) p_c     on fluid cells
//
// w_f is the open area of a face as a share of the full one; air cells hold p = 0, at the distance θ_f of a cell
// size where a surface is given; solid cells and faces with w_f = 0 have no part in A. p is dimensionless
// pressure times velocity: the physical pressure is p ρΔx/Δt, see projection.h.
//
// Regions that no open face joins are found; the mean of the right side of those without air is taken away
// and their pressure has mean zero. Vectors are Real; sums and dot products are double.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/grid/field.h"
#include "selkie/linalg/solve_report.h"

namespace selkie::grid {

enum class CellKind : std::uint8_t { fluid, air, solid };

// Kinds of all cells and of the ghost layer. The ghosts say what a side of the grid is: air for an open one,
// solid for a wall (in- and outflow of prescribed velocity included).
using CellKinds = Buffer<std::uint8_t>;
constexpr std::uint8_t code_of(CellKind kind) { return static_cast<std::uint8_t>(kind); }

// Which sides are open, low and high of each axis.
using OpenSides = std::array<std::array<bool, 2>, 3>;
// All cells fluid; ghosts by side. Where an open side meets a wall the edge does not matter: edges touch no face.
CellKinds all_fluid(const Shape& shape, const OpenSides& open);

inline constexpr double kSmallestTheta = 0.01;  // smaller distances ruin the conditioning (LE-16)

// What the matrix is made of. Views belong to `shape`.
template <class T>
struct PressureDomain {
  Shape shape;
  View<const std::uint8_t> kinds = {};
  FaceViews<const T> open = {};  // w_f at low faces; no data: all faces open
  View<const T> surface = {};    // signed distance to the free surface at cell centres, negative in the liquid,
                                 // ghosts included; no data: p = 0 at the centre of air cells
};
// Distance of the free surface from the fluid cell's centre towards its air neighbour, in cell sizes.
template <class T>
T surface_distance(T in_fluid, T in_air) {
  const T theta = in_fluid / (in_fluid - in_air);
  // A fluid cell outside its own surface has none between the centres: the full distance.
  return !(theta >= 0) || !(theta < 1) ? T(1) : theta < T(kSmallestTheta) ? T(kSmallestTheta) : theta;
}

enum class PressureMethod {
  multigrid,  // conjugate gradients with the multigrid cycle
  plain,      // without a preconditioner: the reference
};
struct PressureOptions {
  double tolerance = 1e-6;  // of ‖b − A p‖ / ‖b‖, or what rounding p to Real leaves, if that is more
  int max_iterations = 200;
  bool warm_start = false;  // begin with the pressure passed in
  bool keep_history = false;
  PressureMethod method = PressureMethod::multigrid;
};

// What became of the regions in the last solve.
struct RegionReport {
  std::size_t regions = 0;
  std::size_t closed = 0;
  double removed = 0;  // largest |Σ b| of a closed region that had to be taken away
  Index worst{0, 0, 0};  // a cell of that region
};

template <class Real>
class PressureSolver {
 public:
  PressureSolver();
  ~PressureSolver();
  PressureSolver(PressureSolver&&) noexcept;
  PressureSolver& operator=(PressureSolver&&) noexcept;

  // Takes over the matrix; the views are not needed afterwards. Allocates when the shape grows.
  template <class T>
  void build(const PressureDomain<T>& domain);

  // Solves A p = b. b counts in fluid cells only. Elsewhere p becomes zero. Allocates nothing, but for a history.
  linalg::SolveReport solve(View<const Real> b, View<Real> p, const PressureOptions& options);
  const RegionReport& regions() const;

  // For tests: y = A x and z = M⁻¹ r on fields of the shape (internal zero padding is added).
  void multiply(View<const Real> x, View<Real> y) const;
  void precondition(View<const Real> r, View<Real> z);

  // Σ b over the closed region that (i,j,k) belongs to, or of each; used to judge sources.
  double largest_closed_sum(View<const Real> field, Index* cell = nullptr) const;

  std::size_t level_count() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class PressureSolver<float>;
extern template class PressureSolver<double>;

}  // namespace selkie::grid
