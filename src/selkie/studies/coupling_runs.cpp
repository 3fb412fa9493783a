// Whole runs of liquids with bodies: the four modes of LE-48, a rigid box that floats (LE-39), and mechanical
// energy without damping.
#include <fmt/format.h>

#include <algorithm>
#include <array>
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

// det F of a body of tetrahedra: least, largest, and how far it is from 1 in the mean.
struct VolumeRatios {
  double least = 1e300, most = -1e300, change = 0;
};
VolumeRatios volume_ratios(sim::ElasticSystem& body) {
  const fem::Model& model = body.model();
  VolumeRatios out;
  for (std::size_t e = 0; e < model.element_count; ++e) {
    Mat3 sides;
    const Vec3& origin = body.live_state().positions[model.corner(e, 0)];
    for (int c = 0; c < 3; ++c)
      sides.col(c) = body.live_state().positions[model.corner(e, static_cast<std::size_t>(c) + 1)] - origin;
    const double ratio = (sides * fem::inverse_rest_of<3>(model, e)).determinant();
    out.least = std::min(out.least, ratio), out.most = std::max(out.most, ratio);
    out.change += std::abs(ratio - 1) / static_cast<double>(model.element_count);
    if (!std::isfinite(ratio)) return {-1e300, 1e300, 1e300};
  }
  return out;
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
  double least = 1, most = 1, change = 0, height = 0, seconds = 0;
};
ModeRun run_mode(const std::string& text, double seconds) {
  ModeRun run;
  sim::World world = world_of(text);
  auto& beam = dynamic_cast<sim::ElasticSystem&>(*world.find("beam"));
  while (run.finite && world.time() < seconds - 1e-9) {
    const sim::SyncReport report = world.sync_step();
    const auto [least, most, change] = volume_ratios(beam);
    run.least = std::min(run.least, least), run.most = std::max(run.most, most);
    run.change = std::max(run.change, change);
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
  Table table{
      fmt::format("Stability of four modes: stiff light beam in {}³ cells, 1 s (LE-48)", cells),
      {"mode", "step s", "outcome", "least det F", "largest", "mean change", "height at the end m",
       "in print"},
      {},
      "Fails: not finite, or a repeated step; distorted: det F outside 0.2 … 5, or a beam that "
      "leaves the box. Mean change: of the elements' volumes, at its worst. Pass: as in print. Wrong is ten "
      "times the mean change of the full mode; fine are full modes with one below 2 % that end within half a "
      "cell of each other (the beam rocks); the one with steps ten times as long is to be finite. "
      "A beam of 100 kg/m³ that floats on water of 0.6 m depth lies at 0.6 m."};
  enum class Print { fails, wrong, fine, finite };
  struct Mode {
    const char *name, *key;
    double damping, fps;
    Print print;
    const char* text;
  };
  const std::array modes{Mode{"weak", "weak", 1e-3, 200, Print::fails, "fails"},
                         Mode{"damping only", "damping-only", 1e-3, 200, Print::wrong, "completes, wrongly"},
                         Mode{"full", "full", 1e-3, 200, Print::fine, "fine"},
                         Mode{"full, no damping", "full", 0, 200, Print::fine, "fine"},
                         Mode{"full, no damping", "full", 0, 20, Print::finite, "-"}};
  std::array<ModeRun, modes.size()> runs;
  for (std::size_t m = 0; m < modes.size(); ++m)
    runs[m] = run_mode(beam_scene(cells, modes[m].fps, modes[m].key, modes[m].damping), 1);
  auto as_in_print = [&](const ModeRun& run, Print print) {
    const ModeRun& reference = runs[2];
    if (print == Print::fails) return !run.finite || !run.shape_kept;
    if (print == Print::finite || !run.finite) return run.finite;
    if (print == Print::wrong) return run.shape_kept && run.change > 10 * reference.change;
    return run.shape_kept && run.change < 0.02 && std::abs(run.height - reference.height) * cells < 0.5;
  };
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const ModeRun& run = runs[m];
    const std::string outcome = !run.finite      ? fmt::format("fails at {:.2f} s", run.seconds)
                                : run.shape_kept ? "completes"
                                                 : "completes, distorted";
    table.rows.push_back(
        {{modes[m].name, fmt::format("{:g}", 1 / modes[m].fps), outcome, fmt::format("{:.3g}", run.least),
          fmt::format("{:.3g}", run.most), fmt::format("{:.2g}", run.change),
          fmt::format("{:.3f}", run.height), modes[m].text},
         as_in_print(run, modes[m].print)});
  }
  return table;
}

