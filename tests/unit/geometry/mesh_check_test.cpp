// Each trouble is found, counted and located; a clean mesh stays clean.
#include "selkie/geometry/mesh_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/error.h"
#include "selkie/geometry/generators.h"

namespace selkie::geometry {
namespace {

constexpr MeshRequirements kPerfectClosed{.closed = true};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TriangleMesh unit_box() { return box_surface({.divisions = {1, 1, 1}}); }

void expect_only(const MeshReport& report, Trouble trouble, std::size_t count, const std::string& first) {
  ASSERT_EQ(report.findings.size(), 1u) << report.text();
  EXPECT_EQ(report.findings[0].trouble, trouble) << report.text();
  EXPECT_EQ(report.count(trouble), count);
  EXPECT_EQ(report.first(trouble), first);
  EXPECT_FALSE(report.remedy().empty());
}

TEST(MeshCheck, SaysNoTroubleForACleanMesh) {
  const MeshReport report = check_mesh(unit_box(), kPerfectClosed);
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.text(), "no trouble found");
  EXPECT_EQ(report.remedy(), "");
}

TEST(MeshCheck, FindsIndicesOutOfRangeAndStopsThere) {
  TriangleMesh mesh = unit_box();
  mesh.triangles[3][1] = 8;
  mesh.triangles[5][0] = 0xffffffff;
  const Triangle t = mesh.triangles[3];
  expect_only(
      check_mesh(mesh), Trouble::index_out_of_range, 2,
      "triangle 3 (" + std::to_string(t[0]) + ", 8, " + std::to_string(t[2]) + "), but there are 8 vertices");
}

TEST(MeshCheck, FindsVerticesThatAreNotFinite) {
  TriangleMesh mesh = unit_box();
  mesh.positions[2].y() = kNan;
  mesh.positions[6].z() = std::numeric_limits<double>::infinity();
  expect_only(check_mesh(mesh), Trouble::non_finite_vertex, 2, "vertex 2");
  TetMesh tets = tet_box({.divisions = {1, 1, 1}});
  tets.positions[7].x() = kNan;
  expect_only(check_mesh(tets), Trouble::non_finite_vertex, 1, "vertex 7");
}

TEST(MeshCheck, FindsTrianglesOfNoAreaAtAnyScale) {
  for (const double scale : {1e-9, 1.0, 1e9}) {
    TriangleMesh mesh{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(0, 1, 0)}, {{0, 1, 3}, {1, 0, 2}}};
    for (Vec3& x : mesh.positions) x *= scale;
    expect_only(check_mesh(mesh), Trouble::zero_area_triangle, 1, "triangle 1 (1, 0, 2)");
  }
}

TEST(MeshCheck, FindsDegenerateAndInvertedTets) {
  TetMesh mesh{{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), Vec3(1, 1, 0)},
               {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 2, 4}}};
  const MeshReport report = check_mesh(mesh);
  EXPECT_EQ(report.text(),
            "1 tetrahedron of no volume (first: tetrahedron 2 (0, 1, 2, 4)), "
            "1 inverted tetrahedron (first: tetrahedron 1 (0, 2, 1, 3)), "
            "1 duplicate tetrahedron (first: tetrahedron 1 (0, 2, 1, 3))");
}

TEST(MeshCheck, FindsDuplicateTrianglesInAnyCornerOrder) {
  TriangleMesh mesh = sheet({.divisions = {1, 1}});
  const Triangle t = mesh.triangles[0];
  mesh.triangles.push_back({t[1], t[2], t[0]});
  const MeshReport report = check_mesh(mesh, {.manifold = false, .oriented = false});
  EXPECT_EQ(report.count(Trouble::duplicate_triangle), 1u);
  EXPECT_EQ(report.first(Trouble::duplicate_triangle).substr(0, 10), "triangle 2");
}

