// Impulses at the contacts of one body; see contacts.h. The motion is one vector in which the answer to an
// impulse is diagonal, so that a contact costs three products of rows with it and one update.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "selkie/solids/modal/contacts.h"
#include "selkie/solids/modal/detail/body.h"

namespace selkie::modal {
namespace detail {

using lanes::all;
using lanes::Lanes;
using lanes::load;
using lanes::madd;
using lanes::store;

void finish_contact(const Body& b) {
  Contact& c = b.work.contacts.back();
  const std::size_t place = b.work.contacts.size() - 1, width = b.width(), padded = b.model.padded_modes;
  if (b.work.rows.size() < 3 * (place + 1) * width) b.work.rows.resize(3 * (place + 1) * width);
  const Mat3 local = b.middle_rotation.transpose() * c.axes;
  const double* phi =
      c.held ? b.work.hold_modes.data() : b.model.vertex_modes.data() + 3 * std::size_t{c.vertex} * padded;
  for (int a = 0; a < 3; ++a) {
    double* row = b.row(place, a);
    const Vec3 moment = b.start_rotation.transpose() * c.arm.cross(c.axes.col(a));
    for (int i = 0; i < 3; ++i) row[i] = c.axes(i, a), row[3 + i] = moment[i];
    row[6] = row[7] = 0;
    const Lanes x = all(local(0, a)), y = all(local(1, a)), z = all(local(2, a));
    for (std::size_t k = 0; k < padded; k += kLanes)
      store(row + kFrame + k,
            madd(x, load(phi + k), madd(y, load(phi + padded + k), z * load(phi + 2 * padded + k))));
  }
  for (int a = 0; a < 3; ++a)
    for (int d = 0; d <= a; ++d) {
      Lanes sums{}, frame{};
      for (std::size_t k = 0; k < width; k += kLanes) {
        sums = madd(load(b.work.answers.data() + k) * load(b.row(place, a) + k), load(b.row(place, d) + k),
                    sums);
        if (k == 0) frame = sums;
      }
      c.mobility(a, d) = c.mobility(d, a) = lanes::sum(sums);
      if (a == 0) c.push_mobility = lanes::sum(frame);
    }
  c.mobility.diagonal() += c.yielding;
}

}  // namespace detail

namespace {

using detail::Body;
using lanes::all;
using lanes::Lanes;
using lanes::load;
using lanes::madd;
using lanes::store;

// What the axes of contact n see of the motion.
Vec3 seen(const Body& b, std::size_t n) {
  const double *motion = b.work.motion.data(), *row = b.row(n, 0);
  const std::size_t width = b.width();
  Lanes x{}, y{}, z{};
  for (std::size_t k = 0; k < width; k += kLanes) {
    const Lanes m = load(motion + k);
    x = madd(load(row + k), m, x);
    y = madd(load(row + width + k), m, y);
    z = madd(load(row + 2 * width + k), m, z);
  }
  return {lanes::sum(x), lanes::sum(y), lanes::sum(z)};
}

void give(const Body& b, std::size_t n, const Vec3& p) {
  double* motion = b.work.motion.data();
  const double *answers = b.work.answers.data(), *row = b.row(n, 0);
  const std::size_t width = b.width();
  const Lanes x = all(p.x()), y = all(p.y()), z = all(p.z());
  for (std::size_t k = 0; k < width; k += kLanes) {
    const Lanes sum = madd(x, load(row + k), madd(y, load(row + width + k), z * load(row + 2 * width + k)));
    store(motion + k, madd(load(answers + k), sum, load(motion + k)));
  }
}

// The impulse a contact should have, given what it sees now. Friction first, against the normal impulse found
// so far: the normal condition has the last word.
Vec3 wanted_impulse(const Contact& c, Vec3 missing) {
  if (c.held) return c.impulse + c.mobility.llt().solve(missing);
  Vec3 p = c.impulse;
  if (c.friction > 0) {
    const double limit = c.friction * p[0];
    const double first = p[1] + missing[1] / c.mobility(1, 1), second = p[2] + missing[2] / c.mobility(2, 2);
    const double size = std::sqrt(first * first + second * second), share = size > limit ? limit / size : 1;
    missing[0] -= c.mobility(0, 1) * (share * first - p[1]) + c.mobility(0, 2) * (share * second - p[2]);
    p[1] = share * first, p[2] = share * second;
  }
  p[0] = std::max(0.0, p[0] + missing[0] / c.mobility(0, 0));
  return p;
}

// One contact of a sweep; returns the change of a velocity, m/s.
double sweep_contact(const Body& b, std::size_t n) {
  Contact& c = b.work.contacts[n];
  const Vec3 missing = c.target - c.velocity - seen(b, n) - c.yielding.cwiseProduct(c.impulse);
  const Vec3 impulse = wanted_impulse(c, missing), p = impulse - c.impulse;
  if (p.isZero(0)) return 0;
  c.impulse = impulse;
  give(b, n, p);
  return p.cwiseAbs().dot(c.mobility.diagonal());
}

// Overlap is undone by the frame alone: the same sweeps with nothing but its six numbers.
void push_out(const Body& b, ContactAnswer& answer) {
  const auto& contacts = b.work.contacts;
  if (b.model.pinned ||
      std::none_of(contacts.begin(), contacts.end(), [](const Contact& c) { return c.push_target > 0; }))
    return;
  Lanes motion{};
  const Lanes answers = load(b.work.answers.data());
  for (int round = 0; round < b.params.iterations; ++round) {
    double change = 0;
    for (std::size_t n = 0; n < contacts.size(); ++n) {
      Contact& c = b.work.contacts[n];
      if (c.held) continue;
      const Lanes row = load(b.row(n, 0));
      const double total =
          std::max(0.0, c.push_impulse + (c.push_target - lanes::sum(row * motion)) / c.push_mobility);
      const double p = total - c.push_impulse;
      c.push_impulse = total;
      motion = madd(all(p) * answers, row, motion);
      change = std::max(change, std::abs(p) * c.push_mobility);
    }
    if (change < 1e-3 * b.params.push_out_speed) break;
  }
  answer.push_velocity = Vec3(motion[0], motion[1], motion[2]);
  answer.push_spin = b.start_rotation * Vec3(motion[3], motion[4], motion[5]);
}

// 1/kg of the frame, 1/(kg·m²) along its principal axes, then what modes do on average over the step.
void fill_answers(const Body& b, std::span<const ModeStep> modes) {
  Buffer<double>& answers = b.work.answers;
  answers.assign(b.width(), 0);
  if (!b.model.pinned)
    for (std::size_t c = 0; c < 3; ++c)
      answers[c] = 1 / b.model.mass, answers[3 + c] = 1 / b.model.inertia[static_cast<Eigen::Index>(c)];
  for (std::size_t k = 0; k < b.model.mode_count; ++k) answers[kFrame + k] = modes[k].answer_q / b.h;
}

// Frame and modes from the impulses found.
void collect(const Body& b, ContactAnswer& answer) {
  const double* motion = b.work.motion.data();
  answer.velocity = Vec3(motion[0], motion[1], motion[2]);
  answer.spin = b.start_rotation * Vec3(motion[3], motion[4], motion[5]);
  answer.bounce_velocity = answer.bounce_spin = Vec3::Zero();
  answer.work_of_solids = 0;
  b.work.impulses.assign(b.model.padded_modes, 0);
  for (std::size_t n = 0; n < b.work.contacts.size(); ++n) {
    const Contact& c = b.work.contacts[n];
    for (int a = 0; a < 3; ++a) {
      const double* row = b.row(n, a) + kFrame;
      for (std::size_t k = 0; k < b.model.mode_count; ++k) b.work.impulses[k] += c.impulse[a] * row[k];
    }
    answer.work_of_solids += std::max(0.0, c.impulse.dot(c.carried));
    if (c.bounce == 0 || b.model.pinned) continue;
    const double back = c.bounce * c.impulse[0];
    const double* row = b.row(n, 0);
    answer.bounce_velocity += back / b.model.mass * c.axes.col(0);
    answer.bounce_spin +=
        b.start_rotation * Vec3(back * Vec3(row[3], row[4], row[5]).cwiseQuotient(b.model.inertia));
  }
}

// Sweeps over the contacts of each body until its velocities settle. The bodies take turns contact by
// contact: each waits for its own last result only, and the processor works on the others meanwhile. Contacts
// that do not press are looked at in every fourth sweep, and in the last.
void settle(std::span<const Body* const> bodies) {
  constexpr int kFull = 4;
  struct Progress {
    double change = 0;
    bool full = true, done = false;
  };
  std::array<Progress, kTogether> progress;
  std::size_t longest = 0;
  for (const Body* b : bodies) longest = std::max(longest, b->work.contacts.size());
  for (int round = 0; round < bodies[0]->params.iterations; ++round) {
    for (std::size_t n = 0; n < longest; ++n)
      for (std::size_t k = 0; k < bodies.size(); ++k) {
        if (progress[k].done || n >= bodies[k]->work.contacts.size()) continue;
        if (!progress[k].full && bodies[k]->work.contacts[n].impulse.isZero(0)) continue;
        progress[k].change = std::max(progress[k].change, sweep_contact(*bodies[k], n));
      }
    bool all_done = true;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      Progress& p = progress[k];
      // What gravity makes good in a step.
      const bool settled = p.change < 1e-3 * bodies[k]->h * bodies[k]->inputs.gravity.norm() + 1e-9;
      p.done = p.done || (p.full && settled);
      p.full = settled || (round + 1) % kFull == 0;
      p.change = 0;
      all_done = all_done && p.done;
    }
    if (all_done) break;
  }
}

// Turning bends the way of a held point, and modes that are cut give less way than they should: what it
// misses its place by is made good by the frame, until it is there.
void hold_exactly(const Body& b, std::span<const ModeStep> modes, ContactAnswer& answer) {
  constexpr int kMost = 30;
  if (b.model.pinned) return;
  const HeldPoint held = held_point(b.model, b.from);
  Vec3 wanted = b.from.positions[b.index] + b.h * b.work.contacts.front().target;
  for (std::size_t k = 0; k < 3; ++k)
    wanted += held.weights[static_cast<Eigen::Index>(k)] *
              (b.start_rotation * detail::local_position(b.model, b.work.start_q.data(), held.corners[k]));
  const Lanes answers = load(b.work.answers.data());
  const std::array<Lanes, 3> rows{load(b.row(0, 0)), load(b.row(0, 1)), load(b.row(0, 2))};
  Mat3 mobility;
  for (int a = 0; a < 3; ++a)
    for (int d = 0; d < 3; ++d)
      mobility(a, d) =
          lanes::sum(answers * rows[static_cast<std::size_t>(a)] * rows[static_cast<std::size_t>(d)]);
  for (int n = 0; n < kMost; ++n) {
    Vec3 missed = wanted;
    for (std::size_t k = 0; k < 3; ++k)
      missed -= held.weights[static_cast<Eigen::Index>(k)] * end_of_vertex(b.model, b.params, b.h, b.from,
                                                                           b.index, b.free, answer, modes,
                                                                           held.corners[k], b.work);
    if (missed.norm() < 1e-10 * b.model.radius) break;
    const Vec3 p = mobility.llt().solve(missed / b.h);
    const Lanes change = answers * (all(p.x()) * rows[0] + all(p.y()) * rows[1] + all(p.z()) * rows[2]);
    answer.velocity += Vec3(change[0], change[1], change[2]);
    answer.spin += b.start_rotation * Vec3(change[3], change[4], change[5]);
  }
}

}  // namespace

void answer_contacts(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                     const State& from, std::span<const ModeStep> modes, std::span<ContactTask> tasks) {
  std::array<std::optional<Body>, kTogether> bodies;
  std::array<const Body*, kTogether> touching{};
  std::size_t count = 0;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    bodies[k].emplace(
        Body{model, params, inputs, interval, from, tasks[k].body, *tasks[k].free, *tasks[k].work});
    fill_answers(*bodies[k], modes);
    detail::find_contacts(*bodies[k]);
    if (tasks[k].work->contacts.empty()) continue;
    tasks[k].work->motion.assign(bodies[k]->width(), 0);
    touching[count++] = &*bodies[k];
  }
  if (count == 0) return;
  settle(std::span(touching).first(count));
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    if (tasks[k].work->contacts.empty()) continue;
    collect(*bodies[k], tasks[k].answer);
    if (tasks[k].work->contacts.front().held) hold_exactly(*bodies[k], modes, tasks[k].answer);
    push_out(*bodies[k], tasks[k].answer);
  }
}

}  // namespace selkie::modal
