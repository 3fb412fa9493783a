// Whole runs of liquids with bodies: the four modes of LE-48, a rigid box that floats (LE-39), and mechanical
// energy without damping.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/scene/scene.h"
#include "selkie/sim/systems/elastic_system.h"
#include "selkie/sim/systems/liquid_system.h"
#include "selkie/sim/systems/rigid_system.h"
#include "selkie/solids/fem/diagnostics.h"
#include "selkie/studies/coupling.h"
#include "selkie/studies/coupling_runs.h"

namespace selkie::studies::coupling_cases {
namespace {

sim::World world_of(const std::string& text) { return scene::build(scene::parse(text, "study", ".", {})); }

// Least and largest det F of a body of tetrahedra.
std::pair<double, double> volume_ratios(sim::ElasticSystem& body) {
  const fem::Model& model = body.model();
  double least = 1e300, most = -1e300;
  for (std::size_t e = 0; e < model.element_count; ++e) {
    Mat3 sides;
    const Vec3& origin = body.live_state().positions[model.corner(e, 0)];
    for (int c = 0; c < 3; ++c)
      sides.col(c) = body.live_state().positions[model.corner(e, static_cast<std::size_t>(c) + 1)] - origin;
    const double ratio = (sides * fem::inverse_rest_of<3>(model, e)).determinant();
    least = std::min(least, ratio), most = std::max(most, ratio);
    if (!std::isfinite(ratio)) return {-1e300, 1e300};
  }
  return {least, most};
}

// A stiff, light beam free in water under strong gravity, in steps of 1/fps. (LE-48; values are a choice)
std::string beam_scene(int cells, double fps, std::string_view mode, double damping) {
  return fmt::format(R"([scene]
name    = "modes"
fps     = {}
gravity = [0, -40, 0]

[[liquid]]
name   = "water"
domain = {{ min = [0, 0, 0], max = [1, 1, 1], cells = {} }}
fill   = [ {{ box = {{ min = [0, 0, 0], max = [1, 0.6, 1] }} }} ]
cfl    = 1000

[[elastic]]
name    = "beam"
mesh    = {{ tet_box = {{ min = [0.1, 0.24, 0.44], max = [0.9, 0.36, 0.56], divisions = [20, 2, 2] }} }}
young   = 2e6
density = 100
stiffness_damping = {}

[[coupling]]
kind    = "liquid-elastic"
between = ["water", "beam"]
mode    = "{}"
)",
                     fps, cells, damping, mode);
}

struct ModeRun {
  bool finite = true, shape_kept = true;
  double least = 1, most = 1, height = 0, seconds = 0;
};
ModeRun run_mode(const std::string& text, double seconds) {
  ModeRun run;
  sim::World world = world_of(text);
  auto& beam = dynamic_cast<sim::ElasticSystem&>(*world.find("beam"));
  while (run.finite && world.time() < seconds - 1e-9) {
    const sim::SyncReport report = world.sync_step();
    const auto [least, most] = volume_ratios(beam);
    run.least = std::min(run.least, least), run.most = std::max(run.most, most);
    bool inside = true;
    for (const Vec3& x : beam.live_state().positions) inside &= x.minCoeff() > -0.1 && x.maxCoeff() < 1.1;
    run.finite = report.ok && report.retries == 0 && std::isfinite(most) && std::abs(most) < 1e6;
    run.shape_kept = run.shape_kept && least > 0.2 && most < 5 && inside;
  }
  run.seconds = world.time();
  for (const Vec3& x : beam.live_state().positions)
    run.height += x.y() / static_cast<double>(beam.live_state().positions.size());
  return run;
}

}  // namespace

Table modes_table(bool full) {
  const int cells = full ? 35 : 16;
  Table table{fmt::format("Stability of four modes: stiff light beam in {}³ cells, 1 s (LE-48)", cells),
              {"mode", "step s", "outcome", "least det F", "largest", "mean height m", "in print"},
              {},
              "Fails: not finite, or a repeated step; distorted: det F outside 0.2 … 5, or a beam that "
              "leaves the box. Pass: as in print, and the full mode "
              "finite with steps ten times as long. A beam of 100 kg/m³ that floats on water of 0.6 m depth "
              "lies at 0.6 m."};
  struct Mode {
    const char *name, *key;
    double damping, fps;
    bool holds;  // its shape
    const char* print;
  };
  for (const Mode& mode :
       {Mode{"weak", "weak", 1e-3, 200, false, "fails"},
        Mode{"damping only", "damping-only", 1e-3, 200, true, "completes, wrongly"},
        Mode{"full", "full", 1e-3, 200, true, "fine"}, Mode{"full, no damping", "full", 0, 200, true, "fine"},
        Mode{"full, no damping", "full", 0, 20, true, "-"}}) {
    const ModeRun run = run_mode(beam_scene(cells, mode.fps, mode.key, mode.damping), 1);
    const std::string outcome = !run.finite      ? fmt::format("fails at {:.2f} s", run.seconds)
                                : run.shape_kept ? "completes"
                                                 : "completes, distorted";
    table.rows.push_back(
        {{mode.name, fmt::format("{:g}", 1 / mode.fps), outcome, fmt::format("{:.3g}", run.least),
          fmt::format("{:.3g}", run.most), fmt::format("{:.3f}", run.height), mode.print},
         mode.holds ? run.finite && (run.shape_kept || mode.fps < 100) : !run.finite || !run.shape_kept});
  }
  return table;
}

