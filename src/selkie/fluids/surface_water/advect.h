// Semi-Lagrangian advection on the mesh: paths through triangles, vectors at vertices, transport along paths.
// [Angst07 §5.2; SW-16 … SW-22]
//
// A path is followed backwards with the velocity of each triangle it is in. Where it ends, the velocity is
// interpolated between the face's own and the corners', all as barycentric rates of that face, and brought
// back by parallel transport: crossing an edge turns a vector by the angle between the edge's directions in
// the two frames, which is the rotation about the hinge (transport.h has it as quaternions, for comparison).
#pragma once

#include <span>

#include "selkie/fluids/surface_water/metric.h"

namespace selkie::surface_water {

// Rates (1/s) of a face and of its corners, all in the face's own barycentric coordinates: one cache line.
struct alignas(64) FaceRates {
  double face[2];
  double corner[3][2];
};

// Where a path ends.
struct TraceEnd {
  std::uint32_t face = 0;
  double beta[3] = {1, 0, 0};  // barycentric coordinates there
  double cos = 1, sin = 0;     // brings a vector of the end's frame into the start's
  int crossings = 0;
  double left = 0;  // s, not used up because the path was stopped at an edge
};

inline constexpr int kMostCrossings = 200;

// Follows the path of a point of face `f` backwards for `time`. Where the velocities on both sides of an edge
// oppose each other the path ends at the edge (it would bounce for ever), as it does at the rim.
TraceEnd trace(const Complex& complex, const Metric& metric, std::span<const FaceRates> rates,
               std::uint32_t f, const double (&beta)[3], double time);
// The same with the velocity of the start, turned at every edge (SW-18).
TraceEnd trace_straight(const Complex& complex, const Metric& metric, std::uint32_t f,
                        const double (&beta)[3], Vec2 velocity, double time);

// The path of vertex `v`: its own interpolated velocity chooses the face and leads through it, then the
// velocities of the faces on the way do.
TraceEnd trace_vertex(const Complex& complex, const Metric& metric, std::span<const FaceRates> rates,
                      std::size_t v, double time);

// Velocity of a vertex in its disc: the faces' velocities, flattened with the fan, weighted by their angles
// [SW-20].
Vec2 vertex_velocity(const Complex& complex, const Metric& metric, std::span<const double> rate_1,
                     std::span<const double> rate_2, std::size_t v);

// Fills `rates` from the faces' rates.
void interpolate_to_corners(const Complex& complex, const Metric& metric, std::span<const double> rate_1,
                            std::span<const double> rate_2, std::span<FaceRates> rates);

// Velocity in the middle of a path's end, as rates of the face there: of its three sub-triangles between
// centre and corners the one with the smallest coordinate [SW-21].
inline Vec2 interpolate(const FaceRates& r, const double (&beta)[3]) {
  const int s = beta[0] <= beta[1] ? (beta[0] <= beta[2] ? 0 : 2) : (beta[1] <= beta[2] ? 1 : 2);
  const double least = beta[s], w0 = beta[0] - least, w1 = beta[1] - least, w2 = beta[2] - least;
  return Vec2(3 * least * r.face[0] + w0 * r.corner[0][0] + w1 * r.corner[1][0] + w2 * r.corner[2][0],
              3 * least * r.face[1] + w0 * r.corner[0][1] + w1 * r.corner[1][1] + w2 * r.corner[2][1]);
}

// Advected velocities (m/s, frames) of all faces.
void advect_velocity(const Complex& complex, const Metric& metric, std::span<const FaceRates> rates,
                     double dt, std::span<double> velocity_x, std::span<double> velocity_y);

// Advected values of a scalar at the vertices, for variants of the scheme and passive quantities.
void advect_scalar(const Complex& complex, const Metric& metric, std::span<const FaceRates> rates, double dt,
                   std::span<const double> from, std::span<double> to);

}  // namespace selkie::surface_water
