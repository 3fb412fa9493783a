// Contacts in order: colours, groups of eight, and everything about them that stays the same during a step.
#include "selkie/solids/rigid/detail/groups.h"

#include <algorithm>
#include <bit>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"

namespace selkie::rigid::detail {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;
// Points of a manifold without forces to start from are gone over more than once, so that what lands flat stays flat.
constexpr int kRoundsWhereNew = 6;
constexpr int kColours = 63;  // what finds none of them free is solved alone, one after the other

bool active(const State& state, std::uint32_t i) { return is_dynamic(state, i) && !state.asleep[i]; }

// First free colour of both bodies, in the order of the touches: the same for any number of threads.
void colour_touches(const State& state, Work& work) {
  work.colours_used.assign(state.count(), 0);
  work.colour_of.resize(work.touches.size());
  std::array<std::uint32_t, kColours + 1> sizes{};
  for (std::size_t t = 0; t < work.touches.size(); ++t) {
    const Touch& touch = *work.touches[t];
    const bool moves_a = active(state, touch.a), moves_b = touch.b < kCollider && active(state, touch.b);
    if (!moves_a && !moves_b) {
      work.colour_of[t] = 255;
      continue;
    }
    std::uint64_t used = std::uint64_t{1} << kColours;
    if (moves_a) used |= work.colours_used[touch.a];
    if (moves_b) used |= work.colours_used[touch.b];
    const int colour = std::min(std::countr_one(used), kColours);
    if (colour < kColours) {
      if (moves_a) work.colours_used[touch.a] |= std::uint64_t{1} << colour;
      if (moves_b) work.colours_used[touch.b] |= std::uint64_t{1} << colour;
    }
    work.colour_of[t] = static_cast<std::uint8_t>(colour);
    ++sizes[static_cast<std::size_t>(colour)];
  }
  // Groups of a colour follow one another; each of the last colour is one contact.
  work.colour_begin.assign(1, 0);
  std::array<std::uint32_t, kColours + 1> place{};
  std::uint32_t groups = 0;
  for (int c = 0; c < kColours; ++c) {
    place[static_cast<std::size_t>(c)] = 8 * groups;
    if (sizes[static_cast<std::size_t>(c)] == 0) continue;
    groups += (sizes[static_cast<std::size_t>(c)] + 7) / 8;
    work.colour_begin.push_back(groups);
  }
  place[kColours] = 8 * groups;
  for (std::uint32_t k = 0; k < sizes[kColours]; ++k) work.colour_begin.push_back(++groups);
  work.lanes.assign(std::size_t{8} * groups, kNone);
  for (std::size_t t = 0; t < work.touches.size(); ++t) {
    if (work.colour_of[t] == 255) continue;
    std::uint32_t& at = place[work.colour_of[t]];
    work.lanes[at] = static_cast<std::uint32_t>(t);
    at += work.colour_of[t] == kColours ? 8 : 1;
  }
}

void set(Lane3& v, int l, const Vec3& from) { v.x[l] = from.x(), v.y[l] = from.y(), v.z[l] = from.z(); }

struct Arms {
  Lane3 a[4], b[4], middle_a, middle_b;
};

// Copies one manifold into lane l.
void fill_lane(const State& state, const Work& work, const Touch& touch, std::uint32_t moving_row, double h, int l,
               ContactGroup& g, Arms& arms) {
  const bool collider = touch.b >= kCollider;
  const auto none = static_cast<std::uint32_t>(state.count());
  g.a[l] = touch.a, g.b[l] = collider ? moving_row : touch.b;
  if (collider && moving_row == kNone) g.b[l] = none;
  if (active(state, touch.a)) g.movable_a |= 1u << l;
  if (!collider && active(state, touch.b)) g.movable_b |= 1u << l;
  g.points = std::max(g.points, touch.count);
  g.rolls = g.rolls || touch.rolling > 0;
  set(g.normal, l, touch.normal);
  const contact::Pose& a = work.poses[touch.a];
  static const contact::Pose world;
  const contact::Pose& b = collider ? world : work.poses[touch.b];
  double force = 0;
  for (int k = 0; k < touch.count; ++k) force += touch.memory.force[k];
  if (!(force > 0)) g.rounds = kRoundsWhereNew;
  Vec3 points[4], middle = Vec3::Zero(), middle_a = Vec3::Zero(), middle_b = Vec3::Zero();
  for (int k = 0; k < touch.count; ++k) {
    const Vec3 arm_a = a.axes * touch.on_a(k);
    const Vec3 on_b = b * touch.on_b(k);
    set(arms.a[k], l, arm_a);
    set(arms.b[k], l, collider ? Vec3(Vec3::Zero()) : Vec3(on_b - b.position));
    points[k] = 0.5 * (a.position + arm_a + on_b);
    middle += points[k] / touch.count;
    // Friction acts in the middle of an overlap. What is still apart meets where each surface is: half the way
    // between them would be a long lever.
    const Vec3 half = touch.separation[k] > 0 ? Vec3(Vec3::Zero()) : Vec3(0.5 * (on_b - a.position - arm_a));
    middle_a += (arm_a + half) / touch.count, middle_b += (on_b - half - b.position) / touch.count;
    g.row[k].separation[l] = touch.separation[k];
    g.row[k].impulse[l] = h * touch.memory.force[k];
    g.row[k].rebound[l] = touch.restitution;
    g.row[k].mass[l] = 1;
  }
  double radius = 0;
  for (int k = 0; k < touch.count; ++k) radius += (points[k] - middle).norm() / touch.count;
  g.twist_radius[l] = radius;
  set(arms.middle_a, l, middle_a);
  set(arms.middle_b, l, collider ? Vec3(Vec3::Zero()) : middle_b);
  set(g.across, l, h * Vec3(touch.memory.friction[0], touch.memory.friction[1], touch.memory.friction[2]));
  g.twist_impulse[l] = h * touch.memory.twist;
  g.friction[l] = touch.friction, g.friction_across[l] = touch.across;
  g.sliding[l] = touch.friction > 0 ? std::min(1.0, touch.sliding / touch.friction) : 1;
  g.rolling[l] = touch.rolling;
  if (!touch.grain.isZero(0)) {
    const Vec3 along = touch.grain - touch.grain.dot(touch.normal) * touch.normal;
    if (along.norm() > 1e-6 * touch.grain.norm()) set(g.tangent, l, along.normalized());
  }
}

Lane inverse_or_zero(Lane x) { return select(x > lane(0), lane(1) / select(x > lane(0), x, lane(1)), lane(0)); }

void set_tangents(ContactGroup& g) {
  const Lane3 n = g.normal;
  const Lane size = select(n.x < lane(0), -n.x, n.x);
  const LaneMask by_x = size < lane(0.6);
  Lane3 t{select(by_x, lane(0), -n.z), select(by_x, n.z, lane(0)), select(by_x, -n.y, n.x)};
  const Lane length = root(dot(t, t));
  t = inverse_or_zero(length) * t;
  const LaneMask given = dot(g.tangent, g.tangent) > lane(0.5);
  g.tangent = {select(given, g.tangent.x, t.x), select(given, g.tangent.y, t.y), select(given, g.tangent.z, t.z)};
  const Lane3 force = g.across;  // friction of the last step stands here so far
  g.across = cross(n, g.tangent);
  g.slide_impulse[0] = dot(force, g.tangent);
  g.slide_impulse[1] = dot(force, g.across);
}

// What stays the same during the step, for all lanes at once.
void finish_group(const Params& params, const Vec3& gravity, const Work& work, const Arms& arms, ContactGroup& g) {
  Columns c;
  gather(work.masses.data(), g.a, c);
  g.inverse_mass_a = c.c[0];
  g.inertia_a = {c.c[1], c.c[2], c.c[3], c.c[4], c.c[5], c.c[6]};
  gather(work.masses.data(), g.b, c);
  g.inverse_mass_b = c.c[0];
  g.inertia_b = {c.c[1], c.c[2], c.c[3], c.c[4], c.c[5], c.c[6]};
  Columns va, vb;
  gather(work.velocities.data(), g.a, va);
  gather(work.velocities.data(), g.b, vb);
  const Lane masses = g.inverse_mass_a + g.inverse_mass_b;
  const Lane3 n = g.normal;
  const Lane3 dv{va.c[0] - vb.c[0], va.c[1] - vb.c[1], va.c[2] - vb.c[2]};
  const Lane3 wa{va.c[3], va.c[4], va.c[5]}, wb{vb.c[3], vb.c[4], vb.c[5]};
  // Gravity along the gap, where only one side falls: it goes on while the gap closes.
  const Lane pull = lane(-gravity.x()) * n.x + lane(-gravity.y()) * n.y + lane(-gravity.z()) * n.z;
  const Lane falls = select(g.inverse_mass_b == lane(0), pull, select(g.inverse_mass_a == lane(0), -pull, lane(0)));
  for (int k = 0; k < g.points; ++k) {
    PointRow& row = g.row[k];
    row.turn_a = cross(arms.a[k], n), row.turn_b = cross(arms.b[k], n);
    row.answer_a = g.inertia_a * row.turn_a, row.answer_b = g.inertia_b * row.turn_b;
    const Lane share = masses + dot(row.turn_a, row.answer_a) + dot(row.turn_b, row.answer_b);
    row.mass = select(row.mass > lane(0), inverse_or_zero(share), lane(0));
    row.peak = lane(0);
    const Lane approach = -(dot(n, dv) + dot(row.turn_a, wa) - dot(row.turn_b, wb));
    const Lane at_impact = root(max0(approach * approach + lane(2) * max0(falls) * max0(row.separation)));
    row.rebound = select(approach > lane(params.bounce_speed), row.rebound * at_impact, lane(0));
  }
  set_tangents(g);
  const Lane3 axes[2] = {g.tangent, g.across};
  for (int k = 0; k < 2; ++k) {
    g.slide_a[k] = cross(arms.middle_a, axes[k]), g.slide_b[k] = cross(arms.middle_b, axes[k]);
    g.slide_answer_a[k] = g.inertia_a * g.slide_a[k], g.slide_answer_b[k] = g.inertia_b * g.slide_b[k];
    g.roll_mass[k] = inverse_or_zero(dot(axes[k], g.inertia_a * axes[k]) + dot(axes[k], g.inertia_b * axes[k]));
    g.roll_impulse[k] = lane(0);
  }
  const Lane k11 = masses + dot(g.slide_a[0], g.slide_answer_a[0]) + dot(g.slide_b[0], g.slide_answer_b[0]);
  const Lane k22 = masses + dot(g.slide_a[1], g.slide_answer_a[1]) + dot(g.slide_b[1], g.slide_answer_b[1]);
  const Lane k12 = dot(g.slide_a[0], g.slide_answer_a[1]) + dot(g.slide_b[0], g.slide_answer_b[1]);
  const Lane inverse = inverse_or_zero(k11 * k22 - k12 * k12);
  g.slide_mass[0] = k22 * inverse, g.slide_mass[1] = -k12 * inverse, g.slide_mass[2] = k11 * inverse;
  // Where one axis slides freely the other is held alone: the free slip must not leak into it.
  const LaneMask free_p = g.friction <= lane(0), free_q = g.friction_across <= lane(0);
  g.slide_mass[0] = select(free_q, inverse_or_zero(k11), g.slide_mass[0]);
  g.slide_mass[1] = select(free_p | free_q, lane(0), g.slide_mass[1]);
  g.slide_mass[2] = select(free_p, inverse_or_zero(k22), g.slide_mass[2]);
  g.twist_answer_a = g.inertia_a * n, g.twist_answer_b = g.inertia_b * n;
  g.twist_mass = inverse_or_zero(dot(n, g.twist_answer_a) + dot(n, g.twist_answer_b));
}

// Rows of the bodies; one more for what does not move, and one for each collider contact that does.
void fill_rows(const State& state, Work& work, std::vector<std::uint32_t>& moving) {
  const std::size_t count = state.count();
  moving.assign(work.touches.size(), kNone);
  auto rows = static_cast<std::uint32_t>(count + 1);
  for (std::size_t t = 0; t < work.touches.size(); ++t)
    if (work.touches[t]->b >= kCollider && !work.touches[t]->surface_velocity.isZero(0)) moving[t] = rows++;
  for (auto* buffer : {&work.velocities, &work.deltas, &work.pushes, &work.before, &work.masses}) buffer->resize(rows);
  for (std::size_t r = count; r < rows; ++r)
    for (auto* buffer : {&work.velocities, &work.deltas, &work.pushes, &work.before, &work.masses})
      (*buffer)[r] = Row8{};
  for (std::size_t t = 0; t < work.touches.size(); ++t)
    if (moving[t] != kNone) {
      const Vec3& v = work.touches[t]->surface_velocity;
      work.velocities[moving[t]] = Row8{{v.x(), v.y(), v.z()}};
    }
  parallel_for(
      count,
      [&](std::size_t i) {
        const Vec3 &v = state.velocities[i], &w = work.spins[i];
        work.velocities[i] = Row8{{v.x(), v.y(), v.z(), w.x(), w.y(), w.z()}};
        work.deltas[i] = work.pushes[i] = work.before[i] = Row8{};
        if (!active(state, static_cast<std::uint32_t>(i))) {
          work.masses[i] = Row8{};
          return;
        }
        const Mat3& r = work.poses[i].axes;
        const Vec3 inverse = state.inertias[i].cwiseInverse();
        const Mat3 m = r * inverse.asDiagonal() * r.transpose();
        work.masses[i] =
            Row8{{1 / state.masses[i], m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)}};
      },
      256);
}

}  // namespace

