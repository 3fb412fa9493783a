// Sequential impulses: each contact in turn is given the impulse that makes its relative velocity admissible,
// with accumulated impulses clamped, again and again. [Catto05] Overlap is undone by a second set of
// velocities that moves bodies in this step and is then forgotten, so that pushing out adds no energy
// (RT-02).
#include <algorithm>
#include <cmath>

#include "selkie/core/profile.h"
#include "selkie/math/rotation.h"
#include "selkie/solids/rigid/step.h"

namespace selkie::rigid {
namespace {

struct Solver {
  const Params& params;
  double dt;
  double slowest_bounce;  // m/s
  State& state;
  Work& work;

  Mat3 mobility(std::size_t i, const Vec3& arm) const {
    const Mat3 r = skew(arm);
    return Mat3::Identity() / state.masses[i] - r * work.inverse_inertias[i] * r;
  }
  Vec3 relative_velocity(const Contact& c) const {
    const Vec3 a = state.velocities[c.a] + state.angular_velocities[c.a].cross(c.arm_a);
    if (c.b < 0) return a - c.surface_velocity;
    const auto b = static_cast<std::size_t>(c.b);
    return a - state.velocities[b] - state.angular_velocities[b].cross(c.arm_b);
  }
  void apply(std::size_t i, const Vec3& arm, const Vec3& impulse, Buffer<Vec3>& v, Buffer<Vec3>& w) const {
    v[i] += impulse / state.masses[i];
    w[i] += work.inverse_inertias[i] * arm.cross(impulse);
  }
  void apply(const Contact& c, const Vec3& impulse, Buffer<Vec3>& v, Buffer<Vec3>& w) const {
    apply(c.a, c.arm_a, impulse, v, w);
    if (c.b >= 0) apply(static_cast<std::size_t>(c.b), c.arm_b, -impulse, v, w);
  }

  void prepare(Contact& c) const {
    Mat3 k = mobility(c.a, c.arm_a);
    double size = state.half_sizes[c.a].minCoeff();
    if (c.b >= 0) {
      k += mobility(static_cast<std::size_t>(c.b), c.arm_b);
      size = std::min(size, state.half_sizes[static_cast<std::size_t>(c.b)].minCoeff());
    }
    c.tangents[0] = any_perpendicular(c.normal);
    c.tangents[1] = c.normal.cross(c.tangents[0]);
    c.normal_mass = 1 / c.normal.dot(k * c.normal);
    for (std::size_t t = 0; t < 2; ++t) c.tangent_masses[t] = 1 / c.tangents[t].dot(k * c.tangents[t]);
    const double approach = -relative_velocity(c).dot(c.normal);
    const bool bounces = approach > slowest_bounce && approach * dt >= c.separation;
    c.target = bounces && c.restitution > 0 ? c.restitution * approach : -std::max(0.0, c.separation) / dt;
    // A little overlap is kept, so that resting contacts do not come and go; the rest is undone by and by.
    const double slop = std::min(5e-4, 0.01 * size);
    c.push_target = std::min(params.push_out_speed, 0.2 * std::max(0.0, -c.separation - slop) / dt);
  }

  // Returns by how much the relative velocity of the contact was changed, m/s.
  double solve(Contact& c) const {
    // Friction first, against the normal impulse found so far: the normal condition has the last word.
    const Vec3 slip = relative_velocity(c);
    std::array<double, 2> wanted{};
    for (std::size_t t = 0; t < 2; ++t)
      wanted[t] = c.tangent_impulses[t] - c.tangent_masses[t] * slip.dot(c.tangents[t]);
    const double size = std::hypot(wanted[0], wanted[1]), limit = c.friction * c.normal_impulse;
    const double share = size > limit ? limit / size : 1;
    Vec3 impulse = Vec3::Zero();
    for (std::size_t t = 0; t < 2; ++t) {
      impulse += (share * wanted[t] - c.tangent_impulses[t]) * c.tangents[t];
      c.tangent_impulses[t] = share * wanted[t];
    }
    apply(c, impulse, state.velocities, state.angular_velocities);

    const double missing = c.target - relative_velocity(c).dot(c.normal);
    const double total = std::max(0.0, c.normal_impulse + c.normal_mass * missing);
    apply(c, (total - c.normal_impulse) * c.normal, state.velocities, state.angular_velocities);
    const double change = (std::abs(total - c.normal_impulse) + impulse.norm()) / c.normal_mass;
    c.normal_impulse = total;
    return change;
  }

  void push_out(Contact& c) const {
    Vec3 v = work.push_velocities[c.a] + work.push_rotations[c.a].cross(c.arm_a);
    if (c.b >= 0) {
      const auto b = static_cast<std::size_t>(c.b);
      v -= work.push_velocities[b] + work.push_rotations[b].cross(c.arm_b);
    }
    const double total = std::max(0.0, c.push_impulse + c.normal_mass * (c.push_target - v.dot(c.normal)));
    apply(c, (total - c.push_impulse) * c.normal, work.push_velocities, work.push_rotations);
    c.push_impulse = total;
  }

  // The held point follows its target with a lag of kLag and a capped speed: kinematic, hence the same for
  // any mass, and it cannot overshoot (RT-48).
  void hold(std::size_t i) const {
    constexpr double kLag = 0.03;  // s
    const Vec3 arm = orientation(state, i) * state.grab_point;
    Vec3 wanted = (state.grab_target - state.positions[i] - arm) / (dt + kLag);
    if (const double speed = wanted.norm(); speed > params.grab_speed) wanted *= params.grab_speed / speed;
    const Vec3 missing = wanted - state.velocities[i] - state.angular_velocities[i].cross(arm);
    apply(i, arm, mobility(i, arm).inverse() * missing, state.velocities, state.angular_velocities);
  }
};

}  // namespace

void solve_contacts(const Params& params, const Inputs& inputs, double dt, State& state, Work& work) {
  const ProfileZone zone("rigid.solve_contacts");
  const std::size_t count = state.count();
  work.inverse_inertias.resize(count);
  for (std::size_t i = 0; i < count; ++i) work.inverse_inertias[i] = inverse_inertia(state, i);
  work.push_velocities.assign(count, Vec3::Zero());
  work.push_rotations.assign(count, Vec3::Zero());
  const Solver solver{params, dt, 2 * dt * inputs.gravity.norm(), state, work};
  for (Contact& c : work.contacts) solver.prepare(c);
  const bool held = state.grabbed_body >= 0;
  const double settled = 1e-5 * dt * inputs.gravity.norm() + 1e-9;
  for (int n = 0; n < (held || !work.contacts.empty() ? params.iterations : 0); ++n) {
    double change = 0;
    if (held) solver.hold(static_cast<std::size_t>(state.grabbed_body));
    for (Contact& c : work.contacts) change = std::max(change, solver.solve(c));
    if (change < settled && !held) break;
  }
  const bool overlaps = std::any_of(work.contacts.begin(), work.contacts.end(),
                                    [](const Contact& c) { return c.push_target > 0; });
  for (int n = 0; n < (overlaps ? params.iterations : 0); ++n)
    for (Contact& c : work.contacts) solver.push_out(c);
}

}  // namespace selkie::rigid
