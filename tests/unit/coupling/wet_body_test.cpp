// How a liquid sees bodies: outlines, voxels, rigid bodies with six unknowns, and the staggered solve.
// [LE-39, LE-45, LE-46]
#include <gtest/gtest.h>

#include <cmath>

#include "selkie/coupling/group_solve.h"
#include "selkie/coupling/wet_field.h"
#include "selkie/coupling/wet_patches.h"
#include "selkie/coupling/wet_rigid.h"
#include "selkie/geometry/generators.h"
#include "selkie/grid/solid_fractions.h"

namespace selkie::coupling {
namespace {

// An L of three squares, clockwise and counter-clockwise triangles mixed.
const std::vector<Vec3> kCorners{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0},
                                 {1, 1, 0}, {2, 1, 0}, {0, 2, 0}, {1, 2, 0}};
const std::vector<geometry::Triangle> kTriangles{{0, 1, 4}, {0, 3, 4}, {1, 2, 5},
                                                 {1, 5, 4}, {3, 4, 7}, {3, 6, 7}};

TEST(WetOutline, HasTheBodyOnItsLeftAndClosesIt) {
  const auto outline = outline_of(kCorners, kTriangles);
  ASSERT_EQ(outline.size(), 8u);
  double area = 0;
  for (const auto& [a, b] : outline)
    area += 0.5 * (kCorners[a].x() * kCorners[b].y() - kCorners[b].x() * kCorners[a].y());
  EXPECT_DOUBLE_EQ(area, 3);
}

TEST(WetOutline, DistanceIsNegativeInsideAlsoBesideAnInwardCorner) {
  WetOutline body(kCorners, outline_of(kCorners, kTriangles));
  std::vector<Vec3> velocities(kCorners.size(), Vec3(0, 0, 0));
  for (std::size_t v = 0; v < kCorners.size(); ++v) velocities[v] = Vec3(kCorners[v].y(), 0, 0);
  body.move(kCorners, velocities);
  EXPECT_NEAR(body.sample({0.5, 0.25, 0.7}, 0).distance, -0.25, 1e-15);  // whatever its depth
  EXPECT_NEAR(body.sample({1.5, 1.5, 0}, 0).distance, 0.5, 1e-15);
  EXPECT_NEAR(body.sample({0.9, 0.9, 0}, 0).distance, -std::hypot(0.1, 0.1), 1e-15);
  EXPECT_NEAR(body.sample({2.3, 1.4, 0}, 0).distance, 0.5, 1e-15);
  const auto left = body.sample({-0.2, 1.5, 0}, 0);
  EXPECT_NEAR(left.normal.x(), -1, 1e-15);
  EXPECT_NEAR(left.velocity.x(), 1.5, 1e-15);
}

TEST(WetPatches, VoxelsCloseTheBodyAndCoverItsWholeFaces) {
  const geometry::TetMesh mesh =
      geometry::tet_box({.min = {0.21, 0.3, 0.33}, .max = {0.68, 0.72, 0.61}, .divisions = {2, 2, 2}});
  const auto triangles = geometry::boundary_triangles(mesh.tets);
  const WetField field(mesh.positions, triangles);
  ports::WetBody body;
  body.surface = {.positions = mesh.positions, .triangles = triangles};
  body.field = &field;
  body.shares = ports::WetShares::voxels;
  const grid::Shape shape(3, {10, 10, 10}, 0.1);
  grid::CutSurface cut;
  find_patches(shape, body, cut);
  // Middles at 0.05, 0.15, …: cells 2 … 6, 3 … 6, 3 … 5.
  ASSERT_EQ(cut.patches.size(), 2u * (5 * 4 + 4 * 3 + 5 * 3));
  Vec3 sum = Vec3::Zero();
  for (const grid::Patch& patch : cut.patches) {
    sum += patch.area;
    EXPECT_NEAR(patch.weights.sum(), 1, 1e-12);
    EXPECT_NEAR(patch.area.norm(), 0.01, 1e-15);
  }
  EXPECT_LT(sum.norm(), 1e-15);
  grid::FaceField<double> open;
  open.assign(shape, 1.0);
  Buffer<double> scratch;
  grid::cover_faces<double>(shape, cut.patches, grid::view(shape, open), scratch);
  for (int i = 0; i <= 10; ++i) EXPECT_EQ(grid::view(shape, open)[0](i, 4, 4), i >= 2 && i <= 7 ? 0 : 1) << i;
}

// Vertices of the surface lie in the plane: the section goes through them and stays closed.
TEST(WetRigid, InThePlaneABodyIsItsSectionAndAsDeepAsItsVolumeAsks) {
  const geometry::TetMesh tets =
      geometry::tet_box({.min = {-0.2, -0.15, -0.25}, .max = {0.2, 0.15, 0.25}, .divisions = {2, 3, 2}});
  const geometry::TriangleMesh mesh{tets.positions, geometry::boundary_triangles(tets.tets)};
  WetRigidBody body;
  body.shape.kind = contact::Kind::box;
  body.shape.size = Vec3(0.2, 0.15, 0.25);
  body.surface = &mesh;
  body.pose.position = Vec3(1, 2, 0.3);
  body.pose.axes = Eigen::AngleAxisd(0.4, Vec3::UnitZ()).toRotationMatrix();
  body.velocity = Vec3(0.5, 0, 0);
  body.spin = Vec3(0, 0, 2);
  body.inverse_mass = 0.1;
  body.inverse_inertia = 3 * Mat3::Identity();
  for (const double plane : {0.3, 0.17}) {
    WetRigid wet;
    wet.place({body}, plane);
    const grid::SurfaceElements surface = wet.surface();
    double area = 0;
    std::vector<int> begins(surface.positions.size(), 0), ends(surface.positions.size(), 0);
    for (const auto& [a, b] : surface.segments) {
      area += 0.5 * (surface.positions[a].x() * surface.positions[b].y() -
                     surface.positions[b].x() * surface.positions[a].y());
      ++begins[a], ++ends[b];
    }
    EXPECT_NEAR(area, 0.4 * 0.3, 1e-14);
    for (std::size_t v = 0; v < begins.size(); ++v) EXPECT_TRUE(begins[v] == 1 && ends[v] == 1);
    EXPECT_NEAR(wet.sample(Vec3(1, 2, 0), 0).distance, -0.15, 1e-14);
    const Vec3 side = body.pose.position + body.pose.axes * Vec3(0.3, 0, 0);
    EXPECT_NEAR(wet.sample(side, 0).distance, 0.1, 1e-14);
    EXPECT_NEAR(wet.sample(side, 0).velocity.x(), 0.5 - 2 * 0.2 * std::sin(0.4), 1e-14);
    EXPECT_EQ(wet.reduction().cols(), 2 * static_cast<int>(surface.positions.size()));
    const std::array<double, 6> force{2, 0, 0, 0, 0, 1};  // per metre of depth
    std::array<double, 6> change{};
    wet.answer(0.01, force, change);
    EXPECT_NEAR(change[0], 0.01 * 0.5 * 0.1 * 2, 1e-15);  // 0.5 m deep
    EXPECT_NEAR(change[5], 0.01 * 0.5 * 3, 1e-15);
  }
  WetRigid beside;
  beside.place({body}, 1.0);
  EXPECT_TRUE(beside.surface().segments.empty());
  EXPECT_GT(beside.sample(Vec3(1, 2, 1), 0).distance, 1e9);
}

// Edges, corners and sides in the plane, exactly and but for round-off: the lengths and directions of what is
// cut there are noise, but the section has to close, each point between two segments that are not.
TEST(WetRigid, SectionsCloseWhereEdgesOrSidesLieInThePlane) {
  const std::vector<std::pair<contact::Shape, double>> shapes{
      {{contact::Kind::box, Vec3(0.1, 0.2, 0.15)}, 0.15},
      {{contact::Kind::cylinder, Vec3(0.1, 0.2, 0.1)}, 0.1},
      {{contact::Kind::capsule, Vec3(0.1, 0.2, 0.1)}, 0.1},
      {{contact::Kind::ball, Vec3(0.1, 0, 0)}, 0.1}};
  int cut = 0;
  for (const auto& [shape, top] : shapes) {
    const geometry::TriangleMesh mesh = contact::surface_of(shape);
    const double edge = shape.kind == contact::Kind::box ? std::hypot(0.1, 0.15) : top;
    for (int n = 0; n < 400; ++n) {
      // From 1e-20 to 0.1, both ways, about all axes; upright, or with an edge of the box below its middle.
      const double angle = (n % 2 ? 1 : -1) * std::pow(10, -20 + n / 21.0),
                   stands = n % 4 < 2 ? 0 : std::atan2(0.1, 0.15);
      const Vec3 axis(n % 3 == 0, n % 3 == 1 ? 1 : 0.3 * (n % 5), n % 3 == 2);
      WetRigidBody body;
      body.shape = shape;
      body.surface = &mesh;
      body.pose.position = Vec3(1, 2, 0.3);
      body.pose.axes =
          (Eigen::AngleAxisd(angle, axis.normalized()) * Eigen::AngleAxisd(stands, Vec3::UnitY()))
              .toRotationMatrix();
      for (const double plane : {0.3, 0.3 - top, 0.3 + top, 0.3 - edge, 0.3 + edge, 0.3 + angle * top}) {
        WetRigid wet;
        ASSERT_NO_THROW(wet.place({body}, plane)) << n << " " << plane;
        const grid::SurfaceElements surface = wet.surface();
        std::vector<int> begins(surface.positions.size(), 0), ends(surface.positions.size(), 0);
        for (const auto& [a, b] : surface.segments) {
          ++begins[a], ++ends[b];
          ASSERT_GT((surface.positions[a] - surface.positions[b]).norm(), 1e-10) << n << " " << plane;
        }
        for (std::size_t v = 0; v < begins.size(); ++v) ASSERT_TRUE(begins[v] == 1 && ends[v] == 1);
        if (surface.segments.empty()) continue;
        ++cut;
        ASSERT_TRUE(std::isfinite(wet.sample(Vec3(1, 2, plane), 0).distance));
        ASSERT_GT(wet.sample(Vec3(2, 2, plane), 0).distance, 0.5) << n << " " << plane;
        ASSERT_GT(wet.sample(Vec3(1, 1, plane), 0).distance, 0.5) << n << " " << plane;
        // Nowhere in the middle of it is anything taken for the outside.
        if (plane == 0.3) {
          ASSERT_LT(wet.sample(Vec3(1, 2, plane), 0).distance, -0.09) << n;
        }
      }
    }
  }
  EXPECT_GT(cut, 4000);
}

TEST(WetRigid, TorqueAndForceOnVerticesMoveTheBodyAsTheyMoveItsPoints) {
  const geometry::TriangleMesh surface = contact::surface_of({contact::Kind::box, Vec3(0.1, 0.2, 0.3)});
  WetRigidBody body;
  body.shape = {contact::Kind::box, Vec3(0.1, 0.2, 0.3)};
  body.surface = &surface;
  body.pose.position = Vec3(1, 2, 3);
  body.pose.axes = Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  body.velocity = Vec3(0.3, -1, 2), body.spin = Vec3(1, 0.5, -2);
  WetRigid wet;
  wet.place({body});
  // Power of forces on vertices equals that of force and torque on the body: R is the transposed of the
  // motion.
  const auto elements = wet.surface();
  Eigen::VectorXd forces = Eigen::VectorXd::Random(3 * static_cast<int>(elements.positions.size()));
  Eigen::VectorXd unknowns(6);
  unknowns << body.velocity, body.spin;
  double power = 0;
  for (std::size_t v = 0; v < elements.positions.size(); ++v)
    power += forces.segment<3>(3 * static_cast<int>(v))
                 .dot(body.velocity + body.spin.cross(elements.positions[v] - body.pose.position));
  EXPECT_NEAR(unknowns.dot(wet.reduction() * forces), power, 1e-12);
  // A point on a side: distance and velocity of the nearest point.
  const Vec3 outside = body.pose * Vec3(0.15, 0.02, 0.01);
  const auto sample = wet.sample(outside, 0);
  EXPECT_NEAR(sample.distance, 0.05, 1e-12);
  EXPECT_LT((sample.velocity -
             (body.velocity + body.spin.cross(body.pose * Vec3(0.1, 0.02, 0.01) - body.pose.position)))
                .norm(),
            1e-12);
}

// A piston of mass m under a column of liquid of mass m_f, both moving at one speed: the staggered solve
// multiplies an error of the pressure by −m_f/m each step, the joint one forgets it at once. [LE-45]
TEST(StaggeredSolve, MultipliesAPistonsPressureByTheRatioOfMasses) {
  constexpr double kArea = 0.3, kStep = 0.01, kColumn = 5, kPiston = 2;
  ports::SparseRows jacobian(1, 1);
  jacobian.insert(0, 0) = kArea;
  for (const bool staggered : {true, false}) {
    double velocity = 1, liquid = 1, pressure = 100;
    for (int step = 0; step < 4; ++step) {
      const double last = pressure;
      std::vector<double> rhs{kArea * liquid}, guess{pressure}, free{velocity}, warm;
      ports::PressureSide side;
      side.unknowns = 1;
      side.guess = guess, side.rhs = rhs;
      side.apply_b = [&](std::span<const double> x, std::span<double> y) {
        y[0] = kArea * kArea * kStep / kColumn * x[0];
      };
      side.accept = [&](std::span<const double> p) { pressure = p[0]; };
      ports::BodySide body;
      body.dofs = 1;
      body.free_velocity = free;
      body.apply_z1_inverse = [&](std::span<const double> f, std::span<double> v) {
        v[0] = kStep * f[0] / kPiston;
      };
      body.accept = [&](std::span<const double> v) { velocity = v[0]; };
      const std::array sides{static_cast<const ports::PressureSide*>(&side)};
      const std::array bodies{static_cast<const ports::BodySide*>(&body)};
      const std::array terms{ports::CouplingTerm{0, 0, &jacobian}};
      const GroupReport report = staggered ? solve_staggered(sides, bodies, terms, {.tolerance = 1e-14}, warm)
                                           : solve_group(sides, bodies, terms, {.tolerance = 1e-14}, warm);
      ASSERT_TRUE(report.solve.converged());
      liquid -= kStep * kArea / kColumn * pressure;
      EXPECT_NEAR(liquid, velocity, 1e-12) << "what touches moves together";
      EXPECT_NEAR(pressure, staggered ? -kColumn / kPiston * last : 0, 1e-9 * 100 * 40);
    }
  }
}

}  // namespace
}  // namespace selkie::coupling
