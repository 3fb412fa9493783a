// The solver: the step in small parts, each with one sweep of impulses that undoes overlap, a move, and one sweep that
// leaves no velocity of the undoing behind. See step.h.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/core/phases.h"
#include "selkie/core/profile.h"
#include "selkie/math/rotation.h"
#include "selkie/solids/rigid/contacts.h"
#include "selkie/solids/rigid/detail/groups.h"
#include "selkie/solids/rigid/joints.h"
#include "selkie/solids/rigid/turn.h"

namespace selkie::rigid {
namespace {

constexpr std::size_t kBodyBlock = 128, kTouchBlock = 256;
constexpr std::size_t kGroupBlock = 2;
constexpr std::size_t kJointBlock = 8;

// A damped spring of `cycles` per part as coefficients of an implicit step. [Catto11]
struct Softness {
  double rate, mass_scale, impulse_scale;
};
Softness softness(double cycles, double damping_ratio, double h) {
  const double omega = 2 * std::numbers::pi * cycles / h;
  const double a1 = 2 * damping_ratio + h * omega, a2 = h * omega * a1;
  return {omega / a1, a2 / (1 + a2), 1 / (1 + a2)};
}

Vec3 linear_of(const Row8& row) { return Vec3(row.v[0], row.v[1], row.v[2]); }
Vec3 angular_of(const Row8& row) { return Vec3(row.v[3], row.v[4], row.v[5]); }
void put(Row8& row, const Vec3& v, const Vec3& w) {
  for (int k = 0; k < 3; ++k) row.v[k] = v[k], row.v[3 + k] = w[k];
}

bool is_isotropic(const Vec3& j) { return j.x() == j.y() && j.y() == j.z(); }

struct Solver {
  const Model& model;
  const Params& params;
  const Inputs& inputs;
  double h;
  State& state;
  Work& work;
  double kept_in_part = std::exp(-params.drag * h);  // of a velocity against the air

  bool active(std::size_t i) const { return is_dynamic(state, i) && !state.asleep[i]; }

  // Who is touched, joined or held takes part in the sweeps; everyone else flies freely.
  void mark_constrained() const {
    work.constrained.assign(state.count(), 0);
    for (const Touch* touch : work.touches) {
      work.constrained[touch->a] = 1;
      if (touch->b < kCollider) work.constrained[touch->b] = 1;
    }
    if (state.grabbed_body >= 0) work.constrained[static_cast<std::size_t>(state.grabbed_body)] = 1;
    gather_joints(model, h, state, work);
    for (const std::uint32_t j : work.joint_numbers) {
      work.constrained[model.joints[j].a] = 1;
      if (model.joints[j].b != kWorld) work.constrained[model.joints[j].b] = 1;
    }
  }

  // What lies deep in others leaves them, but no faster than anyone of them came: many pushes at once add up to a
  // velocity that one sweep does not take away again, and a crowd spawned in one place would explode (RT-02).
  void limit_speeds(double dt) const {
    constexpr double kDeep = 0.02;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    work.speed_limits.assign(state.count(), kInfinity);
    // Thin things sink into what they lie on by more than a share of themselves.
    const double omega = 2 * std::numbers::pi * params.contact_rate / h;
    const double sag = 10 * inputs.gravity.norm() / (omega * omega);
    auto speed = [&](std::uint32_t i) {
      return state.velocities[i].norm() + work.spins[i].norm() * std::min(bounding_radius(state, i), 1e9);
    };
    work.deep.resize(work.touches.size());
    parallel_for(
        work.touches.size(),
        [&](std::size_t t) {
          const Touch& touch = *work.touches[t];
          const double size = std::min(thickness(work.shapes[touch.a]),
                                       touch.b < kCollider ? thickness(work.shapes[touch.b]) : kInfinity);
          work.deep[t] = *std::min_element(touch.separation, touch.separation + touch.count) <= -kDeep * size - sag;
        },
        kTouchBlock);
    for (std::size_t t = 0; t < work.touches.size(); ++t) {
      if (!work.deep[t]) continue;
      const Touch* touch = work.touches[t];
      const double other = touch->b < kCollider ? speed(touch->b) : touch->surface_velocity.norm();
      const double limit =
          (1 + touch->restitution) * std::max(speed(touch->a), other) + dt * inputs.gravity.norm();
      for (const std::uint32_t i : {touch->a, touch->b}) {
        if (i >= kCollider) continue;
        double& known = work.speed_limits[i];
        known = known == kInfinity ? limit : std::max(known, limit);
      }
    }
  }

