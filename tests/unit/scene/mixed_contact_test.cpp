// Contact of bodies whose solvers know positions and no forces, among themselves and with elastic ones.
#include <algorithm>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/geometry/triangle_tree.h"
#include "selkie/geometry/vertex_in_tet.h"
#include "selkie/ports/deformable_solid.h"
#include "selkie/sim/system.h"
#include "small_scene.h"

namespace selkie::scene {
namespace {

using test::parsed;

// A block of 0.3 m or so, 300 kg/m³, 3 cells across.
std::string block(const std::string& kind, const std::string& name, const std::string& min,
                  const std::string& max, const std::string& more = "") {
  const std::string mesh =
      "mesh = { tet_box = { min = " + min + ", max = " + max + ", divisions = [3, 3, 3] } }";
  if (kind == "shape_matching")
    return "[[shape_matching]]\nname = \"" + name + "\"\ndensity = 300\nradius = 0.005\n" + more +
           "body = [{ " + mesh + " }]\n";
  return "[[" + kind + "]]\nname = \"" + name + "\"\ndensity = 300\n" +
         (kind == "elastic" ? "young = 1e5\nstiffness_damping = 0.01\nsolver = \"cholesky\"\n" : "") + more +
         mesh + "\n";
}

const std::string kFloor = "[[collider]]\nname = \"floor\"\nshape = { plane = {} }\n";

ports::DeformableSolid& solid(sim::World& world, const std::string& name) {
  return *world.find(name)->deformable_solid();
}

Vec3 momentum(sim::World& world) {
  Vec3 sum = Vec3::Zero();
  for (const char* name : {"a", "b"}) {
    const ports::DeformableSolid& s = solid(world, name);
    for (std::size_t i = 0; i < s.positions().size(); ++i) sum += s.velocities()[i] / s.inverse_masses()[i];
  }
  return sum;
}

Vec3 centre(sim::World& world, const std::string& name) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& x : solid(world, name).positions()) sum += x;
  return sum / static_cast<double>(solid(world, name).positions().size());
}

double fastest(sim::World& world) {
  double speed = 0;
  for (const char* name : {"a", "b"})
    for (const Vec3& v : solid(world, name).velocities()) speed = std::max(speed, v.norm());
  return speed;
}

double deepest(sim::World& world) {
  geometry::TetDetector detector;
  std::vector<geometry::TouchingBody> bodies;
  for (const char* name : {"a", "b"}) {
    const ports::DeformableSolid& s = solid(world, name);
    bodies.push_back({s.positions(), s.surface_vertices(), s.tets()});
  }
  double depth = 0;
  for (const auto& f : detector.find(bodies, [](std::size_t i, std::size_t j) { return i != j; })) {
    const ports::DeformableSolid& s = solid(world, f.tet_body == 0 ? "a" : "b");
    const geometry::TriangleTree tree(s.positions(), s.surface());
    const Vec3& x = solid(world, f.vertex_body == 0 ? "a" : "b").positions()[f.vertex];
    depth = std::max(depth, tree.nearest(s.positions(), x)->distance);
  }
  return depth;
}

void advance(sim::World& world, int frames) {
  for (int n = 0; n < frames; ++n) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
  }
}

using Pair = std::tuple<std::string, std::string>;
class MixedContact : public testing::TestWithParam<Pair> {};

TEST_P(MixedContact, CollidingBodiesStopAtEachOtherAndKeepTheirMomentum) {
  const auto& [first, second] = GetParam();
  for (const double speed : {1.5, 5.0}) {
    const std::string go = "velocity = [" + std::to_string(speed) + ", 0.1, 0]\n";
    sim::World world = build(parsed("[scene]\nfps = 60\ngravity = [0, 0, 0]\n" +
                                    block(first, "a", "[-0.45, -0.15, -0.15]", "[-0.15, 0.15, 0.15]", go) +
                                    block(second, "b", "[-0.1, -0.2, -0.2]", "[0.2, 0.1, 0.1]")));
    ASSERT_EQ(world.couplings().size(), 1u);
    const Vec3 before = momentum(world);
    for (int n = 0; n < 40; ++n) {
      advance(world, 1);
      // Off centre as they meet they may turn about each other, but passing leads them to within 0.07 m.
      EXPECT_GT((centre(world, "a") - centre(world, "b")).norm(), 0.2) << "through, step " << n;
    }
    EXPECT_GT(centre(world, "b").x(), 0.05 + 0.1 * speed / 2) << "they met";
    // Direct solves, sums over some hundred vertices and 40 steps.
    EXPECT_LT((momentum(world) - before).norm(), 1e-10 * before.norm());
  }
}

