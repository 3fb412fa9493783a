// The shipped abuse scenes (RT-02) with a position-based jelly in place of the one of springs: finite, calm
// and in its own shape within 5 s.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "selkie/scene/scene.h"
#include "selkie/sim/systems/position_based_system.h"
#include "selkie/solids/pbd/diagnostics.h"

namespace selkie {
namespace {

namespace fs = std::filesystem;

struct Abuse {
  std::string scene;
  double event;  // s, when the last of it is over
};

sim::PositionBasedSystem& jelly(sim::World& world) {
  return dynamic_cast<sim::PositionBasedSystem&>(*world.find("jelly"));
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

scene::Scene load(const std::string& name, const std::string& method) {
  const fs::path folder = fs::path(SELKIE_SOURCE_DIR) / "scenes";
  std::ifstream file(folder / (name + ".toml"));
  std::stringstream content;
  content << file.rdbuf();
  std::string text = content.str();
  replace(text, "[[mass_spring]]", "[[position_based]]");
  replace(text, "stiffness = 20000", "stretch_compliance = 2e-5\nsubsteps = 4\nmethod = \"" + method + "\"");
  replace(text, "damping   = 0.1", "damping = 10");
  return scene::parse(text, name + ".toml", folder, {});
}

void advance(sim::World& world, double seconds) {
  while (world.time() < seconds - 1e-9) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
  }
}

struct Energy {
  double total = 0, moving = 0;  // J; with and without what edges store
};
// Edges of plain position-based bodies store nothing by themselves; a body that is let out of a squeeze rises
// as it gets its shape back all the same, so what edges of the given compliance would store counts for both.
Energy energy(sim::World& world) {
  pbd::Params compliant = *static_cast<const pbd::Params*>(jelly(world).params());
  compliant.method = pbd::Method::xpbd;
  const pbd::Diagnostics d =
      pbd::diagnose(jelly(world).model(), compliant, world.environment().gravity, jelly(world).live_state());
  const double moving = d.kinetic_energy + d.gravitational_energy;
  return {moving + d.elastic_energy, moving};
}

std::vector<double> edge_lengths(sim::World& world) {
  std::vector<double> lengths;
  const auto& x = jelly(world).live_state().positions;
  for (const geometry::Triangle& t : jelly(world).model().triangles)
    for (int k = 0; k < 3; ++k)
      lengths.push_back(
          (x[t[static_cast<std::size_t>(k)]] - x[t[static_cast<std::size_t>((k + 1) % 3)]]).norm());
  return lengths;
}

class PositionBasedUnderAbuse : public testing::TestWithParam<std::tuple<Abuse, std::string>> {};

TEST_P(PositionBasedUnderAbuse, StaysFiniteCalmsDownAndGetsItsShapeBack) {
  const auto& [abuse, method] = GetParam();
  sim::World world = scene::build(load(abuse.scene, method));
  advance(world, abuse.event);
  double lowest = energy(world).total;
  ASSERT_TRUE(std::isfinite(lowest));
  const double scale = std::abs(energy(world).moving);
  while (world.time() < abuse.event + 5) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
    const Energy now = energy(world);
    // Contacts have the last word of a step: edges that they press may store more for a moment, but must not
    // give it back. As for springs, undoing overlap may lift or stretch a little.
    EXPECT_LE(now.moving, lowest + 0.02 * scale + 0.1) << "t = " << world.time();
    lowest = std::min(lowest, now.total);
  }
  scene::Scene quiet = load("abuse-gravity", method);
  quiet.description.scene.inputs.clear();
  sim::World calm = scene::build(quiet);
  advance(calm, 5);
  const std::vector<double> a = edge_lengths(world), b = edge_lengths(calm);
  double worst = 0, fastest = 0;
  for (std::size_t e = 0; e < a.size(); ++e) worst = std::max(worst, std::abs(a[e] / b[e] - 1));
  for (const Vec3& v : jelly(world).live_state().velocities) fastest = std::max(fastest, v.norm());
  EXPECT_LT(worst, 0.01);
  EXPECT_LT(fastest, 0.02);
}

const auto kNames = [](const auto& made) {
  std::string name = std::get<0>(made.param).scene + "_" + std::get<1>(made.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
};

INSTANTIATE_TEST_SUITE_P(
    All, PositionBasedUnderAbuse,
    testing::Combine(testing::Values(Abuse{"abuse-teleport", 0.55}, Abuse{"abuse-overlap", 5.1},
                                     Abuse{"abuse-gravity", 0.55}, Abuse{"abuse-long-step", 0.5}),
                     testing::Values("pbd", "xpbd")),
    kNames);

}  // namespace
}  // namespace selkie
