// Constraint functions: exact figures of the notes, gradients against finite differences, invariances.
#include "selkie/solids/pbd/constraints.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <functional>

#include "selkie/core/random.h"
#include "selkie/math/random_vector.h"

namespace selkie::pbd {
namespace {

using Four = std::array<Vec3, 4>;

Four random_hinge(std::uint64_t seed) {
  RandomStream random(seed, 3);
  auto jitter = [&] { return random_vector(random, -0.2, 0.2); };
  return {Vec3(0, 0, 0) + jitter(), Vec3(1, 0, 0) + jitter(), Vec3(0.5, 0.4, 1) + jitter(),
          Vec3(0.5, 0.1, -1) + jitter()};
}

Corners<double, 4> corners(const Four& p) {
  return {vector3(p[0]), vector3(p[1]), vector3(p[2]), vector3(p[3])};
}

struct Named {
  const char* name;
  std::function<double(const Four&, Four&)> evaluate;
};

template <class F>
std::function<double(const Four&, Four&)> four(F f) {
  return [f](const Four& p, Four& g) {
    Corners<double, 4> gradients{};
    const double value = f(corners(p), gradients);
    for (std::size_t i = 0; i < 4; ++i) g[i] = eigen(gradients[i]);
    return value;
  };
}

std::vector<Named> all_constraints() {
  const std::array<double, 4> factors =
      isometric_factors({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.4, 0, 1), Vec3(0.6, 0, -1)});
  return {
      {"distance",
       [](const Four& p, Four& g) {
         Corners<double, 2> two;
         const double value = distance_constraint<double>({vector3(p[0]), vector3(p[1])}, 0.3, two);
         g = {eigen(two[0]), eigen(two[1]), Vec3::Zero(), Vec3::Zero()};
         return value;
       }},
      {"dihedral", four([](const auto& p, auto& g) { return signed_dihedral_constraint(p, 0.2, g); })},
      {"dihedral cosine", four([](const auto& p, auto& g) {
         double sine = 0;
         const double value = dihedral_constraint(p, 2.0, g, sine);
         for (auto& q : g) q = 1 / sine * q;
         return value;
       })},
      {"isometric",
       four([factors](const auto& p, auto& g) { return isometric_constraint(p, factors, 0.1, g); })},
      {"volume", four([](const auto& p, auto& g) { return volume_constraint(p, 0.1, g); })},
      {"triangle, above", [](const Four& p, Four& g) { return triangle_constraint(p, 1, 0.05, g); }},
      {"triangle, below", [](const Four& p, Four& g) { return triangle_constraint(p, -1, 0.05, g); }},
  };
}

TEST(Constraints, GradientsAgreeWithFiniteDifferences) {
  constexpr double kStep = 1e-6;  // error of central differences ~ step², and 1e-16/step of rounding
  for (const Named& constraint : all_constraints())
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Four p = random_hinge(seed), g, unused;
      constraint.evaluate(p, g);
      for (std::size_t i = 0; i < 4; ++i)
        for (int c = 0; c < 3; ++c) {
          const double at = p[i][c];
          p[i][c] = at + kStep;
          const double above = constraint.evaluate(p, unused);
          p[i][c] = at - kStep;
          const double below = constraint.evaluate(p, unused);
          p[i][c] = at;
          EXPECT_NEAR(g[i][c], (above - below) / (2 * kStep), 1e-8 * (1 + g[i].norm()))
              << constraint.name << ", seed " << seed << ", corner " << i;
        }
    }
}

TEST(Constraints, ForcesAlongGradientsHaveNoSumAndNoTorque) {
  for (const Named& constraint : all_constraints()) {
    const Four p = random_hinge(5);
    Four g;
    constraint.evaluate(p, g);
    Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
    for (std::size_t i = 0; i < 4; ++i) sum += g[i], torque += p[i].cross(g[i]);
    EXPECT_LT(sum.norm(), 1e-14) << constraint.name;
    EXPECT_LT(torque.norm(), 1e-13) << constraint.name;
  }
}

TEST(Constraints, AnglesDoNotDependOnSizeAndCarryTheSignOfTheFold) {
  const Four p = random_hinge(3);
  Four big = p, mirrored = p;
  for (Vec3& x : big) x *= 7;
  for (Vec3& x : mirrored) x.y() = -x.y();
  Corners<double, 4> g;
  double sine = 0;
  const double signed_angle = signed_dihedral_constraint(corners(p), 0.0, g);
  EXPECT_NEAR(signed_dihedral_constraint(corners(big), 0.0, g), signed_angle, 1e-14);
  EXPECT_NEAR(signed_dihedral_constraint(corners(mirrored), 0.0, g), -signed_angle, 1e-14);
  const double plain = dihedral_constraint(corners(p), 0.0, g, sine);
  EXPECT_NEAR(dihedral_constraint(corners(big), 0.0, g, sine), plain, 1e-14);
  EXPECT_NEAR(plain, M_PI - std::abs(signed_angle), 1e-14);
}

TEST(Constraints, AFlatSheetHasNoCurvatureAndABentOneThatOfItsEnergy) {
  const Four flat{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.3, 0, 0.8), Vec3(0.6, 0, -0.9)};
  const std::array<double, 4> k = isometric_factors(flat);
  Corners<double, 4> g;
  EXPECT_NEAR(isometric_constraint(corners(flat), k, 0.0, g), 0, 1e-14);
  // Folded by θ about the edge e = 1: the hinge energy is 3|e|²/A · 4 sin²(θ/2) / 2 [Bergou06].
  const double angle = 0.3;
  Four bent = flat;
  bent[2] = Eigen::AngleAxisd(angle, Vec3::UnitX()) * flat[2];
  const double area = 0.5 * (0.8 + 0.9);
  const double energy = 0.5 * 3 / area * 4 * std::pow(std::sin(angle / 2), 2);
  const double c = isometric_constraint(corners(bent), k, 0.0, g);
  EXPECT_NEAR(0.5 * c * c, energy, 1e-12);
}

}  // namespace
}  // namespace selkie::pbd
