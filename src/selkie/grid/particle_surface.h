// A level set from particles, for surfaces to look at: smooth where liquid rests, thin where it splashes.
//   averaged     φ = |x − x̄| − r f: distance to the mean of the particles around, f < 1 where that mean jumps
//                (between separate bodies and in hollows) [Zhu05 §5; Solenthaler07]
//   anisotropic  F = Σ V det G W(G (x − x̄_p)), F = 0.4 moved out by a constant: kernels around smoothed
//   centres, flattened along
//                the surface by the covariance of each particle's neighbours [Yu13]
// Both are calibrated so that the plane that bounds evenly spread liquid is where φ is zero. Walls are
// mirrors, so that the surface does not bend there. The result is redistanced. Neighbours are gathered in the
// order of cells: the same bits for any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/grid/level_set.h"

namespace selkie::grid {

enum class ParticleKernel { averaged, anisotropic };
constexpr auto describe(ParticleKernel*) {
  return std::array<std::string_view, 2>{"averaged", "anisotropic"};
}

struct ParticleSurfaceParams {
  ParticleKernel kernel = ParticleKernel::anisotropic;
  double reach = 2;  // cells, at most 2: how far a particle is felt
  int per_cell = 8;  // particles in a full cell
  std::array<bool, 6> mirror{true, true, true, true, true, true};  // low x, high x, low y, …: a wall
  double band = 4;                                                 // cells: of the distance
};

// Particles in the order of cells (x fastest): those of cell c are start[c] … start[c + 1] − 1. Positions in
// cells from the low corner of the grid; z is empty in 2-D.
template <class T>
struct SortedParticles {
  std::array<std::span<const T>, 3> position;
  std::span<const std::uint32_t> start;
};
// Makes such an order for particles that have none, at positions in m; those outside the grid are left out.
template <class T>
struct SortedStorage {
  std::array<std::vector<T>, 3> position;
  std::vector<std::uint32_t> start;

  SortedParticles<T> view() const {
    return {{std::span(position[0]), std::span(position[1]), std::span(position[2])}, start};
  }
};
template <class T>
void sort_particles(const Shape& shape, std::span<const Vec3> positions, SortedStorage<T>& sorted);

template <class T>
struct ParticleSurfaceWork {
  std::vector<std::uint8_t> near_surface;  // per cell: its value is to be found
  std::vector<std::array<float, 10>>
      kernels;  // per particle: centre, G (xx, yy, zz, xy, xz, yz), volume; cells
  DistanceWork<T> distance;
};

// φ (m) at cell centres, a distance up to the band.
template <class T>
void surface_from_particles(const Shape& shape, const ParticleSurfaceParams& params,
                            const SortedParticles<T>& particles, const View<T>& phi,
                            ParticleSurfaceWork<T>& work);

}  // namespace selkie::grid