TEST(MeshCheck, FindsNonManifoldEdges) {
  const TriangleMesh mesh{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0), Vec3(0, 0, 1)},
                          {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}}};
  expect_only(check_mesh(mesh), Trouble::non_manifold_edge, 1, "edge 0-1 with 3 triangles");
}

TEST(MeshCheck, CountsHolesAsLoopsOnlyWhereAClosedSurfaceIsAsked) {
  TriangleMesh mesh = icosphere({.divisions = 4});
  const Triangle first = mesh.triangles.front();
  const Triangle last = mesh.triangles.back();
  mesh.triangles.erase(mesh.triangles.begin());
  mesh.triangles.pop_back();
  EXPECT_TRUE(check_mesh(mesh).clean());
  const MeshReport report = check_mesh(mesh, kPerfectClosed);
  std::uint32_t low[3] = {first[0], first[1], first[2]};
  std::sort(low, low + 3);
  ASSERT_LT(low[0], *std::min_element(last.begin(), last.end()));
  const std::string edge = "edge " + std::to_string(low[0]) + "-" + std::to_string(low[1]);
  EXPECT_EQ(report.text(), "2 holes (first: " + edge + ")");
}

TEST(MeshCheck, CountsFlippedFacesNotTheirEdges) {
  TriangleMesh mesh = icosphere({.divisions = 3});
  for (const std::size_t i : {5u, 40u}) std::swap(mesh.triangles[i][0], mesh.triangles[i][1]);
  const Triangle t = mesh.triangles[5];
  expect_only(check_mesh(mesh, kPerfectClosed), Trouble::flipped_face, 2,
              "triangle 5 (" + std::to_string(t[0]) + ", " + std::to_string(t[1]) + ", " +
                  std::to_string(t[2]) + ")");
}

TEST(MeshCheck, FindsThatAMoebiusStripHasOneSideOnly) {
  const std::uint32_t n = 8;
  TriangleMesh mesh;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double turn = 2 * 3.14159265358979 * i / n;
    for (const double side : {-0.3, 0.3}) {
      const double r = 1 + side * std::cos(turn / 2);
      mesh.positions.emplace_back(r * std::cos(turn), side * std::sin(turn / 2), r * std::sin(turn));
    }
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t a = 2 * i, b = 2 * i + 1;
    const std::uint32_t c = i + 1 < n ? a + 2 : 1, d = i + 1 < n ? b + 2 : 0;  // joined with a half turn
    mesh.triangles.push_back({a, c, b});
    mesh.triangles.push_back({b, c, d});
  }
  EXPECT_GE(check_mesh(mesh).count(Trouble::flipped_face), 1u);
}

TEST(MeshCheck, FindsAClosedSurfaceTurnedInsideOut) {
  TriangleMesh mesh = icosphere({.divisions = 2});
  for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
  expect_only(check_mesh(mesh, kPerfectClosed), Trouble::inside_out, 1, "triangle 0");
}

TEST(MeshCheck, FindsUnreferencedVertices) {
  TriangleMesh mesh = unit_box();
  mesh.positions.push_back(Vec3::Zero());
  mesh.positions.push_back(Vec3::Zero());
  expect_only(check_mesh(mesh), Trouble::unreferenced_vertex, 2, "vertex 8");
  EXPECT_TRUE(check_mesh(mesh, kWatertight).clean());
}

TEST(MeshCheck, FindsVerticesAtOnePlaceWhereTheyMustBeDistinct) {
  TriangleMesh mesh = unit_box();
  mesh.positions.push_back(mesh.positions[5]);
  mesh.positions.push_back(mesh.positions[2]);
  const MeshRequirements distinct{.all_vertices_used = false, .distinct_vertices = true};
  expect_only(check_mesh(mesh, distinct), Trouble::duplicate_vertex, 2, "vertex 8, where vertex 5 is");
  EXPECT_TRUE(check_mesh(mesh, kWatertight).clean());
  TetMesh tets = tet_box({.divisions = {1, 1, 1}});
  tets.positions.push_back(tets.positions[0]);
  expect_only(check_mesh(tets, distinct), Trouble::duplicate_vertex, 1, "vertex 8, where vertex 0 is");
}

