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

namespace selkie::modal {
namespace {

constexpr std::size_t kBlockBodies = 8;  // that share scratch

void resize(const Model& model, BodyWork& work) {
  work.surface.resize(model.vertex_count);
  for (Buffer<double>* buffer : {&work.free_q, &work.free_v, &work.mean_rates, &work.answers, &work.impulses})
    buffer->resize(model.padded_modes);
}

// Displacements beyond all meaning are cut, with their rates, so that no abuse tears a body apart (RT-02).
void limit_displacement(const Model& model, const Params& params, double* q, double* v) {
  double square = 0;
  for (std::size_t k = 0; k < model.mode_count; ++k) square += q[k] * q[k];
  const double most = params.largest_displacement * model.radius, size = std::sqrt(square / model.mass);
  if (!(size > most)) return;
  for (std::size_t k = 0; k < model.mode_count; ++k) q[k] *= most / size, v[k] *= most / size;
}

struct BodyStep {
  const Model& model;
  const Params& params;
  const Inputs& inputs;
  Interval interval;
  const State& from;
  std::span<const ModeStep> modes;
  State& to;

  void move_frame(std::size_t body, const FreeMotion& free, const ContactAnswer& answer, bool touched) const {
    to.positions[body] = free.position;
    to.orientations[body] = free.orientation.coeffs();
    to.velocities[body] = free.velocity;
    to.angular_velocities[body] = free.spin;
    if (!touched || model.pinned) return;
    const double h = interval.dt();
    Quat q = orientation(from, body);
    Vec3 spin = free.spin_t0 + answer.spin;
    rotate_freely(h, model.inertia, q, spin);
    to.positions[body] += h * (answer.velocity + answer.push_velocity);
    to.orientations[body] = integrate(q, answer.push_spin, h).coeffs();
    to.velocities[body] += answer.velocity + answer.bounce_velocity;
    to.angular_velocities[body] = spin + answer.bounce_spin;
  }

  // Returns how many vertices touched.
  std::int32_t advance(std::size_t body, BodyWork& work) const {
    const FreeMotion free = move_freely(model, params, inputs, interval.dt(), from, body, modes, work);
    const bool held = static_cast<std::int64_t>(body) == from.grabbed_body;
    ContactAnswer answer;
    work.contacts.clear();
    if (held || !inputs.colliders.empty())
      answer = answer_contacts(model, params, inputs, interval, from, body, free, modes, work);
    const bool touched = !work.contacts.empty();
    move_frame(body, free, answer, touched);
    double* q = to.displacements.data() + body * model.mode_count;
    double* v = to.rates.data() + body * model.mode_count;
    for (std::size_t k = 0; k < model.mode_count; ++k) {
      const double p = touched ? work.impulses[k] : 0;
      q[k] = work.free_q[k] + modes[k].answer_q * p;
      v[k] = work.free_v[k] + modes[k].answer_v * p;
    }
    limit_displacement(model, params, q, v);
    return static_cast<std::int32_t>(std::count_if(work.contacts.begin(), work.contacts.end(),
                                                   [](const Contact& c) { return c.impulse[0] > 0; }));
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
    const bool slow = lambda * h * h < 1;
    mode.answer_q = slow ? mode.free.qv : mode.free.qf / h;
    mode.answer_v = slow ? mode.free.vv : mode.free.vf / h;
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
    const double f = work.free_v[k], q = from.displacements[body * model.mode_count + k],
                 v = from.rates[body * model.mode_count + k];
    work.free_q[k] = t.qq * q + t.qv * v + t.qf * f;
    work.free_v[k] = t.vq * q + t.vv * v + t.vf * f;
  }
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
  parallel_blocks(count, kBlockBodies, [&](std::size_t begin, std::size_t end) {
    BodyWork& scratch = work.bodies[begin / kBlockBodies];
    resize(model, scratch);
    for (std::size_t b = begin; b < end; ++b) work.contact_counts[b] = one.advance(b, scratch);
  });
  StepReport report;
  report.contacts = std::accumulate(work.contact_counts.begin(), work.contact_counts.end(), 0);
  check_finite(model, to, report);
  return report;
}

void poison(Work& work) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  auto fill = [&](Buffer<double>& buffer) { std::fill(buffer.begin(), buffer.end(), kNan); };
  for (ModeStep& mode : work.modes) mode.answer_q = mode.answer_v = mode.free.qq = mode.free.vv = kNan;
  for (BodyWork& body : work.bodies) {
    std::fill(body.surface.begin(), body.surface.end(), Vec3(Vec3::Constant(kNan)));
    for (NearVertex& near : body.near) near.distance = kNan;
    for (Contact& contact : body.contacts) contact.impulse = contact.velocity = Vec3::Constant(kNan);
    fill(body.rows), fill(body.free_q), fill(body.free_v), fill(body.mean_rates), fill(body.answers),
        fill(body.impulses);
  }
  std::fill(work.contact_counts.begin(), work.contact_counts.end(), 0x7b7b7b7b);
}

}  // namespace selkie::modal
