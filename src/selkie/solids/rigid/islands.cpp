// Islands: bodies that touch or are joined wake together and fall asleep together.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "selkie/core/profile.h"
#include "selkie/solids/rigid/step.h"

namespace selkie::rigid {
namespace {

std::uint32_t root_of(std::vector<std::uint32_t>& parents, std::uint32_t i) {
  while (parents[i] != i) {
    parents[i] = parents[parents[i]];
    i = parents[i];
  }
  return i;
}

// The lowest place is the root, so islands do not depend on the order in which they are joined.
void join(std::vector<std::uint32_t>& parents, std::uint32_t a, std::uint32_t b) {
  a = root_of(parents, a), b = root_of(parents, b);
  if (a < b)
    parents[b] = a;
  else
    parents[a] = b;
}

bool moves(const State& state, std::uint32_t i) {
  return !state.velocities[i].isZero(0) || !state.angular_momenta[i].isZero(0);
}

}  // namespace

void wake_moving(const Params& params, State& state) {
  for (std::uint32_t i = 0; i < state.count(); ++i) {
    if (!params.sleeping) state.asleep[i] = 0;
    if (state.asleep[i] && moves(state, i)) wake(state, i);
  }
}

void wake_islands(const Model& model, State& state, Work& work) {
  const auto count = static_cast<std::uint32_t>(state.count());
  work.parents.resize(count);
  std::iota(work.parents.begin(), work.parents.end(), 0u);
  for (const Touch* touch : work.touches) {
    if (touch->b >= kCollider) {
      if (!touch->surface_velocity.isZero(0)) wake(state, touch->a);
    } else if (is_dynamic(state, touch->a) && is_dynamic(state, touch->b)) {
      join(work.parents, touch->a, touch->b);
    } else {
      const std::uint32_t driver = is_dynamic(state, touch->a) ? touch->b : touch->a;
      if (moves(state, driver)) wake(state, is_dynamic(state, touch->a) ? touch->a : touch->b);
    }
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (state.joints_broken[j]) continue;
    const bool world = joint.b == kWorld, free_a = is_dynamic(state, joint.a),
               free_b = !world && is_dynamic(state, joint.b);
    if (free_a && (joint.motor || (!world && !free_b && moves(state, joint.b)))) wake(state, joint.a);
    if (free_b && (joint.motor || (!free_a && moves(state, joint.a)))) wake(state, joint.b);
    if (free_a && free_b) join(work.parents, joint.a, joint.b);
  }
  // One that is awake wakes its island. The root of a mixed island is marked by its own flag.
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t root = root_of(work.parents, i);
    if (is_dynamic(state, i) && !state.asleep[i] && state.asleep[root]) wake(state, root);
  }
  for (std::uint32_t i = 0; i < count; ++i)
    if (is_dynamic(state, i) && state.asleep[i] && !state.asleep[root_of(work.parents, i)]) wake(state, i);
}

void rest(const Params& params, double dt, State& state, Work& work) {
  if (!params.sleeping) return;
  const auto count = static_cast<std::uint32_t>(state.count());
  auto& least = work.reaches;  // shortest time that a body of the island has rested
  least.assign(count, std::numeric_limits<double>::infinity());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!is_dynamic(state, i) || state.asleep[i]) continue;
    const double radius = std::min(bounding_radius(state, i), 1e9);
    const double speed = state.velocities[i].norm() + angular_velocity(state, i).norm() * radius;
    // What is still on its way out of something has moved without a velocity, and does not rest.
    const double* moved = work.deltas[i].v;
    const double way = Vec3(moved[0], moved[1], moved[2]).norm() + Vec3(moved[3], moved[4], moved[5]).norm() * radius;
    const bool rests = std::max(speed, way / dt) < params.sleep_speed;
    state.rest_times[i] = rests ? state.rest_times[i] + dt : 0;
    const std::uint32_t root = root_of(work.parents, i);
    least[root] = std::min(least[root], state.rest_times[i]);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!is_dynamic(state, i) || state.asleep[i]) continue;
    if (least[root_of(work.parents, i)] < params.sleep_time) continue;
    state.asleep[i] = 1;
    state.velocities[i].setZero(), state.angular_momenta[i].setZero();
  }
}

}  // namespace selkie::rigid