Table draft_table(bool brief) {
  const int cells = brief ? 16 : 24;
  const double seconds = brief ? 0.5 : 1;
  Table table{fmt::format("A rigid box let go at its draft (LE-39), {}³ cells, {:g} s", cells, seconds),
              {"density kg/m³", "draft / height", "furthest from it, cells", "tilt degrees"},
              {},
              "A box of 0.3 m. Pass: it stays within a quarter of a cell, upright within 2 degrees."};
  for (const double density : brief ? std::vector{600.0} : std::vector{300.0, 600.0, 900.0}) {
    const double size = 0.3, level = 0.5, centre = level + size * (0.5 - density / 1000);
    sim::World world = world_of(fmt::format(R"([scene]
name = "draft"
fps  = 60

[[liquid]]
name   = "water"
domain = {{ min = [0, 0, 0], max = [1, 1, 1], cells = {} }}
fill   = [ {{ box = {{ min = [0, 0, 0], max = [1, {}, 1] }} }} ]

[[rigid]]
name     = "box"
shape    = {{ box = {{ size = [{}, {}, {}] }} }}
position = [0.5, {}, 0.5]
density  = {}

[[coupling]]
kind    = "liquid-rigid"
between = ["water", "box"]
)",
                                            cells, level, size, size, size, centre, density));
    auto& bodies = dynamic_cast<sim::RigidSystem&>(*world.find(sim::kThrown));
    double off = 0;
    bool ok = true;
    while (ok && world.time() < seconds) {
      ok = world.sync_step().ok;
      off = std::max(off, std::abs(bodies.live_state().positions[0].y() - centre) * cells);
    }
    const Vec3 up = rigid::orientation(bodies.live_state(), 0) * Vec3::UnitY();
    const double tilt = std::acos(std::clamp(up.y(), -1.0, 1.0)) * 57.29577951308232;
    table.rows.push_back({{fmt::format("{:g}", density), fmt::format("{:.2f}", density / 1000),
                           fmt::format("{:.3f}", off), fmt::format("{:.2f}", tilt)},
                          ok && off < 0.25 && tilt < 2});
  }
  return table;
}

namespace {

// A tank without any damping; `body` may be empty.
std::string undamped_scene(int cells, std::string_view fill, std::string_view body) {
  std::string text = fmt::format(R"([scene]
name = "energy"
fps  = 30

[[liquid]]
name   = "water"
domain = {{ min = [0, 0, 0], max = [1, 1, 1], cells = {} }}
fill   = [ {{ {} }} ]
keep_volume = false
)",
                                 cells, fill);
  if (!body.empty())
    text += fmt::format(
        "[[elastic]]\nname = \"body\"\n{}\n[[coupling]]\nkind = \"liquid-elastic\"\n"
        "between = [\"water\", \"body\"]\n",
        body);
  return text;
}

// Positions move before velocities are solved for, so velocities belong half a sub-step later. Energies are
// those of x + ½hv and v: what both leapfrogs, the liquid's and average acceleration's, keep.
struct Mechanical {
  double kinetic = 0, potential = 0, elastic = 0;  // J
  double sum() const { return kinetic + potential + elastic; }
};
Mechanical mechanical(sim::World& world) {
  Mechanical out;
  const Vec3 gravity = world.environment().gravity;
  auto& water = dynamic_cast<sim::LiquidSystem&>(*world.find("water"));
  const auto& state = water.live_state();
  const double half = 0.5 * state.last_step;  // s; none before the first step
  for (const auto& [name, value] : water.figures(world.environment())) {
    if (name == "kinetic") out.kinetic += value;
    if (name == "potential") out.potential += value;
  }
  const auto& params = *static_cast<const liquid::Params*>(water.params());
  Vec3 momentum = Vec3::Zero();
  for (int axis = 0; axis < 3; ++axis)
    momentum[axis] = params.density * water.model().particle_volume() *
                     deterministic_sum(state.particles.size(), [&](std::size_t p) {
                       return double((*state.particles.velocity()[static_cast<std::size_t>(axis)])[p]);
                     });
  out.potential -= half * gravity.dot(momentum);
  auto* body = dynamic_cast<sim::ElasticSystem*>(world.find("body"));
  if (!body) return out;
  fem::State later = body->live_state();
  for (std::size_t i = 0; i < later.positions.size(); ++i)
    later.positions[i] += half * later.velocities[i];
  const fem::Diagnostics d = fem::diagnose(
      body->model(), *static_cast<const fem::Params*>(body->params()), gravity, later);
  out.kinetic += d.kinetic_energy;
  out.potential += d.gravitational_energy;
  out.elastic += d.elastic_energy;
  return out;
}

