// See step.h.
#include "selkie/solids/modal/step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/math/rotation.h"
#include "selkie/solids/modal/contacts.h"
#include "selkie/solids/modal/encounters.h"
#include "selkie/solids/modal/skin.h"

namespace selkie::modal {
namespace {

constexpr std::size_t kBlockBodies = 8;  // that share scratch

void resize(const Model& model, BodyWork& work) {
  work.surface.resize(model.vertex_count);
  for (Buffer<double>* buffer : {&work.start_q, &work.free_q, &work.free_v, &work.impulses})
    buffer->resize(model.padded_modes);
}

// Displacements beyond all meaning are cut, with their rates, so that no abuse tears a body apart (RT-02).
// Returns the share that is kept of displacements of this sum of squares.
double kept_displacement(const Model& model, const Params& params, double square) {
  const double most = params.largest_displacement * model.radius, size = std::sqrt(square / model.mass);
  return size > most ? most / size : 1;
}
void limit_displacement(const Model& model, const Params& params, double* q, double* v) {
  double square = 0;
  for (std::size_t k = 0; k < model.mode_count; ++k) square += q[k] * q[k];
  const double kept = kept_displacement(model, params, square);
  if (kept == 1) return;
  for (std::size_t k = 0; k < model.mode_count; ++k) q[k] *= kept, v[k] *= kept;
}

struct BodyStep {
  const Model& model;
  const Params& params;
  const Inputs& inputs;
  Interval interval;
  const State& from;
  std::span<const ModeStep> modes;
  State& to;

  // J, kinetic, elastic and by gravity.
  double energy(const State& state, std::size_t body) const {
    const double *q = state.displacements.data() + body * model.mode_count,
                 *v = state.rates.data() + body * model.mode_count;
    const Quat back = orientation(state, body).conjugate();
    const Vec3 pull = back * inputs.gravity, spin = back * state.angular_velocities[body];
    double sum = 0;
    for (std::size_t k = 0; k < model.mode_count; ++k)
      sum += 0.5 * (v[k] * v[k] + params.stiffness_factor * model.eigenvalues[k] * q[k] * q[k]) -
             q[k] * model.gravity_share[k].dot(pull);
    if (model.pinned) return sum;
    return sum +
           model.mass *
               (0.5 * state.velocities[body].squaredNorm() - inputs.gravity.dot(state.positions[body])) +
           0.5 * spin.dot(model.inertia.cwiseProduct(spin));
  }

  // Contacts are solved where the free motion leads; a body that an impact turns by much gets elsewhere, and
  // may end with more energy than it had. That is taken from its motion (RT-02).
  void bound_energy(std::size_t body, double allowed) const {
    const double before = energy(from, body) + allowed, after = energy(to, body);
    if (!(after > before)) return;
    double* v = to.rates.data() + body * model.mode_count;
    const Vec3 spin = orientation(to, body).conjugate() * to.angular_velocities[body];
    double moving = 0;
    for (std::size_t k = 0; k < model.mode_count; ++k) moving += 0.5 * v[k] * v[k];
    if (!model.pinned)
      moving +=
          0.5 * (model.mass * to.velocities[body].squaredNorm() + spin.dot(model.inertia.cwiseProduct(spin)));
    const double kept = moving > 0 ? std::sqrt(std::max(0.0, 1 - (after - before) / moving)) : 0;
    for (std::size_t k = 0; k < model.mode_count; ++k) v[k] *= kept;
    to.velocities[body] *= kept;
    to.angular_velocities[body] *= kept;
  }

  // Slow modes under a constant force end as much too fast as they began: of that overshoot they keep
  // nothing, fast ones all (they ring about the deflection anyway).
  static double after_contact(const ModeStep& mode, double rate, double impulse) {
    const double most = 0.5 * mode.slowness * std::abs(impulse);
    if (!(rate * impulse > 0)) return rate;
    return std::abs(rate) <= most ? 0 : rate - std::copysign(most, rate);
  }

