// What no user should do, and every user does (RT-02): the shipped abuse scenes, with the unconditionally
// stable integrators and with explicit ones. Nothing may become infinite; energy must not rise again once the
// event is over; a jelly must be at rest in its own shape within 5 s.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "selkie/scene/scene.h"
#include "selkie/sim/systems/mass_spring_system.h"

namespace selkie {
namespace {

namespace fs = std::filesystem;

struct Abuse {
  std::string scene;
  double event;  // s, when the last of it is over
};

sim::MassSpringSystem& jelly(sim::World& world) {
  return dynamic_cast<sim::MassSpringSystem&>(*world.find("jelly"));
}

double total_energy(sim::World& world) {
  double sum = 0;
  for (const auto& system : world.systems()) {
    if (system->dormant()) continue;
    for (const auto& [name, value] : system->figures(world.environment()))
      if (name == "energy") sum += value;
  }
  return sum;
}

std::vector<double> spring_lengths(sim::World& world) {
  const auto& springs = jelly(world).model().springs;
  const auto& x = jelly(world).live_state().positions;
  std::vector<double> lengths;
  for (const auto& [i, j] : springs) lengths.push_back((x[i] - x[j]).norm());
  return lengths;
}

// Largest change of a spring's length between two bodies of the same make, as a share of its rest length.
double shape_error(sim::World& world, sim::World& undisturbed) {
  const std::vector<double> a = spring_lengths(world), b = spring_lengths(undisturbed);
  const auto& rest = jelly(world).model().rest_lengths;
  double worst = 0;
  for (std::size_t s = 0; s < a.size(); ++s) worst = std::max(worst, std::abs(a[s] - b[s]) / rest[s]);
  return worst;
}

double fastest(sim::World& world) {
  double speed = 0;
  for (const Vec3& v : jelly(world).live_state().velocities) speed = std::max(speed, v.norm());
  return speed;
}

scene::Scene load(const std::string& name, const std::string& integrator) {
  const fs::path file = fs::path(SELKIE_SOURCE_DIR) / "scenes" / (name + ".toml");
  const std::vector<std::string> settings{"jelly.integrator=" + integrator};
  return scene::load(file, settings);
}

// The same jelly at rest on the floor with nothing done to it.
sim::World undisturbed(const std::string& integrator) {
  scene::Scene scene = load("abuse-gravity", integrator);
  scene.description.scene.inputs.clear();
  return scene::build(scene);
}

void advance(sim::World& world, double seconds) {
  while (world.time() < seconds - 1e-9) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
  }
}

class UnderAbuse : public testing::TestWithParam<std::tuple<Abuse, std::string>> {};

TEST_P(UnderAbuse, StaysFiniteCalmsDownAndGetsItsShapeBack) {
  const auto& [abuse, integrator] = GetParam();
  sim::World world = scene::build(load(abuse.scene, integrator));
  advance(world, abuse.event);
  double lowest = total_energy(world);
  ASSERT_TRUE(std::isfinite(lowest));
  const double scale = std::abs(lowest);
  while (world.time() < abuse.event + 5) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
    const double now = total_energy(world);
    ASSERT_TRUE(std::isfinite(now));
    // Undoing overlap may stretch a spring; what that brings is bounded by a little of what was there.
    EXPECT_LE(now, lowest + 0.02 * scale + 0.1) << "t = " << world.time();
    lowest = std::min(lowest, now);
  }
  sim::World calm = undisturbed(integrator);
  advance(calm, 5);
  EXPECT_LT(shape_error(world, calm), 0.01);
  EXPECT_LT(fastest(world), 0.02);
}

const std::vector<Abuse> kAbuses{
    {"abuse-teleport", 0.55}, {"abuse-overlap", 5.1}, {"abuse-gravity", 0.55}, {"abuse-long-step", 0.5}};

INSTANTIATE_TEST_SUITE_P(All, UnderAbuse,
                         testing::Combine(testing::ValuesIn(kAbuses),
                                          testing::Values("implicit-euler", "implicit-euler-newton")),
                         [](const auto& made) {
                           std::string name = std::get<0>(made.param).scene + "_" + std::get<1>(made.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Conditionally stable integrators see their limit, take sub-steps and say so.
class ExplicitUnderAbuse : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(ExplicitUnderAbuse, StaysFiniteBySubStepsThatItReports) {
  const auto& [name, integrator] = GetParam();
  sim::World world = scene::build(load(name, integrator));
  int most = 0;
  while (world.time() < 1.5) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
    for (const sim::SystemReport& system : report.systems)
      if (system.system == "jelly") {
        most = std::max(most, system.substeps);
        EXPECT_LT(system.step.cfl, 1.3) << "a sub-step far beyond its own limit";
      }
    ASSERT_TRUE(std::isfinite(total_energy(world)));
  }
  EXPECT_GT(most, 1);
}

INSTANTIATE_TEST_SUITE_P(All, ExplicitUnderAbuse,
                         testing::Combine(testing::Values("abuse-teleport", "abuse-overlap", "abuse-gravity",
                                                          "abuse-long-step"),
                                          testing::Values("symplectic-euler", "rk4", "verlet", "newmark",
                                                          "newmark-implicit", "implicit-midpoint")),
                         [](const auto& made) {
                           std::string name = std::get<0>(made.param) + "_" + std::get<1>(made.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace selkie
