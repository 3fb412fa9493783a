// Mass properties, free rotation and pendulums against closed forms.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "selkie/geometry/generators.h"
#include "selkie/math/rotation.h"
#include "selkie/solids/rigid/mass.h"
#include "selkie/studies/rigid_cases.h"

namespace selkie::studies::rigid_cases {
namespace {

Row compared(const std::string& what, double measured, double theory, double tolerance, int digits = 6) {
  const double off = std::abs(measured / theory - 1);
  return {{what, number(measured, digits), number(theory, digits), number(off, 2)}, off <= tolerance};
}

}  // namespace

Table inertia_table() {
  using contact::Kind;
  Table table{"Mass properties", {"body", "moment", "theory", "off"}, {}, "RT-39; closed meshes by the divergence theorem"};
  const double m = 1000 * 0.2 * 0.4 * 0.6;
  const auto box = rigid::mass_properties({Kind::box, {0.1, 0.2, 0.3}, nullptr}, 1000);
  table.rows.push_back(compared("box, m (b² + c²)/12", box.inertia(0, 0), m / 12 * (0.16 + 0.36), 1e-12));
  const auto mesh = rigid::mass_properties(
      geometry::box_surface({Vec3(1, 2, 3) - Vec3(0.1, 0.2, 0.3), Vec3(1, 2, 3) + Vec3(0.1, 0.2, 0.3), {3, 2, 4}}), 1000);
  table.rows.push_back(compared("the same as a mesh elsewhere", mesh.inertia(0, 0), m / 12 * (0.16 + 0.36), 1e-10));
  const auto ball = rigid::mass_properties({Kind::ball, Vec3::Constant(0.5), nullptr}, 1000);
  table.rows.push_back(compared("ball, 2/5 m r²", ball.inertia(1, 1), 0.4 * ball.mass * 0.25, 1e-12));
  const auto rod = rigid::mass_properties({Kind::cylinder, {0.001, 1, 0.001}, nullptr}, 1000);
  table.rows.push_back(compared("thin rod, m L²/12", rod.inertia(0, 0), rod.mass * 4 / 12, 1e-5));
  const auto cylinder = rigid::mass_properties({Kind::cylinder, {0.3, 0.5, 0.3}, nullptr}, 1000);
  table.rows.push_back(
      compared("cylinder, m (3 r² + L²)/12", cylinder.inertia(0, 0), cylinder.mass * (3 * 0.09 + 1) / 12, 1e-12));
  const contact::Shape capsule{Kind::capsule, {0.2, 0.6, 0.2}, nullptr};
  const auto pill = rigid::mass_properties(capsule, 1000);
  // The sum of its discs: polynomials of the fourth degree in each half, which three points of Gauss integrate exactly.
  double across = 0, along = 0;
  for (const auto& [low, high, cap] : {std::tuple{0.0, 0.4, false}, {0.4, 0.6, true}})
    for (const auto& [at, weight] : {std::pair{-std::sqrt(0.6), 5.0 / 9}, {0.0, 8.0 / 9}, {std::sqrt(0.6), 5.0 / 9}}) {
      const double y = 0.5 * (low + high) + 0.5 * at * (high - low), s2 = 0.04 - (cap ? (y - 0.4) * (y - 0.4) : 0);
      const double mass = 1000 * std::numbers::pi * s2 * weight * (high - low);  // of both halves
      across += mass * (s2 / 4 + y * y), along += 0.5 * mass * s2;
    }
  table.rows.push_back(compared("capsule, across: the sum of its discs", pill.inertia(0, 0), across, 1e-12));
  table.rows.push_back(compared("capsule, along", pill.inertia(1, 1), along, 1e-12));
  // Eight masses at the corners of a box: m/4 (b² + c²) with full edges b, c.
  std::vector<rigid::MassProperties> corners;
  for (int c = 0; c < 8; ++c)
    corners.push_back({0.125, Vec3(c & 1 ? 0.1 : -0.1, c & 2 ? 0.2 : -0.2, c & 4 ? 0.3 : -0.3), Mat3::Zero()});
  table.rows.push_back(compared("eight corner masses", rigid::together(corners).inertia(0, 0), 0.25 * (0.16 + 0.36), 1e-12));
  return table;
}

Table free_table() {
  Table table{"Free rotation, 10⁵ steps at ω h = 0.1",
              {"rule", "momentum drift", "of the turns made, most", "energy off, most", "of it: trend"},
              {},
              "I = (1, 2, 3), one body of the solver, four parts to a step. The momentum is what a body remembers, so it "
              "is also measured from the turn that each step has made: I ω at the middle of the step, with an error of "
              "the order (ω h)². Trend: mean of the last tenth against that of the first. Euler and Runge-Kutta for "
              "comparison: they drift"};
  for (const rigid::TurnRule rule : {rigid::TurnRule::splitting, rigid::TurnRule::runge_kutta_4, rigid::TurnRule::euler}) {
    Stage stage;
    stage.gravity.setZero();
    stage.params.turn_rule = rule;
    rigid::Body body;
    body.shape = rigid::Shape::box;
    body.mass = 6, body.inertia = Vec3(1, 2, 3);
    body.angular_velocity = Vec3(1, 2, 1.5);
    stage.dt = 0.1 / body.angular_velocity.norm();
    rigid::add(stage.state, body);
    const Vec3 momentum = stage.state.angular_momenta[0];
    const double before = rigid::diagnose(stage.state, Vec3::Zero()).kinetic_energy;
    double drift = 0, turned = 0, most = 0, first = 0, last = 0;
    constexpr int kSteps = 100000;
    for (int n = 0; n < kSteps; ++n) {
      const Quat from = rigid::orientation(stage.state, 0);
      stage.step();
      const Quat to = rigid::orientation(stage.state, 0), middle = from.slerp(0.5, to);
      const Vec3 w = rotation_vector(Quat(to * from.conjugate())) / stage.dt;
      const Vec3 of_turn = middle * body.inertia.cwiseProduct(middle.conjugate() * w);
      drift = std::max(drift, (stage.state.angular_momenta[0] - momentum).norm() / momentum.norm());
      turned = std::max(turned, (of_turn - momentum).norm() / momentum.norm());
      const double energy = rigid::diagnose(stage.state, Vec3::Zero()).kinetic_energy / before - 1;
      most = std::max(most, std::abs(energy));
      (n < kSteps / 10 ? first : last) += n < kSteps / 10 || n >= kSteps - kSteps / 10 ? energy / (kSteps / 10) : 0;
    }
    const double trend = std::abs(last - first);
    const bool ours = rule == rigid::TurnRule::splitting;
    const char* names[] = {"splitting", "Euler", "Runge-Kutta 4"};
    table.rows.push_back({{names[static_cast<int>(rule)], number(drift, 2), number(turned, 2), number(most, 3), number(trend, 2)},
                          !ours || (drift < 1e-12 && turned < 1e-3 && most < 1e-3 && trend < 1e-4)});
  }
  return table;
}

Table flip_table() {
  Table table{"The intermediate axis flips",
              {"ω h", "period, s", "theory", "off"},
              {},
              "I = (1, 2, 3), ω = (0.01, 5, 0): half a period of Jacobi's functions is 5.26606 s; one body of the solver"};
  for (const double wh : {0.02, 0.1}) {
    Stage stage;
    stage.gravity.setZero();
    stage.dt = wh / 5;
    rigid::Body body;
    body.shape = rigid::Shape::box;
    body.mass = 6, body.inertia = Vec3(1, 2, 3);
    body.angular_velocity = Vec3(0.01, 5, 0);
    rigid::add(stage.state, body);
    std::vector<double> flips;
    double before = 5;
    while (flips.size() < 5 && stage.time() < 60) {
      stage.step();
      const double now = (rigid::orientation(stage.state, 0).conjugate() * rigid::angular_velocity(stage.state, 0)).y();
      if (now * before < 0) flips.push_back(stage.time() - stage.dt * now / (now - before));
      before = now;
    }
    const double period = flips.size() == 5 ? (flips[4] - flips[0]) / 4 : 0;
    Row row = compared(number(wh), period, 5.26606, 0.01);
    table.rows.push_back(row);
  }
  return table;
}

Table pendulum_table() {
  Table table{"Pendulum: period over that of small swings",
              {"amplitude", "ratio", "theory", "off"},
              {},
              "a ball of 1 cm on a ball joint 1 m above it; 2 K(sin(θ/2))/π"};
  for (const auto& [degrees, theory] : {std::pair{45.0, 1.039973}, {90.0, 1.180341}}) {
    Stage stage;
    stage.dt = 1.0 / 600;
    stage.params.substeps = 16;  // what the swing loses in a part is proportional to its length
    const double angle = degrees * std::numbers::pi / 180;
    stage.ball(Vec3(std::sin(angle), -std::cos(angle), 0), 0.01);
    rigid::Joint joint;
    joint.kind = rigid::JointKind::ball;
    joint.point_a = -stage.state.positions[0];
    stage.model.joints.push_back(joint);
    std::vector<double> crossings;
    double before = stage.state.positions[0].x();
    while (crossings.size() < 9 && stage.time() < 30) {
      stage.step();
      const double now = stage.state.positions[0].x();
      if (now * before < 0) crossings.push_back(stage.time() - stage.dt * now / (now - before));
      before = now;
    }
    const double period = crossings.size() == 9 ? (crossings[8] - crossings[0]) / 4 : 0;
    // A ball instead of a point: I = m (1 + 2/5 r²).
    const double small = 2 * std::numbers::pi * std::sqrt((1 + 0.4 * 1e-4) / 9.81);
    table.rows.push_back(compared(number(degrees) + "°", period / small, theory, 1e-3, 7));
  }
  return table;
}

}  // namespace selkie::studies::rigid_cases
