// Oracles of the generators: closed surfaces are watertight and outward, volumes converge, tets fill.
#include "selkie/geometry/generators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "selkie/core/error.h"
#include "selkie/core/schema.h"
#include "selkie/geometry/creature.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/geometry/shape_choice.h"

namespace selkie::geometry {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr MeshRequirements kPerfectClosed{.closed = true};

// log2 of the error ratio when the resolution doubles.
double order(double coarse_error, double fine_error) { return std::log2(coarse_error / fine_error); }

struct ClosedCase {
  const char* name;
  TriangleMesh mesh;
  long euler;
};

std::vector<ClosedCase> closed_surfaces() {
  return {
      {"box", box_surface({.divisions = {2, 3, 5}}), 2},
      {"smallest box", box_surface({.divisions = {1, 1, 1}}), 2},
      {"ball", ball_surface({}), 2},
      {"smallest ball", ball_surface({.divisions = {3, 3}}), 2},
      {"icosphere", icosphere({}), 2},
      {"icosahedron", icosphere({.divisions = 1}), 2},
      {"icosphere with few inner points", icosphere({.divisions = 3}), 2},
      {"cylinder", cylinder_surface({}), 2},
      {"slanted smallest cylinder",
       cylinder_surface({.start = Vec3(1, 2, 3), .end = Vec3(2, 2, 5), .around = 3, .along = 1, .rings = 1}),
       2},
      {"torus", torus_surface({.axis = Vec3(1, 2, 3)}), 0},
      {"shell", shell_surface({}), 4},
      {"creature", creature({.divisions = 20}), 2},
      {"fine creature", creature({.height = 0.3, .heading = 30}), 2}};
}

TEST(ClosedSurfaces, AreWatertightConsistentAndWithoutDegenerateTriangles) {
  for (const ClosedCase& c : closed_surfaces())
    EXPECT_EQ(check_mesh(c.mesh, kPerfectClosed).text(), "no trouble found") << c.name;
}

TEST(ClosedSurfaces, HaveTheEulerCharacteristicOfTheirTopology) {
  for (const ClosedCase& c : closed_surfaces()) EXPECT_EQ(euler_characteristic(c.mesh), c.euler) << c.name;
}

TEST(ClosedSurfaces, EncloseAPositiveVolumeSoNormalsPointOutwards) {
  for (const ClosedCase& c : closed_surfaces()) EXPECT_GT(volume(c.mesh), 0) << c.name;
}

TEST(BoxSurface, EnclosesExactlyTheBox) {
  const BoxShape shape{.min = Vec3(1, 2, 3), .max = Vec3(2, 4, 7), .divisions = {3, 4, 5}};
  const TriangleMesh mesh = box_surface(shape);
  // Sums of about a hundred terms: round-off of a few tens of ulps.
  EXPECT_NEAR(volume(mesh), 8, 8 * 1e-14);
  EXPECT_NEAR(area(mesh), 2 * (2 + 4 + 8), 28 * 1e-14);
  EXPECT_EQ(mesh.triangles.size(), 2u * 2 * (3 * 4 + 4 * 5 + 5 * 3));
}

TEST(BallSurface, ApproachesTheVolumeAndAreaOfASphereWithOrderTwo) {
  const double exact = 4 * kPi / 3 * 0.125;
  auto error = [&](int n) { return exact - volume(ball_surface({.divisions = {2 * n, n}})); };
  EXPECT_GT(error(32), 0);  // inscribed
  EXPECT_NEAR(order(error(16), error(32)), 2, 0.02);
  EXPECT_NEAR(order(error(32), error(64)), 2, 0.005);
}

TEST(Icosphere, ApproachesTheVolumeOfASphereWithOrderTwoAndHasTenNSquaredPlusTwoVertices) {
  const double exact = 4 * kPi / 3 * 0.125;
  auto error = [&](int n) { return exact - volume(icosphere({.divisions = n})); };
  EXPECT_NEAR(order(error(8), error(16)), 2, 0.02);
  for (const int n : {1, 2, 3, 7}) {
    const TriangleMesh mesh = icosphere({.center = Vec3(1, 0, 0), .radius = 2, .divisions = n});
    EXPECT_EQ(mesh.positions.size(), static_cast<std::size_t>(10 * n * n + 2));
    EXPECT_EQ(mesh.triangles.size(), static_cast<std::size_t>(20 * n * n));
    for (const Vec3& x : mesh.positions) EXPECT_NEAR((x - Vec3(1, 0, 0)).norm(), 2, 1e-14);
  }
}

TEST(TorusSurface, ApproachesTwoPiSquaredMajorMinorSquared) {
  const double exact = 2 * kPi * kPi * 0.4 * 0.15 * 0.15;
  auto error = [&](int n) { return exact - volume(torus_surface({.divisions = {2 * n, n}})); };
  EXPECT_NEAR(order(error(24), error(48)), 2, 0.02);
}

TEST(CylinderSurface, EnclosesTheExactPrismOverItsPolygon) {
  const CylinderShape shape{.radius = 0.3, .around = 12};
  const double polygon = 0.5 * 12 * 0.09 * std::sin(2 * kPi / 12);
  EXPECT_NEAR(volume(cylinder_surface(shape)), polygon, 1e-14);
}

TEST(ShellSurface, EnclosesTheWallOnly) {
  const ShellShape shape{.radius = 0.5, .thickness = 0.1, .divisions = 6};
  const double unit = volume(icosphere({.radius = 1, .divisions = 6}));
  EXPECT_NEAR(volume(shell_surface(shape)), unit * (0.125 - 0.064), 1e-14);
}

TEST(Sheet, HasItsSizeAndLooksAlongUCrossV) {
  const TriangleMesh mesh = sheet({.center = Vec3(0, 1, 0), .size = {2, 3}, .divisions = {4, 6}});
  EXPECT_EQ(mesh.positions.size(), 35u);
  EXPECT_NEAR(area(mesh), 6, 1e-13);
  for (const Vec3& normal : vertex_normals(mesh.positions, mesh.triangles))
    EXPECT_NEAR((normal - Vec3::UnitY()).norm(), 0, 1e-15);
  EXPECT_EQ(mesh.positions.front(), Vec3(-1.5, 1, -1));  // u = z (size 2), v = x (size 3)
  EXPECT_EQ(check_mesh(mesh).text(), "no trouble found");
  EXPECT_EQ(check_mesh(mesh, kPerfectClosed).count(Trouble::hole), 1u);
}

TEST(Sheet, HerringboneAlternatesDiagonalsByParity) {
  auto has_edge = [](const TriangleMesh& mesh, std::uint32_t a, std::uint32_t b) {
    const auto edges = unique_edges(mesh.triangles);
    return std::binary_search(edges.begin(), edges.end(), Segment{std::min(a, b), std::max(a, b)});
  };
  const int n = 4;
  for (const SheetPattern pattern : {SheetPattern::regular, SheetPattern::herringbone}) {
    const TriangleMesh mesh = sheet({.divisions = {n, n}, .pattern = pattern});
    EXPECT_EQ(check_mesh(mesh).text(), "no trouble found");
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const auto p = static_cast<std::uint32_t>(i + j * (n + 1));
        const bool rising = pattern == SheetPattern::regular || (i + j) % 2 == 0;
        EXPECT_EQ(has_edge(mesh, p, p + n + 2), rising);
        EXPECT_EQ(has_edge(mesh, p + 1, p + n + 1), !rising);
      }
  }
}