  // The force with which contacts resist the hand, N.
  Vec3 held_back() const {
    Vec3 force = Vec3::Zero();
    for (const Touch* touch : work.touches) {
      const double side = touch->a == state.grabbed_body ? 1 : touch->b == state.grabbed_body ? -1 : 0;
      for (int k = 0; k < touch->count; ++k) force += side * touch->memory.force[k] * touch->normal;
    }
    return force;
  }

  void begin_part(std::size_t i, bool first) const {
    if (i >= state.count() || !work.constrained[i] || !active(i)) return;
    Row8& row = work.velocities[i];
    Vec3 v = params.wind + kept_in_part * (linear_of(row) - params.wind) + h * inputs.gravity,
         w = kept_in_part * angular_of(row);
    if (!inputs.forces.empty()) v += h / state.masses[i] * inputs.forces[i];
    if (!inputs.torques.empty()) w += h * (inverse_inertia(state, i) * inputs.torques[i]);
    // Contacts and joints come after the hand and have the last word.
    if (static_cast<std::int64_t>(i) == state.grabbed_body)
      hold(params, h, state, state.positions[i] + linear_of(work.deltas[i]), work.turns[i], held_back(), v, w);
    put(work.before[i], v, w);
    // Impulses of the last part act again: directions are the same, so the sum per body is.
    for (int k = 0; k < 6; ++k) row.v[k] = work.before[i].v[k] + (first ? 0 : work.pushes[i].v[k]);
  }

  void move(std::size_t i) const {
    const Row8& row = work.velocities[i];
    if (i >= state.count()) {  // colliders go on at their speed
      for (int k = 0; k < 6; ++k) work.deltas[i].v[k] += h * row.v[k];
      return;
    }
    if (!work.constrained[i]) return;
    // Pushes of many add up in the way as well.
    const double most = work.speed_limits[i] + params.push_out_speed, speed = linear_of(row).norm();
    const double share = speed > most ? most / speed : 1;
    for (int k = 0; k < 6; ++k) work.deltas[i].v[k] += h * share * row.v[k];
    if (active(i)) turn(i);
  }

  // Turns by ω h and keeps the angular momentum: ω of an uneven body changes with its orientation.
  void turn(std::size_t i) const {
    Row8& row = work.velocities[i];
    const Vec3 w = angular_of(row);
    const Quat before = work.turns[i];
    work.turns[i] = integrate(before, w, h);
    const Vec3& j = state.inertias[i];
    if (is_isotropic(j)) return;
    const Vec3 momentum = before * Vec3(before.conjugate() * w).cwiseProduct(j);
    const Quat& q = work.turns[i];
    Vec3 next = q * Vec3(q.conjugate() * momentum).cwiseQuotient(j);
    // The rule is explicit: it must not feed on what it does not resolve.
    const double energy = momentum.dot(w), after = momentum.dot(next);
    if (after > energy && after > 0) next *= std::sqrt(energy / after);
    for (int k = 0; k < 3; ++k) work.before[i].v[3 + k] += next[k] - w[k], row.v[3 + k] = next[k];
  }

  void prepare_joint(std::size_t k) const {
    set_rows(model.joints[work.joint_numbers[k]], h, state, work, work.joints[k]);
    warm_start(work.joints[k], work);
  }

  void end_part(std::size_t i) const {
    if (i >= state.count() || !work.constrained[i] || !active(i)) return;
    for (int k = 0; k < 6; ++k) work.pushes[i].v[k] = work.velocities[i].v[k] - work.before[i].v[k];
  }

  detail::SweepRule contact_rule(bool undo) const {
    const Softness soft = softness(params.contact_rate, 10, h);
    return {undo, h, soft.rate, undo ? soft.mass_scale : 1, undo ? soft.impulse_scale : 0, params.push_out_speed};
  }
  JointRule joint_rule(bool undo) const {
    const Softness soft = softness(2 * params.contact_rate, 2, h);
    return {undo, h, soft.rate, soft.mass_scale, soft.impulse_scale};
  }

