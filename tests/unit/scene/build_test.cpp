// Description to World: masses, placement, pins, motions, stitches.
#include "selkie/sim/systems/mass_spring_system.h"
#include "small_scene.h"

namespace selkie::scene {
namespace {

using test::kCloth;
using test::parsed;
using test::refusal;

sim::MassSpringSystem& body(sim::World& world, const char* name = "cloth") {
  return dynamic_cast<sim::MassSpringSystem&>(*world.find(name));
}

double mass_of(const std::string& text) {
  sim::World world = build(parsed(text));
  return mass_spring::total_mass(body(world).model());
}

std::size_t pinned_count(sim::World& world) {
  std::size_t count = 0;
  for (const auto pinned : body(world).live_state().pinned) count += pinned != 0;
  return count;
}

// Sums of some hundred terms of one sign: round-off below 1e-12 of the whole.
constexpr double kRoundOff = 1e-12;

TEST(SceneBuild, DensityDefaultsFollowTheKindOfElement) {
  EXPECT_NEAR(mass_of(kCloth), 0.2, kRoundOff);  // kg/m² times 1 m²
  const std::string rope = "[[mass_spring]]\nname = \"cloth\"\nmesh = { chain = { end = [2, 0, 0] } }\n";
  EXPECT_NEAR(mass_of(rope), 0.1 * 2, kRoundOff);  // kg/m times 2 m
  const std::string jelly =
      "[[mass_spring]]\nname = \"cloth\"\nmesh = { tet_box = { divisions = [2, 2, 2] } }\n";
  EXPECT_NEAR(mass_of(jelly), 1000, 1000 * kRoundOff);  // kg/m³ times 1 m³
}

TEST(SceneBuild, DensityAndMassAreObeyed) {
  EXPECT_NEAR(mass_of(kCloth + "density = 3\n"), 3, 3 * kRoundOff);
  EXPECT_NEAR(mass_of(kCloth + "mass = 7\n"), 7, 7 * kRoundOff);
}

TEST(SceneBuild, PlacementMovesTheBody) {
  sim::World world = build(parsed(kCloth + "place = { translate = [0, 2, 0], scale = [3, 1, 1] }\n"));
  double lowest = 0, highest = 0;
  for (const Vec3& x : body(world).live_state().positions) {
    EXPECT_EQ(x.y(), 2);
    lowest = std::min(lowest, x.x()), highest = std::max(highest, x.x());
  }
  EXPECT_EQ(lowest, -1.5);
  EXPECT_EQ(highest, 1.5);
}

TEST(SceneBuild, VelocityIsGivenToFreeVerticesOnly) {
  sim::World world = build(parsed(kCloth + "velocity = [1, 2, 3]\npin = [{ vertices = [4] }]\n"));
  const auto& state = body(world).live_state();
  EXPECT_EQ(state.velocities[4], Vec3::Zero());
  EXPECT_EQ(state.velocities[5], Vec3(1, 2, 3));
}

TEST(SceneBuild, PinsHoldWhatTheirRegionHolds) {
  sim::World edge =
      build(parsed(kCloth + "pin = [{ box = { min = [-0.6, -1, -1], max = [-0.4, 1, 1] } }]\n"));
  EXPECT_EQ(pinned_count(edge), 5u);
  sim::World all = build(parsed(kCloth + "pin = [{ ball = { radius = 9 } }]\n"));
  EXPECT_EQ(pinned_count(all), 25u);
  sim::World half = build(parsed(kCloth + "pin = [{ half_space = { normal = [1, 0, 0] } }]\n"));
  EXPECT_EQ(pinned_count(half), 15u) << "the plane itself belongs to the half space";
  sim::World some = build(parsed(kCloth + "pin = [{ vertices = [0, 3] }, { vertices = [3, 4] }]\n"));
  EXPECT_EQ(pinned_count(some), 3u);
}

TEST(SceneBuild, PinsThatHoldNothingTellWhereTheBodyIs) {
  EXPECT_EQ(refusal(kCloth + "pin = [{ ball = { center = [5, 0, 0] } }]\n"),
            "s.toml:4:8: the pin holds no vertex of 'cloth'\n"
            "  the body reaches from [-0.5, 0, -0.5] to [0.5, 0, 0.5]");
}

TEST(SceneBuild, VertexNumbersOutOfRangeAreToldWhereTheyStand) {
  EXPECT_EQ(refusal(kCloth + "pin = [{ vertices = [0, 25] }]\n"),
            "s.toml:4:25: the pin names vertex 25, but 'cloth' has 25 vertices\n  use numbers from 0 to 24");
}

TEST(SceneBuild, DrivenPinsFollowTheirFormula) {
  sim::World world =
      build(parsed("[scene]\nfps = 10\n" + kCloth +
                   "pin = [{ vertices = [0], motion = { translate = [\"t\", \"0\", \"2*t\"] } }, "
                   "{ vertices = [1] }]\n"));
  const Vec3 start = body(world).live_state().positions[0], still = body(world).live_state().positions[1];
  for (int frame = 0; frame < 5; ++frame) ASSERT_TRUE(world.sync_step().ok);
  const Vec3 moved = body(world).live_state().positions[0];
  // One evaluation of the formula at t = 0.5 s plus one addition each.
  EXPECT_NEAR((moved - start - Vec3(0.5, 0, 1)).norm(), 0, 1e-14);
  EXPECT_EQ(body(world).live_state().positions[1], still);
}

TEST(SceneBuild, StitchesJoinBodiesThatTouch) {
  const std::string two = kCloth +
                          "\n[[mass_spring]]\nname = \"veil\"\n"
                          "mesh = { sheet = { center = [1, 0, 0], size = [1, 1], divisions = [4, 4] } }\n";
  const std::string coupling = "[[coupling]]\nkind = \"stitch\"\nbetween = [\"cloth\", \"veil\"]\n";
  sim::World world = build(parsed(two + coupling));
  ASSERT_EQ(world.couplings().size(), 1u);
  EXPECT_EQ(world.couplings()[0]->name(), "cloth-veil");
  EXPECT_EQ(refusal(two + "place = { translate = [0, 1, 0] }\n" + coupling)
                .find("s.toml:9:1: the stitch joins nothing"),
            0u);
}

TEST(SceneBuild, MissingMeshFilesAreToldWhereTheyAreNamed) {
  EXPECT_EQ(refusal("[[mass_spring]]\nname = \"a\"\nmesh = { file = \"none.obj\" }\n"),
            "s.toml:3:17: the mesh file 'none.obj' does not exist\n"
            "  looked for " +
                (std::filesystem::current_path() / "none.obj").string() +
                "; paths are relative to the scene file");
}

}  // namespace
}  // namespace selkie::scene
