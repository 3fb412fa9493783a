// See joints.h.
#include "selkie/solids/rigid/joints.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "selkie/math/rotation.h"

namespace selkie::rigid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Vec3 linear_of(const Row8& row) { return Vec3(row.v[0], row.v[1], row.v[2]); }
Vec3 angular_of(const Row8& row) { return Vec3(row.v[3], row.v[4], row.v[5]); }

Vec3 answer(const Row8& mass, const Vec3& t) {
  const double* m = mass.v;
  return Vec3(m[1] * t.x() + m[2] * t.y() + m[3] * t.z(), m[2] * t.x() + m[4] * t.y() + m[5] * t.z(),
              m[3] * t.x() + m[5] * t.y() + m[6] * t.z());
}

// Both ends of a joint in the world, as the bodies stand within the step.
struct Ends {
  Vec3 arm_a, arm_b, gap;  // gap: from b's point to a's
  Mat3 frame_a, frame_b;
};

struct Builder {
  const Work& work;
  JointWork& joint;

  void add(const Vec3& linear, const Vec3& turn_a, const Vec3& turn_b, double error, double low, double high,
           double drive, bool rigid) {
    JointRow& r = joint.row[joint.rows++];
    const Row8 &ma = work.masses[joint.a], &mb = work.masses[joint.b];
    r.linear = linear, r.turn_a = turn_a, r.turn_b = turn_b;
    r.answer_a = answer(ma, turn_a), r.answer_b = answer(mb, turn_b);
    const double share =
        (ma.v[0] + mb.v[0]) * linear.squaredNorm() + turn_a.dot(r.answer_a) + turn_b.dot(r.answer_b);
    r.mass = share > 0 ? 1 / share : 0;
    r.error = error, r.low = low, r.high = high, r.drive = drive, r.rigid = rigid;
  }
  void hold_along(const Vec3& n, const Ends& e, double low = -kInfinity, double high = kInfinity) {
    add(n, e.arm_a.cross(n), e.arm_b.cross(n), e.gap.dot(n), low, high, 0, true);
  }
  void hold_turn(const Vec3& n, double error, double low = -kInfinity, double high = kInfinity) {
    add(Vec3::Zero(), n, n, error, low, high, 0, true);
  }
  // Keeps a coordinate with the Jacobian (linear, turn_a, turn_b) within [low, high]: a row that is felt only at a
  // bound, or may be reached within the part, and one that drives it.
  void limit_and_drive(const Joint& j, double h, const Vec3& linear, const Vec3& turn_a, const Vec3& turn_b,
                       double position) {
    if (j.motor)
      add(linear, turn_a, turn_b, 0, -h * j.motor_force, h * j.motor_force, j.motor_speed, false);
    if (!j.limited) return;
    if (j.low == j.high)
      add(linear, turn_a, turn_b, position - j.low, -kInfinity, kInfinity, 0, true);
    else if (position - j.low < j.high - position)
      add(linear, turn_a, turn_b, position - j.low, 0, kInfinity, 0, true);
    else
      add(linear, turn_a, turn_b, position - j.high, -kInfinity, 0, 0, true);
  }
};

double hinge_angle(const Mat3& frame_a, const Mat3& frame_b) {
  return std::atan2(frame_a.col(1).dot(frame_b.col(2)), frame_a.col(1).dot(frame_b.col(1)));
}

Ends ends_of(const Joint& joint, const Vec3& xa, const Quat& qa, const Vec3& xb, const Quat& qb) {
  Ends e;
  e.arm_a = qa * joint.point_a;
  e.arm_b = qb * joint.point_b;
  e.gap = xa + e.arm_a - xb - e.arm_b;
  e.frame_a = (qa * joint.frame_a).toRotationMatrix();
  e.frame_b = (qb * joint.frame_b).toRotationMatrix();
  return e;
}

Ends ends_of(const Joint& joint, const State& state) {
  const bool world = joint.b == kWorld;
  return ends_of(joint, state.positions[joint.a], orientation(state, joint.a),
                 world ? Vec3(Vec3::Zero()) : state.positions[joint.b],
                 world ? Quat::Identity() : orientation(state, joint.b));
}

}  // namespace

