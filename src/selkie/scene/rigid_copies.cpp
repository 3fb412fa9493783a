// See rigid_copies.h.
#include "selkie/scene/rigid_copies.h"

#include <numbers>

#include "selkie/core/random.h"
#include "selkie/geometry/placement.h"
#include "selkie/math/rotation.h"

namespace selkie::scene {
namespace {

void grid(const RigidGrid& g, const Eigen::Isometry3d& first, std::vector<Eigen::Isometry3d>& places) {
  RandomStream random(0x51e1, 7);
  for (int y = 0; y < g.count[1]; ++y)
    for (int x = 0; x < g.count[0]; ++x)
      for (int z = 0; z < g.count[2]; ++z) {
        Vec3 d((x - 0.5 * (g.count[0] - 1)) * g.spacing.x(), y * g.spacing.y(),
               (z - 0.5 * (g.count[2] - 1)) * g.spacing.z());
        if (g.jitter > 0) {  // z first: the arguments of a constructor are drawn in any order
          d.z() += random.uniform(-g.jitter, g.jitter);
          d.x() += random.uniform(-g.jitter, g.jitter);
        }
        Eigen::Isometry3d place = Eigen::Translation3d(d) * first;
        if (g.tumbled) {
          Vec4 q;
          do {
            for (int k = 0; k < 4; ++k) q[k] = random.uniform(-1, 1);
          } while (q.norm() > 1 || q.norm() < 0.1);
          place.rotate(Quat(q).normalized());
        }
        places.push_back(place);
      }
}

void pyramid(const RigidPyramid& p, const Eigen::Isometry3d& first, std::vector<Eigen::Isometry3d>& places) {
  for (int l = 0; l < p.layers; ++l) {
    const int side = p.layers - l;
    for (int x = 0; x < side; ++x)
      for (int z = 0; z < (p.square ? side : 1); ++z) {
        const Vec3 d((x - 0.5 * (side - 1)) * p.spacing.x(), l * p.spacing.y(),
                     p.square ? (z - 0.5 * (side - 1)) * p.spacing.z() : 0);
        places.push_back(Eigen::Translation3d(d) * first);
      }
  }
}

void wall(const RigidWall& w, const Eigen::Isometry3d& first, std::vector<Eigen::Isometry3d>& places) {
  for (int row = 0; row < w.count[1]; ++row)
    for (int x = 0; x < w.count[0]; ++x) {
      const double half = row % 2 ? 0.5 : 0;
      const Vec3 d((x + half - 0.5 * (w.count[0] - 0.5)) * w.spacing[0], row * w.spacing[1], 0);
      places.push_back(Eigen::Translation3d(d) * first);
    }
}

void ring(const RigidRing& r, const Eigen::Isometry3d& first, std::vector<Eigen::Isometry3d>& places) {
  for (int k = 0; k < r.count; ++k) {
    Eigen::Isometry3d turn = Eigen::Isometry3d::Identity();
    turn.translate(r.center);
    turn.rotate(rotation_from_axis_angle(r.axis, r.angle * std::numbers::pi / 180 * k / r.count));
    turn.translate(-r.center);
    places.push_back(turn * first);
  }
}

}  // namespace

Eigen::Isometry3d turned(const Vec3& degrees) {
  geometry::Placement placement;
  placement.rotate = degrees;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = geometry::world_from_local(placement).linear();
  return pose;
}

Eigen::Isometry3d place_of(const RigidDescription& d) { return Eigen::Translation3d(d.position) * turned(d.rotate); }

std::vector<Eigen::Isometry3d> places_of(const RigidDescription& d) {
  const Eigen::Isometry3d first = place_of(d);
  std::vector<Eigen::Isometry3d> places;
  if (!d.copies)
    places.push_back(first);
  else if (d.copies->grid)
    grid(*d.copies->grid, first, places);
  else if (d.copies->pyramid)
    pyramid(*d.copies->pyramid, first, places);
  else if (d.copies->wall)
    wall(*d.copies->wall, first, places);
  else
    ring(*d.copies->ring, first, places);
  return places;
}

}  // namespace selkie::scene
