// The spatial hash and what is found with it, against brute force.
#include "selkie/geometry/vertex_in_tet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "selkie/core/parallel.h"
#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"

namespace selkie::geometry {
namespace {

using Pair = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

struct Owned {
  std::vector<Vec3> positions;
  std::vector<Tet> tets;
  std::vector<std::uint32_t> vertices;
  TouchingBody body() const { return {positions, vertices, tets}; }
};

Owned block(const Vec3& corner, int divisions) {
  const TetMesh mesh =
      tet_box({.min = corner, .max = corner + Vec3::Ones(), .divisions = {divisions, divisions, divisions}});
  Owned owned{mesh.positions, mesh.tets, {}};
  std::set<std::uint32_t> surface;
  for (const Triangle& t : boundary_triangles(mesh.tets)) surface.insert(t.begin(), t.end());
  owned.vertices.assign(surface.begin(), surface.end());
  return owned;
}

Vec3 random_vector(RandomStream& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

// Two blocks somewhere near the origin, turned and crumpled.
std::vector<Owned> random_pose(std::uint64_t seed) {
  RandomStream random(7, seed);
  std::vector<Owned> bodies;
  for (int b = 0; b < 2; ++b) {
    bodies.push_back(block(Vec3::Constant(-0.5), 2));
    const Quat turn =
        Quat(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), 0.1).normalized();
    const Vec3 away = random_vector(random, 0.8);
    for (Vec3& x : bodies.back().positions) x = turn * x + away + random_vector(random, 0.3);
  }
  return bodies;
}

std::vector<TouchingBody> views(const std::vector<Owned>& bodies) {
  std::vector<TouchingBody> all;
  for (const Owned& body : bodies) all.push_back(body.body());
  return all;
}

std::vector<Pair> pairs_of(std::span<const VertexInTet> found) {
  std::vector<Pair> pairs;
  for (const VertexInTet& f : found) pairs.emplace_back(f.vertex_body, f.vertex, f.tet_body, f.tet);
  return pairs;
}

std::vector<Pair> brute_force(const std::vector<Owned>& bodies, bool self) {
  std::vector<Pair> pairs;
  for (std::uint32_t a = 0; a < bodies.size(); ++a)
    for (const std::uint32_t v : bodies[a].vertices)
      for (std::uint32_t b = 0; b < bodies.size(); ++b)
        for (std::uint32_t t = 0; t < bodies[b].tets.size(); ++t) {
          const Tet& tet = bodies[b].tets[t];
          if (a == b && (!self || std::find(tet.begin(), tet.end(), v) != tet.end())) continue;
          const std::vector<Vec3>& x = bodies[b].positions;
          Vec4 weights;
          if (tet_weights(x[tet[0]], x[tet[1]], x[tet[2]], x[tet[3]], bodies[a].positions[v], weights))
            pairs.emplace_back(a, v, b, t);
        }
  return pairs;
}

TEST(SpatialHash, RoundsDownOnBothSidesOfZero) {
  SpatialHash hash;
  hash.begin(0.5, 1);
  EXPECT_EQ(hash.cell_of({0.1, -0.1, -0.6}), (HashCell{0, -1, -2}));
  EXPECT_EQ(hash.cell_of({1e300, -1e300, 0}), (HashCell{std::int64_t{1} << 61, -(std::int64_t{1} << 61), 0}));
}

TEST(SpatialHash, FindsWhatWasEnteredIntoACellAndNothingElse) {
  SpatialHash hash;  // one bucket only until begin() asks for more: every cell collides at first
  std::vector<HashCell> cells;
  hash.begin(0.1, 2);
  RandomStream random(1, 2);
  for (std::uint32_t i = 0; i < 500; ++i) {
    const Vec3 p = random_vector(random, 0.5);
    cells.push_back(hash.cell_of(p));
    hash.insert(p, i);
  }
  EXPECT_LT(hash.bucket_count(), 20u);
  for (const HashCell& cell : cells) {
    std::set<std::uint32_t> found, expected;
    hash.each_in(cell, [&](std::uint32_t id) { EXPECT_TRUE(found.insert(id).second); });
    for (std::uint32_t i = 0; i < cells.size(); ++i)
      if (cells[i] == cell) expected.insert(i);
    EXPECT_EQ(found, expected);
  }
}

TEST(SpatialHash, BeginsEveryFrameEmptyWithoutGivingMemoryBack) {
  SpatialHash hash;
  hash.begin(1, 100);
  const std::size_t buckets = hash.bucket_count();
  EXPECT_GE(buckets, 200u);
  hash.insert_box({0.5, 0.5, 0.5}, {1.5, 0.5, 2.5}, 3);
  EXPECT_EQ(hash.size(), 6u);
  hash.begin(1, 10);
  EXPECT_EQ(hash.bucket_count(), buckets);
  hash.each_in({0, 0, 0}, [](std::uint32_t) { FAIL(); });
}

TEST(TetWeights, ReproduceThePointAndSumToOne) {
  RandomStream random(3, 4);
  for (int n = 0; n < 100; ++n) {
    const Vec3 a = random_vector(random, 1), b = random_vector(random, 1), c = random_vector(random, 1),
               d = random_vector(random, 1);
    const Vec3 inside = 0.1 * a + 0.2 * b + 0.3 * c + 0.4 * d;
    Vec4 w;
    ASSERT_TRUE(tet_weights(a, b, c, d, inside, w));
    const double determinant = std::abs((b - a).cross(c - a).dot(d - a));
    EXPECT_LT((w - Vec4(0.1, 0.2, 0.3, 0.4)).norm(), 1e-14 / determinant);  // conditioning of a thin one
    EXPECT_FALSE(tet_weights(a, b, c, d, Vec3(1.3 * a - 0.1 * (b + c + d)), w));
  }
  Vec4 w;
  EXPECT_FALSE(tet_weights(Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3(1, 1, 0), Vec3(0.2, 0.2, 0), w));
}

TEST(TetDetector, FindsThePairsOfBruteForceInAThousandRandomPoses) {
  TetDetector detector;
  std::size_t total = 0;
  for (std::uint64_t pose = 0; pose < 1000; ++pose) {
    const std::vector<Owned> bodies = random_pose(pose);
    const std::vector<Pair> found =
        pairs_of(detector.find(views(bodies), [](std::size_t, std::size_t) { return true; }));
    ASSERT_EQ(found, brute_force(bodies, true)) << "pose " << pose;
    total += found.size();
  }
  EXPECT_GT(total, 5000u);
}

TEST(TetDetector, LooksOnlyWhereItIsAskedTo) {
  TetDetector detector;
  for (std::uint64_t pose = 0; pose < 20; ++pose) {
    const std::vector<Owned> bodies = random_pose(pose);
    const auto others = [](std::size_t a, std::size_t b) { return a != b; };
    EXPECT_EQ(pairs_of(detector.find(views(bodies), others)), brute_force(bodies, false));
  }
}

TEST(TetDetector, FindsVerticesThatLieOnSharedFaces) {
  const std::vector<Owned> bodies = {block(Vec3::Zero(), 2), block(Vec3(0, 1, 0), 2)};
  TetDetector detector;
  std::set<std::uint32_t> touching;
  for (const VertexInTet& f :
       detector.find(views(bodies), [](std::size_t a, std::size_t b) { return a != b; }))
    if (f.vertex_body == 1) touching.insert(f.vertex);
  EXPECT_EQ(touching.size(), 9u);  // the 3 × 3 vertices of the lower face of the upper block
}

TEST(TetDetector, GivesTheSameForOneAndTwoThreadsAndOneBlownUpTet) {
  std::vector<Owned> bodies = {block(Vec3::Zero(), 8), block(Vec3(0.3, 0.4, 0.2), 8)};
  bodies[1].positions[700] *= 1e7;
  auto run = [&](int threads) {
    const int before = thread_count();
    set_thread_count(threads);
    TetDetector detector;
    const auto pairs =
        pairs_of(detector.find(views(bodies), [](std::size_t a, std::size_t b) { return a != b; }));
    set_thread_count(before);
    return pairs;
  };
  const std::vector<Pair> one = run(1);
  EXPECT_GT(one.size(), 100u);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, brute_force(bodies, false));
}

}  // namespace
}  // namespace selkie::geometry
