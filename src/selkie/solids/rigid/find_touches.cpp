// The narrow phase: manifolds of pairs, kept, refreshed or found anew, with the forces of the last step. See
// contacts.h.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/solids/rigid/contacts.h"

namespace selkie::rigid {
namespace {

constexpr std::size_t kBlock = 64;
// Points are kept while the bodies have moved against each other by less than this, as a share of the smaller
// one's size, and turned by less than this (rad).
constexpr double kKept = 2e-3;

Vec3 vec(const double* v) { return Vec3(v[0], v[1], v[2]); }
void put(double* to, const Vec3& v) { to[0] = v.x(), to[1] = v.y(), to[2] = v.z(); }

struct Finder {
  const Model& model;
  const Params& params;
  double dt;     // s
  Vec3 gravity;  // m/s²
  const State& state;
  const Work& work;

  Traits traits(std::uint32_t i) const {
    if (const std::uint32_t t = state.traits[i]; t > 0) return model.traits[t - 1];
    Traits standard;
    standard.friction = standard.sliding_friction = standard.friction_across = params.friction;
    standard.restitution = params.restitution;
    return standard;
  }

  void set_material(Touch& touch) const {
    const Traits x = traits(touch.a), y = traits(touch.b);
    touch.friction = std::sqrt(x.friction * y.friction);
    touch.sliding = std::sqrt(x.sliding_friction * y.sliding_friction);
    touch.across = touch.friction;
    touch.restitution = std::max(x.restitution, y.restitution);
    touch.rolling = std::max(x.rolling, y.rolling);
    const bool by_a = !x.grain.isZero(0), by_b = !by_a && !y.grain.isZero(0);
    if (!by_a && !by_b) return;
    touch.grain = work.poses[by_a ? touch.a : touch.b].axes * (by_a ? x.grain : y.grain);
    touch.across = std::sqrt((by_a ? x : y).friction_across * (by_a ? y : x).friction);
  }

  // Against colliders their friction holds; the larger restitution, and the body's own resistance to rolling.
  void set_material(const ports::FieldSampler& collider, Touch& touch) const {
    const Traits own = traits(touch.a);
    touch.friction = touch.sliding = touch.across = collider.friction;
    touch.restitution = std::max(collider.restitution, own.restitution);
    touch.rolling = own.rolling;
  }

  contact::Sweep way_of(std::uint32_t i) const {
    const bool falls = is_dynamic(state, i) && !state.asleep[i];
    return {work.poses[i], dt * state.velocities[i] + (falls ? dt * dt : 0) * gravity, dt * work.spins[i]};
  }

  // The manifold as it was, at the poses of now.
  void refresh(std::size_t old, Touch& touch) const {
    const TouchPair& pair = state.contact_pairs[old];
    touch.a = pair[0], touch.b = pair[1], touch.count = static_cast<int>(pair[2]);
    std::memcpy(&touch.memory, state.contact_values[old].data(), sizeof(TouchMemory));
    const contact::Pose& a = work.poses[touch.a];
    static const contact::Pose world;
    const contact::Pose& b = touch.b < kCollider ? work.poses[touch.b] : world;
    touch.normal = a.axes * vec(touch.memory.normal);
    for (int k = 0; k < touch.count; ++k)
      touch.separation[k] = (a * touch.on_a(k) - b * touch.on_b(k)).dot(touch.normal);
  }

  bool hardly_moved(std::size_t old, const Vec3& offset, const Quat& turn, double size) const {
    const double* m = state.contact_values[old].data();
    const Vec3 moved = offset - vec(m + 3);
    if (moved.squaredNorm() > kKept * kKept * size * size) return false;
    const double same = turn.x() * m[6] + turn.y() * m[7] + turn.z() * m[8] + turn.w() * m[9];
    return 1 - same * same < kKept * kKept / 4;
  }

  // Where two bodies are when they meet, and how they turn until then (rad).
  struct Meeting {
    contact::Pose a, b;
    Vec3 turn_a = Vec3::Zero(), turn_b = Vec3::Zero();
    bool ahead = false, central_a = false, central_b = false;
  };

  // So fast that no part of a step resolves how it turns: it is caught in its middle, or an impact off it would be
  // answered by a spin of thousands of turns per second, which the next part takes for a way out.
  bool is_bullet(std::uint32_t i) const {
    constexpr double kSizes = 20, kTurn = 1;  // per step; rad
    return dt * state.velocities[i].norm() > kSizes * thickness(work.shapes[i]) || dt * work.spins[i].norm() > kTurn;
  }

