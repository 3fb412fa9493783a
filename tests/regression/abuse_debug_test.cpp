#include <gtest/gtest.h>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <filesystem>
#include "selkie/scene/scene.h"
#include "selkie/sim/systems/mass_spring_system.h"
#include "selkie/solids/mass_spring/inversion_guard.h"
namespace selkie {
TEST(AbuseDebug, Run) {
  if (!getenv("DBG_SCENE")) GTEST_SKIP();
  std::vector<std::string> settings;
  std::stringstream ss(getenv("DBG_SET") ? getenv("DBG_SET") : "");
  for (std::string s; ss >> s;) settings.push_back(s);
  const double until = getenv("DBG_UNTIL") ? atof(getenv("DBG_UNTIL")) : 5.5;
  const double from = getenv("DBG_FROM") ? atof(getenv("DBG_FROM")) : 0;
  auto scene = scene::load(std::filesystem::path(SELKIE_SOURCE_DIR) / "scenes" / (std::string(getenv("DBG_SCENE")) + ".toml"), settings);
  sim::World world = scene::build(scene);
  scene::Scene calm_scene = scene::load(std::filesystem::path(SELKIE_SOURCE_DIR) / "scenes/abuse-gravity.toml", settings);
  calm_scene.description.scene.inputs.clear();
  sim::World calm = scene::build(calm_scene);
  while (calm.time() < 2 - 1e-9) calm.sync_step();
  auto& j = dynamic_cast<sim::MassSpringSystem&>(*world.find("jelly"));
  auto& cj = dynamic_cast<sim::MassSpringSystem&>(*calm.find("jelly"));
  int every = getenv("DBG_EVERY") ? atoi(getenv("DBG_EVERY")) : 6;
  for (int n = 0; world.time() < until - 1e-9; ++n) {
    auto r = world.sync_step();
    if (!r.ok) { printf("FAIL %s\n", r.trouble.c_str()); break; }
    if (world.time() < from || (n % every && r.retries == 0)) continue;
    const auto& x = j.live_state().positions;
    const auto& g = j.model().guard;
    double minj = 9, maxj = -9; int inv = 0, sq = 0;
    for (std::size_t t = 0; t < g.tets.size(); ++t) {
      double q = mass_spring::volume_ratio(g, t, [&](std::uint32_t i) -> const Vec3& { return x[i]; });
      minj = std::min(minj, q); maxj = std::max(maxj, q); inv += q < 0; sq += q < 0.3;
    }
    double worst = 0, speed = 0;
    for (std::size_t s = 0; s < j.model().springs.size(); ++s) {
      auto [a, b] = j.model().springs[s];
      const auto& y = cj.live_state().positions;
      worst = std::max(worst, std::abs((x[a] - x[b]).norm() - (y[a] - y[b]).norm()) / j.model().rest_lengths[s]);
    }
    Vec3 lo = Vec3::Constant(1e9), hi = -lo;
    for (const auto& p : x) lo = lo.cwiseMin(p), hi = hi.cwiseMax(p);
    for (const auto& v : j.live_state().velocities) speed = std::max(speed, v.norm());
    double e = 0, el = 0, ki = 0;
    for (auto& [name, value] : j.figures(world.environment())) { if (name == "energy") e = value; if (name == "elastic") el = value; if (name=="kinetic") ki = value; }
    printf("t %.4f retries %d E %.4g el %.4g kin %.4g shape %.4f speed %.4f J %.3f..%.3f inv %d sq %d box %.3f %.3f %.3f .. %.3f %.3f %.3f it %d\n", world.time(), r.retries, e, el, ki, worst, speed, minj, maxj, inv, sq,
           lo.x(), lo.y(), lo.z(), hi.x(), hi.y(), hi.z(), r.systems.empty() ? 0 : r.systems[0].step.iterations);
  }
}
}