TEST(Chain, HasEqualSegmentsAndExactEnds) {
  const SegmentMesh mesh = chain({.start = Vec3(0, 0, 0), .end = Vec3(0, -0.7, 0), .segments = 7});
  EXPECT_EQ(mesh.segments.size(), 7u);
  EXPECT_EQ(mesh.positions.back(), Vec3(0, -0.7, 0));
  EXPECT_NEAR(length(mesh), 0.7, 1e-15);
  EXPECT_TRUE(check_mesh(mesh).clean());
}

// Every inner face belongs to exactly two tets, with opposite orientation; that is conformity.
void expect_conforming(const TetMesh& mesh, std::size_t boundary_faces) {
  std::map<Triangle, int> uses;
  for (const Tet& t : mesh.tets)
    for (std::size_t skip = 0; skip < 4; ++skip) {
      Triangle face;
      for (std::size_t k = 0, n = 0; k < 4; ++k)
        if (k != skip) face[n++] = t[k];
      std::sort(face.begin(), face.end());
      ++uses[face];
    }
  std::size_t once = 0;
  for (const auto& [face, count] : uses) {
    EXPECT_LE(count, 2);
    once += count == 1 ? 1 : 0;
  }
  EXPECT_EQ(once, boundary_faces);
}

double smallest_tet(const TetMesh& mesh) {
  double smallest = 1e300;
  for (const Tet& t : mesh.tets)
    smallest = std::min(smallest, signed_volume(mesh.positions[t[0]], mesh.positions[t[1]],
                                                mesh.positions[t[2]], mesh.positions[t[3]]));
  return smallest;
}

TEST(TetBox, FillsTheBoxWithEqualPositiveConformingTets) {
  const BoxShape shape{.min = Vec3(0, 0, 0), .max = Vec3(2, 3, 4), .divisions = {2, 3, 4}};
  const TetMesh mesh = tet_box(shape);
  EXPECT_EQ(mesh.tets.size(), 24u * 6);
  EXPECT_NEAR(volume(mesh), 24, 24 * 1e-14);        // 144 sixths, each rounded once
  EXPECT_NEAR(smallest_tet(mesh), 1.0 / 6, 1e-15);  // each tet is a sixth of a unit cell
  expect_conforming(mesh, 2 * 2 * (6 + 12 + 8));
  EXPECT_EQ(check_mesh(mesh).text(), "no trouble found");
}

