// Impulses of encounters; see encounters.h.
#include <algorithm>
#include <cmath>

#include "selkie/math/rotation.h"
#include "selkie/solids/modal/detail/meeting.h"

namespace selkie::modal::detail {
namespace {

// I⁻¹ of a body's frame times a vector, both in the world; nothing for pinned bodies.
Vec3 turn_by(const Meet& m, std::size_t body, const Vec3& moment) {
  if (m.model.pinned) return Vec3::Zero();
  const Quat turned = orientation(m.to, body);
  return turned * Vec3((turned.conjugate() * moment).cwiseQuotient(m.model.inertia));
}

double inverse_mass(const Meet& m) { return m.model.pinned ? 0 : 1 / m.model.mass; }

// Rows of encounter n: [side][axis][mode].
double* row(const Meet& m, std::size_t n, std::size_t side, std::size_t axis) {
  return m.work.rows.data() + ((n * 2 + side) * 3 + axis) * m.model.mode_count;
}

// Velocity of a relative to b along the axes.
Vec3 seen(const Meet& m, std::size_t n) {
  const Encounter& e = m.work.encounters[n];
  const State& s = m.to;
  Vec3 u = Vec3::Zero();
  auto add = [&](std::size_t side, std::uint32_t body, const Vec3& arm, double sign) {
    u += sign * (e.axes.transpose() * (s.velocities[body] + s.angular_velocities[body].cross(arm)));
    const double* v = s.rates.data() + body * m.model.mode_count;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double* r = row(m, n, side, axis);
      double sum = 0;
      for (std::size_t k = 0; k < m.model.mode_count; ++k) sum += r[k] * v[k];
      u[static_cast<Eigen::Index>(axis)] += sign * sum;
    }
  };
  add(0, e.a, e.arm_a, 1);
  if (e.b != kNobody) add(1, e.b, e.arm_b, -1);
  return u;
}

void give(const Meet& m, std::size_t n, const Vec3& along_axes) {
  const Encounter& e = m.work.encounters[n];
  const Vec3 impulse = e.axes * along_axes;
  State& s = m.to;
  auto take = [&](std::size_t side, std::uint32_t body, const Vec3& arm, double sign) {
    s.velocities[body] += sign * inverse_mass(m) * impulse;
    s.angular_velocities[body] += sign * turn_by(m, body, arm.cross(impulse));
    double* v = s.rates.data() + body * m.model.mode_count;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double* r = row(m, n, side, axis);
      const double p = sign * along_axes[static_cast<Eigen::Index>(axis)];
      for (std::size_t k = 0; k < m.model.mode_count; ++k) v[k] += m.work.answers[k] * r[k] * p;
    }
  };
  take(0, e.a, e.arm_a, 1);
  if (e.b != kNobody) take(1, e.b, e.arm_b, -1);
}

double frame_mobility(const Meet& m, const Encounter& e, const Vec3& d, const Vec3& f) {
  auto of = [&](std::uint32_t body, const Vec3& arm) {
    return inverse_mass(m) * d.dot(f) + arm.cross(d).dot(turn_by(m, body, arm.cross(f)));
  };
  return of(e.a, e.arm_a) + (e.b == kNobody ? 0 : of(e.b, e.arm_b));
}

// Friction first, against the normal impulse found so far: the normal condition has the last word.
Vec3 wanted_impulse(const Encounter& e, Vec3 missing) {
  Vec3 p = e.impulse;
  if (e.friction > 0) {
    const double limit = e.friction * p[0];
    const double first = p[1] + missing[1] / e.mobility(1, 1), second = p[2] + missing[2] / e.mobility(2, 2);
    const double size = std::hypot(first, second), share = size > limit ? limit / size : 1;
    missing[0] -= e.mobility(0, 1) * (share * first - p[1]) + e.mobility(0, 2) * (share * second - p[2]);
    p[1] = share * first, p[2] = share * second;
  }
  p[0] = std::max(0.0, p[0] + missing[0] / e.mobility(0, 0));
  return p;
}

}  // namespace