TEST_P(MixedContact, OneRestsOnTheOther) {
  const auto& [first, second] = GetParam();
  sim::World world = build(parsed("[scene]\nfps = 60\n" + kFloor +
                                  block(first, "a", "[-0.2, 0.01, -0.2]", "[0.2, 0.3, 0.2]") +
                                  block(second, "b", "[-0.15, 0.32, -0.13]", "[0.16, 0.6, 0.15]")));
  advance(world, 240);
  const Vec3 there = centre(world, "b");
  EXPECT_GT(there.y(), 0.4);
  EXPECT_LT(deepest(world), 0.01);
  // Contacts are answered once a step: single vertices of bodies that know no forces tremble by up to what
  // they fall in one.
  EXPECT_LT(fastest(world), 9.81 / 60);
  advance(world, 60);
  EXPECT_LT((centre(world, "b") - there).norm(), 3e-3);
}

TEST_P(MixedContact, TheHashIsThatOfOneThreadAndOfPoisonedScratch) {
  const auto& first = std::get<0>(GetParam());
  const auto& second = std::get<1>(GetParam());
  auto run = [&](int threads, bool poison) {
    const int before = thread_count();
    set_thread_count(threads);
    sim::World world = build(parsed("[scene]\nfps = 60\n" + kFloor +
                                    block(first, "a", "[-0.2, 0.01, -0.2]", "[0.2, 0.3, 0.2]") +
                                    block(second, "b", "[-0.15, 0.32, -0.13]", "[0.16, 0.6, 0.15]")));
    world.set_poison_work(poison);
    advance(world, 30);
    const Hash128 hash = world.hash();
    set_thread_count(before);
    return hash;
  };
  const Hash128 one = run(1, false);
  EXPECT_EQ(one, run(2, false));
  EXPECT_EQ(one, run(1, true));
}

TEST(MixedContactBalloons, StopAtEachOtherAndKeepTheirMomentum) {
  auto balloon = [](const std::string& name, double x, double speed) {
    return "[[position_based]]\nname = \"" + name +
           "\"\ninflated = true\nbending = \"none\"\nmesh = { icosphere = { center = [" + std::to_string(x) +
           ", 0, 0], radius = 0.2, divisions = 6 } }\nstretch_compliance = 1e-4\nvelocity = [" +
           std::to_string(speed) + ", 0.05, 0]\n";
  };
  sim::World world = build(
      parsed("[scene]\nfps = 60\ngravity = [0, 0, 0]\n" + balloon("a", -0.3, 3) + balloon("b", 0.3, -2)));
  ASSERT_EQ(world.couplings().size(), 1u);
  const Vec3 before = momentum(world);
  for (int n = 0; n < 40; ++n) {
    advance(world, 1);
    EXPECT_LT(centre(world, "a").x(), centre(world, "b").x() - 0.15) << "through, step " << n;
  }
  EXPECT_LT(centre(world, "a").x(), 0.5) << "they met: alone it would be at 1.7 m";
  EXPECT_LT((momentum(world) - before).norm(), 1e-10 * before.norm());
}

INSTANTIATE_TEST_SUITE_P(Solvers, MixedContact,
                         testing::Values(Pair{"position_based", "position_based"},
                                         Pair{"elastic", "position_based"}, Pair{"shape_matching", "elastic"},
                                         Pair{"position_based", "shape_matching"}),
                         [](const auto& made) {
                           return std::get<0>(made.param) + "_" + std::get<1>(made.param);
                         });

}  // namespace
}  // namespace selkie::scene
