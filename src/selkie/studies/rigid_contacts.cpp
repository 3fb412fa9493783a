// Impacts, friction, rolling, stacks and the complementarity problem against closed forms.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "selkie/math/rotation.h"
#include "selkie/solids/rigid/reference.h"
#include "selkie/studies/rigid_cases.h"

namespace selkie::studies::rigid_cases {
namespace {

Row compared(const std::string& what, double measured, double theory, double tolerance) {
  const double off = std::abs(measured / theory - 1);
  return {{what, number(measured), number(theory), number(off, 2), number(tolerance, 2)}, off <= tolerance};
}

// A box on a slope of angle θ, friction µ; how far it has slid after `seconds`.
double slid(double theta, double mu, double seconds, double* speed = nullptr) {
  Stage stage;
  const Vec3 n(std::sin(theta), std::cos(theta), 0), down(std::cos(theta), -std::sin(theta), 0);
  stage.params.friction = mu;
  stage.floor(n);
  const Quat turn(rotation_between(Vec3::UnitY(), n));
  const std::size_t i = stage.box(0.1 * n, {0.2, 0.1, 0.2}, turn);
  stage.run(0.5);  // let it settle on its contacts
  const double start = stage.state.positions[i].dot(down), v0 = stage.state.velocities[i].dot(down);
  stage.run(seconds);
  if (speed) *speed = (stage.state.velocities[i].dot(down) - v0) / seconds;
  return stage.state.positions[i].dot(down) - start;
}

}  // namespace

Table bounce_table() {
  Table table{"Bounce height over drop height", {"restitution", "measured", "theory e²", "off", "allowed"}, {}, "RT-42"};
  for (const double e : {0.3, 0.5, 0.8, 1.0}) {
    Stage stage;
    stage.params.restitution = e;
    stage.floor();
    const std::size_t i = stage.ball({0, 1.1, 0}, 0.1);
    double top = 0;
    bool hit = false;
    for (int n = 0; n < 2 * 240; ++n) {
      stage.step();
      hit = hit || stage.state.velocities[i].y() > 0;
      if (hit && stage.state.velocities[i].y() < 0) break;
      if (hit) top = std::max(top, stage.state.positions[i].y() - 0.1);
    }
    table.rows.push_back(compared(number(e), top, e * e, 0.01));
  }
  return table;
}

Table slope_table() {
  Table table{"Friction", {"case", "measured", "theory", "off", "allowed"}, {}, "RT-44; slopes are held and slid at 0.5 % from the limit"};
  for (const double mu : {0.3, 0.7}) {
    const double held = slid(std::atan(0.995 * mu), mu, 2), lost = slid(std::atan(1.005 * mu), mu, 2);
    table.rows.push_back({{"tan θ = 0.995 µ, µ = " + number(mu) + ": creep in 2 s, m", number(held, 2), "0", "", "1e-4"},
                          std::abs(held) < 1e-4});
    const double theta = std::atan(1.005 * mu), a = 9.81 * (std::sin(theta) - mu * std::cos(theta));
    // From the start of the slide, which the settling of 0.5 s belongs to.
    table.rows.push_back({{"tan θ = 1.005 µ, µ = " + number(mu) + ": way in 2 s, m", number(lost, 3),
                           number(0.5 * a * (2.5 * 2.5 - 0.5 * 0.5), 3), "", "slides"},
                          lost > 0.25 * a * 4});
  }
  double acceleration = 0;
  slid(20 * std::numbers::pi / 180, 0.3, 1, &acceleration);
  table.rows.push_back(compared("20°, µ = 0.3: acceleration, m/s²", acceleration, 0.590, 0.01));
  Stage stage;
  stage.params.friction = 0.4;
  stage.floor();
  const std::size_t i = stage.box({0, 0.1, 0}, {0.2, 0.1, 0.2});
  stage.run(0.25);
  const double start = stage.state.positions[i].x();
  stage.state.velocities[i] = Vec3(2, 0, 0);
  stage.run(1.5);
  table.rows.push_back(compared("stopping distance v²/2µg, m", stage.state.positions[i].x() - start, 4 / (2 * 0.4 * 9.81), 0.01));
  return table;
}

Table rolling_table() {
  Table table{"Rolling", {"case", "measured", "theory", "off", "allowed"}, {}, "RT-44"};
  {
    Stage stage;
    stage.params.friction = 0.2;
    stage.floor();
    const std::size_t i = stage.ball({0, 0.1, 0}, 0.1);
    stage.run(0.25);
    stage.state.velocities[i] = Vec3(1, 0, 0);
    double rolls = 0;
    for (int n = 0; n < 240; ++n) {
      stage.step();
      const double slip = stage.state.velocities[i].x() + 0.1 * rigid::angular_velocity(stage.state, i).z();
      if (rolls == 0 && std::abs(slip) < 1e-3) rolls = (n + 1) * stage.dt;
    }
    table.rows.push_back(compared("sliding ball ends rolling, v/v₀ = 5/7", stage.state.velocities[i].x(), 5.0 / 7, 0.01));
    table.rows.push_back(compared("after 2 v₀/7µg, s", rolls, 2 / (7 * 0.2 * 9.81), 0.05));
  }
  Stage stage;
  const double theta = 0.3;
  const Vec3 n(std::sin(theta), std::cos(theta), 0), down(std::cos(theta), -std::sin(theta), 0);
  stage.floor(n);
  const std::size_t i = stage.ball(0.1 * n, 0.1);
  stage.run(0.25);
  const double v0 = stage.state.velocities[i].dot(down);
  stage.run(1);
  table.rows.push_back(compared("ball on a slope, 5/7 g sin θ, m/s²", stage.state.velocities[i].dot(down) - v0,
                                5.0 / 7 * 9.81 * std::sin(theta), 0.01));
  return table;
}

Table overhang_table() {
  Table table{"Overhanging stacks", {"blocks", "share of the limit", "sank, m", "should"}, {},
              "each block juts out over the one below by 1/2k of its length; at 0.99 it stands 5 s, at 1.01 it falls"};
  for (int blocks = 1; blocks <= 5; ++blocks)
    for (const double share : {0.99, 1.01}) {
      Stage stage;
      stage.params.friction = 0.8;
      stage.dt = 1.0 / 120;
      stage.params.substeps = 16;
      // A table whose edge is at x = 0, and blocks of half length 0.5: the k-th from the top reaches 1/2k beyond.
      rigid::Body desk;
      desk.shape = rigid::Shape::box;
      desk.half_size = Vec3(2, 0.5, 1), desk.position = Vec3(-2, -0.5, 0), desk.role = rigid::Role::fixed;
      rigid::add(stage.state, desk);
      // Centres so that the block k from the top juts out by s_k over the one below.
      double x = 0;
      std::vector<double> centres(static_cast<std::size_t>(blocks));
      for (int k = blocks; k >= 1; --k) {
        const double jut = share / (2.0 * k);
        x += k == blocks ? jut - 0.5 : jut;
        centres[static_cast<std::size_t>(blocks - k)] = x;
      }
      for (int k = 0; k < blocks; ++k)
        stage.box({centres[static_cast<std::size_t>(k)], 0.05 + 0.1 * k, 0}, {0.5, 0.05, 0.3});
      const std::size_t top = stage.state.count() - 1;
      const double before = stage.state.positions[top].y();
      stage.run(5);
      const double sank = before - stage.state.positions[top].y();
      const bool stands = sank < 0.02;
      table.rows.push_back({{number(blocks), number(share), number(sank, 3), share < 1 ? "stand" : "fall"},
                            stands == (share < 1)});
    }
  return table;
}

namespace {

// Three boxes on a floor, each half over the edge of the one below, that fall at 1 m/s and turn.
struct Collapse {
  Stage stage;
  std::vector<rigid::ReferenceContact> contacts;  // four to a face, from below