ContactGroup* groups_of(Work& work) { return static_cast<GroupBuffer*>(work.groups.get())->groups.data(); }

void build_groups(const Params& params, const Inputs& inputs, double h, double dt, State& state, Work& work) {
  (void)dt;
  if (!work.groups) work.groups = std::make_shared<GroupBuffer>();
  auto& buffer = static_cast<GroupBuffer*>(work.groups.get())->groups;
  fill_rows(state, work, work.order);
  colour_touches(state, work);
  const std::size_t count = work.lanes.size() / 8;
  if (buffer.size() < count) buffer.resize(count);
  parallel_for(
      count,
      [&](std::size_t group) {
        ContactGroup& g = buffer[group];
        g = ContactGroup{};
        g.rounds = 1;
        Arms arms{};
        std::fill_n(g.a, 8, static_cast<std::uint32_t>(state.count()));
        std::fill_n(g.b, 8, static_cast<std::uint32_t>(state.count()));
        for (int l = 0; l < 8; ++l) {
          const std::uint32_t t = work.lanes[8 * group + static_cast<std::size_t>(l)];
          if (t != kNone) fill_lane(state, work, *work.touches[t], work.order[t], h, l, g, arms);
        }
        finish_group(params, inputs.gravity, work, arms, g);
      },
      8);
}

