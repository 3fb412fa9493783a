// The user's hand on bodies of every kind (RT-48): it takes a point of the surface, not the nearest vertex,
// and that point follows it, without a leap when it is taken, whatever the body weighs, through checkpoints.
#include <algorithm>
#include <filesystem>

#include "selkie/sim/checkpoint.h"
#include "selkie/sim/systems/elastic_system.h"
#include "selkie/sim/systems/mass_spring_system.h"
#include "small_scene.h"
#include "support/temporary_folder.h"

namespace selkie::scene {
namespace {

using test::parsed;

Value vector(const Vec3& v) { return Value{ValueArray{Value{v.x()}, Value{v.y()}, Value{v.z()}}}; }

ports::InputEvent event(const std::string& action, std::vector<std::pair<std::string, Vec3>> arguments = {},
                        Tick tick = 0) {
  ports::InputEvent made{tick, "body", action, Value{ValueTable{}}};
  for (const auto& [key, value] : arguments) made.arguments[key] = vector(value);
  return made;
}

// A block of 0.4 × 0.3 × 0.4 m with edges of about 0.13 m.
struct Kind {
  std::string name;
  std::string more;         // of its table
  double tolerance = 1e-9;  // m, by which the point misses a hand that rests
  double skin = 0;          // m, by which turning normals move what is drawn
};
const std::string kMesh =
    "mesh = { tet_box = { min = [-0.2, 0, -0.2], max = [0.2, 0.3, 0.2], divisions = [3, 2, 3] } }\n";

std::string scene_of(const Kind& kind, double density, const std::string& gravity) {
  const std::string head = "[scene]\nfps = 60\ngravity = " + gravity + "\n[[" + kind.name +
                           "]]\nname = \"body\"\ndensity = " + std::to_string(density) + "\n" + kind.more;
  return head + (kind.name == "shape_matching" ? "[[shape_matching.body]]\n" : "") + kMesh;
}

struct Drawn {
  std::vector<Vec3> positions;
  std::vector<geometry::Triangle> triangles;
};
Drawn drawn(sim::World& world) {
  const std::vector<ports::Drawable> shown = world.find("body")->drawables();
  const auto& surface = std::get<ports::TriangleSurface>(shown.at(0).shape);
  return {{surface.positions.begin(), surface.positions.end()},
          {surface.triangles.begin(), surface.triangles.end()}};
}

// A point well inside the drawn triangle whose middle is nearest to the middle of the upper side: what a user
// clicks on.
struct Pick {
  geometry::Triangle corners{};
  Vec3 weights{0.5, 0.3, 0.2};
  Vec3 at(const Drawn& shown) const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k)
      sum += weights[static_cast<Eigen::Index>(k)] * shown.positions[corners[k]];
    return sum;
  }
};
Pick pick(const Drawn& shown) {
  auto off = [&](const geometry::Triangle& t) {
    const Vec3 middle =
        (shown.positions[t[0]] + shown.positions[t[1]] + shown.positions[t[2]]) / 3 - Vec3(0, 0.3, 0);
    return middle.norm();
  };
  return {*std::min_element(shown.triangles.begin(), shown.triangles.end(),
                            [&](const auto& a, const auto& b) { return off(a) < off(b); })};
}

class Grab : public testing::TestWithParam<Kind> {};

TEST_P(Grab, APointThatIsTakenAndNotMovedMovesNothing) {
  sim::World world = build(parsed(scene_of(GetParam(), 500, "[0, 0, 0]")));
  const Drawn before = drawn(world);
  const Vec3 point = pick(before).at(before);
  world.apply_now(event("grab", {{"point", point}, {"target", point}}));
  for (int n = 0; n < 20; ++n) ASSERT_TRUE(world.sync_step().ok);
  const Drawn after = drawn(world);
  double most = 0;
  for (std::size_t i = 0; i < before.positions.size(); ++i)
    most = std::max(most, (after.positions[i] - before.positions[i]).norm());
  EXPECT_LT(most, 1e-10) << "of 0.13 m between vertices: round-off of stiff bodies";
}

TEST_P(Grab, ThePointThatWasTakenFollowsTheHandWhateverTheBodyWeighs) {
  for (const double density : {50.0, 2000.0}) {
    sim::World world = build(parsed(scene_of(GetParam(), density, "[0, -9.81, 0]")));
    const Pick taken = pick(drawn(world));
    const Vec3 start = taken.at(drawn(world)), way(0.3, 0.4, -0.2);
    world.apply_now(event("grab", {{"point", start}, {"target", start}}));
    constexpr int kFrames = 60;
    for (int n = 1; n <= kFrames; ++n) {
      world.apply_now(event("drag", {{"target", start + n * way / kFrames}}));
      ASSERT_TRUE(world.sync_step().ok);
    }
    for (int n = 0; n < 60; ++n) ASSERT_TRUE(world.sync_step().ok);
    EXPECT_LT((taken.at(drawn(world)) - start - way).norm(), GetParam().tolerance + GetParam().skin)
        << density << " kg/m³";
    world.apply_now(event("release"));
    for (int n = 0; n < 20; ++n) ASSERT_TRUE(world.sync_step().ok);
    EXPECT_LT(taken.at(drawn(world)).y(), start.y() + way.y() - 0.2) << "let go, it falls";
  }
}

