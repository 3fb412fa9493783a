// Everything the solver measures on the mesh at one moment: frames, areas, gradients of the linear basis
// functions, dual cells, and fans flattened to discs. [Angst07 §4.2, §4.4, §5.2.2; SW-05, SW-11, SW-12,
// SW-19]
//
// Each face has a frame in its plane: origin at corner 0, x along the edge to corner 1; vectors of a face are
// two numbers in it. All of the dynamics is written in these, so it depends on lengths and angles alone.
// Structure of arrays; vertex numbers are those of the Complex.
#pragma once

#include <cmath>
#include <span>

#include "selkie/core/buffer.h"
#include "selkie/fluids/surface_water/complex.h"
#include "selkie/math/types.h"

namespace selkie::surface_water {

// What a corner gives to its vertex: weight of the face's normal, and area times |∇φ|².
struct CornerShare {
  double normal = 0, stiffness = 0;
};

struct Metric {
  // Per face.
  Buffer<double> length;              // m, of the edge 0-1; corner 1 lies at (length, 0)
  Buffer<double> apex_x, apex_y;      // m, corner 2
  Buffer<double> area;                // m²
  Buffer<double> g1x, g1y, g2x, g2y;  // 1/m, limited gradients of the functions of corners 1 and 2
  Buffer<Vec3> normal;
  // Per corner: angle (rad), and length of the edge to the next corner (m).
  std::array<Buffer<double>, 3> angle, edge;
  Buffer<CornerShare> corner_share;  // by packed corner (complex.h), so that fans find it without decoding
  // Per vertex.
  Buffer<double> dual_area;  // m², a third of every face
  Buffer<Vec3> vertex_normal;
  Buffer<double> stiffness;  // 1/m², Σ A_k |∇φ|² over the fan divided by the dual area
  // Per entry of the fans: share θ̂ / 2π of the disc, and its first edge in the disc (m).
  Buffer<double> share, disc_x, disc_y;

  std::size_t limited_faces = 0;  // with an angle below the bound
};

struct Corners2 {
  Vec2 at[3];
};
// The three corners of a face in its frame.
inline Corners2 corners_of(const Metric& m, std::size_t f) {
  return {{Vec2(0, 0), Vec2(m.length[f], 0), Vec2(m.apex_x[f], m.apex_y[f])}};
}
// A vector from and to barycentric rates (B₁, B₂); B₀ = -B₁ - B₂. [SW-17, with true gradients]
inline Vec2 vector_of(const Metric& m, std::size_t f, const Vec2& rates) {
  return Vec2(rates[0] * m.length[f] + rates[1] * m.apex_x[f], rates[1] * m.apex_y[f]);
}
inline Vec2 rates_of(const Metric& m, std::size_t f, const Vec2& v) {
  const double b = v[1] / m.apex_y[f];
  return Vec2((v[0] - b * m.apex_x[f]) / m.length[f], b);
}
// The frame in space.
struct Frame {
  Vec3 x, y;
  Vec3 to_space(const Vec2& v) const { return v[0] * x + v[1] * y; }
  Vec2 to_plane(const Vec3& v) const { return Vec2(x.dot(v), y.dot(v)); }
};
Frame frame_of(const Complex& complex, const Metric& metric, std::span<const Vec3> positions, std::size_t f);

// Measures a mesh whose vertices stand at `positions`. Angles below `least_angle` (rad) are raised to it in
// the gradients, which stay bounded on slivers and keep constants in their kernel [SW-12].
void measure(const Complex& complex, std::span<const Vec3> positions, double least_angle, Metric& metric);

// The two edges of entry e of the fan of vertex v, in its disc.
struct DiscWedge {
  double ux, uy, wx, wy;
};
inline DiscWedge disc_wedge(const Complex& complex, const Metric& m, std::size_t v, std::uint32_t e) {
  const std::uint32_t first = complex.fan_begin[v], last = complex.fan_begin[v + 1];
  DiscWedge wedge{m.disc_x[e], m.disc_y[e], 0, 0};
  if (e + 1 < last || !complex.rim[v]) {
    const std::uint32_t next = e + 1 < last ? e + 1 : first;
    wedge.wx = m.disc_x[next], wedge.wy = m.disc_y[next];
    return wedge;
  }
  // The last edge of an open fan is no entry's first.
  const std::uint32_t f = Corner::face(complex.fan[e]), c = Corner::corner(complex.fan[e]);
  const double cos = std::cos(m.angle[c][f]), sin = std::sin(m.angle[c][f]);
  const double ratio = m.edge[last_corner(c)][f] / m.edge[c][f];
  wedge.wx = ratio * (cos * wedge.ux - sin * wedge.uy), wedge.wy = ratio * (sin * wedge.ux + cos * wedge.uy);
  return wedge;
}

// Raises angles to at least `least`, at the cost of the larger ones; they still sum to π.
std::array<double, 3> limited_angles(const std::array<double, 3>& angles, double least);

// Whether some edge has a negative summed cotangent: its opposite angles exceed π together.
bool has_obtuse_pair(const Complex& complex, const Metric& metric);

// Flattens every fan: part of measure(), public for its timing and tests [SW-19].
void flatten(const Complex& complex, Metric& metric);

}  // namespace selkie::surface_water
