// Two boxes: fifteen candidate axes, then a clipped face or a pair of edges, all in the frame of one of the boxes.
// [Gottschalk96; Ericson04 §4.4.1, §5.1.9]
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "selkie/contact/manifold.h"

namespace selkie::contact {
namespace {

// Edges replace a face, and a face of a one of b, only where they are clearly further apart, so that a manifold
// does not flicker.
constexpr double kFavourFaces = 1e-3;

struct Choice {
  double separation = -std::numeric_limits<double>::infinity();
  int of_a = -1, of_b = -1;  // axis numbers; both: crossing edges
  Vec3 axis = Vec3::Zero();  // of edges: unit, frame of a
  double along = 0;          // of b's centre, in the frame of a: its sign tells the side
};

struct Relative {
  Mat3 turn;      // axes of b in the frame of a
  Mat3 size;      // |turn|
  Vec3 offset;    // centre of b in the frame of a
};

// The axis along which the boxes are furthest apart, or overlap least; false beyond the margin.
bool best_axis(const Vec3& ha, const Vec3& hb, const Relative& r, double margin, Choice& best) {
  const double handicap = kFavourFaces * std::min(ha.minCoeff(), hb.minCoeff());
  const Vec3 in_b = r.turn.transpose() * r.offset;
  for (int i = 0; i < 3; ++i) {
    const double apart = std::abs(in_b[i]) - hb[i] - r.size.col(i).dot(ha);
    if (apart > margin) return false;
    if (apart > best.separation) best = {apart, -1, i, Vec3::Zero(), in_b[i]};
  }
  double to_beat = best.separation + handicap;
  for (int i = 0; i < 3; ++i) {
    const double apart = std::abs(r.offset[i]) - ha[i] - r.size.row(i).dot(hb);
    if (apart > margin) return false;
    if (apart > to_beat) best = {apart, i, -1, Vec3::Zero(), r.offset[i]}, to_beat = apart;
  }
  to_beat += handicap;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      // e_i × b_j = (0, −turn(i2,j), turn(i1,j)) on (i, i1, i2).
      const double y = -r.turn(i2, j), z = r.turn(i1, j), length2 = y * y + z * z;
      if (length2 < 1e-6) continue;  // parallel: corners and faces tell
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double along = r.offset[i1] * y + r.offset[i2] * z;
      const double reach = ha[i1] * r.size(i2, j) + ha[i2] * r.size(i1, j) + hb[j1] * r.size(i, j2) + hb[j2] * r.size(i, j1);
      const double apart = (std::abs(along) - reach) / std::sqrt(length2);
      if (apart > margin) return false;
      if (apart > to_beat) {
        Vec3 axis = Vec3::Zero();
        axis[i1] = y / std::sqrt(length2), axis[i2] = z / std::sqrt(length2);
        best = {apart, i, j, axis, along}, to_beat = apart;
      }
    }
  }
  return true;
}

struct Clipped {
  int count = 0;
  std::array<Vec3, 8> points;
};

// Keeps |p[axis]| ≤ half.
void clip_slab(Clipped& polygon, int axis, double half) {
  for (const double side : {1.0, -1.0}) {
    const Clipped from = polygon;
    polygon.count = 0;
    for (int k = 0; k < from.count; ++k) {
      const Vec3& p = from.points[static_cast<std::size_t>(k)];
      const Vec3& q = from.points[static_cast<std::size_t>(k + 1 == from.count ? 0 : k + 1)];
      const double sp = side * p[axis] - half, sq = side * q[axis] - half;
      if (sp <= 0 && polygon.count < 8) polygon.points[static_cast<std::size_t>(polygon.count++)] = p;
      if (((sp < 0 && sq > 0) || (sp > 0 && sq < 0)) && polygon.count < 8)
        polygon.points[static_cast<std::size_t>(polygon.count++)] = p + (sp / (sp - sq)) * (q - p);
    }
  }
}

