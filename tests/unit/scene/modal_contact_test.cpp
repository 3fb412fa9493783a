// Modal bodies against deformable bodies of other systems: what one gives the other takes, nothing passes,
// and what lies on a modal body comes to rest there.
#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/sim/systems/modal_system.h"
#include "small_scene.h"

namespace selkie::scene {
namespace {

using test::parsed;
using test::refusal;

// 0.4 × 0.1 × 0.4 m, its upper side at y = 0.1.
const std::string kPlate = R"([[modal]]
name = "plate"
mesh = { tet_box = { min = [-0.2, 0, -0.2], max = [0.2, 0.1, 0.2], divisions = [4, 1, 4] } }
modes = 8
young = 1e6
density = 500
stiffness_damping = 0.002
)";

// A block of 0.2 m of another kind, its lower side at `height`.
struct Kind {
  std::string name;
  std::string more;
  double lost = 1e-12;  // of the momentum
  // m/s at rest. Contacts are answered once a step: bodies that know no forces tremble by up to what they
  // fall in one.
  double trembles = 9.81 / 60;
};
std::string block(const Kind& kind, double height, const std::string& velocity) {
  const std::string mesh = "mesh = { tet_box = { min = [-0.07, " + std::to_string(height) +
                           ", -0.12], max = [0.13, " + std::to_string(height + 0.2) +
                           ", 0.08], divisions = [3, 3, 3] } }\n";
  return "[[" + kind.name + "]]\nname = \"block\"\ndensity = 300\n" + kind.more + "velocity = " + velocity +
         "\n" + (kind.name == "shape_matching" ? "[[shape_matching.body]]\n" : "") + mesh;
}

struct Drawn {
  std::vector<Vec3> positions, velocities;
};
Drawn drawn(sim::World& world, const std::string& name) {
  const ports::DeformableSolid& solid = *world.find(name)->deformable_solid();
  return {{solid.positions().begin(), solid.positions().end()},
          {solid.velocities().begin(), solid.velocities().end()}};
}
double lowest(const Drawn& body) {
  double y = 1e9;
  for (const Vec3& x : body.positions) y = std::min(y, x.y());
  return y;
}
double fastest(const Drawn& body) {
  double speed = 0;
  for (const Vec3& v : body.velocities) speed = std::max(speed, v.norm());
  return speed;
}

Vec3 momentum(sim::World& world) {
  Vec3 sum = Vec3::Zero();
  for (const char* name : {"plate", "block"}) {
    sim::System& system = *world.find(name);
    if (system.kind() == "modal") {
      auto& bodies = dynamic_cast<sim::ModalSystem&>(system);
      for (const Vec3& v : bodies.live_state().velocities) sum += bodies.model().mass * v;
      continue;
    }
    const ports::DeformableSolid& solid = *system.deformable_solid();
    for (std::size_t i = 0; i < solid.velocities().size(); ++i)
      sum += solid.velocities()[i] / solid.inverse_masses()[i];
  }
  return sum;
}

class ModalContact : public testing::TestWithParam<Kind> {};

TEST_P(ModalContact, WhatOneBodyGivesTheOtherTakes) {
  sim::World world = build(
      parsed("[scene]\nfps = 60\ngravity = [0, 0, 0]\n" + kPlate + block(GetParam(), 0.2, "[0.2, -3, 0]")));
  const Vec3 before = momentum(world);
  for (int n = 0; n < 30; ++n) ASSERT_TRUE(world.sync_step().ok);
  auto& plate = dynamic_cast<sim::ModalSystem&>(*world.find("plate"));
  EXPECT_LT(plate.live_state().velocities[0].y(), -0.2) << "it has been hit";
  EXPECT_LT((momentum(world) - before).norm(), GetParam().lost * before.norm());
  double bent = 0;
  for (const double q : plate.live_state().displacements) bent += q * q;
  EXPECT_GT(bent, 0) << "modes take part";
}

TEST_P(ModalContact, ABlockComesToRestOnAPlateThatLiesOnTheFloor) {
  sim::World world = build(parsed("[scene]\nfps = 60\n[[collider]]\nshape = { plane = {} }\n" + kPlate +
                                  block(GetParam(), 0.15, "[0, 0, 0]")));
  for (int n = 0; n < 180; ++n) ASSERT_TRUE(world.sync_step().ok);
  const Drawn upper = drawn(world, "block"), lower = drawn(world, "plate");
  EXPECT_LT(fastest(upper), GetParam().trembles);
  EXPECT_LT(fastest(lower), 0.02);
  EXPECT_NEAR(lowest(upper), 0.1, 0.01) << "on the plate";
  EXPECT_NEAR(lowest(lower), 0, 0.002) << "on the floor";
}

TEST_P(ModalContact, ThreadsChangeNoBit) {
  std::string hash;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    sim::World world = build(parsed("[scene]\nfps = 60\n" + kPlate + block(GetParam(), 0.11, "[0, -2, 0]")));
    for (int n = 0; n < 10; ++n) ASSERT_TRUE(world.sync_step().ok);
    if (threads == 1) hash = world.hash().hex();
    EXPECT_EQ(world.hash().hex(), hash);
  }
  set_thread_count(0);
}

INSTANTIATE_TEST_SUITE_P(
    All, ModalContact,
    testing::Values(Kind{"elastic", "young = 1e5\nstiffness_damping = 0.01\n", 1e-12, 0.02},
                    // Its own solves end at a tolerance of 1e-6.
                    Kind{"mass_spring", "stiffness = 4000\ndamping = 0.3\n", 1e-5, 0.02},
                    Kind{"position_based", "stretch_compliance = 1e-6\nsubsteps = 4\ndamping = 5\n"},
                    Kind{"shape_matching", "damping = 5\n"},
                    Kind{"modal", "modes = 8\nyoung = 1e6\nstiffness_damping = 0.002\n"}),
    [](const auto& made) { return made.param.name; });

TEST(ModalContactRules, PenaltySpringsAreRefused) {
  const std::string text = kPlate + block({"elastic", ""}, 0.2, "[0, 0, 0]") +
                           "[[contact]]\nbodies = [\"plate\", \"block\"]\nresponse = \"penalty\"\n";
  const std::string said = refusal(text);
  EXPECT_NE(said.find("'plate', which is a modal body"), std::string::npos) << said;
}

}  // namespace
}  // namespace selkie::scene