  // Points of a manifold ahead act by the arms they have at the impact; their separation is such that the motion of
  // now, straight on and turning about those arms, uses it up by then. (Arms of the start point elsewhere once a
  // body has turned by a good part of a radian: a ball would be spun by its own impact.)
  void add(std::uint32_t a, std::uint32_t b, const contact::Manifold& m, const Meeting& meeting, const Vec3& offset,
           const Quat& turn, Touch& touch) const {
    const contact::Pose &pa = work.poses[a], &pb = work.poses[b];
    touch.a = a, touch.b = b, touch.count = m.count, touch.normal = m.normal;
    put(touch.memory.normal, work.poses[a].axes.transpose() * m.normal);
    put(touch.memory.offset, offset);
    std::copy_n(turn.coeffs().data(), 4, touch.memory.turn);
    for (int k = 0; k < m.count; ++k) {
      const contact::ManifoldPoint& p = m.points[static_cast<std::size_t>(k)];
      Vec3 arm_a = p.on_a - meeting.a.position, arm_b = p.on_b - meeting.b.position;
      if (meeting.central_a) arm_a = arm_a.dot(m.normal) * m.normal;
      if (meeting.central_b) arm_b = arm_b.dot(m.normal) * m.normal;
      put(touch.memory.on_a[k], pa.axes.transpose() * arm_a);
      put(touch.memory.on_b[k], pb.axes.transpose() * arm_b);
      touch.separation[k] = (pa.position + arm_a - pb.position - arm_b).dot(m.normal);
      if (meeting.ahead)
        touch.separation[k] -= arm_a.cross(m.normal).dot(meeting.turn_a) - arm_b.cross(m.normal).dot(meeting.turn_b);
    }
  }

