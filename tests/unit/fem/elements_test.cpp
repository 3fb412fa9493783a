// Passes over all elements: oracles of LE-25 and RT-24, derivatives, null modes, agreement of the vector
// kernels with single elements.
#include "selkie/solids/fem/elements.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/parallel.h"
#include "selkie/math/rotation.h"
#include "support/fem_bodies.h"

namespace selkie::fem {
namespace {

using testing::block;
using testing::elastic;
using testing::plate;
using testing::shaken;

// λ = μ = 1.
Params unit_constants(Law law = Law::linear) { return elastic(law, 2.5, 0.25); }

Eigen::MatrixXd stiffness(const Model& model, const Params& params, const Buffer<Vec3>& x,
                          TangentKind kind = TangentKind::exact) {
  Work work;
  find_tangents(model, params, x, kind, work.tangent);
  linalg::BlockSparseSymmetric<3> matrix(model.pattern);
  assemble(model, work.tangent, 0, 1, matrix, work);
  return matrix.dense();
}

Buffer<Vec3> forces(const Model& model, const Params& params, const Buffer<Vec3>& x) {
  Work work;
  elastic_forces(model, params, x, work);
  Buffer<Vec3> f(model.vertex_count);
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = work.sums[i].head<3>();
  return f;
}

TEST(Elements, UnitTetrahedronHasTheStiffnessOfTheSource) {
  const Model model = testing::unit_tet();
  EXPECT_NEAR(model.volume, 1.0 / 6, 1e-16);
  for (const double mass : model.masses) EXPECT_NEAR(mass, 0.25, 1e-15);
  const Eigen::MatrixXd k = stiffness(model, unit_constants(), shaken(model, 0));
  Mat3 k00, k01;
  k00 << 5, 2, 2, 2, 5, 2, 2, 2, 5;
  k01 << -3, -1, -1, -1, -1, 0, -1, 0, -1;
  EXPECT_LT((k.block<3, 3>(0, 0) - k00 / 6).norm(), 1e-14);
  EXPECT_LT((k.block<3, 3>(0, 3) - k01 / 6).norm(), 1e-14);
  const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(k).eigenvalues();
  const std::array<double, 12> published{0,       0,       0,        0,       0,       0,
                                         1.0 / 3, 1.0 / 3, 0.516837, 5.0 / 6, 5.0 / 6, 2.149830};
  for (int n = 0; n < 12; ++n) EXPECT_NEAR(values[n], published[static_cast<std::size_t>(n)], 5e-7);
}

TEST(Elements, OnlyRigidMotionsAreWithoutForce) {
  const Model solid = block(2), flat = plate(3, 2);
  auto null_modes = [](const Model& model) {
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(stiffness(model, unit_constants(), shaken(model, 0)))
            .eigenvalues();
    return (values.array().abs() < 1e-11 * values.maxCoeff()).count();
  };
  EXPECT_EQ(null_modes(solid), 6);
  EXPECT_EQ(null_modes(flat), 3 + flat.vertex_count);  // and every vertex across the plane
}

TEST(Elements, ForcesAreTheDownhillSlopeOfTheEnergy) {
  for (const Model& model : {block(1), plate(2, 2)})
    for (const Law law : kAllLaws) {
      const Params params = elastic(law);
      Buffer<Vec3> x = shaken(model, 0.15);
      const Buffer<Vec3> f = forces(model, params, x);
      constexpr double kStep = 1e-5;
      for (std::size_t i = 0; i < x.size(); ++i)
        for (int c = 0; c < model.dimension; ++c) {
          const double rest = x[i][c];
          x[i][c] = rest + kStep;
          const double above = elastic_energy(model, params, x);
          x[i][c] = rest - kStep;
          const double below = elastic_energy(model, params, x);
          x[i][c] = rest;
          EXPECT_NEAR(f[i][c], -(above - below) / (2 * kStep), 2e-8) << name_of(law);
        }
    }
}

TEST(Elements, StiffnessIsTheSlopeOfTheForcesAndItsProductNeedsNoMatrix) {
  for (const Model& model : {block(1), plate(2, 2)})
    for (const Law law : kAllLaws) {
      const Params params = elastic(law);
      Buffer<Vec3> x = shaken(model, 0.15);
      const Eigen::MatrixXd k = stiffness(model, params, x);
      Eigen::MatrixXd slope = Eigen::MatrixXd::Zero(k.rows(), k.cols());
      constexpr double kStep = 1e-5;
      for (std::size_t j = 0; j < x.size(); ++j)
        for (int c = 0; c < model.dimension; ++c) {
          const double rest = x[j][c];
          x[j][c] = rest + kStep;
          const Buffer<Vec3> above = forces(model, params, x);
          x[j][c] = rest - kStep;
          const Buffer<Vec3> below = forces(model, params, x);
          x[j][c] = rest;
          for (std::size_t i = 0; i < x.size(); ++i)
            slope.block<3, 1>(static_cast<Eigen::Index>(3 * i), static_cast<Eigen::Index>(3 * j) + c) =
                -(above[i] - below[i]) / (2 * kStep);
        }
      EXPECT_LT((k - slope).norm(), 1e-7 * k.norm()) << name_of(law);

      for (const TangentKind kind : {TangentKind::exact, TangentKind::positive, TangentKind::frozen}) {
        Work work;
        find_tangents(model, params, x, kind, work.tangent);
        const Buffer<Vec3> d = shaken(model, 1, 5);
        stiffness_product(model, work.tangent, d.data()->data(), work);
        const Eigen::VectorXd expected =
            stiffness(model, params, x, kind) *
            Eigen::Map<const Eigen::VectorXd>(d.data()->data(), static_cast<Eigen::Index>(3 * d.size()));
        stiffness_diagonal(model, work.tangent, work);
        for (std::size_t i = 0; i < d.size(); ++i)
          EXPECT_LT((work.sums[i].head<3>() - expected.segment<3>(static_cast<Eigen::Index>(3 * i))).norm(),
                    1e-11)
              << name_of(law);
      }
    }
}

TEST(Elements, DeformedBodiesPushAndTurnThemselvesNeither) {
  const Model model = block(3);
  for (const Law law : {Law::corotational, Law::green, Law::neo_hookean}) {
    const Buffer<Vec3> x = shaken(model, 0.2);
    const Buffer<Vec3> f = forces(model, elastic(law), x);
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    double size = 0;
    for (std::size_t i = 0; i < f.size(); ++i) force += f[i], torque += x[i].cross(f[i]), size += f[i].norm();
    EXPECT_LT(force.norm(), 1e-14 * size) << name_of(law);
    EXPECT_LT(torque.norm(), 1e-13 * size) << name_of(law);
  }
}

TEST(Elements, TurnedBodiesFeelNothingExceptUnderTheLinearLaw) {
  const Model model = block(2);
  for (const double angle : {0.5, 2.0, 3.1}) {
    const Mat3 turn = rotation_from_vector(angle * Vec3(0.6, 0.0, 0.8));
    Buffer<Vec3> x = shaken(model, 0);
    for (Vec3& p : x) p = turn * p + Vec3(3, -2, 1);
    for (const Law law : kAllLaws) {
      double largest = 0;
      for (const Vec3& f : forces(model, elastic(law), x)) largest = std::max(largest, f.norm());
      if (law == Law::linear)
        EXPECT_GT(largest, 0.01);
      else
        EXPECT_LT(largest, 1e-13) << name_of(law);  // eps times |x|/size times Young's 10 Pa times area
    }
  }
}

TEST(Elements, AffineDeformationLeavesInnerVerticesInBalance) {
  const Model model = block(3);
  Mat3 a;
  a << 1.2, 0.3, 0, -0.1, 0.9, 0.2, 0.05, 0, 1.1;
  Buffer<Vec3> x = shaken(model, 0);
  for (Vec3& p : x) p = a * p;
  for (const Law law : kAllLaws) {
    const Buffer<Vec3> f = forces(model, elastic(law), x);
    for (std::size_t i = 0; i < f.size(); ++i) {
      const Vec3& rest = model.rest_positions[i];
      if (rest.minCoeff() < 0.01 || rest.maxCoeff() > 0.99) continue;
      EXPECT_LT(f[i].norm(), 1e-14) << name_of(law);
    }
  }
}

TEST(Elements, VectorKernelsAgreeWithSingleElementsAlsoForInvertedAndFlatOnes) {
  const Model model = block(2);
  Buffer<Vec3> x = shaken(model, 0.6);  // many of the elements are inverted
  x[7] = x[6];                          // and some are flat
  x[3] = x[4] = x[2];
  for (const Law law : kAllLaws) {
    const Params params = elastic(law);
    const Lame constants = lame(params.young, params.poisson);
    Buffer<Vec3> expected(model.vertex_count);
    double energy = 0;
    int inverted = 0;
    for (std::size_t e = 0; e < model.element_count; ++e) {
      const Mat3 f = deformation_gradient<3>(model, x, e);
      inverted += f.determinant() < 0;
      energy += model.volumes[e] * energy_density<3>(law, constants, f);
      const Mat3 h =
          -model.volumes[e] * stress<3>(law, constants, f) * inverse_rest_of<3>(model, e).transpose();
      for (std::size_t c = 1; c < 4; ++c) {
        expected[model.corner(e, c)] += h.col(static_cast<Eigen::Index>(c) - 1);
        expected[model.corner(e, 0)] -= h.col(static_cast<Eigen::Index>(c) - 1);
      }
    }
    EXPECT_GT(inverted, 8);
    const Buffer<Vec3> f = forces(model, params, x);
    for (std::size_t i = 0; i < f.size(); ++i)
      EXPECT_LT((f[i] - expected[i]).norm(), 1e-10 * (1 + expected[i].norm())) << name_of(law) << " " << i;
    EXPECT_NEAR(elastic_energy(model, params, x), energy, 1e-11 * energy);
  }
}

TEST(Elements, OneAndTwoThreadsGiveTheSameBits) {
  const Model model = block(12);
  const Buffer<Vec3> x = shaken(model, 0.02);
  for (const Law law : kAllLaws) {
    set_thread_count(1);
    const Buffer<Vec3> one = forces(model, elastic(law), x);
    set_thread_count(2);
    EXPECT_TRUE(forces(model, elastic(law), x) == one) << name_of(law);
    set_thread_count(0);
  }
}

TEST(Model, MassesAndVolumesAddUp) {
  const Model solid = block(3, 500), flat = plate(4, 3, 2, 0.5, 100, 0.1);
  EXPECT_NEAR(total_mass(solid), 500, 1e-11);
  EXPECT_NEAR(solid.volume, 1, 1e-14);
  EXPECT_NEAR(total_mass(flat), 10, 1e-13);
  EXPECT_NEAR(flat.volume, 0.1, 1e-15);
  EXPECT_NEAR(solid.least_altitude, 1 / 3.0 / std::sqrt(2.0), 1e-14);
}

TEST(Model, BadMeshesAreRefusedWithTheFirstElementAtFault) {
  const std::vector<Vec3> corners{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  auto message = [](auto&& build) -> std::string {
    try {
      build();
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  auto tets = [&](std::vector<geometry::Tet> list, double density = 1) {
    return message([&] { from_tets({corners, std::move(list)}, density); });
  };
  EXPECT_EQ(tets({{0, 1, 2, 3}}), "accepted");
  EXPECT_NE(tets({{0, 1, 2, 3}, {0, 2, 1, 3}}).find("tetrahedron 1 (0, 2, 1, 3) is turned inside out"),
            std::string::npos);
  EXPECT_NE(tets({{0, 1, 2, 3}, {0, 1, 2, 2}}).find("has no volume"), std::string::npos);
  EXPECT_NE(tets({{0, 1, 2, 9}}).find("names vertex 9"), std::string::npos);
  EXPECT_NE(tets({{0, 1, 2, 3}}, 0).find("density"), std::string::npos);
  EXPECT_NE(tets({}).find("none"), std::string::npos);
  EXPECT_NE(message([&] {
              from_tets({{corners[0], corners[1], corners[2], corners[3], Vec3(5, 5, 5)}, {{0, 1, 2, 3}}}, 1);
            }).find("vertex 4 belongs to no element"),
            std::string::npos);
  EXPECT_NE(message([&] { from_triangles({corners, {{0, 1, 3}}}, 1, 1); }).find("plane"), std::string::npos);
  EXPECT_NE(message([&] {
              from_triangles({{corners[0], corners[1], corners[2]}, {{0, 2, 1}}}, 1, 1);
            }).find("counter-clockwise"),
            std::string::npos);
  EXPECT_NE(message([&] {
              from_triangles({{corners[0], corners[1], corners[2]}, {{0, 1, 2}}}, 1, 0);
            }).find("thickness"),
            std::string::npos);
}

}  // namespace
}  // namespace selkie::fem
