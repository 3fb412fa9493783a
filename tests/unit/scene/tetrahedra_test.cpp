// mesh = { tetrahedra = ... }: bodies made from closed surfaces, the skin that is drawn, and refusals.
#include "selkie/sim/systems/elastic_system.h"
#include "selkie/sim/systems/mass_spring_system.h"
#include "selkie/solids/fem/diagnostics.h"
#include "small_scene.h"

namespace selkie::scene {
namespace {

using test::parsed;
using test::refusal;

std::string body(const std::string& kind, const std::string& tetrahedra) {
  return "[[" + kind + "]]\nname = \"body\"\nmesh = { tetrahedra = { " + tetrahedra + " } }\n";
}

const ports::TriangleSurface& surface(const ports::Drawable& drawable) {
  return std::get<ports::TriangleSurface>(drawable.shape);
}

TEST(SceneTetrahedra, EveryEnclosingSurfaceBecomesAnElasticBodyOfItsVolume) {
  for (const std::string shape : {"box", "ball", "icosphere", "cylinder", "torus", "creature"}) {
    sim::World world = build(parsed(body("elastic", "surface = { " + shape + " = {} }, divisions = 12")));
    auto& system = dynamic_cast<sim::ElasticSystem&>(*world.find("body"));
    EXPECT_GT(system.model().element_count, 100u) << shape;
    const double mass = fem::total_mass(system.model());
    EXPECT_GT(mass, 50) << shape;  // kg of 1000 kg/m³
    EXPECT_LT(mass, 1000 * (1 + 1e-12)) << shape;  // the unit box, which the lattice fits exactly
  }
  sim::World shell =
      build(parsed(body("elastic", "surface = { shell = { thickness = 0.2 } }, divisions = 12")));
  EXPECT_NEAR(fem::total_mass(dynamic_cast<sim::ElasticSystem&>(*shell.find("body")).model()),
              4000.0 / 3 * 3.1416 * (0.125 - 0.027), 25);
}

TEST(SceneTetrahedra, ABoxIsSolidWhereOnlySolidsMakeSense) {
  for (const std::string kind : {"elastic", "modal"}) {
    const std::string rest = " = { divisions = [3, 2, 2] } }\npin = [{ box = { max = [-0.4, 9, 9] } }]\n";
    sim::World box = build(parsed("[[" + kind + "]]\nname = \"body\"\nmesh = { box" + rest));
    sim::World tets = build(parsed("[[" + kind + "]]\nname = \"body\"\nmesh = { tet_box" + rest));
    EXPECT_EQ(box.hash(), tets.hash()) << kind;
  }
}

TEST(SceneTetrahedra, ClosedShapesOfElasticBodiesAreFilledInTheResolutionOfTheirSurface) {
  for (const std::string shape : {"ball", "icosphere", "cylinder", "torus", "shell", "creature"}) {
    sim::World world = build(parsed("[[elastic]]\nname = \"body\"\nmesh = { " + shape + " = {} }\n"));
    auto& system = dynamic_cast<sim::ElasticSystem&>(*world.find("body"));
    EXPECT_GT(system.model().element_count, 300u) << shape;
    EXPECT_LT(system.model().element_count, 300000u) << shape;
  }
  const auto elements = [](const std::string& divisions) {
    sim::World world = build(parsed("[[elastic]]\nname = \"body\"\nmesh = { icosphere = { divisions = " +
                                    divisions + " } }\n"));
    return dynamic_cast<sim::ElasticSystem&>(*world.find("body")).model().element_count;
  };
  EXPECT_GT(elements("8"), 4 * elements("4"));
}

TEST(SceneTetrahedra, TheGivenSurfaceIsDrawnUnlessTheSceneSaysOtherwise) {
  const std::string ball = "surface = { icosphere = { divisions = 16 } }, divisions = 6";
  for (const std::string kind : {"elastic", "mass_spring"}) {
    sim::World fine = build(parsed(body(kind, ball)));
    const auto drawn = fine.find("body")->drawables();
    EXPECT_EQ(surface(drawn[0]).triangles.size(), 20u * 16 * 16);
    for (const Vec3& p : surface(drawn[0]).positions) ASSERT_NEAR(p.norm(), 0.5, 1e-12);
    sim::World coarse = build(parsed(body(kind, ball + ", skin = false")));
    const auto bare = coarse.find("body")->drawables();
    EXPECT_LT(surface(bare[0]).triangles.size(), 1000u);
  }
}

TEST(SceneTetrahedra, TheSkinFollowsTheBody) {
  sim::World world =
      build(parsed("[scene]\nfps = 10\n" + body("elastic", "surface = { icosphere = {} }, divisions = 5") +
                   "velocity = [3, 0, 0]\n"));
  ASSERT_TRUE(world.sync_step().ok);
  const auto drawn = world.find("body")->drawables();
  Vec3 middle = Vec3::Zero();
  for (const Vec3& p : surface(drawn[0]).positions) middle += p;
  middle /= static_cast<double>(surface(drawn[0]).positions.size());
  EXPECT_NEAR(middle.x(), 0.3, 1e-6);
  EXPECT_LT(middle.y(), -0.01);
}

TEST(SceneTetrahedra, ThePlacementIsAppliedBeforeMeshing) {
  sim::World world =
      build(parsed(body("elastic", "surface = { box = {} }, divisions = 10, mesher = \"delaunay\"") +
                   "place = { scale = [2, 1, 1], translate = [5, 0, 0] }\n"));
  const auto& model = dynamic_cast<sim::ElasticSystem&>(*world.find("body")).model();
  EXPECT_NEAR(fem::total_mass(model), 2000, 20);
  for (const Vec3& p : model.rest_positions) ASSERT_GE(p.x(), 4 - 1e-12);
}

TEST(SceneTetrahedra, RefusalsNameThePlaceTheReasonAndTheRemedy) {
  const std::string none = refusal(body("elastic", "divisions = 5"));
  EXPECT_NE(none.find("s.toml:3"), std::string::npos) << none;
  EXPECT_NE(none.find("surface"), std::string::npos) << none;
  const std::string missing = refusal(body("elastic", "surface = { file = \"none.obj\" }"));
  EXPECT_NE(missing.find("does not exist"), std::string::npos) << missing;
  const std::string thin = refusal(
      body("elastic", "surface = { box = { min = [0, 0.1, 0], max = [1, 0.11, 1] } }, divisions = 3"));
  EXPECT_NE(thin.find("s.toml:3"), std::string::npos) << thin;
  EXPECT_NE(thin.find("raise 'divisions'"), std::string::npos) << thin;
}

}  // namespace
}  // namespace selkie::scene
