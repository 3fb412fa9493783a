// Geometric multigrid as a preconditioner for the pressure matrix: one symmetric V-cycle in float
// [McAdams10 §3, with the changes below].
//
// Smoother: one red-black Gauss-Seidel sweep before (from zero) and its reverse after the coarse correction.
// From a zero guess the pre-smoothed vector is a pointwise function of the right side, and the post-smoothing
// reads its red values only; so it is never stored: one pass over r restricts the residual, one pass over r
// and the coarse correction writes the result.
//
// Transfer: a child takes its coarse cell's value plus a quarter of the difference to the coarse neighbour on
// its side along each axis, times the open share of the face between them: linear where all is open, constant
// at walls. Restriction is the transpose. Coarse faces get the sum of their fine faces over the distance
// ratio. The coarse lattice of each axis is shifted by a cell where that puts more closed faces (thin plates)
// on coarse faces.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "selkie/grid/detail/stencil.h"

namespace selkie::grid::detail {

// How cells of a level join into those of the next: coarse = (fine + shift) / ratio.
struct Coarsening {
  Index ratio{1, 1, 1};  // 2 or 1
  Index shift{0, 0, 0};  // 0 or 1
  int first_child(int axis, int coarse) const {
    const auto a = static_cast<std::size_t>(axis);
    return coarse * ratio[a] - shift[a];
  }
  int parent(int axis, int fine) const {
    const auto a = static_cast<std::size_t>(axis);
    return (fine + shift[a]) / ratio[a];
  }
};

// Planes that one thread works through a slab with.
struct Scratch {
  std::vector<float> planes;       // ring of fine planes, ghosts zero
  std::vector<float> pairs, sums;  // restriction: of one fine plane, and a ring of coarse planes
  std::vector<float> row;
};
class ScratchPool {
 public:
  Scratch* acquire(const Stencil<float>& fine, const Shape& coarse);
  void release(Scratch* scratch);
  void clear();

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> all_;
  std::vector<Scratch*> free_;
};

struct Level {
  Stencil<float> stencil;
  Coarsening coarsening;          // to the next level
  Buffer<float> right, solution;  // not of the finest level: the caller's
  std::vector<float> zero_plane;
  std::unique_ptr<ScratchPool> pool = std::make_unique<ScratchPool>();
};

class Multigrid {
 public:
  // The finest level's stencil is set by the caller, then the others are built.
  Stencil<float>& finest();
  void build();

  // z = M⁻¹ r on fields of the finest shape whose ghosts and inactive cells are zero; returns rᵀz.
  double apply(const float* r, float* z);

  std::size_t level_count() const { return used_; }

 private:
  std::vector<std::unique_ptr<Level>> levels_;  // kept between builds
  std::size_t used_ = 0;
  std::vector<std::ptrdiff_t> coarsest_cells_;  // active ones
  std::vector<float> coarsest_inverse_;
  std::vector<float> coarsest_values_;

  void build_coarsest();
  void solve_coarsest(const float* r, float* z);
};

// Builds the coarse stencil of `fine` with fine.coarsening, which is chosen here too.
void coarsen(Level& fine, Level& coarse);

// coarse_r = Pᵀ (r − A S r), S being the sweep from zero.
void restrict_residual(Level& fine, const Level& coarse, const float* r, float* coarse_r);
// z = sweep back from S r + P e; returns rᵀz if `wants_dot`.
double correct_and_smooth(Level& fine, const Level& coarse, const float* r, const float* e, float* z,
                          bool wants_dot);

}  // namespace selkie::grid::detail
