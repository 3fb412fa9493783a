// See contacts.h.
#include "selkie/solids/modal/contacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "selkie/math/rotation.h"
#include "selkie/ports/vertex_contact.h"
#include "selkie/solids/modal/skin.h"

namespace selkie::modal {
namespace {

using Lanes = Eigen::Array<double, kLanes, 1>;
using LaneMap = Eigen::Map<const Lanes>;

double dot(const double* a, const double* b, std::size_t padded) {
  Lanes sum = Lanes::Zero();
  for (std::size_t k = 0; k < padded; k += kLanes) sum += LaneMap(a + k) * LaneMap(b + k);
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

// Everything about one body in one step.
struct Body {
  const Model& model;
  const Params& params;
  const Inputs& inputs;
  Interval interval;
  const State& from;
  std::size_t index;
  const FreeMotion& free;
  BodyWork& work;
  double h = interval.dt();
  Mat3 rotation = free.orientation.toRotationMatrix();
  double inverse_mass = model.pinned ? 0 : 1 / model.mass;
  Mat3 inverse_inertia =
      model.pinned ? Mat3(Mat3::Zero())
                   : Mat3(rotation * model.inertia.cwiseInverse().asDiagonal() * rotation.transpose());

  double* row(std::size_t contact, int axis) const {
    return work.rows.data() + (3 * contact + static_cast<std::size_t>(axis)) * model.padded_modes;
  }
};

// A vertex that rests is found up to round-off above the surface; gravity covers this in a thirtieth of a
// step.
double touching(const Body& b) {
  return b.params.contact_thickness + 1e-3 * b.h * b.h * b.inputs.gravity.norm();
}

// What could come to touch when an impact turns the body within the step.
double margin_of(const Body& b) {
  return touching(b) + b.h * (b.free.velocity.norm() + b.free.spin.norm() * b.model.radius);
}

// False: no vertex touches.
bool find_near(const Body& b, const ports::FieldSampler& collider, double margin) {
  bool touches = false;
  b.work.near.clear();
  const double time = b.interval.t1(), touch = touching(b);
  for (std::uint32_t i = 0; i < b.model.vertex_count; ++i) {
    const double distance = collider.sample(b.work.surface[i], time).distance;
    if (!(distance <= margin)) continue;
    touches = touches || distance <= touch;
    b.work.near.push_back({i, distance});
  }
  return touches;
}

// Of the near vertices the deepest of each patch, which carry the body, and the outermost in fourteen
// directions of the body frame, on which it tips; what is still far from the collider counts less.
constexpr std::size_t kAxes = 7, kMostChosen = 2 * kAxes + kPatches;
using Chosen = std::array<std::uint32_t, kMostChosen>;
std::size_t choose(const Body& b, Chosen& chosen) {
  constexpr double kFar = 4, kDiagonal = 0.57735026918962573, kNothing = -std::numeric_limits<double>::max();
  static const std::array<Vec3, kAxes> axes{Vec3(1, 0, 0),
                                            Vec3(0, 1, 0),
                                            Vec3(0, 0, 1),
                                            kDiagonal * Vec3(1, 1, 1),
                                            kDiagonal * Vec3(1, 1, -1),
                                            kDiagonal * Vec3(1, -1, 1),
                                            kDiagonal * Vec3(-1, 1, 1)};
  Chosen best{};
  std::array<double, kMostChosen> score;
  score.fill(kNothing);
  auto offer = [&](std::size_t place, std::uint32_t vertex, double value) {
    if (value > score[place]) score[place] = value, best[place] = vertex;
  };
  for (const NearVertex& near : b.work.near) {
    const Vec3 x = b.model.rest_position(near.vertex);
    const double far = kFar * std::max(0.0, near.distance);
    for (std::size_t a = 0; a < kAxes; ++a) {
      const double along = axes[a].dot(x);
      offer(2 * a, near.vertex, along - far);
      offer(2 * a + 1, near.vertex, -along - far);
    }
    offer(2 * kAxes + b.model.patch[near.vertex], near.vertex, -near.distance);
  }
  std::size_t count = 0;
  for (std::size_t place = 0; place < kMostChosen; ++place)
    if (score[place] > kNothing &&
        std::find(chosen.begin(), chosen.begin() + count, best[place]) == chosen.begin() + count)
      chosen[count++] = best[place];
  return count;
}

// What the axes of the last contact see of the modes, and the inverse masses that result.
void finish_contact(const Body& b) {
  Contact& c = b.work.contacts.back();
  const std::size_t place = b.work.contacts.size() - 1, padded = b.model.padded_modes;
  if (b.work.rows.size() < 3 * (place + 1) * padded) b.work.rows.resize(3 * (place + 1) * padded);
  const Mat3 local = b.rotation.transpose() * c.axes;
  for (int a = 0; a < 3; ++a) {
    double* row = b.row(place, a);
    for (std::size_t k = 0; k < b.model.mode_count; ++k) row[k] = b.model.mode(k, c.vertex).dot(local.col(a));
    std::fill(row + b.model.mode_count, row + padded, 0.0);
    c.moments.col(a) = c.arm.cross(c.axes.col(a));
    c.turns.col(a) = b.inverse_inertia * c.moments.col(a);
    double sum = b.inverse_mass + c.moments.col(a).dot(c.turns.col(a));
    if (a == 0) c.push_inverse_mass = sum;
    for (std::size_t k = 0; k < b.model.mode_count; ++k) sum += b.work.answers[k] * row[k] * row[k];
    c.inverse_mass[a] = sum;
  }
}

void add_contact(const Body& b, std::size_t collider, std::uint32_t vertex, double margin) {
  const Vec3 start = position_of(b.model, b.from, b.index, vertex), end = b.work.surface[vertex];
  const ports::FieldSample met = ports::sample_collider(
      b.inputs.colliders, collider, {start, end, b.interval}, b.params.contact_thickness, margin);
  const double gap = -ports::start_depth(met, start, end, b.h, b.params.contact_thickness);
  Contact c;
  c.vertex = vertex;
  c.axes.col(0) = met.normal;
  c.axes.col(1) = any_perpendicular(met.normal);
  c.axes.col(2) = met.normal.cross(c.axes.col(1));
  c.arm = end - b.free.position;
  c.velocity = c.axes.transpose() * ((end - start) / b.h - met.velocity);
  c.friction = b.inputs.colliders[collider]->friction;
  const double approach = -c.velocity.x();
  if (approach > 2 * b.h * b.inputs.gravity.norm() && approach * b.h >= gap)
    c.bounce = b.inputs.colliders[collider]->restitution;
  // What bounces is stopped at once, so that its whole momentum counts; all else may come as far as the
  // surface.
  if (!(c.bounce > 0)) c.target.x() = -std::max(0.0, gap) / b.h;
  // A little overlap is kept, so that resting contacts do not come and go; the rest is undone by and by.
  const double slop = std::min(5e-4, 0.005 * b.model.radius);
  c.push_target = std::min(b.params.push_out_speed, 0.2 * std::max(0.0, -gap - slop) / b.h);
  b.work.contacts.push_back(c);
  finish_contact(b);
}

// The held vertex follows its target with a lag and a capped speed: kinematic, hence the same for any mass,
// and it cannot overshoot (RT-48).
void add_hold(const Body& b) {
  constexpr double kLag = 0.03;  // s
  const auto vertex = static_cast<std::uint32_t>(b.from.grabbed_vertex);
  const Vec3 start = position_of(b.model, b.from, b.index, vertex);
  Vec3 wanted = (b.from.grab_target - start) / (b.h + kLag);
  if (const double speed = wanted.norm(); speed > b.params.grab_speed) wanted *= b.params.grab_speed / speed;
  Contact c;
  c.vertex = vertex;
  c.held = true;
  c.arm = b.work.surface[vertex] - b.free.position;
  c.velocity = (b.work.surface[vertex] - start) / b.h;
  c.target = wanted;
  b.work.contacts.push_back(c);
  finish_contact(b);
}

void find_contacts(const Body& b, bool held) {
  b.work.contacts.clear();
  double reach = b.model.radius;
  for (std::size_t k = 0; k < b.model.mode_count; ++k) reach += b.model.reach[k] * std::abs(b.work.free_q[k]);
  const double margin = margin_of(b), time = b.interval.t1();
  bool skinned = false;
  auto skin_once = [&] {
    if (skinned) return;
    skin(b.model, b.free.position, b.rotation, 1, b.work.free_q, b.work.surface.data());
    skinned = true;
  };
  if (held) {
    skin_once();
    add_hold(b);
  }
  for (std::size_t k = 0; k < b.inputs.colliders.size(); ++k) {
    if (b.inputs.colliders[k]->sample(b.free.position, time).distance > reach + margin) continue;
    skin_once();
    if (!find_near(b, *b.inputs.colliders[k], margin)) continue;
    Chosen chosen;
    const std::size_t count = choose(b, chosen);
    for (std::size_t n = 0; n < count; ++n) add_contact(b, k, chosen[n], margin);
  }
}

// One sweep; returns the largest change of a velocity, m/s.
double sweep(const Body& b, ContactAnswer& answer) {
  const std::size_t padded = b.model.padded_modes;
  double* means = b.work.mean_rates.data();
  const double* answers = b.work.answers.data();
  double change = 0;
  for (std::size_t n = 0; n < b.work.contacts.size(); ++n) {
    Contact& c = b.work.contacts[n];
    auto velocity = [&](int a) {
      return c.velocity[a] + c.axes.col(a).dot(answer.velocity) + c.moments.col(a).dot(answer.spin) +
             dot(b.row(n, a), means, padded);
    };
    auto give = [&](int a, double total) {
      const double p = total - c.impulse[a];
      c.impulse[a] = total;
      answer.velocity += p * b.inverse_mass * c.axes.col(a);
      answer.spin += p * c.turns.col(a);
      const double* row = b.row(n, a);
      for (std::size_t k = 0; k < padded; k += kLanes)
        Eigen::Map<Lanes>(means + k) += p * LaneMap(answers + k) * LaneMap(row + k);
      change = std::max(change, std::abs(p) * c.inverse_mass[a]);
    };
    auto wanted = [&](int a) { return c.impulse[a] + (c.target[a] - velocity(a)) / c.inverse_mass[a]; };
    if (c.held) {
      for (int a = 0; a < 3; ++a) give(a, wanted(a));
      continue;
    }
    // Friction first, against the normal impulse found so far: the normal condition has the last word.
    if (const double limit = c.friction * c.impulse[0]; limit > 0) {
      const double first = wanted(1), second = wanted(2), size = std::hypot(first, second);
      const double share = size > limit ? limit / size : 1;
      give(1, share * first);
      give(2, share * second);
    }
    give(0, std::max(0.0, wanted(0)));
  }
  return change;
}

// Overlap is undone by the frame alone.
void push_out(const Body& b, ContactAnswer& answer) {
  const auto& contacts = b.work.contacts;
  if (b.model.pinned ||
      std::none_of(contacts.begin(), contacts.end(), [](const Contact& c) { return c.push_target > 0; }))
    return;
  for (int n = 0; n < b.params.iterations; ++n)
    for (Contact& c : b.work.contacts) {
      if (c.held) continue;
      const double v = c.axes.col(0).dot(answer.push_velocity) + c.moments.col(0).dot(answer.push_spin);
      const double total = std::max(0.0, c.push_impulse + (c.push_target - v) / c.push_inverse_mass);
      const double p = total - c.push_impulse;
      c.push_impulse = total;
      answer.push_velocity += p * b.inverse_mass * c.axes.col(0);
      answer.push_spin += p * c.turns.col(0);
    }
}

}  // namespace

ContactAnswer answer_contacts(const Model& model, const Params& params, const Inputs& inputs,
                              Interval interval, const State& from, std::size_t body, const FreeMotion& free,
                              std::span<const ModeStep> modes, BodyWork& work) {
  const Body b{model, params, inputs, interval, from, body, free, work};
  work.answers.assign(model.padded_modes, 0);
  for (std::size_t k = 0; k < model.mode_count; ++k) work.answers[k] = modes[k].answer_q / b.h;
  find_contacts(b, static_cast<std::int64_t>(body) == from.grabbed_body);
  ContactAnswer answer;
  if (work.contacts.empty()) return answer;
  work.mean_rates.assign(model.padded_modes, 0);
  const double settled = 1e-3 * b.h * inputs.gravity.norm() + 1e-9;  // what gravity makes good in a step
  for (int n = 0; n < params.iterations; ++n)
    if (sweep(b, answer) < settled) break;
  push_out(b, answer);
  work.impulses.assign(model.padded_modes, 0);
  for (std::size_t n = 0; n < work.contacts.size(); ++n) {
    const Contact& c = work.contacts[n];
    for (int a = 0; a < 3; ++a) {
      const double* row = b.row(n, a);
      for (std::size_t k = 0; k < model.mode_count; ++k) work.impulses[k] += c.impulse[a] * row[k];
    }
    const double back = c.bounce * c.impulse[0];
    answer.bounce_velocity += back * b.inverse_mass * c.axes.col(0);
    answer.bounce_spin += back * c.turns.col(0);
  }
  return answer;
}

}  // namespace selkie::modal