TEST_P(Grab, ACheckpointAmidADragGoesOnBitForBit) {
  const std::string text = scene_of(GetParam(), 500, "[0, -9.81, 0]");
  auto prepared = [&] {
    sim::World world = build(parsed(text));
    const Drawn shown = drawn(world);
    const Vec3 point = pick(shown).at(shown);
    world.queue(event("grab", {{"point", point}, {"target", point}}, kTicksPerFrame));
    world.queue(event("drag", {{"target", point + Vec3(0.1, 0.1, 0)}}, 2 * kTicksPerFrame));
    world.queue(event("drag", {{"target", point + Vec3(0.1, 0.3, 0)}}, 7 * kTicksPerFrame));
    world.queue(event("release", {}, 9 * kTicksPerFrame));
    return world;
  };
  const selkie::test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "checkpoint.h5";
  sim::World whole = prepared(), first = prepared(), second = build(parsed(text));
  while (first.frame() < 5) ASSERT_TRUE(first.sync_step().ok);
  save_checkpoint(first, {}, file);
  load_checkpoint(second, file);
  for (sim::World* world : {&whole, &second})
    while (world->frame() < 12) ASSERT_TRUE(world->sync_step().ok);
  EXPECT_EQ(whole.hash().hex(), second.hash().hex());
}

INSTANTIATE_TEST_SUITE_P(
    All, Grab,
    testing::Values(Kind{"elastic", "young = 2e5\nstiffness_damping = 0.01\n"},
                    Kind{"mass_spring", "stiffness = 2000\ndamping = 0.2\n"},
                    Kind{"position_based", "stretch_compliance = 1e-6\nsubsteps = 4\ndamping = 5\n"},
                    // Drawn a radius outside of its vertices, along normals that turn as the body hangs.
                    Kind{"shape_matching", "damping = 5\n", 1e-9, 0.01},
                    // Follows with a lag of 0.03 s.
                    Kind{"modal", "modes = 8\nyoung = 1e6\nstiffness_damping = 0.001\n", 1e-6}),
    [](const auto& made) { return made.param.name; });

// The corners of the face move as one, so that it cannot turn away below the hand.
TEST(GrabbedFace, CornersAreLedAlikeAndPinsAreKept) {
  const Kind kind{"elastic",
                  "young = 5e4\npin = [{ half_space = { point = [0, 0.29, 0], normal = [0, -1, 0] } }]\n"};
  sim::World world = build(parsed(scene_of(kind, 500, "[0, -9.81, 0]")));
  auto& body = dynamic_cast<sim::ElasticSystem&>(*world.find("body"));
  const std::vector<std::uint8_t> pinned(body.live_state().pinned.begin(), body.live_state().pinned.end());
  ASSERT_NE(std::count(pinned.begin(), pinned.end(), 1), 0) << "the upper side is pinned";
  const std::vector<Vec3> start(body.live_state().positions.begin(), body.live_state().positions.end());
  const Vec3 point(0.03, 0.3, 0.01), way(0, 0.05, 0);
  world.apply_now(event("grab", {{"point", point}, {"target", point + way}}));
  for (int n = 0; n < 5; ++n) ASSERT_TRUE(world.sync_step().ok);
  int led = 0, stayed = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const Vec3 moved = body.live_state().positions[i] - start[i];
    led += (moved - way).norm() < 1e-12;
    stayed += pinned[i] != 0 && moved.isZero(0);
  }
  EXPECT_EQ(led, 3) << "a hand comes before a pin";
  EXPECT_EQ(stayed, std::count(pinned.begin(), pinned.end(), 1) - 3);
  world.apply_now(event("release"));
  EXPECT_TRUE(std::equal(pinned.begin(), pinned.end(), body.live_state().pinned.begin()))
      << "no flag is left";
}

TEST(GrabbedFace, AVertexOfANumberIsHeldByItselfAndComesToTheTarget) {
  sim::World world = build(parsed(test::kCloth));
  auto& cloth = dynamic_cast<sim::MassSpringSystem&>(*world.find("cloth"));
  ports::InputEvent grab{0, "cloth", "grab", Value{ValueTable{}}};
  grab.arguments["vertex"].data = std::int64_t{12};
  grab.arguments["target"] = vector(Vec3(0.01, 0.1, 0));
  world.apply_now(grab);
  EXPECT_EQ(std::count(cloth.live_state().pinned.begin(), cloth.live_state().pinned.end(), 0), 25);
  for (int n = 0; n < 30; ++n) ASSERT_TRUE(world.sync_step().ok);
  EXPECT_LT((cloth.live_state().positions[12] - Vec3(0.01, 0.1, 0)).norm(), 1e-12);
  // A second grab lets go of what the first one held.
  ports::InputEvent face{0, "cloth", "grab", Value{ValueTable{}}};
  const Vec3 middle = cloth.live_state().positions[0] / 2 + cloth.live_state().positions[1] / 2;
  face.arguments["point"] = vector(middle);
  face.arguments["target"] = vector(middle);
  world.apply_now(face);
  EXPECT_EQ(std::count(cloth.live_state().pinned.begin(), cloth.live_state().pinned.end(), 2), 1)
      << "on an edge its two ends are held, one of them as the grabbed vertex";
  world.apply_now(grab);
  EXPECT_EQ(std::count(cloth.live_state().pinned.begin(), cloth.live_state().pinned.end(), 0), 25);
}

}  // namespace
}  // namespace selkie::scene
