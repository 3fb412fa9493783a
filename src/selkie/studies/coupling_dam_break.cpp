// See coupling_dam_break.h.
#include "selkie/studies/coupling_dam_break.h"

#include <fmt/format.h>

#include <chrono>

#include "selkie/scene/scene.h"
#include "selkie/sim/systems/elastic_system.h"
#include "selkie/solids/fem/response.h"

namespace selkie::studies::coupling_cases {
namespace {

using coupling::Vector;

// As scenes/dam-break-beam.toml.
std::string scene_of(int cells, const std::array<int, 3>& divisions) {
  return fmt::format(R"([scene]
name = "dam-break-beam"
fps  = 30

[[liquid]]
name   = "water"
domain = {{ min = [0, 0, 0], max = [1, 1, 1], cells = {} }}
fill   = [ {{ box = {{ min = [0, 0, 0], max = [0.3, 0.6, 1] }} }} ]

[[elastic]]
name    = "beam"
mesh    = {{ tet_box = {{ min = [0.55, 0.05, 0.46], max = [0.63, 0.61, 0.54], divisions = [{}, {}, {}] }} }}
young   = 2e5
poisson = 0.3
density = 900
stiffness_damping = 1e-3
pin     = [ {{ box = {{ min = [0.5, 0.6, 0.4], max = [0.7, 0.7, 0.6] }} }} ]

[[coupling]]
kind    = "liquid-elastic"
between = ["water", "beam"]
)",
                     cells, divisions[0], divisions[1], divisions[2]);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Vector copy_of(std::span<const double> values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

// The World's way, with sides that hand their solutions to us.
void solve_as_the_world(const sim::JointSolve& joint, DamBreakSolve& out) {
  ports::PressureSide liquid = *joint.pressures[0];
  ports::BodySide beam = *joint.bodies[0];
  liquid.accept = [&](std::span<const double> p) { out.solution.pressure = copy_of(p); };
  beam.accept = [&](std::span<const double> v) { out.solution.velocity = copy_of(v); };
  beam.accept_force = {};
  const ports::PressureSide* liquids[] = {&liquid};
  const ports::BodySide* bodies[] = {&beam};
  std::vector<double> from_zero;
  const double start = now();
  out.report =
      coupling::solve_group(liquids, bodies, joint.terms,
                            {.tolerance = 1e-10, .max_iterations = 500, .from_guess = false}, from_zero);
  out.seconds = now() - start;
}

double linearise_seconds(const DamBreakSolve& taken, const fem::State& state) {
  fem::Params direct = taken.params;
  direct.solver = fem::Solver::cholesky;
  fem::Work work;
  (void)fem::prepare_response(taken.model, direct, taken.dt, state, {},
                              work);  // finds the pattern, once a run
  const double start = now();
  (void)fem::prepare_response(taken.model, direct, taken.dt, state, {}, work);
  return now() - start;
}

}  // namespace

DamBreakSolve dam_break_solve(int cells, const std::array<int, 3>& divisions, double time) {
  sim::World world = scene::build(scene::parse(scene_of(cells, divisions), "study", ".", {}));
  auto& beam = dynamic_cast<sim::ElasticSystem&>(*world.find("beam"));
  DamBreakSolve out;
  out.model = beam.model();
  out.params = *static_cast<const fem::Params*>(beam.params());
  bool taken = false;
  world.watch_joint_solves([&](const sim::JointSolve& joint) {
    if (taken || world.time() < time || joint.terms.empty()) return;
    taken = true;
    out.time = world.time();
    out.dt = joint.dt;
    out.b = joint.pressures[0]->assemble_b();
    out.flux = copy_of(joint.pressures[0]->rhs);
    out.jacobian = *joint.terms[0].jacobian;
    out.positions = beam.live_state().positions;
    out.pinned = beam.live_state().pinned;
    out.free_velocity = copy_of(joint.bodies[0]->free_velocity);
    out.set_up_seconds = linearise_seconds(out, beam.live_state());
    solve_as_the_world(joint, out);
  });
  while (!taken) {
    const sim::SyncReport report = world.sync_step();
    if (!report.ok) break;
    if (!taken) continue;
    int steps = 1;
    for (const sim::SystemReport& part : report.systems) steps = std::max(steps, part.substeps);
    for (const auto& [phase, spent] : report.phases)
      if (phase == "pressure build") out.set_up_seconds += spent.seconds / steps;
  }
  out.seconds += out.set_up_seconds;
  return out;
}

}  // namespace selkie::studies::coupling_cases
