// Open area of cell faces from signed distances at nodes (LE-15) [Batty07, Ng09]: exact where the distance is
// linear. Negative means inside the solid. Solids come as callables of a world position, so that analytic
// shapes, meshes and moving bodies serve alike.
#pragma once

#include "selkie/core/function_ref.h"
#include "selkie/grid/field.h"
#include "selkie/grid/pressure.h"

namespace selkie::grid {

// Share of an edge, and of a square with corners in cyclic order, where the linearly interpolated distance is
// not negative. Diagonal corners of one sign are joined if the mean has their sign.
double open_edge(double a, double b);
double open_square(double a, double b, double c, double d);

struct FractionOptions {
  bool voxels =
      false;          // whole cells: solid where the mean of a cell's nodes is negative, and all their faces
  bool clamp = true;  // shares below kSmallestShare become 0, above 1 − kSmallestShare become 1
};
inline constexpr double kSmallestShare = 0.01;

// `distance` at all nodes, in m.
template <class T>
void sample_nodes(const Shape& shape, FunctionRef<double(const Vec3&)> distance, Buffer<T>& nodes);

// Open shares of all faces; fluid cells that no open face is left of become solid in `kinds`.
template <class T>
void open_fractions(const Shape& shape, View<const T> nodes, const FractionOptions& options,
                    FaceViews<T> open, View<std::uint8_t> kinds);

// The same two ends for shares that come from elsewhere (cut_surface.h): nearly closed and nearly open faces
// become so; fluid cells that no open face is left of become solid.
template <class T>
void clamp_shares(const Shape& shape, FaceViews<T> open);
template <class T>
void close_cells(const Shape& shape, FaceViews<const T> open, View<std::uint8_t> kinds);

// Normal velocity of a solid at all face centres, in m/s.
template <class T>
void sample_face_velocity(const Shape& shape, FunctionRef<Vec3(const Vec3&)> velocity, FaceViews<T> faces);

}  // namespace selkie::grid
