// See metric.h.
#include "selkie/fluids/surface_water/metric.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/fluids/surface_water/detail/vector_math.h"

// The iterations of the loop that follows do not meet in memory.
#if defined(__clang__)
#define SELKIE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SELKIE_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace selkie::surface_water {
namespace {

constexpr std::size_t kFaces = 64;    // measured together; their numbers stay in the first cache
constexpr std::size_t kBlock = 2048;  // of a parallel loop

void reserve(const Complex& complex, Metric& m) {
  const std::size_t faces = complex.face_count, vertices = complex.vertex_count, entries = complex.fan.size();
  if (m.length.size() == faces && m.dual_area.size() == vertices) return;
  for (Buffer<double>* b : {&m.length, &m.apex_x, &m.apex_y, &m.area, &m.g1x, &m.g1y, &m.g2x, &m.g2y})
    b->assign(faces, 0);
  for (std::size_t c = 0; c < 3; ++c) m.angle[c].assign(faces, 0), m.edge[c].assign(faces, 0);
  m.normal.assign(faces, Vec3::Zero());
  m.corner_share.assign(4 * faces, CornerShare{});
  m.dual_area.assign(vertices, 0), m.stiffness.assign(vertices, 0);
  m.vertex_normal.assign(vertices, Vec3::Zero());
  for (Buffer<double>* b : {&m.share, &m.disc_x, &m.disc_y}) b->assign(entries, 0);
}

// Up to 64 faces: coordinates are gathered one by one, the rest is vector code.
struct FaceBlock {
  double a[3][kFaces], b[3][kFaces];  // edges 0-1 and 0-2
  double normal[3][kFaces], inverse[kFaces];

  void gather(const Complex& complex, std::span<const Vec3> positions, std::size_t begin, std::size_t count) {
    const double* x = positions[0].data();
    for (std::size_t k = 0; k < count; ++k) {
      const double* p0 = x + 3 * std::size_t{complex.vertex[0][begin + k]};
      const double* p1 = x + 3 * std::size_t{complex.vertex[1][begin + k]};
      const double* p2 = x + 3 * std::size_t{complex.vertex[2][begin + k]};
      for (std::size_t d = 0; d < 3; ++d) a[d][k] = p1[d] - p0[d], b[d][k] = p2[d] - p0[d];
    }
  }