void fill_rows(const Meet& m) {
  Meeting& work = m.work;
  const std::size_t modes = m.model.mode_count;
  work.rows.resize(work.encounters.size() * 6 * modes);
  // Backward Euler over the step, q̇ = φᵀp / (1 + λh²): a mode faster than that gives way, and rings by
  // little.
  work.answers.resize(modes);
  for (std::size_t k = 0; k < modes; ++k)
    work.answers[k] = 1 / (1 + m.params.stiffness_factor * m.model.eigenvalues[k] * m.h * m.h);
  for (std::size_t n = 0; n < work.encounters.size(); ++n) {
    Encounter& e = work.encounters[n];
    const Mat3 seen_a = orientation(m.to, e.a).conjugate().toRotationMatrix() * e.axes;
    Mat3 seen_b = Mat3::Zero();
    if (e.b != kNobody) seen_b = orientation(m.to, e.b).conjugate().toRotationMatrix() * e.axes;
    for (std::size_t k = 0; k < modes; ++k) {
      const Vec3 a = seen_a.transpose() * m.model.mode(k, e.vertex);
      Vec3 phi = Vec3::Zero();
      for (std::size_t c = 0; c < 3; ++c)
        phi += e.weights[static_cast<Eigen::Index>(c)] * m.model.mode(k, e.corners[c]);
      const Vec3 b = seen_b.transpose() * phi;
      for (std::size_t axis = 0; axis < 3; ++axis)
        row(m, n, 0, axis)[k] = a[static_cast<Eigen::Index>(axis)],
                     row(m, n, 1, axis)[k] = b[static_cast<Eigen::Index>(axis)];
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j) {
        double sum = frame_mobility(m, e, e.axes.col(i), e.axes.col(j));
        if (i == 0) e.push_mobility = sum;
        for (std::size_t side = 0; side < 2; ++side)
          for (std::size_t k = 0; k < modes; ++k)
            sum += work.answers[k] * row(m, n, side, static_cast<std::size_t>(i))[k] *
                   row(m, n, side, static_cast<std::size_t>(j))[k];
        e.mobility(i, j) = e.mobility(j, i) = sum;
      }
  }
}

void stop_approach(const Meet& m) {
  // What a body's own step left at its supports is not for encounters to judge.
  for (std::size_t n = 0; n < m.work.encounters.size(); ++n)
    if (Encounter& e = m.work.encounters[n]; e.b == kNobody) e.target = std::min(0.0, seen(m, n)[0]);
  for (int round = 0; round < m.params.iterations; ++round) {
    double change = 0;
    for (std::size_t n = 0; n < m.work.encounters.size(); ++n) {
      Encounter& e = m.work.encounters[n];
      const Vec3 missing = Vec3(e.target, 0, 0) - seen(m, n);
      const Vec3 impulse = wanted_impulse(e, missing), p = impulse - e.impulse;
      if (p.isZero(0)) continue;
      e.impulse = impulse;
      give(m, n, p);
      change = std::max(change, p.cwiseAbs().dot(e.mobility.diagonal()));
    }
    if (change < 1e-6) break;  // m/s
  }
}

void push_apart(const Meet& m) {
  auto& encounters = m.work.encounters;
  if (m.model.pinned ||
      std::none_of(encounters.begin(), encounters.end(), [](const Encounter& e) { return e.push > 0; }))
    return;
  m.work.push_velocity.assign(m.to.count(), Vec3::Zero());
  m.work.push_spin.assign(m.to.count(), Vec3::Zero());
  Buffer<Vec3>&v = m.work.push_velocity, &w = m.work.push_spin;
  for (int round = 0; round < m.params.iterations; ++round) {
    double change = 0;
    for (Encounter& e : encounters) {
      const Vec3 n = e.axes.col(0);
      double moving = n.dot(v[e.a] + w[e.a].cross(e.arm_a));
      if (e.b != kNobody) moving -= n.dot(v[e.b] + w[e.b].cross(e.arm_b));
      const double total = std::max(0.0, e.push_impulse + (e.push - moving) / e.push_mobility);
      const Vec3 p = (total - e.push_impulse) * n;
      e.push_impulse = total;
      v[e.a] += inverse_mass(m) * p, w[e.a] += turn_by(m, e.a, e.arm_a.cross(p));
      if (e.b != kNobody) v[e.b] -= inverse_mass(m) * p, w[e.b] -= turn_by(m, e.b, e.arm_b.cross(p));
      change = std::max(change, p.norm() * e.push_mobility);
    }
    if (change < 1e-6) break;
  }
  for (const Encounter& e : encounters)
    for (const std::uint32_t b : {e.a, e.b}) {
      if (b == kNobody) continue;
      m.to.positions[b] += m.h * v[b];
      m.to.orientations[b] = integrate(orientation(m.to, b), w[b], m.h).coeffs();
      v[b] = w[b] = Vec3::Zero();
    }
}

}  // namespace selkie::modal::detail