  // Returns how many vertices touched.
  std::int32_t finish(std::size_t body, const FreeMotion& free, const ContactAnswer& answer,
                      BodyWork& work) const {
    const bool held = static_cast<std::int64_t>(body) == from.grabbed_body, touched = !work.contacts.empty();
    FrameEnd end{free.position, free.orientation, free.velocity, free.spin};
    if (touched) end = end_of_frame(model, interval.dt(), from, body, free, answer);
    to.positions[body] = end.position;
    to.orientations[body] = end.orientation.coeffs();
    to.velocities[body] = end.velocity;
    to.angular_velocities[body] = end.spin;
    double* q = to.displacements.data() + body * model.mode_count;
    double* v = to.rates.data() + body * model.mode_count;
    for (std::size_t k = 0; k < model.mode_count; ++k) {
      const double p = touched ? work.impulses[k] : 0;
      q[k] = work.free_q[k] + modes[k].answer_q * p;
      v[k] = after_contact(modes[k], work.free_v[k] + modes[k].answer_v * p, p);
    }
    limit_displacement(model, params, q, v);
    // What a solid that gives way takes or gives must stay as it is.
    const bool exchanges = std::any_of(work.contacts.begin(), work.contacts.end(),
                                       [](const Contact& c) { return c.solid >= 0; });
    if (touched && !held && !exchanges && inputs.loads.empty() && !params.centrifugal)
      bound_energy(body, answer.work_of_solids);
    return static_cast<std::int32_t>(std::count_if(work.contacts.begin(), work.contacts.end(),
                                                   [](const Contact& c) { return c.impulse[0] > 0; }));
  }