TEST(MeshCheck, FindsTrianglesThatCutEachOtherWhenAllElseIsWell) {
  TriangleMesh mesh = unit_box();
  for (const Triangle& t : unit_box().triangles) mesh.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  for (const Vec3& p : unit_box().positions) mesh.positions.push_back(p + Vec3(0.5, 0.4, 0.3));
  const MeshRequirements simple{.closed = true, .no_self_intersections = true};
  const MeshReport report = check_mesh(mesh, simple);
  ASSERT_EQ(report.findings.size(), 1u) << report.text();
  EXPECT_EQ(report.findings[0].trouble, Trouble::self_intersection);
  EXPECT_NE(report.findings[0].first.find(" and triangle "), std::string::npos);
  for (std::size_t i = 8; i < 16; ++i) mesh.positions[i] += Vec3(2, 0, 0);
  EXPECT_TRUE(check_mesh(mesh, simple).clean());
}

TEST(MeshCheck, FindsElementsThatStandTwiceInAnyOrderOfTheirVertices) {
  TetMesh tets = tet_box({.divisions = {1, 1, 1}});
  const Tet again{tets.tets[2][1], tets.tets[2][2], tets.tets[2][0], tets.tets[2][3]};  // an even permutation
  tets.tets.push_back(again);
  const MeshReport report = check_mesh(tets);
  EXPECT_EQ(report.count(Trouble::duplicate_tet), 1u) << report.text();
  EXPECT_EQ(report.first(Trouble::duplicate_tet).substr(0, 14), "tetrahedron 6 ") << report.text();
  const SegmentMesh segments{{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY()}, {{0, 1}, {1, 2}, {1, 0}}};
  expect_only(check_mesh(segments), Trouble::duplicate_segment, 1, "segment 2 (1, 0)");
}

TEST(MeshCheck, FindsTetrahedraThatOverlapAtAFace) {
  const Vec3 o = Vec3::Zero(), x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  TetMesh mesh{{o, x, y, z, 0.2 * x + 0.2 * y + 0.9 * z, -z}, {{0, 1, 2, 3}, {0, 2, 1, 5}}};
  EXPECT_TRUE(check_mesh(mesh, {.all_vertices_used = false}).clean()) << check_mesh(mesh).text();
  mesh.tets.push_back({0, 1, 2, 4});  // above the same face as the first
  expect_only(check_mesh(mesh), Trouble::overlapping_tets, 1, "face (0, 1, 2) with 2 and 1 on its sides");
  EXPECT_TRUE(check_mesh(mesh, kReadable).clean());
  for (const TetMesh& whole : {tet_box({.divisions = {3, 2, 2}}), tet_ball({.divisions = 3}), tet_torus({})})
    EXPECT_TRUE(check_mesh(whole).clean()) << check_mesh(whole).text();
}

TEST(MeshCheck, FindsSegmentsOfNoLength) {
  const SegmentMesh mesh{{Vec3::Zero(), Vec3::UnitX(), Vec3::Zero()}, {{0, 1}, {2, 0}}};
  expect_only(check_mesh(mesh), Trouble::zero_length_segment, 1, "segment 1 (2, 0)");
}

TEST(RequireValid, ThrowsInputErrorWithSourceCountFirstOffenderAndRemedy) {
  TriangleMesh mesh = unit_box();
  mesh.triangles.pop_back();
  try {
    require_valid(mesh, "bunny.obj", kPerfectClosed);
    FAIL() << "nothing thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().file, "bunny.obj");
    EXPECT_NE(error.problem().find("1 hole (first: edge "), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("fill the holes"), std::string::npos);
  }
  EXPECT_NO_THROW(require_valid(mesh, "bunny.obj"));
}

}  // namespace
}  // namespace selkie::geometry