void gather_joints(const Model& model, double h, const State& state, Work& work) {
  constexpr int kColours = 63;  // what finds none of them free is solved alone, one after the other
  work.joints.clear(), work.joint_numbers.clear(), work.joint_order.clear();
  work.joint_colour_begin.assign(1, 0);
  if (model.joints.empty()) return;
  auto movable = [&](std::uint32_t i) { return i != kWorld && is_dynamic(state, i) && !state.asleep[i]; };
  work.colours_used.assign(state.count(), 0);
  for (std::uint32_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (state.joints_broken[j] || (!movable(joint.a) && !movable(joint.b))) continue;
    std::uint64_t used = std::uint64_t{1} << kColours;
    for (const std::uint32_t i : {joint.a, joint.b})
      if (movable(i)) used |= work.colours_used[i];
    const int colour = std::min(std::countr_one(used), kColours);
    for (const std::uint32_t i : {joint.a, joint.b})
      if (movable(i) && colour < kColours) work.colours_used[i] |= std::uint64_t{1} << colour;
    work.joint_order.emplace_back(colour, j);
  }
  std::sort(work.joint_order.begin(), work.joint_order.end());
  int last = -1;
  for (const auto& [colour, j] : work.joint_order) {
    const auto place = static_cast<std::uint32_t>(work.joints.size());
    if (place > 0 && (colour != last || colour == kColours)) work.joint_colour_begin.push_back(place);
    last = colour;
    work.joint_numbers.push_back(j);
    JointWork& rows = work.joints.emplace_back();
    for (int k = 0; k < 8; ++k) rows.impulse[k] = h * state.joint_forces[j][k];
  }
  work.joint_colour_begin.push_back(static_cast<std::uint32_t>(work.joints.size()));
}

void set_rows(const Joint& joint, double h, const State& state, const Work& work, JointWork& rows) {
  const bool world = joint.b == kWorld;
  rows.a = joint.a, rows.b = world ? static_cast<std::uint32_t>(state.count()) : joint.b;
  rows.rows = 0;
  const Vec3 xb = world ? Vec3(Vec3::Zero()) : Vec3(state.positions[joint.b] + linear_of(work.deltas[joint.b]));
  const Ends e = ends_of(joint, state.positions[joint.a] + linear_of(work.deltas[joint.a]), work.turns[joint.a], xb,
                         world ? Quat::Identity() : work.turns[joint.b]);
  Builder b{work, rows};
  // The turn of a against b as a vector, for rows that hold it.
  auto turn = [&] { return rotation_vector(Mat3(e.frame_a * e.frame_b.transpose())); };
  switch (joint.kind) {
    case JointKind::ball: {
      for (int k = 0; k < 3; ++k) b.hold_along(Vec3::Unit(k), e);
      if (joint.limited) {  // the angle between the x axes
        const Vec3 axis = e.frame_b.col(0).cross(e.frame_a.col(0));
        const double swing = std::atan2(axis.norm(), e.frame_a.col(0).dot(e.frame_b.col(0)));
        if (axis.norm() > 1e-9) b.hold_turn(axis.normalized(), swing - joint.high, -kInfinity, 0);
      }
      break;
    }
    case JointKind::hinge: {
      for (int k = 0; k < 3; ++k) b.hold_along(Vec3::Unit(k), e);
      // The axes' cross product is what turns one into the other.
      const Vec3 off = e.frame_b.col(0).cross(e.frame_a.col(0));
      for (int k = 1; k < 3; ++k) b.hold_turn(e.frame_b.col(k), off.dot(e.frame_b.col(k)));
      const Vec3 axis = e.frame_b.col(0);
      b.limit_and_drive(joint, h, Vec3::Zero(), axis, axis, hinge_angle(e.frame_a, e.frame_b));
      break;
    }
    case JointKind::slider: {
      const Vec3 axis = e.frame_b.col(0);
      // b carries the axis: the lever of its side reaches to a's point.
      auto along = [&](const Vec3& n) { return std::pair<Vec3, Vec3>(e.arm_a.cross(n), (e.arm_b + e.gap).cross(n)); };
      for (int k = 1; k < 3; ++k) {
        const Vec3 n = e.frame_b.col(k);
        const auto [ta, tb] = along(n);
        b.add(n, ta, tb, e.gap.dot(n), -kInfinity, kInfinity, 0, true);
      }
      const Vec3 off = turn();
      for (int k = 0; k < 3; ++k) b.hold_turn(Vec3::Unit(k), off[k]);
      const auto [ta, tb] = along(axis);
      b.limit_and_drive(joint, h, axis, ta, tb, e.gap.dot(axis));
      break;
    }
    case JointKind::fixed: {
      for (int k = 0; k < 3; ++k) b.hold_along(Vec3::Unit(k), e);
      const Vec3 off = turn();
      for (int k = 0; k < 3; ++k) b.hold_turn(Vec3::Unit(k), off[k]);
      break;
    }
    case JointKind::distance: {
      const double length = e.gap.norm();
      if (!(length > 0)) break;
      const Vec3 n = e.gap / length;
      b.limit_and_drive(joint, h, n, e.arm_a.cross(n), e.arm_b.cross(n), length);
      break;
    }
  }
  rows.holds_point = joint.kind == JointKind::ball || joint.kind == JointKind::hinge || joint.kind == JointKind::fixed;
  if (rows.holds_point) {
    Mat3 k;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        k(i, j) = rows.row[i].turn_a.dot(rows.row[j].answer_a) + rows.row[i].turn_b.dot(rows.row[j].answer_b) +
                  (i == j ? work.masses[rows.a].v[0] + work.masses[rows.b].v[0] : 0);
    rows.point_mass = k.inverse();
  }
  for (int k = rows.rows; k < 8; ++k) rows.impulse[k] = 0;
  for (int k = 0; k < rows.rows; ++k) rows.impulse[k] = std::clamp(rows.impulse[k], rows.row[k].low, rows.row[k].high);
}