  void finish(double dt) const {
    parallel_for(
        state.count(),
        [&](std::size_t i) {
          if (!active(i)) return;
          if (!work.constrained[i]) return fly(i, dt);
          state.positions[i] += linear_of(work.deltas[i]);
          state.orientations[i] = work.turns[i].coeffs();
          Vec3 v = linear_of(work.velocities[i]), w = angular_of(work.velocities[i]);
          if (const double limit = work.speed_limits[i]; std::isfinite(limit)) {
            const double speed = v.norm() + std::min(bounding_radius(state, i), 1e9) * w.norm();
            if (speed > limit) v *= limit / speed, w *= limit / speed;
          }
          state.velocities[i] = v;
          set_angular_velocity(state, i, w);
        },
        kBodyBlock);
    for (std::size_t k = 0; k < work.joints.size(); ++k) {
      const std::uint32_t j = work.joint_numbers[k];
      double force = 0;
      for (int r = 0; r < work.joints[k].rows; ++r) {
        state.joint_forces[j][r] = work.joints[k].impulse[r] / h;
        if (!work.joints[k].row[r].linear.isZero(0)) force = std::hypot(force, state.joint_forces[j][r]);
      }
      if (model.joints[j].break_force > 0 && force > model.joints[j].break_force) {
        state.joints_broken[j] = 1;
        state.joint_forces[j].setZero();
      }
    }
  }

  // Exact: a parabola, and a constant angular momentum.
  void fly(std::size_t i, double dt) const {
    Vec3 acceleration = inputs.gravity;
    if (!inputs.forces.empty()) acceleration += inputs.forces[i] / state.masses[i];
    const Vec3 v = state.velocities[i];
    state.velocities[i] = v + dt * acceleration;
    if (params.drag > 0) {
      const double kept = std::exp(-params.drag * dt);
      state.velocities[i] = params.wind + kept * (state.velocities[i] - params.wind);
      state.angular_momenta[i] *= kept;
    }
    state.positions[i] += 0.5 * dt * (v + state.velocities[i]);
    if (!inputs.torques.empty()) state.angular_momenta[i] += dt * inputs.torques[i];
    Quat q = orientation(state, i);
    for (int s = 0; s < params.substeps; ++s)
      turn_freely(params.turn_rule, h, state.inertias[i], state.angular_momenta[i], q);
    state.orientations[i] = q.coeffs();
  }
};

// What happens in a step, in order, as parallel loops over bodies, joints or groups of contacts that share no body:
// one call of the threads for all of them, because each takes some microseconds only.
class Plan {
 public:
  explicit Plan(const Solver& solver) : solver_(solver), work_(solver.work) {
    work_.phases.clear(), work_.tasks.clear();
    const Params& params = solver.params;
    for (int s = 0; s < params.substeps; ++s) {
      add(s == 0 ? PartTask::begin_first : PartTask::begin_next, 0, work_.velocities.size(), kBodyBlock);
      add_colours(PartTask::prepare_joints, work_.joint_colour_begin, kJointBlock);
      if (s == 0) add_colours(PartTask::warm_start, work_.colour_begin, kGroupBlock);
      for (int n = 0; n < params.iterations; ++n) {
        add_colours(PartTask::undo_joints, work_.joint_colour_begin, kJointBlock);
        add_colours(PartTask::undo_contacts, work_.colour_begin, kGroupBlock);
      }
      add(PartTask::move, 0, work_.velocities.size(), kBodyBlock);
      for (int n = 0; n < params.iterations; ++n) {
        add_colours(PartTask::relax_joints, work_.joint_colour_begin, kJointBlock);
        add_colours(PartTask::relax_contacts, work_.colour_begin, kGroupBlock);
      }
    }
    for (int n = 0; n < std::max(1, params.iterations); ++n)
      add_colours(PartTask::bounce, work_.colour_begin, kGroupBlock);
  }

