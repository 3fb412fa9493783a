// A small sitting animal with long ears, made from nothing but formulas: ellipsoids blended into one smooth
// body, whose surface is the boundary of its fitted lattice (tetrahedra/stuffing.h). It looks along +x.
#include "selkie/geometry/creature.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "selkie/geometry/detail/generator_input.h"
#include "selkie/geometry/tetrahedra/stuffing.h"
#include "selkie/math/rotation.h"

namespace selkie::geometry {
namespace {

// Lengths as shares of the height; the right half of pairs, mirrored in z.
struct Part {
  Vec3 middle;
  Vec3 radii;
  bool pair = false;
  Vec3 turn = Vec3::Zero();  // rotation vector
};

const std::array<Part, 10> kParts = {{
    {{-0.06, 0.28, 0}, {0.27, 0.25, 0.22}},                                // belly
    {{0.10, 0.32, 0}, {0.15, 0.20, 0.155}},                                // chest
    {{0.20, 0.585, 0}, {0.165, 0.14, 0.135}},                              // head
    {{0.315, 0.545, 0}, {0.085, 0.072, 0.08}},                             // muzzle
    {{0.095, 0.83, 0.105}, {0.042, 0.175, 0.055}, true, {0.24, 0, 0.30}},  // ears
    {{-0.10, 0.17, 0.15}, {0.185, 0.155, 0.10}, true},                     // thighs
    {{-0.06, 0.048, 0.19}, {0.14, 0.048, 0.062}, true},                    // hind feet
    {{0.19, 0.18, 0.085}, {0.06, 0.16, 0.058}, true},                      // front legs
    {{0.235, 0.046, 0.085}, {0.085, 0.046, 0.06}, true},                   // front feet
    {{-0.345, 0.20, 0}, {0.085, 0.085, 0.085}},                            // tail
}};

// Negative inside; a distance to first order, exact on the surface.
double outside_ellipsoid(const Vec3& p, const Vec3& radii) {
  const double k0 = p.cwiseQuotient(radii).norm();
  const double k1 = p.cwiseQuotient(radii.cwiseProduct(radii)).norm();
  return k1 > 0 ? k0 * (k0 - 1) / k1 : -radii.minCoeff();
}

// The lesser of two distances, rounded where they are within `blend` of each other.
double smooth_min(double a, double b, double blend) {
  const double h = std::max(blend - std::abs(a - b), 0.0) / blend;
  return std::min(a, b) - 0.25 * blend * h * h;
}

class Animal {
 public:
  Animal() {
    for (std::size_t i = 0; i < kParts.size(); ++i)
      from_world_[i] = rotation_from_vector(kParts[i].turn).transpose();
  }

  // Positive inside.
  double operator()(const Vec3& p) const {
    double outside = 10;
    for (std::size_t i = 0; i < kParts.size(); ++i) {
      blend_in(i, p, outside);
      if (kParts[i].pair) blend_in(i, Vec3(p.x(), p.y(), -p.z()), outside);
    }
    return -outside;
  }

 private:
  void blend_in(std::size_t i, const Vec3& p, double& outside) const {
    constexpr double kBlend = 0.05;
    const double part = outside_ellipsoid(from_world_[i] * (p - kParts[i].middle), kParts[i].radii);
    outside = smooth_min(outside, part, kBlend);
  }

  std::array<Mat3, kParts.size()> from_world_;
};

}  // namespace

TriangleMesh creature(const CreatureShape& shape) {
  detail::require(shape);
  // Blends bulge a little beyond the parts. The lattice starts where 28 divisions give 2454 vertices, the
  // size of the source's animal (2461).
  const BoundingBox box(Vec3(-0.52, -0.058, -0.32), Vec3(0.5, 1.08, 0.32));
  TriangleMesh mesh = boundary_surface(stuff(Animal(), box, 1.0 / shape.divisions)).mesh;
  const Mat3 turned = rotation_from_vector(Vec3(0, shape.heading * std::numbers::pi / 180, 0));
  for (Vec3& p : mesh.positions) p = shape.foot + shape.height * (turned * p);
  return mesh;
}

}  // namespace selkie::geometry