namespace {

// Joints turn with their bodies: their impulses start every part in the directions of that part, so they do not
// belong to what contacts did and what is repeated per body.
void apply(const JointWork& joint, const JointRow& r, double impulse, Work& work) {
  const double ma = work.masses[joint.a].v[0], mb = work.masses[joint.b].v[0];
  for (Buffer<Row8>* rows : {&work.velocities, &work.before}) {
    // What does not move may belong to several joints of a colour: it is not written at all.
    Row8 &a = (*rows)[joint.a], &b = (*rows)[joint.b];
    for (int k = 0; k < 3 && ma > 0; ++k)
      a.v[k] += impulse * ma * r.linear[k], a.v[3 + k] += impulse * r.answer_a[k];
    for (int k = 0; k < 3 && mb > 0; ++k)
      b.v[k] -= impulse * mb * r.linear[k], b.v[3 + k] -= impulse * r.answer_b[k];
  }
}

}  // namespace

void warm_start(JointWork& joint, Work& work) {
  for (int k = 0; k < joint.rows; ++k) apply(joint, joint.row[k], joint.impulse[k], work);
}

namespace {

double speed_of(const JointWork& joint, const JointRow& r, const Work& work) {
  const Row8 &a = work.velocities[joint.a], &b = work.velocities[joint.b];
  return r.linear.dot(linear_of(a) - linear_of(b)) + r.turn_a.dot(angular_of(a)) - r.turn_b.dot(angular_of(b)) - r.drive;
}

void sweep_point(const JointRule& rule, JointWork& joint, Work& work) {
  Vec3 missing;
  for (int k = 0; k < 3; ++k)
    missing[k] = speed_of(joint, joint.row[k], work) + (rule.undo ? rule.rate * joint.row[k].error : 0);
  const Vec3 answer = joint.point_mass * missing;
  for (int k = 0; k < 3; ++k) {
    const double change = rule.undo ? -rule.mass_scale * answer[k] - rule.impulse_scale * joint.impulse[k] : -answer[k];
    apply(joint, joint.row[k], change, work);
    joint.impulse[k] += change;
  }
}

}  // namespace

void sweep(const JointRule& rule, JointWork& joint, Work& work) {
  // The turns first, then the point: a body that comes apart is seen, one that is a little askew is not.
  for (int k = joint.holds_point ? 3 : 0; k < joint.rows; ++k) {
    const JointRow& r = joint.row[k];
    const double speed = speed_of(joint, r, work);
    double bias = 0, mass = r.mass, leak = 0;
    // A bound that is not reached yet may be used up within the part.
    const bool ahead = r.rigid && ((r.low == 0 && r.error > 0) || (r.high == 0 && r.error < 0));
    if (ahead) {
      bias = r.error / rule.h;
    } else if (r.rigid && rule.undo) {
      bias = rule.rate * r.error, mass *= rule.mass_scale, leak = rule.impulse_scale;
    }
    const double total =
        std::clamp(joint.impulse[k] - mass * (speed + bias) - leak * joint.impulse[k], r.low, r.high);
    apply(joint, r, total - joint.impulse[k], work);
    joint.impulse[k] = total;
  }
  if (joint.holds_point) sweep_point(rule, joint, work);
}

std::vector<JointDirection> held_directions(const Model& model, const State& state) {
  std::vector<JointDirection> held;
  if (model.joints.empty()) return held;
  Work here;  // as set_rows() wants it: nothing has moved within the step, and no mass is needed
  here.masses.assign(state.count() + 1, Row8{});
  here.deltas.assign(state.count() + 1, Row8{});
  here.turns.clear();
  for (std::size_t i = 0; i < state.count(); ++i) here.turns.push_back(orientation(state, i));
  JointWork rows{};
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (state.joints_broken[j]) continue;
    set_rows(joint, 1, state, here, rows);
    for (int k = 0; k < rows.rows; ++k) {
      const JointRow& r = rows.row[k];
      if (r.rigid && r.low == -kInfinity && r.high == kInfinity)
        held.push_back({joint.a, joint.b, r.linear, r.turn_a, r.turn_b});
    }
  }
  return held;
}

double joint_position(const Joint& joint, const State& state) {
  const Ends e = ends_of(joint, state);
  if (joint.kind == JointKind::hinge) return hinge_angle(e.frame_a, e.frame_b);
  if (joint.kind == JointKind::slider) return e.gap.dot(e.frame_b.col(0));
  return e.gap.norm();
}

double joint_gap(const Joint& joint, const State& state) {
  const Ends e = ends_of(joint, state);
  if (joint.kind != JointKind::slider) return e.gap.norm();
  return (e.gap - e.gap.dot(e.frame_b.col(0)) * e.frame_b.col(0)).norm();
}

}  // namespace selkie::rigid