struct EnergyRun {
  bool ok = true;
  double start = 0, end = 0, most = 0, kinetic = 0;  // J
};
EnergyRun run_energy(const std::string& text, double seconds) {
  sim::World world = world_of(text);
  EnergyRun run;
  auto note = [&] {
    const Mechanical now = mechanical(world);
    run.end = now.sum();
    run.most = std::max(run.most, run.end);
    run.kinetic = std::max(run.kinetic, now.kinetic);
  };
  note();
  run.start = run.end;
  while (run.ok && world.time() < seconds) {
    run.ok = world.sync_step().ok;
    note();
  }
  return run;
}

}  // namespace

Table scene_energy_table(bool full) {
  const int cells = full ? 48 : 24;
  Table table{
      fmt::format("Mechanical energy of whole scenes without damping, {} cells, 2 s", cells),
      {"scene", "integrator", "start J", "kinetic at most J", "largest excess", "end against start",
       "liquid alone"},
      {},
      "Kinetic, potential and elastic energy of liquid and body, from before the first step; walls and pins stand "
      "and do no work. Shares of the start. Pass: backward Euler never 2 % above it, and a light ball never 2 % below "
      "either. Reported: what backward Euler takes from the swings of a stretched ball, what water loses under a "
      "heavy ball on the ground, what average acceleration makes of them (its steps here are longer than the swings), "
      "and what splashes of a column lose in coming together, beside the same run without a body."};
  struct Case {
    const char *name, *fill, *body, *integrator;
    double most_gain, most_loss;  // shares of the start
  };
  constexpr double kAny = std::numeric_limits<double>::infinity();
  constexpr const char* kPool = "box = { min = [0, 0, 0], max = [1, 0.6, 1] }";
  constexpr const char* kColumn = "box = { min = [0, 0, 0], max = [0.3, 0.6, 1] }";
  constexpr const char* kBall =
      "mesh = { tet_ball = { center = [0.5, 0.3, 0.5], radius = 0.15, divisions = 5 } }\nyoung = "
      "1e5\ndensity = 300";
  constexpr const char* kStretched =
      "mesh = { tet_ball = { center = [0.5, 0.3, 0.5], radius = 0.15, divisions = 5 } }\nyoung = "
      "1e5\ndensity = 1000\nstretch = [1.2, 0.9, 0.9]";
  constexpr const char* kHeavy =
      "mesh = { tet_ball = { center = [0.5, 0.3, 0.5], radius = 0.15, divisions = 5 } }\nyoung = "
      "1e5\ndensity = 2000";
  constexpr const char* kBeam =
      "mesh = { tet_box = { min = [0.55, 0.05, 0.44], max = [0.67, 0.6, 0.56], divisions = [2, 10, 2] } }\n"
      "young = 2e5\ndensity = 900\npin = [ { box = { min = [0.5, 0.59, 0.4], max = [0.7, 0.7, 0.6] } } ]";
  constexpr const char *kEuler = "backward-euler", *kNewmark = "newmark";
  std::vector<Case> cases{{"light ball", kPool, kBall, kEuler, 0.02, 0.02},
                          {"light ball", kPool, kBall, kNewmark, 0.02, 0.02},
                          {"stretched ball let go", kPool, kStretched, kEuler, 0.02, kAny},
                          {"heavy ball", kPool, kHeavy, kEuler, 0.02, kAny},
                          {"dam break with beam", kColumn, kBeam, kEuler, 0.02, kAny}};
  if (full)
    cases.insert(cases.end(), {{"stretched ball let go", kPool, kStretched, kNewmark, kAny, kAny},
                               {"heavy ball", kPool, kHeavy, kNewmark, kAny, kAny}});
  for (const Case& c : cases) {
    const std::string body = fmt::format("{}\nintegrator = \"{}\"", c.body, c.integrator);
    const EnergyRun run = run_energy(undamped_scene(cells, c.fill, body), 2);
    const double excess = run.most / run.start - 1, change = run.end / run.start - 1;
    std::string alone = "-";
    if (std::string_view(c.fill) == kColumn) {
      const EnergyRun liquid = run_energy(undamped_scene(cells, c.fill, ""), 2);
      alone = fmt::format("{:+.2f} %", 100 * (liquid.end / liquid.start - 1));
    }
    table.rows.push_back(
        {{c.name, c.integrator, fmt::format("{:.4g}", run.start), fmt::format("{:.4g}", run.kinetic),
          fmt::format("{:+.2f} %", 100 * excess), fmt::format("{:+.2f} %", 100 * change), alone},
         run.ok && excess < c.most_gain && change > -c.most_loss});
  }
  return table;
}

}  // namespace selkie::studies::coupling_cases
