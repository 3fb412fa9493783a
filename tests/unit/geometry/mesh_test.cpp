// Topology, measures, renumbering and placement.
#include "selkie/geometry/mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "selkie/geometry/generators.h"
#include "selkie/geometry/mesh_check.h"
#include "selkie/geometry/placement.h"

namespace selkie::geometry {
namespace {

const Tet kUnitTet{0, 1, 2, 3};
const std::vector<Vec3> kUnitTetCorners = {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};

TEST(UniqueEdges, ListEachEdgeOnceSortedLowToHigh) {
  const std::vector<Triangle> triangles = {{2, 1, 0}, {1, 2, 3}};
  const std::vector<Segment> expected = {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}};
  EXPECT_EQ(unique_edges(triangles), expected);
}

TEST(UniqueEdges, OfATetBoxAgreeWithASetOfAllPairs) {
  const TetMesh mesh = tet_box({.divisions = {3, 3, 2}});
  std::set<Segment> expected;
  for (const Tet& t : mesh.tets)
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < 4; ++b)
        if (t[a] < t[b]) expected.insert({t[a], t[b]});
  const std::vector<Segment> edges = unique_edges(mesh.tets);
  EXPECT_TRUE(std::equal(edges.begin(), edges.end(), expected.begin(), expected.end()));
}

TEST(BoundaryTriangles, OfOneTetPointOutwards) {
  const TriangleMesh surface{kUnitTetCorners, boundary_triangles(std::vector<Tet>{kUnitTet})};
  EXPECT_EQ(surface.triangles.size(), 4u);
  EXPECT_TRUE(check_mesh(surface, {.closed = true}).clean());
  EXPECT_NEAR(volume(surface), 1.0 / 6, 1e-16);
}

TEST(BoundarySurface, KeepsTheVolumeVertexOfEachOfItsVertices) {
  const TetMesh mesh = tet_box({.divisions = {3, 3, 3}});
  const BoundarySurface surface = boundary_surface(mesh);
  EXPECT_EQ(surface.mesh.positions.size(), 64u - 8);
  for (std::size_t i = 0; i < surface.volume_vertex.size(); ++i)
    EXPECT_EQ(surface.mesh.positions[i], mesh.positions[surface.volume_vertex[i]]);
}

TEST(EdgePairs, NameBothTrianglesAndTheirUnsharedVertices) {
  const std::vector<Triangle> triangles = {{0, 1, 2}, {2, 1, 3}};
  const std::vector<EdgePair> pairs = edge_pairs(triangles);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].edge, (Segment{1, 2}));
  EXPECT_EQ(pairs[0].triangles, (std::array<std::uint32_t, 2>{0, 1}));
  EXPECT_EQ(pairs[0].opposite, (std::array<std::uint32_t, 2>{0, 3}));
}

TEST(EdgePairs, CoverEveryEdgeOfAClosedSurfaceAndSkipNonManifoldOnes) {
  const TriangleMesh ball = icosphere({.divisions = 4});
  EXPECT_EQ(edge_pairs(ball.triangles).size(), unique_edges(ball.triangles).size());
  const std::vector<Triangle> fan = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}};
  EXPECT_TRUE(edge_pairs(fan).empty());
}

TEST(VertexAdjacency, ListsNeighboursInAscendingOrder) {
  const std::vector<Segment> edges = {{0, 3}, {0, 1}, {1, 3}};
  const VertexAdjacency graph = vertex_adjacency(5, edges);
  EXPECT_EQ(graph.offsets, (std::vector<std::uint32_t>{0, 2, 4, 4, 6, 6}));
  EXPECT_EQ(graph.neighbours, (std::vector<std::uint32_t>{1, 3, 0, 3, 0, 1}));
}

TEST(LumpedMasses, AddUpToDensityTimesMeasure) {
  // Relative round-off of a sum over a few thousand positive terms.
  const double tolerance = 1e-13;
  auto total = [](const std::vector<double>& m) { return std::accumulate(m.begin(), m.end(), 0.0); };
  const TetMesh box = tet_box({.divisions = {7, 8, 9}});
  EXPECT_NEAR(total(lumped_masses(box, 1000)), 1000 * volume(box), 1000 * tolerance);
  const TriangleMesh cloth = sheet({.size = {2, 1}});
  EXPECT_NEAR(total(lumped_masses(cloth, 0.2)), 0.2 * 2, tolerance);
  const SegmentMesh rope = chain({});
  EXPECT_NEAR(total(lumped_masses(rope, 0.1)), 0.1, tolerance);
}