  // Bodies begin … end − 1, at most kTogether.
  void advance(std::size_t begin, std::size_t end, std::array<BodyWork, kTogether>& scratch,
               std::vector<Push>& pushes, std::vector<Support>& supports, std::int32_t* counts) const {
    std::array<FreeMotion, kTogether> free;
    std::array<SkinTask, kTogether> skins;
    std::array<ContactTask, kTogether> tasks;
    std::size_t task_count = 0;
    for (std::size_t b = begin; b < end; ++b) {
      BodyWork& work = scratch[b - begin];
      resize(model, work);
      work.contacts.clear();
      free[b - begin] = move_freely(model, params, inputs, interval.dt(), from, b, modes, work);
      if (static_cast<std::int64_t>(b) != from.grabbed_body &&
          !near_a_collider(model, params, inputs, interval, free[b - begin], work))
        continue;
      skins[task_count] = {free[b - begin].position, free[b - begin].orientation.toRotationMatrix(), 1,
                           work.free_q.data(), work.surface.data()};
      tasks[task_count++] = {b, &free[b - begin], &work};
    }
    skin(model, std::span(skins).first(task_count));
    answer_contacts(model, params, inputs, interval, from, modes, std::span(tasks).first(task_count));
    const ContactTask* task = tasks.data();
    for (std::size_t b = begin; b < end; ++b) {
      const bool near = task != tasks.data() + task_count && task->body == b;
      counts[b - begin] =
          finish(b, free[b - begin], near ? task->answer : ContactAnswer{}, scratch[b - begin]);
      if (near) ++task;
      for (const Contact& c : scratch[b - begin].contacts) {
        if (c.solid >= 0 && !c.impulse.isZero(0))
          pushes.push_back({static_cast<std::uint32_t>(c.solid), c.point, -(c.axes * c.impulse)});
        if (c.solid < 0 && !c.held && c.impulse[0] > 0)
          supports.push_back({static_cast<std::uint32_t>(b), c.vertex, c.axes.col(0), c.friction});
      }
    }
  }
};

void check_finite(const Model& model, const State& to, StepReport& report) {
  for (std::size_t b = 0; b < to.count(); ++b) {
    bool finite = to.positions[b].allFinite() && to.orientations[b].allFinite() &&
                  to.velocities[b].allFinite() && to.angular_velocities[b].allFinite();
    for (std::size_t k = 0; k < model.mode_count; ++k)
      finite = finite && std::isfinite(to.displacements[b * model.mode_count + k]) &&
               std::isfinite(to.rates[b * model.mode_count + k]);
    if (finite) continue;
    report.merge(StepReport::failure("body " + std::to_string(b) + " has values that are not finite"));
    return;
  }
}

}  // namespace

void prepare_modes(const Model& model, const Params& params, double h, std::vector<ModeStep>& modes) {
  modes.resize(model.mode_count);
  for (std::size_t k = 0; k < model.mode_count; ++k) {
    const double lambda = params.stiffness_factor * model.eigenvalues[k];
    ModeStep& mode = modes[k];
    mode.free = transition(lambda, params.mass_damping + params.stiffness_damping * lambda, h);
    mode.answer_q = mode.free.qf / h;
    mode.answer_v = mode.free.vf / h;
    mode.slowness = 1 / (1 + lambda * h * h);
  }
}

FreeMotion move_freely(const Model& model, const Params& params, const Inputs& inputs, double h,
                       const State& from, std::size_t body, std::span<const ModeStep> modes, BodyWork& work) {
  constexpr double kHeldSpinRate = 5;  // 1/s: what is held by one point must not dangle for ever
  const Quat turned = orientation(from, body);
  const Quat back = turned.conjugate();
  FreeMotion free;
  free.position = from.positions[body];
  free.orientation = turned;
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  // Modal forces collect in free_v until the modes move.
  const Vec3 pull = back * inputs.gravity, spin = back * from.angular_velocities[body];
  for (std::size_t k = 0; k < model.mode_count; ++k) {
    work.free_v[k] = model.gravity_share[k].dot(pull);
    if (params.centrifugal)
      work.free_v[k] += spin.squaredNorm() * model.spread[k].trace() - spin.dot(model.spread[k] * spin);
  }
  for (const PointLoad& load : inputs.loads) {
    if (load.body != body) continue;
    const Vec3 local = back * load.force;
    force += load.force;
    torque += (position_of(model, from, body, load.vertex) - from.positions[body]).cross(load.force);
    for (std::size_t k = 0; k < model.mode_count; ++k)
      work.free_v[k] += model.mode(k, load.vertex).dot(local);
  }
  for (std::size_t k = 0; k < model.mode_count; ++k) {
    const Transition& t = modes[k].free;
    work.start_q[k] = from.displacements[body * model.mode_count + k];
    const double f = work.free_v[k], q = from.displacements[body * model.mode_count + k],
                 v = from.rates[body * model.mode_count + k];
    work.free_q[k] = t.qq * q + t.qv * v + t.qf * f;
    work.free_v[k] = t.vq * q + t.vv * v + t.vf * f;
  }
  for (Buffer<double>* padded : {&work.start_q, &work.free_q, &work.free_v})
    std::fill(padded->begin() + static_cast<std::ptrdiff_t>(model.mode_count), padded->end(), 0.0);
  if (model.pinned) return free;
  const bool held = static_cast<std::int64_t>(body) == from.grabbed_body;
  const double kept = std::exp(-params.drag * h);
  free.velocity = kept * (from.velocities[body] + h * (inputs.gravity + force / model.mass));
  free.spin_t0 =
      kept * std::exp(held ? -kHeldSpinRate * h : 0.0) *
      (from.angular_velocities[body] + h * (turned * (back * torque).cwiseQuotient(model.inertia)));
  free.position += h * free.velocity;
  free.spin = free.spin_t0;
  rotate_freely(h, model.inertia, free.orientation, free.spin);
  return free;
}

FrameEnd end_of_frame(const Model& model, double h, const State& from, std::size_t body,
                      const FreeMotion& free, const ContactAnswer& answer) {
  FrameEnd end{free.position, free.orientation, free.velocity, free.spin};
  if (model.pinned) return end;
  end.orientation = orientation(from, body);
  end.spin = free.spin_t0 + answer.spin;
  rotate_freely(h, model.inertia, end.orientation, end.spin);
  end.position += h * (answer.velocity + answer.push_velocity);
  end.orientation = integrate(end.orientation, answer.push_spin, h);
  end.velocity += answer.velocity + answer.bounce_velocity;
  end.spin += answer.bounce_spin;
  return end;
}

Vec3 end_of_vertex(const Model& model, const Params& params, double h, const State& from, std::size_t body,
                   const FreeMotion& free, const ContactAnswer& answer, std::span<const ModeStep> modes,
                   std::size_t vertex, const BodyWork& work) {
  const FrameEnd end = end_of_frame(model, h, from, body, free, answer);
  Vec3 moved = Vec3::Zero();
  double square = 0;
  for (std::size_t k = 0; k < model.mode_count; ++k) {
    const double q = work.free_q[k] + modes[k].answer_q * work.impulses[k];
    moved += q * model.mode(k, vertex);
    square += q * q;
  }
  const double kept = kept_displacement(model, params, square);
  return end.position + end.orientation * (model.rest_position(vertex) + kept * moved);
}

StepReport step(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                const State& from, State& to, Work& work) {
  const ProfileZone zone("modal.step");
  const std::size_t count = from.count();
  SELKIE_CHECK(from.displacements.size() == count * model.mode_count && to.count() == count &&
                   to.displacements.size() == count * model.mode_count,
               "the state belongs to this model");
  for (const PointLoad& load : inputs.loads)
    SELKIE_CHECK(load.body < count && load.vertex < model.vertex_count, "a load on a vertex that exists");
  prepare_modes(model, params, interval.dt(), work.modes);
  const std::size_t blocks = (count + kBlockBodies - 1) / kBlockBodies;
  if (work.bodies.size() < blocks) work.bodies.resize(blocks);
  work.contact_counts.resize(count);
  const BodyStep one{model, params, inputs, interval, from, work.modes, to};
  work.pushes.resize(blocks);
  work.supports.resize(blocks);
  parallel_blocks(count, kBlockBodies, [&](std::size_t begin, std::size_t end) {
    std::vector<Push>& pushes = work.pushes[begin / kBlockBodies];
    std::vector<Support>& supports = work.supports[begin / kBlockBodies];
    pushes.clear();
    supports.clear();
    for (std::size_t b = begin; b < end; b += kTogether)
      one.advance(b, std::min(end, b + kTogether), work.bodies[begin / kBlockBodies], pushes, supports,
                  work.contact_counts.data() + b);
  });
  for (const std::vector<Push>& pushes : work.pushes)
    for (const Push& push : pushes) inputs.solids[push.solid]->push(push.point, push.impulse, interval.t0());
  StepReport report;
  report.contacts = std::accumulate(work.contact_counts.begin(), work.contact_counts.end(), 0);
  if (params.meet && count > 1)
    report.contacts +=
        meet(model, params, inputs.gravity, interval.dt(), work.supports, from, to, work.meeting);
  check_finite(model, to, report);
  return report;
}

void poison(Work& work) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  auto fill = [&](Buffer<double>& buffer) { std::fill(buffer.begin(), buffer.end(), kNan); };
  for (ModeStep& mode : work.modes) mode.answer_q = mode.answer_v = mode.free.qq = mode.free.vv = kNan;
  for (auto& together : work.bodies)
    for (BodyWork& body : together) {
      std::fill(body.surface.begin(), body.surface.end(), Vec3(Vec3::Constant(kNan)));
      for (NearVertex& near : body.near) near.distance = kNan;
      for (Contact& contact : body.contacts) contact.impulse = contact.velocity = Vec3::Constant(kNan);
      for (Buffer<double>* buffer : {&body.rows, &body.hold_modes, &body.start_q, &body.free_q, &body.free_v,
                                     &body.motion, &body.answers, &body.impulses})
        fill(*buffer);
    }
  std::fill(work.contact_counts.begin(), work.contact_counts.end(), 0x7b7b7b7b);
  Meeting& meeting = work.meeting;
  for (Buffer<double>* buffer : {&meeting.reach, &meeting.rows, &meeting.answers}) fill(*buffer);
  for (Buffer<Vec3>* buffer : {&meeting.start, &meeting.end, &meeting.push_velocity, &meeting.push_spin})
    std::fill(buffer->begin(), buffer->end(), Vec3(Vec3::Constant(kNan)));
  for (Buffer<std::uint32_t>* buffer : {&meeting.order, &meeting.place})
    std::fill(buffer->begin(), buffer->end(), 0x7b7b7b7bu);
  for (Encounter& encounter : meeting.encounters) encounter.impulse = Vec3::Constant(kNan);
}

}  // namespace selkie::modal