namespace {

// A box of 0.3 m times `tall` in water of 0.5 m in a tank of a square metre, let go `off` (m) above its
// draft.
struct DraftRun {
  bool ok = true;
  double furthest = 0, mean = 0;  // m from where it floats at rest; the latter after the first second
  double tilt = 0;                // degrees
};
DraftRun run_draft(int cells, double tall, double density, double off, double seconds) {
  const double wide = 0.3, level = 0.5, centre = level + tall * (0.5 - density / 1000);
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
                                          cells, level, wide, tall, wide, centre + off, density));
  auto& bodies = dynamic_cast<sim::RigidSystem&>(*world.find(sim::kThrown));
  // The water has made room for less of a box that starts higher, and rises when it sinks.
  const double at_rest = centre + off * wide * wide;
  DraftRun run;
  int counted = 0;
  while (run.ok && world.time() < seconds - 1e-9) {
    run.ok = world.sync_step().ok;
    const double from = bodies.live_state().positions[0].y() - at_rest;
    run.furthest = std::max(run.furthest, std::abs(from));
    if (world.time() > 1) run.mean += from, ++counted;
  }
  run.mean /= std::max(counted, 1);
  const Vec3 up = rigid::orientation(bodies.live_state(), 0) * Vec3::UnitY();
  run.tilt = std::acos(std::clamp(up.y(), -1.0, 1.0)) * 57.29577951308232;
  return run;
}

}  // namespace

Table draft_table(bool brief) {
  const int cells = brief ? 16 : 24;
  const double still = brief ? 0.5 : 1, swinging = 3;  // s
  Table table{fmt::format("A rigid box floats at its draft (LE-39), {}³ cells", cells),
              {"box m", "density kg/m³", "draft / height", "let go", "watched s", "off its draft, cells",
               "tilt degrees"},
              {},
              "Off its draft: at rest the furthest it ever is, let go above it the mean after the first "
              "second, of about "
              "three swings. A cube of such a weight turns over in time, so a flat box swings. Pass: within "
              "a tenth of a "
              "cell (swings: an eighth), and upright within 2 degrees (3)."};
  for (const double density : brief ? std::vector{600.0} : std::vector{300.0, 600.0, 900.0}) {
    const DraftRun run = run_draft(cells, 0.3, density, 0, still);
    table.rows.push_back({{"0.3, 0.3, 0.3", fmt::format("{:g}", density),
                           fmt::format("{:.2f}", density / 1000), "at rest", fmt::format("{:g}", still),
                           fmt::format("{:.3f}", run.furthest * cells), fmt::format("{:.2f}", run.tilt)},
                          run.ok && run.furthest * cells < 0.1 && run.tilt < 2});
  }
  for (const double density : brief ? std::vector{600.0} : std::vector{300.0, 600.0, 800.0}) {
    const DraftRun run = run_draft(cells, 0.15, density, 0.04, swinging);
    table.rows.push_back(
        {{"0.3, 0.15, 0.3", fmt::format("{:g}", density), fmt::format("{:.2f}", density / 1000),
          "0.04 m above", fmt::format("{:g}", swinging), fmt::format("{:+.3f}", run.mean * cells),
          fmt::format("{:.2f}", run.tilt)},
         run.ok && std::abs(run.mean) * cells < 0.125 && run.tilt < 3});
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
  for (std::size_t i = 0; i < later.positions.size(); ++i) later.positions[i] += half * later.velocities[i];
  const fem::Diagnostics d =
      fem::diagnose(body->model(), *static_cast<const fem::Params*>(body->params()), gravity, later);
  out.kinetic += d.kinetic_energy;
  out.potential += d.gravitational_energy;
  out.elastic += d.elastic_energy;
  return out;
}

struct EnergyRun {
  bool ok = true;
  double start = 0, end = 0, most = 0, kinetic = 0;  // J
  double swings = 0;                                 // J: elastic energy at the start
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
  run.swings = mechanical(world).elastic;
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
      {"scene", "integrator", "start J", "of that swings", "kinetic at most J", "largest excess",
       "end against start", "liquid alone"},
      {},
      "Kinetic, potential and elastic energy of liquid and body, from before the first step; walls "
      "and pins stand and do no work. Shares of the start. Pass: never 2 % above it, and balls no more "
      "than 2 % below it; backward Euler takes the energy of a stretch at the start from the swings. "
      "Reported: what average acceleration makes of a stretched ball (its steps here are longer than the "
      "swings), and what splashes of a column lose in coming together, beside the same run without a "
      "body."};
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
                          {"stretched ball let go", kPool, kStretched, kEuler, 0.02, 0.02},
                          {"heavy ball", kPool, kHeavy, kEuler, 0.02, 0.02},
                          {"dam break with beam", kColumn, kBeam, kEuler, 0.02, kAny}};
  if (full)
    cases.insert(cases.end(), {{"stretched ball let go", kPool, kStretched, kNewmark, kAny, kAny},
                               {"heavy ball", kPool, kHeavy, kNewmark, 0.02, 0.02}});
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
        {{c.name, c.integrator, fmt::format("{:.4g}", run.start),
          fmt::format("{:.2f} %", 100 * run.swings / run.start), fmt::format("{:.4g}", run.kinetic),
          fmt::format("{:+.2f} %", 100 * excess), fmt::format("{:+.2f} %", 100 * change), alone},
         run.ok && excess < c.most_gain && change > -c.most_loss});
  }
  return table;
}

}  // namespace selkie::studies::coupling_cases