// `reference` is the box whose face `axis` on `side` is touched; `turn` and `offset` place the other in its frame.
bool face_contact(const Vec3& reference, const Pose& pose, int axis, double side, const Vec3& other, const Mat3& turn,
                  const Vec3& offset, double margin, bool reference_is_a, Manifold& manifold) {
  const Vec3 facing = -side * turn.row(axis).transpose();  // out of the reference, in the frame of the other, reversed
  int incident = 0;
  facing.cwiseAbs().maxCoeff(&incident);
  const double toward = facing[incident] >= 0 ? 1 : -1;
  const int u = (incident + 1) % 3, v = (incident + 2) % 3;
  const Vec3 middle = offset + turn.col(incident) * (toward * other[incident]);
  const Vec3 du = turn.col(u) * other[u], dv = turn.col(v) * other[v];
  Clipped polygon;
  polygon.count = 4;
  polygon.points[0] = middle - du - dv, polygon.points[1] = middle + du - dv;
  polygon.points[2] = middle + du + dv, polygon.points[3] = middle - du + dv;
  clip_slab(polygon, (axis + 1) % 3, reference[(axis + 1) % 3]);
  clip_slab(polygon, (axis + 2) % 3, reference[(axis + 2) % 3]);
  std::array<ManifoldPoint, 8> points;
  std::size_t count = 0;
  for (int k = 0; k < polygon.count; ++k) {
    const Vec3& p = polygon.points[static_cast<std::size_t>(k)];
    ManifoldPoint point;
    point.separation = side * p[axis] - reference[axis];
    if (point.separation > margin) continue;
    Vec3 below = p;
    below[axis] = side * reference[axis];
    point.on_a = pose * (reference_is_a ? below : p);
    point.on_b = pose * (reference_is_a ? p : below);
    points[count++] = point;
  }
  if (count == 0) return false;
  manifold.normal = pose.axes.col(axis) * (reference_is_a ? -side : side);
  manifold.count = keep_four(manifold.normal, std::span(points).first(count));
  std::copy_n(points.begin(), manifold.count, manifold.points.begin());
  return true;
}

// The middle of the edges nearest to each other, from the closest points of their lines.
void edge_contact(const Vec3& ha, const Pose& pose_a, const Vec3& hb, const Relative& r, const Choice& best,
                  Manifold& manifold) {
  const Vec3 n = best.along >= 0 ? best.axis : Vec3(-best.axis);  // from a to b, frame of a
  Vec3 pa, pb = r.offset;
  for (int k = 0; k < 3; ++k) pa[k] = k == best.of_a ? 0 : std::copysign(ha[k], n[k]);
  for (int k = 0; k < 3; ++k)
    if (k != best.of_b) pb -= r.turn.col(k) * std::copysign(hb[k], r.turn.col(k).dot(n));
  const Vec3 da = Vec3::Unit(best.of_a), db = r.turn.col(best.of_b), d = pb - pa;
  const double cosine = da.dot(db), sine2 = 1 - cosine * cosine;
  const double s = (d.dot(da) - cosine * d.dot(db)) / sine2, t = (cosine * d.dot(da) - d.dot(db)) / sine2;
  manifold.normal = -(pose_a.axes * n);
  manifold.count = 1;
  manifold.points[0] = {pose_a * (pa + s * da), pose_a * (pb + t * db), best.separation};
}

}  // namespace

bool collide_boxes(const Vec3& ha, const Pose& pose_a, const Vec3& hb, const Pose& pose_b, double margin,
                   Manifold& manifold) {
  Relative r;
  r.turn.noalias() = pose_a.axes.transpose() * pose_b.axes;
  r.offset.noalias() = pose_a.axes.transpose() * (pose_b.position - pose_a.position);
  r.size = r.turn.cwiseAbs();
  Choice best;
  if (!best_axis(ha, hb, r, margin, best)) return false;
  if (best.of_a >= 0 && best.of_b >= 0) {
    edge_contact(ha, pose_a, hb, r, best, manifold);
    return true;
  }
  if (best.of_b >= 0) {  // a face of b
    const Mat3 turn = r.turn.transpose();
    return face_contact(hb, pose_b, best.of_b, best.along >= 0 ? -1 : 1, ha, turn, -(turn * r.offset), margin, false,
                        manifold);
  }
  return face_contact(ha, pose_a, best.of_a, best.along >= 0 ? 1 : -1, hb, r.turn, r.offset, margin, true, manifold);
}

}  // namespace selkie::contact