void store_impulses(double h, Work& work) {
  ContactGroup* groups = groups_of(work);
  parallel_for(
      work.lanes.size() / 8,
      [&](std::size_t group) {
        const ContactGroup& g = groups[group];
        for (int l = 0; l < 8; ++l) {
          const std::uint32_t t = work.lanes[8 * group + static_cast<std::size_t>(l)];
          if (t == kNone) continue;
          TouchMemory& m = work.touches[t]->memory;
          const int count = work.touches[t]->count;
          work.touches[t]->pressed = 0;
          for (int k = 0; k < 4; ++k) {
            work.touches[t]->pressed += k < count && g.row[k].peak[l] > 0;
            const bool bounced = k < count && g.row[k].rebound[l] > 0 && g.row[k].peak[l] > 0;
            m.force[k] = k < count && !bounced ? g.row[k].impulse[l] / h : 0;
          }
          const double p = g.slide_impulse[0][l] / h, q = g.slide_impulse[1][l] / h;
          m.friction[0] = p * g.tangent.x[l] + q * g.across.x[l];
          m.friction[1] = p * g.tangent.y[l] + q * g.across.y[l];
          m.friction[2] = p * g.tangent.z[l] + q * g.across.z[l];
          m.twist = g.twist_impulse[l] / h;
        }
      },
      32);
}

}  // namespace selkie::rigid::detail