  Collapse() {
    stage.floor();
    for (int k = 0; k < 3; ++k) {
      const std::size_t i = stage.box({0.6 * k, 0.5 + k, 0}, Vec3::Constant(0.5));
      stage.state.velocities[i] = Vec3(0, -1, 0);
      rigid::set_angular_velocity(stage.state, i, Vec3(0.2, 0.1, 0.3) * (k + 1));
      const double low = k == 0 ? -0.5 : 0.6 * k - 0.5, high = k == 0 ? 0.5 : 0.6 * k - 0.1;
      for (const double x : {low, high})
        for (const double z : {-0.5, 0.5})
          contacts.push_back({i, k == 0 ? -1 : static_cast<std::ptrdiff_t>(i - 1), Vec3(x, k, z), Vec3::UnitY()});
    }
  }
};

// The impact as `rigid::step` solves it, without friction and in a step too short for anything to move: velocities of
// the contacts off the exact ones (m/s), and the force between each two bodies off its exact share.
std::pair<double, double> solver_off(int iterations, const Eigen::VectorXd& exact, const Eigen::VectorXd& impulses) {
  Collapse boxes;
  Stage& stage = boxes.stage;
  stage.gravity.setZero();
  stage.dt = 1e-6;
  stage.params.friction = 0, stage.params.substeps = 1, stage.params.iterations = iterations;
  rigid::State before = stage.state;
  stage.step();
  before.velocities = stage.state.velocities, before.angular_momenta = stage.state.angular_momenta;
  const double off = (rigid::normal_velocities(before, boxes.contacts) - exact).cwiseAbs().maxCoeff();
  double worst = 0;
  for (std::size_t c = 0; c < stage.state.contact_pairs.size(); ++c) {
    rigid::TouchMemory memory;
    std::memcpy(&memory, stage.state.contact_values[c].data(), sizeof memory);
    double got = 0;
    for (const double force : memory.force) got += stage.dt * force;
    // Bodies stand in the order of the faces, and touches are sorted by them.
    const double due = impulses.segment<4>(static_cast<Eigen::Index>(4 * c)).sum();
    worst = std::max(worst, std::abs(got / due - 1));
  }
  return {off, stage.state.contact_pairs.size() == 3 ? worst : 1};
}

}  // namespace

Table complementarity_table() {
  Table table{"Gauss-Seidel and the complementarity problem", {"", "sweeps", "velocities off, m/s", "forces off, share"}, {},
              "three boxes on a floor, one half over the edge of another, falling at 1 m/s and turning; RT-43, RT-45. A "
              "sweep of the solver goes over new manifolds six times; single forces of four points in a plane are not "
              "unique, those between two bodies are"};
  const Collapse boxes;
  const Eigen::MatrixXd m = rigid::contact_matrix(boxes.stage.state, boxes.contacts);
  const Eigen::VectorXd u = rigid::normal_velocities(boxes.stage.state, boxes.contacts);
  const Eigen::VectorXd impulses = rigid::solve_lcp(m, u), exact = m * impulses + u;
  const double kkt = std::max(0.0, -exact.minCoeff());
  table.rows.push_back({{"reference: deepest violation", "", number(kkt, 2), ""}, kkt < 1e-10});
  for (const int sweeps : {10, 100, 1000, 10000}) {
    const double off = ((m * rigid::gauss_seidel(m, u, sweeps) + u) - exact).cwiseAbs().maxCoeff();
    table.rows.push_back({{"Gauss-Seidel, dense", number(sweeps), number(off, 2), ""}, sweeps < 10000 || off < 1e-8});
  }
  for (const int sweeps : {1, 10, 100, 1000}) {
    const auto [off, forces] = solver_off(sweeps, exact, impulses);
    table.rows.push_back({{"the solver's step", number(sweeps), number(off, 2), number(forces, 2)},
                          sweeps < 1000 || (off < 1e-8 && forces < 1e-8)});
  }
  // The production solver on a box at rest: the forces add up to its weight.
  Stage rest;
  rest.floor();
  const std::size_t i = rest.box({0, 0.5, 0}, Vec3::Constant(0.5));
  rest.run(2);
  double force = 0;
  rigid::TouchMemory memory;
  std::memcpy(&memory, rest.state.contact_values[0].data(), sizeof memory);
  for (const double f : memory.force) force += f;
  const double off = std::abs(force / (9.81 * rest.state.masses[i]) - 1);
  table.rows.push_back({{"a box at rest: Σ p / m g Δt − 1", "", "", number(off, 2)}, off < 1e-4});
  return table;
}

namespace {

// Kept awake for `seconds`, then allowed to sleep: how far anything moved, how deep anything sank, who sleeps.
Row stood(const std::string& name, Stage& stage, double seconds, double size) {
  const rigid::State start = stage.state;
  double deepest = 0, awake_speed = 0;
  stage.params.sleeping = false;
  for (int n = 1; n <= static_cast<int>(seconds / stage.dt + 0.5); ++n) {
    stage.step();
    if (n % 30 == 0) deepest = std::max(deepest, rigid::diagnose(stage.state, stage.gravity).deepest);
  }
  awake_speed = rigid::diagnose(stage.state, stage.gravity).max_speed;
  stage.params.sleeping = true;
  stage.run(2);
  double moved = 0;
  std::size_t dynamic = 0;
  for (std::size_t i = 0; i < start.count(); ++i) {
    moved = std::max(moved, (stage.state.positions[i] - start.positions[i]).norm());
    dynamic += rigid::is_dynamic(start, i);
  }
  const std::size_t asleep = rigid::diagnose(stage.state, stage.gravity).asleep;
  return {{name, number(seconds), number(moved / size, 3), number(deepest / size, 3), number(awake_speed, 2),
           number(static_cast<double>(asleep) / static_cast<double>(dynamic), 3), "0.5, 0.01, 1"},
          moved < 0.5 * size && deepest < 0.01 * size && asleep == dynamic};
}

Row pyramid(int layers, int substeps, double seconds) {
  Stage stage;
  stage.dt = 1.0 / 60;
  stage.params.substeps = substeps;
  stage.params.sleep_speed = 0.1;  // boxes of a metre
  stage.floor();
  for (int l = 0; l < layers; ++l)
    for (int i = 0; i < layers - l; ++i)
      stage.box({(i - 0.5 * (layers - l - 1)) * 1.01, 0.5 + l, 0}, Vec3::Constant(0.5));
  return stood("pyramid of " + std::to_string(layers) + " layers", stage, seconds, 1);
}

// A column of cubes on springs k per corner bends like a rod of stiffness k (1 m)³ per metre, and buckles under its
// own weight beyond the length (7.837 k / m g)^⅓ m; with m/8 the mass a corner feels, k = m ω²/8.
Row column(int substeps, double share, double seconds) {
  Stage stage;
  stage.dt = 1.0 / 60;
  stage.params.substeps = substeps;
  const double omega = 2 * std::numbers::pi * stage.params.contact_rate * substeps / stage.dt;
  const double limit = std::cbrt(7.837 * omega * omega / 8 / 9.81);
  stage.floor();
  const int cubes = static_cast<int>(share * limit);
  for (int l = 0; l < cubes; ++l) stage.box({0, 0.5 + l, 0}, Vec3::Constant(0.5));
  // A breath that leaves it standing where it is stable.
  for (std::size_t i = 1; i < stage.state.count(); ++i) stage.state.velocities[i].z() = 1e-4 * static_cast<double>(i);
  stage.run(seconds);
  double moved = 0;
  for (std::size_t i = 1; i < stage.state.count(); ++i) moved = std::max(moved, std::abs(stage.state.positions[i].z()));
  const bool stands = moved < 0.5;
  return {{"column of " + std::to_string(cubes) + " cubes, " + std::to_string(substeps) + " parts, limit " + number(limit, 3),
           number(seconds), number(moved, 3), "", "", "", share < 1 ? "stands" : "buckles"},
          stands == (share < 1)};
}

// Sixteen cards of 1 mm, pairs of which lean on each other at 20°.
Row card_house(double seconds) {
  Stage stage;
  stage.dt = 1.0 / 60;
  stage.params.substeps = 64;
  stage.params.friction = 0.9;
  stage.floor();
  auto card = [&](double x, double y, double degrees) {
    stage.box({x, y, 0}, {0.0005, 0.045, 0.03}, Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3::UnitZ())), 700);
  };
  auto leaning = [&](int pairs, double y) {
    for (int k = 0; k < pairs; ++k)
      for (const double side : {-1.0, 1.0}) card(0.07 * (k - 0.5 * (pairs - 1)) + side * 0.01586, y, side * 20);
  };
  leaning(4, 0.04246);
  for (const double x : {-0.07, 0.07}) card(x, 0.08542, 90);
  leaning(3, 0.12838);
  return stood("card house", stage, seconds, 0.001);
}

}  // namespace

Table stack_table(bool full) {
  Table table{"Stacks", {"stack", "seconds awake", "moved / size", "deepest / size", "speed, m/s", "then asleep", "allowed"}, {},
              "kept awake, then 2 s in which to fall asleep; size: the shortest edge; --full: 60 s, the pyramid of 5050 boxes"};
  table.rows.push_back(pyramid(10, 8, 10));
  table.rows.push_back(full ? pyramid(100, 32, 60) : pyramid(20, 8, 10));
  table.rows.push_back(card_house(full ? 60 : 5));
  Stage ratio;
  ratio.dt = 1.0 / 60;
  ratio.params.substeps = 32;
  ratio.floor();
  for (int k = 0; k < 3; ++k) ratio.box({0, 0.5 + k, 0}, Vec3::Constant(0.5), Quat::Identity(), k == 2 ? 1e6 : 1e3);
  table.rows.push_back(stood("three boxes, the top one 1000 times heavier", ratio, full ? 60 : 10, 1));
  for (const int substeps : {8, 16})
    for (const double share : {0.8, 1.3}) table.rows.push_back(column(substeps, share, 30));
  return table;
}

}  // namespace selkie::studies::rigid_cases
