// The points where two shapes touch or will touch: up to four per manifold. A pair of convex shapes has one
// manifold; meshes, compounds and distance fields may have several, one per direction.
// Two boxes: fifteen separating axes [Gottschalk96]; other convex pairs by gap() of convex.h; then the faces
// that look at each other are clipped (RT-41, [Ericson04 §5.2, §5.5]).
#pragma once

#include <array>
#include <vector>

#include "selkie/contact/convex.h"

namespace selkie::contact {

struct ManifoldPoint {
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();  // world
  double separation = 0;                          // m along the normal; negative: overlap
};

struct Manifold {
  static constexpr int kMost = 4;
  Vec3 normal = Vec3::UnitY();  // unit, from b to a
  int count = 0;
  std::array<ManifoldPoint, kMost> points;
};

// Points closer than `margin` (m). False: none.
bool collide(const Convex& a, const Convex& b, double margin, Manifold& manifold);
bool collide_boxes(const Vec3& half_a, const Pose& pose_a, const Vec3& half_b, const Pose& pose_b, double margin,
                   Manifold& manifold);

// Keeps four of many points: the deepest, the one furthest from it, and the two that span the most area.
// They come to stand first; returns how many.
int keep_four(const Vec3& normal, std::span<ManifoldPoint> points);

// Points of a convex shape or closed mesh that a distance field is asked at: corners, and a few on what is round.
std::vector<Vec3> surface_points(const Shape& shape);

// Any shapes; manifolds of like normals are merged. `sub` numbers them in an order that depends on the shapes and
// poses alone.
void collide(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double margin,
             std::vector<Manifold>& manifolds);

// Gathers points that come with normals of their own into manifolds.
class ManifoldGatherer {
 public:
  void add(const Vec3& normal, const ManifoldPoint& point);
  void finish(std::vector<Manifold>& manifolds);

 private:
  struct Cluster {
    Vec3 normal;
    std::vector<ManifoldPoint> points;
  };
  std::vector<Cluster> clusters_;
  std::size_t used_ = 0;
};

// When two moving shapes first come closer than `target` (m), as a share of the interval; poses move straight and
// turn evenly from t = 0 to 1. Conservative advancement, rotation included [Mirtich96]. Nothing: they do not.
struct Sweep {
  Pose start;
  Vec3 displacement = Vec3::Zero();  // m
  Vec3 turn = Vec3::Zero();          // rotation vector, rad
  Pose at(double share) const;
};
std::optional<double> time_of_impact(const Shape& a, const Sweep& way_a, const Shape& b, const Sweep& way_b,
                                     double target);

}  // namespace selkie::contact