  void compute(std::size_t begin, std::size_t count, Metric& m) {
    double *length = m.length.data() + begin, *apex_x = m.apex_x.data() + begin,
           *apex_y = m.apex_y.data() + begin, *area = m.area.data() + begin;
    double *g1x = m.g1x.data() + begin, *g1y = m.g1y.data() + begin, *g2x = m.g2x.data() + begin,
           *g2y = m.g2y.data() + begin;
    double *t0 = m.angle[0].data() + begin, *t1 = m.angle[1].data() + begin, *t2 = m.angle[2].data() + begin;
    double *e0 = m.edge[0].data() + begin, *e1 = m.edge[1].data() + begin, *e2 = m.edge[2].data() + begin;
    SELKIE_INDEPENDENT
    for (std::size_t k = 0; k < count; ++k) {
      const double ax = a[0][k], ay = a[1][k], az = a[2][k], bx = b[0][k], by = b[1][k], bz = b[2][k];
      const double nx = ay * bz - az * by, ny = az * bx - ax * bz, nz = ax * by - ay * bx;
      const double aa = ax * ax + ay * ay + az * az, bb = bx * bx + by * by + bz * bz,
                   ab = ax * bx + ay * by + az * bz;
      const double twice = std::sqrt(nx * nx + ny * ny + nz * nz), l = std::sqrt(aa);
      const double px = ab / l, py = twice / l, cx = px - l;
      normal[0][k] = nx, normal[1][k] = ny, normal[2][k] = nz;
      inverse[k] = 1 / twice;
      length[k] = l, apex_x[k] = px, apex_y[k] = py, area[k] = 0.5 * twice;
      e0[k] = l, e1[k] = std::sqrt(cx * cx + py * py), e2[k] = std::sqrt(bb);
      // ∇φ₁ = (1/l, -px/2A), ∇φ₂ = (0, l/2A). [Angst07 eq. 4.2; SW-11]
      g1x[k] = 1 / l, g1y[k] = -px * inverse[k], g2x[k] = 0, g2y[k] = l * inverse[k];
      t0[k] = detail::corner_angle(ab, twice);
      t1[k] = detail::corner_angle(aa - ab, twice);
      t2[k] = detail::corner_angle(bb - ab, twice);
    }
    for (std::size_t k = 0; k < count; ++k)
      m.normal[begin + k] = inverse[k] * Vec3(normal[0][k], normal[1][k], normal[2][k]);
  }
};

// Cotangent form of the gradients from limited angles, over the area of a triangle that has them and the
// longest edge of this one: with the true area a sliver's gradients would stay unbounded [SW-12, E9].
void limit_face(std::size_t f, double least, Metric& m) {
  const std::array<double, 3> t = limited_angles({m.angle[0][f], m.angle[1][f], m.angle[2][f]}, least);
  std::size_t longest = 0;  // edge from corner c to the next; opposite to the one after that
  for (std::size_t c = 1; c < 3; ++c)
    if (m.edge[c][f] > m.edge[longest][f]) longest = c;
  const std::size_t a = longest, b = (longest + 1) % 3, c = (longest + 2) % 3;
  const double l = m.edge[longest][f], twice = l * l * std::sin(t[a]) * std::sin(t[b]) / std::sin(t[c]);
  auto cot = [&](std::size_t k) { return std::cos(t[k]) / std::sin(t[k]); };
  const Corners2 x = corners_of(m, f);
  auto gradient = [&](std::size_t i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    return Vec2((cot(k) * (x.at[i] - x.at[j]) + cot(j) * (x.at[i] - x.at[k])) / twice);
  };
  const Vec2 g1 = gradient(1), g2 = gradient(2);
  m.g1x[f] = g1[0], m.g1y[f] = g1[1], m.g2x[f] = g2[0], m.g2y[f] = g2[1];
}

// What each corner gives to its vertex, per face: weights of normals that are exact on a sphere [Max99]
// (needles must not outweigh everything), and the corner's share of the stiffness.
void weigh_corners(std::size_t begin, std::size_t count, Metric& m) {
  const double *e0 = m.edge[0].data() + begin, *e1 = m.edge[1].data() + begin, *e2 = m.edge[2].data() + begin;
  const double *g1x = m.g1x.data() + begin, *g1y = m.g1y.data() + begin, *g2x = m.g2x.data() + begin,
               *g2y = m.g2y.data() + begin, *area = m.area.data() + begin;
  CornerShare* const out = m.corner_share.data() + 4 * begin;
  double normal[3][kFaces], stiffness[3][kFaces];
  SELKIE_INDEPENDENT
  for (std::size_t k = 0; k < count; ++k) {
    const double least = 0.05 * std::max(e0[k], std::max(e1[k], e2[k]));
    const double l0 = std::max(least, e0[k]), l1 = std::max(least, e1[k]), l2 = std::max(least, e2[k]);
    const double q0 = l0 * l0, q1 = l1 * l1, q2 = l2 * l2, common = area[k] / (q0 * q1 * q2);
    normal[0][k] = common * q1, normal[1][k] = common * q2, normal[2][k] = common * q0;
    const double gx = g1x[k] + g2x[k], gy = g1y[k] + g2y[k];
    stiffness[0][k] = area[k] * (gx * gx + gy * gy);
    stiffness[1][k] = area[k] * (g1x[k] * g1x[k] + g1y[k] * g1y[k]);
    stiffness[2][k] = area[k] * (g2x[k] * g2x[k] + g2y[k] * g2y[k]);
  }
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t c = 0; c < 3; ++c) out[4 * k + c] = {normal[c][k], stiffness[c][k]};
}

void measure_vertices(const Complex& complex, Metric& m) {
  parallel_blocks(complex.vertex_count, kBlock, [&](std::size_t begin, std::size_t end) {
    const std::uint32_t* const fan = complex.fan.data();
    const double *areas = m.area.data(), *normals = m.normal[0].data();
    for (std::size_t v = begin; v < end; ++v) {
      double area = 0, stiffness = 0, nx = 0, ny = 0, nz = 0;
      for (std::uint32_t e = complex.fan_begin[v]; e < complex.fan_begin[v + 1]; ++e) {
        const std::size_t f = Corner::face(fan[e]);
        const CornerShare& corner = m.corner_share[fan[e]];
        const double* n = normals + 3 * f;
        area += areas[f];
        nx += corner.normal * n[0], ny += corner.normal * n[1], nz += corner.normal * n[2];
        stiffness += corner.stiffness;
      }
      m.dual_area[v] = area / 3;
      m.stiffness[v] = 3 * stiffness / area;
      const double size = std::sqrt(nx * nx + ny * ny + nz * nz), scale = size > 0 ? 1 / size : 0;
      m.vertex_normal[v] = Vec3(scale * nx, scale * ny, scale * nz);
    }
  });
}

}  // namespace