TEST(LumpedMasses, GiveEachCornerItsEqualShare) {
  EXPECT_EQ(lumped_masses(TetMesh{kUnitTetCorners, {kUnitTet}}, 24), (std::vector<double>{1, 1, 1, 1}));
  const SegmentMesh rope = chain({.segments = 2});
  EXPECT_EQ(lumped_masses(rope, 4), (std::vector<double>{1, 2, 1}));
}

TEST(Measures, AreZeroAndTheBoxEmptyForAnEmptyMesh) {
  EXPECT_EQ(volume(TriangleMesh{}), 0);
  EXPECT_EQ(volume(TetMesh{}), 0);
  EXPECT_EQ(area(TriangleMesh{}), 0);
  EXPECT_TRUE(bounding_box({}).isEmpty());
}

TEST(Volume, IsTheSameFarFromTheOrigin) {
  const double near_origin = volume(icosphere({.divisions = 4}));
  // Coordinates of size 1e6 carry errors of 1e-10; so do lengths of size 1.
  EXPECT_NEAR(volume(icosphere({.center = Vec3(1e6, -1e6, 1e6), .divisions = 4})), near_origin, 1e-9);
}

TEST(LocalityOrder, IsAPermutationThatUndoesAShuffle) {
  TetMesh mesh = tet_box({.divisions = {4, 4, 20}});
  // A fixed shuffle: multiplication by a number coprime to the vertex count (525).
  std::vector<std::uint32_t> shuffle(mesh.positions.size());
  for (std::size_t i = 0; i < shuffle.size(); ++i)
    shuffle[i] = static_cast<std::uint32_t>(i * 241 % shuffle.size());
  const double volume_before = volume(mesh);
  renumber(mesh, shuffle);
  const std::vector<Segment> edges = unique_edges(mesh.tets);
  const std::size_t shuffled_bandwidth = bandwidth(edges);
  const std::vector<std::uint32_t> order = locality_order(mesh.positions.size(), edges);

  std::vector<std::uint32_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], i);
  renumber(mesh, order);
  // A cross-section holds 25 vertices; breadth-first levels follow the cells' diagonals and are wider.
  EXPECT_LT(bandwidth(unique_edges(mesh.tets)), 100u);
  EXPECT_GT(shuffled_bandwidth, 300u);
  EXPECT_NEAR(volume(mesh), volume_before, 1e-14);
  EXPECT_EQ(check_mesh(mesh).text(), "no trouble found");
}

TEST(LocalityOrder, PutsLooseVerticesLastAndPartsOneAfterAnother) {
  const std::vector<Segment> edges = {{5, 1}, {2, 4}};
  EXPECT_EQ(locality_order(6, edges), (std::vector<std::uint32_t>{1, 5, 2, 4, 0, 3}));
}

TEST(Placement, ScalesThenTurnsThenMoves) {
  const Placement placement{.translate = Vec3(0, 0, 5), .rotate = Vec3(0, 0, 90), .scale = Vec3(2, 1, 1)};
  std::vector<Vec3> points = {Vec3(1, 0, 0)};
  place(std::span<Vec3>(points), placement);
  EXPECT_NEAR((points[0] - Vec3(0, 2, 5)).norm(), 0, 1e-15);
}

TEST(Placement, TurnsAboutWorldAxesInTheOrderXYZ) {
  std::vector<Vec3> points = {Vec3(0, 1, 0)};
  place(std::span<Vec3>(points), Placement{.rotate = Vec3(90, 90, 0)});
  EXPECT_NEAR((points[0] - Vec3(1, 0, 0)).norm(), 0, 1e-15);  // y to z about x, then z to x about y
}

TEST(Placement, KeepsNormalsOutwardsAndTetsPositiveWhenMirroring) {
  TriangleMesh ball = icosphere({.divisions = 2});
  TetMesh box = tet_box({.divisions = {2, 2, 2}});
  const double ball_volume = volume(ball);
  place(ball, {.scale = Vec3(-1, 1, 1)});
  place(box, {.scale = Vec3(1, -3, 1)});
  EXPECT_NEAR(volume(ball), ball_volume, 1e-15);
  EXPECT_NEAR(volume(box), 3, 1e-14);
  EXPECT_FALSE(validate(Placement{.scale = Vec3(1, 0, 1)}).empty());
}

}  // namespace
}  // namespace selkie::geometry
