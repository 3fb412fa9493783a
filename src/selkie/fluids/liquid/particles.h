// Marker particles: positions in cells from the domain's low corner, velocities, and with APIC the gradient
// of velocity around each. Kept in the order of cells (x fastest), within a cell in the order they came, so
// that particles of neighbouring cells lie together and every loop over them has one order.
#pragma once

#include <array>
#include <cstdint>

#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/core/function_ref.h"
#include "selkie/fluids/liquid/model.h"

namespace selkie::liquid {

template <class Real>
struct Particles {
  using Affine = Eigen::Matrix<Real, 9, 1>;  // row a: gradient of velocity component a, 1/s

  Buffer<Real> x, y, z;  // z and w are empty in 2-D
  Buffer<Real> u, v, w;
  Buffer<Affine> affine;  // empty without APIC
  Buffer<std::uint64_t> identity;

  std::size_t size() const { return x.size(); }
  std::array<Buffer<Real>*, 3> position() { return {&x, &y, &z}; }
  std::array<const Buffer<Real>*, 3> position() const { return {&x, &y, &z}; }
  std::array<Buffer<Real>*, 3> velocity() { return {&u, &v, &w}; }
  std::array<const Buffer<Real>*, 3> velocity() const { return {&u, &v, &w}; }
};

template <class Real>
constexpr auto describe(Particles<Real>*) {
  using P = Particles<Real>;
  return Members{
      member("x", &P::x, "cells", "position from the low corner of the domain"),
      member("y", &P::y, "cells", "position from the low corner of the domain"),
      member("z", &P::z, "cells", "position from the low corner of the domain"),
      member("u", &P::u, "m/s", "velocity along x"),
      member("v", &P::v, "m/s", "velocity along y"),
      member("w", &P::w, "m/s", "velocity along z"),
      member("affine", &P::affine, "1/s", "gradient of velocity, by rows; only with apic"),
      member("identity", &P::identity, "", "number of each, in order of birth"),
  };
}
static_assert(complete<Particles<float>>());

// Where the particles of each cell lie: those of cell c are [start[c], start[c + 1]), c = i + nx (j + ny k).
struct CellRanges {
  Buffer<std::uint32_t> start;
  Buffer<std::uint8_t> flags;  // scratch of find_surface
  Buffer<std::uint8_t> full;   // 1: cell of deep liquid that needs no particles (population.h); empty: none is

  std::uint32_t begin(std::size_t cell) const { return start[cell]; }
  std::uint32_t end(std::size_t cell) const { return start[cell + 1]; }
};

template <class Real>
struct SortWork {
  Buffer<std::uint32_t> key, source;
  Buffer<Real> values;
  Buffer<std::uint64_t> identities;
  Buffer<typename Particles<Real>::Affine> affines;
};

// A particle with this key is dropped by sort().
inline constexpr std::uint32_t kDropped = 0xffffffffu;

// key[p] = cell of particle p, for all particles.
template <class Real>
void find_cells(const grid::Shape& shape, const Particles<Real>& particles, Buffer<std::uint32_t>& key);

// Brings particles into the order of their keys and drops those marked so. The order of equals is kept.
template <class Real>
void sort(const grid::Shape& shape, Particles<Real>& particles, CellRanges& ranges, SortWork<Real>& work);

// Changes the number of particles; new ones are zero but for their identity.
template <class Real>
void resize(const Model& model, std::size_t count, bool affine, Particles<Real>& particles);

// Particle `n` of the particles_per_cell() that fill a cell: one in each of the equal parts of the cell, at
// a random place of the part. Pure function of its arguments; in cells from the low corner of the domain.
Vec3 seed_place(const Model& model, int i, int j, int k, int n, std::uint64_t stream);

// Adds the particles of all cells whose place has inside(x) true (x in m), in the order of cells. Returns how
// many.
template <class Real>
std::size_t seed(const Model& model, std::uint64_t stream, FunctionRef<bool(const Vec3&)> inside,
                 FunctionRef<Vec3(const Vec3&)> velocity, std::uint64_t& born, Particles<Real>& particles);

// World position in m of a place in cells, and back.
inline Vec3 world_of(const grid::Shape& shape, const Vec3& cells) {
  return shape.origin() + shape.cell_size() * cells;
}
inline Vec3 cells_of(const grid::Shape& shape, const Vec3& world) {
  return (world - shape.origin()) / shape.cell_size();
}
template <class Real>
Vec3 place_of(const Particles<Real>& particles, std::size_t p) {
  return {double(particles.x[p]), double(particles.y[p]), particles.z.empty() ? 0.0 : double(particles.z[p])};
}

}  // namespace selkie::liquid