std::array<double, 3> limited_angles(const std::array<double, 3>& angles, double least) {
  double lack = 0, room = 0;
  for (const double t : angles) lack += std::max(0.0, least - t), room += std::max(0.0, t - least);
  std::array<double, 3> limited = angles;
  for (double& t : limited) t = t < least ? least : t - lack * (t - least) / room;
  return limited;
}

Frame frame_of(const Complex& complex, const Metric& metric, std::span<const Vec3> positions, std::size_t f) {
  const Vec3 x = (positions[complex.vertex[1][f]] - positions[complex.vertex[0][f]]) / metric.length[f];
  return {x, metric.normal[f].cross(x)};
}

bool has_obtuse_pair(const Complex& complex, const Metric& m) {
  return max_blocks(
             complex.face_count, 0.0,
             [&](std::size_t begin, std::size_t end) {
               double found = 0;
               for (std::size_t f = begin; f < end; ++f)
                 for (std::size_t c = 0; c < 3; ++c) {
                   const std::uint32_t there = complex.across[c][f];
                   if (there == Corner::kNone || Corner::face(there) < f) continue;
                   const double other = m.angle[Corner::corner(there)][Corner::face(there)];
                   if (m.angle[c][f] + other > std::numbers::pi) found = 1;
                 }
               return found;
             },
             kBlock) > 0;
}

void flatten(const Complex& complex, Metric& m) {
  parallel_blocks(complex.vertex_count, kBlock, [&](std::size_t begin, std::size_t end) {
    double* x = m.disc_x.data();
    double* y = m.disc_y.data();
    for (std::size_t v = begin; v < end; ++v) {
      const std::uint32_t first = complex.fan_begin[v], last = complex.fan_begin[v + 1];
      double sum = 0;
      for (std::uint32_t e = first; e < last; ++e) {
        const std::uint32_t f = Corner::face(complex.fan[e]), c = Corner::corner(complex.fan[e]);
        y[e] = m.edge[c][f];
        m.share[e] = m.angle[c][f];
        sum += m.share[e];
      }
      // α̂₀ = 0, α̂_i = α̂_{i-1} + θ̂_{i-1} [E11]; a fan of the rim is not a full disc and keeps its angles.
      const double scale = complex.rim[v] ? 1 : 2 * std::numbers::pi / sum, share = 1 / sum;
      double angle = 0;
      for (std::uint32_t e = first; e < last; ++e) {
        x[e] = std::min(scale * angle, 2 * std::numbers::pi);
        angle += m.share[e];
        m.share[e] *= share;
      }
    }
    const std::uint32_t first = complex.fan_begin[begin], last = complex.fan_begin[end];
    SELKIE_INDEPENDENT
    for (std::uint32_t e = first; e < last; ++e) {
      const detail::CosSin cs = detail::cos_sin(x[e]);
      const double length = y[e];
      x[e] = length * cs.cos;
      y[e] = length * cs.sin;
    }
  });
}

void measure(const Complex& complex, std::span<const Vec3> positions, double least_angle, Metric& m) {
  reserve(complex, m);
  const double limited = sum_blocks(
      complex.face_count,
      [&](std::size_t begin, std::size_t end) {
        FaceBlock block;
        double count = 0;
        for (std::size_t at = begin; at < end; at += kFaces) {
          const std::size_t n = std::min(kFaces, end - at);
          block.gather(complex, positions, at, n);
          block.compute(at, n, m);
          for (std::size_t f = at; f < at + n; ++f)
            if (std::min({m.angle[0][f], m.angle[1][f], m.angle[2][f]}) < least_angle)
              limit_face(f, least_angle, m), count += 1;
          weigh_corners(at, n, m);
        }
        return count;
      },
      kBlock);
  m.limited_faces = static_cast<std::size_t>(limited);
  measure_vertices(complex, m);
  flatten(complex, m);
}

}  // namespace selkie::surface_water