  void run() const {
    const detail::SweepRule undo = solver_.contact_rule(true), relax = solver_.contact_rule(false);
    const JointRule undo_joint = solver_.joint_rule(true), relax_joint = solver_.joint_rule(false);
    detail::ContactGroup* groups = detail::groups_of(work_);
    parallel_phases(work_.phases, [&](std::size_t phase, std::size_t begin, std::size_t end) {
      const auto& [task, first] = work_.tasks[phase];
      for (std::size_t i = first + begin; i < first + end; ++i) switch (task) {
          case PartTask::begin_first: solver_.begin_part(i, true); break;
          case PartTask::begin_next: solver_.end_part(i), solver_.begin_part(i, false); break;
          case PartTask::prepare_joints: solver_.prepare_joint(i); break;
          case PartTask::undo_joints: sweep(undo_joint, work_.joints[i], work_); break;
          case PartTask::relax_joints: sweep(relax_joint, work_.joints[i], work_); break;
          case PartTask::warm_start: detail::warm_start(groups[i], work_); break;
          case PartTask::undo_contacts: detail::sweep(groups[i], undo, work_); break;
          case PartTask::relax_contacts: detail::sweep(groups[i], relax, work_); break;
          case PartTask::move: solver_.move(i); break;
          case PartTask::bounce: detail::bounce(groups[i], work_); break;
        }
    });
  }

 private:
  void add(PartTask task, std::size_t begin, std::size_t end, std::size_t block) const {
    if (begin == end) return;
    work_.phases.push_back({end - begin, block});
    work_.tasks.push_back({task, begin});
  }

  // Always in the same order: taking turns forwards and backwards let tall stacks swing a thousand times longer.
  // Small colours in a row, which are not worth a hand-over, are one block.
  void add_colours(PartTask task, const std::vector<std::uint32_t>& begins, std::size_t block) const {
    std::size_t waiting = begins.empty() ? 0 : begins.front();
    for (std::size_t c = 0; c + 1 < begins.size(); ++c) {
      if (begins[c + 1] - begins[c] <= block) continue;
      add(task, waiting, begins[c], begins[c] - waiting);
      add(task, begins[c], begins[c + 1], block);
      waiting = begins[c + 1];
    }
    if (!begins.empty()) add(task, waiting, begins.back(), begins.back() - waiting);
  }

  const Solver& solver_;
  Work& work_;
};

}  // namespace

void hold(const Params& params, double h, const State& state, const Vec3& position, const Quat& turn,
          const Vec3& resistance, Vec3& v, Vec3& w) {
  constexpr double kLag = 0.03;       // s
  constexpr double kHeldSpinRate = 5;  // 1/s: what is held by one point must not dangle for ever
  const auto i = static_cast<std::size_t>(state.grabbed_body);
  w *= std::exp(-kHeldSpinRate * h);
  const Vec3 arm = turn * state.grab_point;
  Vec3 wanted = (state.grab_target - position - arm) / (h + kLag);
  if (const double speed = wanted.norm(); speed > params.grab_speed) wanted *= params.grab_speed / speed;
  // Against what is in the way the hand presses lightly.
  constexpr double kPress = 0.02;
  if (const double size = resistance.norm(); size > 0) {
    const Vec3 n = resistance / size;
    wanted -= (1 - kPress) * std::min(0.0, wanted.dot(n)) * n;
  }
  const Mat3 r = skew(arm), inertia = inverse_inertia(state, i);
  const Mat3 mobility = Mat3::Identity() / state.masses[i] - r * inertia * r;
  const Vec3 impulse = mobility.inverse() * (wanted - v - w.cross(arm));
  v += impulse / state.masses[i];
  w += inertia * arm.cross(impulse);
}

void solve(const Model& model, const Params& params, const Inputs& inputs, double dt, State& state, Work& work) {
  const ProfileZone zone("rigid.solve");
  const double h = dt / params.substeps;
  const Solver solver{model, params, inputs, h, state, work};
  solver.mark_constrained();
  {
    const ProfileZone inner("rigid.build_groups");
    detail::build_groups(params, inputs, h, dt, state, work);
  }
  work.turns.resize(state.count());
  for (std::size_t i = 0; i < state.count(); ++i) work.turns[i] = orientation(state, i);
  solver.limit_speeds(dt);
  {
    const ProfileZone inner("rigid.parts");
    Plan(solver).run();
  }
  detail::store_impulses(h, work);
  solver.finish(dt);
}

}  // namespace selkie::rigid