  void pair(std::uint32_t a, std::uint32_t b, std::size_t first_old, std::size_t last_old,
            std::vector<contact::Manifold>& scratch, std::vector<Touch>& touches) const {
    const contact::Pose &pa = work.poses[a], &pb = work.poses[b];
    const double size = std::min(thickness(work.shapes[a]), thickness(work.shapes[b]));
    const Vec3 offset = pa.local(pb.position);
    const Quat turn = orientation(state, a).conjugate() * orientation(state, b);
    if (first_old < last_old && hardly_moved(first_old, offset, turn, size)) {
      for (std::size_t o = first_old; o < last_old; ++o) {
        refresh(o, touches.emplace_back());
        set_material(touches.back());
      }
      return;
    }
    // How far they may come closer within the step.
    const double turning = work.reaches[a] - dt * state.velocities[a].norm() + work.reaches[b] -
                           dt * state.velocities[b].norm();
    // Also where both fall: one of them may be stopped below. Thin bodies at rest fall by more than themselves.
    const double fall = dt * dt * gravity.norm();
    const double closing = dt * (state.velocities[a] - state.velocities[b]).norm() + turning;
    const double base = kTouchMargin * size;
    Meeting meeting{pa, pb};
    double margin = base + std::min(closing, 0.5 * size) + fall;
    if (closing > 0.5 * size) {
      const contact::Sweep way_a = way_of(a), way_b = way_of(b);
      const auto impact = contact::time_of_impact(work.shapes[a], way_a, work.shapes[b], way_b, 0.5 * base);
      if (!impact)
        margin = base + fall;
      else if (*impact > 0)
        meeting = {way_a.at(*impact), way_b.at(*impact), *impact * way_a.turn, *impact * way_b.turn, true,
                   is_bullet(a), is_bullet(b)},
        margin = 2 * base;
    }
    scratch.clear();
    contact::collide(work.shapes[a], meeting.a, work.shapes[b], meeting.b, margin, scratch);
    for (const contact::Manifold& m : scratch) {
      Touch& touch = touches.emplace_back();
      add(a, b, m, meeting, offset, turn, touch);
      set_material(touch);
      inherit_forces(state, first_old, last_old, 0.2 * size, touch);
    }
  }
};

// For each pair, which manifolds of the last step belong to it; both lists are sorted.
void match_pairs(const State& state, Work& work) {
  const std::size_t olds = state.contact_pairs.size();
  work.first_old.resize(2 * work.pairs.size());
  std::size_t o = 0;
  for (std::size_t p = 0; p < work.pairs.size(); ++p) {
    const std::uint32_t a = work.pairs[p].first, b = work.pairs[p].second;
    auto before = [&](const TouchPair& t) { return t[0] != a ? t[0] < a : t[1] < b; };
    while (o < olds && before(state.contact_pairs[o])) ++o;
    work.first_old[2 * p] = static_cast<std::uint32_t>(o);
    while (o < olds && state.contact_pairs[o][0] == a && state.contact_pairs[o][1] == b) ++o;
    work.first_old[2 * p + 1] = static_cast<std::uint32_t>(o);
  }
}

}  // namespace

void inherit_forces(const State& state, std::size_t first, std::size_t last, double closeness, Touch& touch) {
  bool taken[4] = {};
  for (std::size_t o = first; o < last; ++o) {
    TouchMemory m;
    std::memcpy(&m, state.contact_values[o].data(), sizeof m);
    double share = 0, all = 0;
    for (std::uint32_t k = 0; k < state.contact_pairs[o][2]; ++k) {
      all += m.force[k];
      int best = -1;
      double least = closeness * closeness;
      for (int n = 0; n < touch.count; ++n) {
        if (taken[n]) continue;
        double d = (touch.on_a(n) - vec(m.on_a[k])).squaredNorm();
        if (touch.b < kCollider) d = std::min(d, (touch.on_b(n) - vec(m.on_b[k])).squaredNorm());
        if (d < least) least = d, best = n;
      }
      if (best < 0) continue;
      taken[best] = true;
      touch.memory.force[best] = m.force[k];
      share += m.force[k];
    }
    if (!(share > 0)) continue;
    // Friction goes with the load it belongs to.
    for (int axis = 0; axis < 3; ++axis) touch.memory.friction[axis] += share / all * m.friction[axis];
    touch.memory.twist += share / all * m.twist;
  }
}

void find_touches(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                  const State& state, Work& work) {
  const ProfileZone zone("rigid.find_touches");
  match_pairs(state, work);
  const Finder finder{model, params, interval.dt(), inputs.gravity, state, work};
  const std::size_t pair_blocks = (work.pairs.size() + kBlock - 1) / kBlock;
  const std::size_t body_blocks = inputs.colliders.empty() ? 0 : (state.count() + kBlock - 1) / kBlock;
  const std::size_t blocks = pair_blocks + body_blocks + 1;
  if (work.found_touches.size() < blocks) work.found_touches.resize(blocks);
  for (std::size_t b = blocks; b < work.found_touches.size(); ++b) work.found_touches[b].clear();
  parallel_blocks(work.pairs.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    thread_local std::vector<contact::Manifold> scratch;
    auto& touches = work.found_touches[begin / kBlock];
    touches.clear();
    for (std::size_t p = begin; p < end; ++p)
      finder.pair(work.pairs[p].first, work.pairs[p].second, work.first_old[2 * p], work.first_old[2 * p + 1], scratch,
                  touches);
  });
  if (body_blocks > 0)
    parallel_blocks(state.count(), kBlock, [&](std::size_t begin, std::size_t end) {
      auto& touches = work.found_touches[pair_blocks + begin / kBlock];
      touches.clear();
      for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i)
        for (std::uint32_t c = 0; c < inputs.colliders.size() && is_dynamic(state, i); ++c) {
          if (state.asleep[i] && inputs.colliders[c]->still()) continue;
          const std::size_t first = touches.size();
          touch_collider(inputs, interval, state, work, i, c, touches);
          for (std::size_t t = first; t < touches.size(); ++t) finder.set_material(*inputs.colliders[c], touches[t]);
        }
    });
  // Those of resting bodies stay as they are.
  auto& kept = work.found_touches[blocks - 1];
  kept.clear();
  for (std::size_t o = 0; o < state.contact_pairs.size(); ++o) {
    const TouchPair& pair = state.contact_pairs[o];
    const bool collider = pair[1] >= kCollider;
    if (collider ? !state.asleep[pair[0]] || pair[1] - kCollider >= inputs.colliders.size() ||
                       !inputs.colliders[pair[1] - kCollider]->still()
                 : !both_rest(state, pair[0], pair[1]))
      continue;
    Touch& touch = kept.emplace_back();
    finder.refresh(o, touch);
    if (collider)
      finder.set_material(*inputs.colliders[pair[1] - kCollider], touch);
    else
      finder.set_material(touch);
  }
  work.touches.clear();
  for (std::size_t b = 0; b < blocks; ++b)
    for (Touch& touch : work.found_touches[b]) work.touches.push_back(&touch);
  if (body_blocks > 0 || !kept.empty())
    std::stable_sort(work.touches.begin(), work.touches.end(),
                     [](const Touch* x, const Touch* y) { return x->a != y->a ? x->a < y->a : x->b < y->b; });
}

void remember_touches(const Work& work, State& state) {
  state.contact_pairs.resize(work.touches.size());
  state.contact_values.resize(work.touches.size());
  parallel_for(
      work.touches.size(),
      [&](std::size_t t) {
        const Touch& touch = *work.touches[t];
        state.contact_pairs[t] = TouchPair(touch.a, touch.b, static_cast<std::uint32_t>(touch.count), 0);
        std::memcpy(state.contact_values[t].data(), &touch.memory, sizeof(TouchMemory));
      },
      4 * kBlock);
}

}  // namespace selkie::rigid
