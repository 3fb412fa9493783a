// Level sets: a field φ at cell centres or nodes, negative inside, whose zero is a surface. Redistancing to a
// signed distance, what φ encloses, normals, curvature, and values carried outwards along normals. (HY-08)
// [Tsai02; Sethian96; Russo00; Adalsteinsson99]
//
// Redistancing gives the samples beside the surface their distance to the zero of a local quadratic model of
// φ, of third order where φ is smooth, so that the surface stays where it was. The others take the nearest of
// these pieces of surface (closest points), or solve |∇φ| = 1 by upwind differences of second order
// (marching). Limits: a sample is outside if φ ≥ 0; features between samples do not exist; ghosts are never
// read.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/grid/sample.h"

namespace selkie::grid {

// Closest: nearest pieces of surface, handed on from layer to layer of samples, in parallel, the same bits
// for any number of threads. Marching: one sample after the other by increasing distance.
enum class DistanceMethod { closest, marching };
constexpr auto describe(DistanceMethod*) { return std::array<std::string_view, 2>{"closest", "marching"}; }

struct DistanceOptions {
  DistanceMethod method = DistanceMethod::closest;
  double band = 5;  // cells; farther samples become ± this distance. 0: no limit
};
constexpr auto describe(DistanceOptions*) {
  return Members{
      member("method", &DistanceOptions::method, "", "how distances are carried away from the surface")
          .live(),
      member("band", &DistanceOptions::band, "cells", "distance up to which it is exact; 0: everywhere")
          .at_least(0)
          .live(),
  };
}
static_assert(complete<DistanceOptions>());

// Scratch, kept by the caller so that no step allocates after the first.
template <class T>
struct DistanceWork {
  struct Piece {  // of surface around a foot: unit normal, second fundamental form (1/cells)
    T normal[3], bend[6];
  };
  struct Entry {
    Index at;
  };
  Buffer<T> first;                     // distances beside the surface
  Buffer<std::uint32_t> labels;        // piece of each sample
  std::vector<std::array<T, 3>> feet;  // in cells from sample (0,0,0); apart, because they are looked at most
  std::vector<Piece> pieces;
  std::vector<Entry> layer, next;
  std::vector<std::uint32_t> chosen, row_starts;
  Buffer<std::uint8_t> marks;                     // of marching: what is settled
  std::vector<std::pair<T, std::uint32_t>> heap;  // of marching
};

struct DistanceReport {
  std::size_t surface_samples = 0;  // beside the surface; 0: there is none, all is ± the band
  int layers = 0;                   // of samples around it, of closest points
};

// φ becomes the signed distance (m) to its own zero, at all samples of the place. T is float or double.
template <class T>
DistanceReport redistance(const Shape& shape, Place place, const DistanceOptions& options, const View<T>& phi,
                          DistanceWork<T>& work);

// What φ < 0 encloses within the grid (m² in 2-D, m³ in 3-D) and the size of its surface (m, m²), walls not
// counted: φ is linear on simplices between samples, extrapolated by half a cell to the walls from cell
// centres. Second order.
template <class T>
double enclosed_volume(const Shape& shape, Place place, const View<const T>& phi);
template <class T>
double surface_area(const Shape& shape, Place place, const View<const T>& phi);

// ∇φ of the multilinear interpolation of central differences (one-sided at walls), at a point. Continuous.
template <class T>
Vec3 gradient_at(const View<const T>& phi, const Lattice& lattice, const Vec3& point);
// The same at a sample.
template <class T>
Vec3 gradient_at_sample(const View<const T>& phi, const Lattice& lattice, int i, int j, int k);

// κ = ∇·(∇φ/|∇φ|), 1/m: positive where the inside is convex (1/R of a disc, 2/R of a ball), at all samples
// with |φ| ≤ band cells, 0 elsewhere. Central differences, second order for a smooth φ; at walls φ goes on
// evenly (a contact angle of 90°). Not more than the grid can show: |κ| ≤ (dims − 1)/Δx.
template <class T>
void curvature(const Shape& shape, Place place, const ReadView<T>& phi, double band, const View<T>& kappa);
// Of the surface itself between neighbours a and b with φ of opposite sign: each sample's curvature is that
// of the contour through it; linear in between.
inline double surface_curvature(double phi_a, double phi_b, double kappa_a, double kappa_b) {
  const double share = phi_a / (phi_a - phi_b);
  return (1 - share) * kappa_a + share * kappa_b;
}

// Values carried away from the surface into φ > 0 up to `band` cells, by ∇φ·∇u = 0 in increasing φ
// [Adalsteinsson99; HY-08]. `field` has its own place; `known` marks its samples that have a value
// (extrapolate.h: kKnown), and is changed to what has one afterwards. φ lies at cell centres and is a
// distance.
struct ExtendWork {
  std::vector<std::pair<double, std::uint32_t>> order;
};
template <class T>
void extend_along_normals(const Shape& shape, const ReadView<T>& phi, double band, Place place,
                          Buffer<std::uint8_t>& known, Buffer<T>& field, ExtendWork& work);

}  // namespace selkie::grid
