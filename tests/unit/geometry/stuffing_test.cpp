// Tetrahedra from the fitted lattice: conforming, closed, of good shape, of the right volume to second order.
#include "selkie/geometry/tetrahedra/stuffing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/geometry/mesh_check.h"

namespace selkie::geometry {
namespace {

const BoundingBox kBox(Vec3(-1.1, -1.1, -1.1), Vec3(1.1, 1.1, 1.1));

const auto ball = [](const Vec3& p) { return 1 - p.norm(); };
const auto torus = [](const Vec3& p) { return 0.3 - std::hypot(std::hypot(p.x(), p.z()) - 0.7, p.y()); };

// Faces of one or two tets only, all tets positive, and a boundary that is a closed surface.
void expect_sound(const TetMesh& mesh) {
  EXPECT_TRUE(check_mesh(mesh).clean()) << check_mesh(mesh).text();
  std::map<Triangle, int> uses;
  for (const Tet& t : mesh.tets)
    for (std::size_t i = 0; i < 4; ++i) {
      Triangle face = {t[(i + 1) % 4], t[(i + 2) % 4], t[(i + 3) % 4]};
      std::sort(face.begin(), face.end());
      ++uses[face];
    }
  for (const auto& [face, count] : uses) ASSERT_LE(count, 2);
  const BoundarySurface boundary = boundary_surface(mesh);
  const MeshReport report = check_mesh(boundary.mesh, kWatertight);
  EXPECT_TRUE(report.clean()) << report.text();
  EXPECT_NEAR(volume(boundary.mesh), volume(mesh), 1e-12 * volume(mesh));
}

TEST(Dihedral, AnglesOfKnownTets) {
  const AngleRange corner = dihedral_angles(Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ());
  EXPECT_NEAR(corner.max, 90, 1e-12);
  EXPECT_NEAR(corner.min, std::acos(1 / std::sqrt(3.0)) * 180 / std::numbers::pi, 1e-12);
  const AngleRange regular =
      dihedral_angles(Vec3(1, 1, 1), Vec3(1, -1, -1), Vec3(-1, 1, -1), Vec3(-1, -1, 1));
  EXPECT_NEAR(regular.min, std::acos(1.0 / 3) * 180 / std::numbers::pi, 1e-12);
  EXPECT_NEAR(regular.max, regular.min, 1e-12);
}

TEST(Stuffing, BallAndTorusAreSoundWithTheirGenusAndVerticesOnTheSurface) {
  const TetMesh solid_ball = stuff(ball, kBox, 0.21), ring = stuff(torus, kBox, 0.12);
  expect_sound(solid_ball);
  expect_sound(ring);
  EXPECT_EQ(euler_characteristic(boundary_surface(solid_ball).mesh), 2);
  EXPECT_EQ(euler_characteristic(boundary_surface(ring).mesh), 0);
  for (const Vec3& p : boundary_surface(solid_ball).mesh.positions) ASSERT_NEAR(p.norm(), 1, 1e-5);
}

// Chords of a smooth surface miss a volume of order h² [HY-25]; the slope over factors of two must be near 2.
TEST(Stuffing, TheVolumeConvergesWithSecondOrder) {
  auto expect_order_two = [](const auto& field, double exact) {
    auto error = [&](double cell) { return std::abs(volume(stuff(field, kBox, cell)) - exact) / exact; };
    const double coarse = error(0.16), middle = error(0.08), fine = error(0.04);
    EXPECT_NEAR(std::log2(coarse / middle), 2, 0.25);
    EXPECT_NEAR(std::log2(middle / fine), 2, 0.25);
    EXPECT_LT(fine, 2e-3);
  };
  expect_order_two(ball, 4.0 / 3 * std::numbers::pi);
  expect_order_two(torus, 2 * std::pow(std::numbers::pi, 2) * 0.7 * 0.09);
}

// Noise at the scale of the lattice meets every case of the method with every position of the cuts.
TEST(Stuffing, AnglesStayWithinTheBoundsOnRandomSurfaces) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const double scale = 0.4 + 0.3 * static_cast<double>(seed);
    auto value = [&](double i, double j, double k) {
      return random_uniform(seed, static_cast<std::uint64_t>(i + 100),
                            static_cast<std::uint64_t>(1000 * j + k)) -
             0.5;
    };
    auto noise = [&](const Vec3& p) {
      if ((p.array() < 0.5).any() || (p.array() > 9.5).any()) return -1.0;
      const Vec3 q = p / scale, low = q.array().floor(), t = q - low;
      double sum = 0;
      for (int c = 0; c < 8; ++c) {
        const Vec3 d(c & 1, c >> 1 & 1, c >> 2);
        const Vec3 w = d.cwiseProduct(t) + (Vec3::Ones() - d).cwiseProduct(Vec3::Ones() - t);
        sum += w.prod() * value(low.x() + d.x(), low.y() + d.y(), low.z() + d.z());
      }
      return sum;
    };
    const TetMesh mesh = stuff(noise, BoundingBox(Vec3::Zero(), Vec3(10, 10, 10)), 1.0);
    ASSERT_GT(mesh.tets.size(), 1000u);
    ASSERT_TRUE(check_mesh(mesh).clean());
    const AngleRange angles = dihedral_angles(mesh);
    EXPECT_GE(angles.min, kDihedralBounds.min);
    EXPECT_LE(angles.max, kDihedralBounds.max);
  }
}

TEST(Stuffing, APlaneOnLatticePointsIsExactAndThreadsDoNotMatter) {
  // Faces of a cube on lattice planes: those points have the value zero and stay where they are.
  auto cube = [](const Vec3& p) { return 0.5 - p.cwiseAbs().maxCoeff(); };
  const TetMesh mesh = stuff(cube, BoundingBox(Vec3(-0.5, -0.5, -0.5), Vec3(0.5, 0.5, 0.5)), 0.125);
  expect_sound(mesh);
  EXPECT_NEAR(volume(mesh), 1, 0.01);  // whole but for the edges
  set_thread_count(1);
  const TetMesh serial = stuff(torus, kBox, 0.1);
  set_thread_count(2);
  const TetMesh parallel = stuff(torus, kBox, 0.1);
  set_thread_count(0);
  EXPECT_EQ(serial.tets, parallel.tets);
  EXPECT_EQ(serial.positions, parallel.positions);
}

TEST(Stuffing, ASurfaceThatHoldsNoLatticePointGivesNothing) {
  EXPECT_TRUE(
      stuff([](const Vec3& p) { return 0.01 - (p - Vec3(0.1, 0.3, 0.2)).norm(); }, kBox, 1.0).tets.empty());
}

}  // namespace
}  // namespace selkie::geometry
