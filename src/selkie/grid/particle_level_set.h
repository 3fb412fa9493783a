// Particle level set: marker particles on both sides of a surface that tell where the level set lost it.
// [Enright02; Enright05; Selle08 §2.9] HY-08
//   φ_p(x) = s (r − |x − x_p|)            of a marker of side s = ±1 and radius r ∈ [0.1, 0.5] Δx
//   escaped: on the wrong side by more than r, s φ(x_p) < −r
//   φ⁺ = max over escaped outer markers, φ⁻ = min over escaped inner ones; φ is the smaller in magnitude
// One step: carry φ and move the markers; then keep_level_set(), which corrects φ, redistances it, corrects
// again and fits the radii; now and then reseed_markers(). Random numbers are functions of seed, cell and
// birth, and markers keep their order: the same bits for any number of threads.
// Limit: markers know of the grid's box, not of thin shells (HY-21).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "selkie/core/function_ref.h"
#include "selkie/grid/level_set.h"

namespace selkie::grid {

// How markers move through a velocity: midpoint rule, or Ralston's rule of third order.
enum class MarkerMotion { rk2, rk3 };
constexpr auto describe(MarkerMotion*) { return std::array<std::string_view, 2>{"rk2", "rk3"}; }

struct MarkerParams {
  int per_cell = 0;                      // 0: 16 in 2-D, 64 in 3-D
  double band = 3;                       // cells from the surface
  double smallest = 0.1, largest = 0.5;  // radii, cells
  MarkerMotion motion = MarkerMotion::rk2;
  int seed = 1;
};
constexpr auto describe(MarkerParams*) {
  using P = MarkerParams;
  return Members{
      member("per_cell", &P::per_cell, "", "markers per cell near the surface; 0: 16 in 2-D, 64 in 3-D")
          .between(0, 4096),
      member("band", &P::band, "cells", "distance from the surface up to which cells hold markers")
          .between(1, 64)
          .live(),
      member("smallest", &P::smallest, "cells", "radius of the smallest marker").between(0, 1).live(),
      member("largest", &P::largest, "cells", "radius of the largest marker").between(0, 2).live(),
      member("motion", &P::motion, "", "rule by which markers follow the flow").live(),
      member("seed", &P::seed, "", "of the random places of markers").at_least(0),
  };
}
static_assert(complete<MarkerParams>());

template <class T>
struct Markers {
  Buffer<Eigen::Matrix<T, 3, 1>> positions;
  Buffer<T> radii;
  Buffer<std::uint8_t> outer;        // 1: belongs where φ ≥ 0
  Buffer<std::uint32_t> identities;  // number of each in order of birth
  std::uint64_t born = 0;            // how many ever were
  std::uint64_t seedings = 0;        // how often markers were seeded

  std::size_t size() const { return positions.size(); }
};
template <class T>
constexpr auto describe(Markers<T>*) {
  using M = Markers<T>;
  return Members{
      member("positions", &M::positions, "m", "Markers"),
      member("radii", &M::radii, "m", "Radius of each"),
      member("outer", &M::outer, "", "1 for markers of the outside, 0 for those of the inside"),
      member("identities", &M::identities, "", "Number of each, in order of birth"),
      member("born", &M::born, "", "How many were ever born"),
      member("seedings", &M::seedings, "", "How often markers were seeded"),
  };
}
static_assert(complete<Markers<float>>());

// Scratch: nothing in it influences a result.
template <class T>
struct MarkerWork {
  Buffer<T> outer_phi, inner_phi;
  Buffer<std::uint8_t> flags, doubtful;  // of markers; of cells
  Buffer<double> ranks;
  std::vector<std::uint32_t> starts, order;
  DistanceWork<T> distance;
};

struct SeedReport {
  std::size_t added = 0, deleted = 0;
  std::size_t left = 0;  // of the deleted: were outside the grid
};

// Brings the number of markers of each cell within the band to per_cell and deletes markers elsewhere; those
// that escaped stay, unless farther than the band from the surface. A fresh start if there are none. φ is a
// distance up to the band at least.
template <class T>
SeedReport reseed_markers(const Shape& shape, Place place, const MarkerParams& params, const ReadView<T>& phi,
                          Markers<T>& markers, MarkerWork<T>& work);

// Moves markers over [time, time + dt] through a velocity (m/s) at a point and time; or through a staggered
// velocity frozen over dt.
using VelocityAt = FunctionRef<Vec3(const Vec3& point, double time)>;
template <class T>
void move_markers(MarkerMotion motion, VelocityAt velocity, double time, double dt, Markers<T>& markers);
template <class T>
void move_markers(const Shape& shape, MarkerMotion motion, const FaceViews<const T>& velocity, double dt,
                  Markers<T>& markers);

// Keeps inner markers out of solids: one nearer to a solid than its own fixed distance between 0.1 and 1 Δx
// is moved out along the normal. `solid` gives distance (m, negative inside) and normal. [Selle08 §4.4.3]
struct SolidAt {
  double distance = 1e30;
  Vec3 normal = Vec3::UnitY();
};
template <class T>
void push_markers_out(const Shape& shape, FunctionRef<SolidAt(const Vec3&)> solid, Markers<T>& markers);

struct CorrectionReport {
  std::size_t escaped = 0;    // markers
  std::size_t corrected = 0;  // samples of φ whose value changed
};
// φ corrected by the markers that escaped.
template <class T>
CorrectionReport correct_level_set(const Shape& shape, Place place, const Markers<T>& markers,
                                   const View<T>& phi, MarkerWork<T>& work);

// Radii such that markers touch the surface, within their bounds; those of escaped markers stay.
template <class T>
void fit_radii(const Shape& shape, Place place, const MarkerParams& params, const ReadView<T>& phi,
               Markers<T>& markers);

// What follows the transport of φ and markers: correct, redistance, correct, fit radii. (HY-08) Reports the
// first correction.
template <class T>
CorrectionReport keep_level_set(const Shape& shape, Place place, const MarkerParams& params,
                                const DistanceOptions& distance, Markers<T>& markers, const View<T>& phi,
                                MarkerWork<T>& work);

}  // namespace selkie::grid