TEST(TetBox, BoundaryIsTheClosedOutwardBoxSurface) {
  const TetMesh mesh = tet_box({.divisions = {3, 2, 4}});
  const BoundarySurface surface = boundary_surface(mesh);
  EXPECT_EQ(check_mesh(surface.mesh, kPerfectClosed).text(), "no trouble found");
  EXPECT_NEAR(volume(surface.mesh), 1, 1e-14);
  EXPECT_EQ(surface.mesh.triangles.size(), box_surface({.divisions = {3, 2, 4}}).triangles.size());
}

TEST(TetBall, IsConformingPositiveAndApproachesTheBall) {
  const double exact = 4 * kPi / 3 * 0.125;
  auto error = [&](int n) { return exact - volume(tet_ball({.divisions = n})); };
  EXPECT_NEAR(order(error(6), error(12)), 2, 0.1);
  for (const int n : {1, 2, 5}) {
    const TetMesh mesh = tet_ball({.divisions = n});
    EXPECT_GT(smallest_tet(mesh), 0) << n;
    expect_conforming(mesh, static_cast<std::size_t>(6 * 2 * 4 * n * n));
    const BoundarySurface surface = boundary_surface(mesh);
    EXPECT_EQ(check_mesh(surface.mesh, kPerfectClosed).text(), "no trouble found");
    for (const Vec3& x : surface.mesh.positions) EXPECT_NEAR(x.norm(), 0.5, 1e-15);
  }
}

TEST(TetTorus, IsConformingPositiveAndApproachesTheRing) {
  const double exact = 2 * kPi * kPi * 0.4 * 0.15 * 0.15;
  auto error = [&](int n) { return exact - volume(tet_torus({.divisions = {8 * n, n}})); };
  EXPECT_NEAR(order(error(3), error(6)), 2, 0.1);
  for (const int n : {1, 3}) {
    const TetMesh mesh = tet_torus({.axis = Vec3(1, 2, 0), .divisions = {9, n}});
    EXPECT_GT(smallest_tet(mesh), 0) << n;
    const BoundarySurface surface = boundary_surface(mesh);
    EXPECT_EQ(check_mesh(surface.mesh, kPerfectClosed).text(), "no trouble found");
    EXPECT_EQ(euler_characteristic(surface.mesh), 0);
    EXPECT_EQ(surface.mesh.triangles.size(), static_cast<std::size_t>(2 * 9 * 8 * n));
  }
}

TEST(Generators, WorkWithDefaultsFromAnEmptyTable) {
  SurfaceShape shape;
  Value table;
  table["sheet"].data = ValueTable{};
  read(type_of<SurfaceShape>(), table, &shape, "mesh");
  EXPECT_EQ(make_surface(shape).triangles.size(), 2u * 16 * 16);
}

TEST(Generators, RefuseContradictoryShapesWithTheMembersName) {
  auto message = [](auto&& make) {
    try {
      make();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_NE(message([] { box_surface({.min = Vec3(1, 0, 0)}); }).find("min"), std::string::npos);
  EXPECT_NE(message([] { sheet({.u = Vec3::UnitX(), .v = Vec3(-2, 0, 0)}); }).find("parallel"),
            std::string::npos);
  EXPECT_NE(message([] { torus_surface({.minor_radius = 1}); }).find("minor_radius"), std::string::npos);
  EXPECT_NE(message([] { shell_surface({.thickness = 0.5}); }).find("thickness"), std::string::npos);
  EXPECT_NE(message([] { cylinder_surface({.end = Vec3(0, -0.5, 0)}); }).find("end"), std::string::npos);
  EXPECT_NE(message([] {
              tet_box({.divisions = {10000, 10000, 10000}});
            }).find("100 million"),
            std::string::npos);
  EXPECT_NE(message([] { icosphere({.radius = -1}); }).find("radius"), std::string::npos);
  EXPECT_NE(message([] { ball_surface({.divisions = {2, 8}}); }).find("divisions"), std::string::npos);
}

TEST(Generators, CountTheTrianglesOfABoxSurfaceAndTheTetrahedraOfASolidOne) {
  const BoxShape fine{.divisions = {300, 300, 300}};
  EXPECT_TRUE(validate(fine).empty());
  ASSERT_EQ(validate_solid(fine).size(), 1u);
  EXPECT_EQ(validate_solid(fine)[0].member, "divisions");
  EXPECT_THROW(tet_box(fine), InputError);
}

TEST(Generators, ScaleDownToTheCoarsestValidMesh) {
  SurfaceShape shape{.ball = BallShape{}};
  apply_scale(type_of<SurfaceShape>(), &shape, 0.01);
  EXPECT_EQ(shape.ball->divisions, (std::array<int, 2>{3, 3}));
  EXPECT_TRUE(check_mesh(make_surface(shape), kPerfectClosed).clean());
}

}  // namespace
}  // namespace selkie::geometry
