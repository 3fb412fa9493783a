// The broad phase: boxes of bodies on their way, and the pairs of them that meet. See contacts.h.
#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/solids/rigid/contacts.h"

namespace selkie::rigid {
namespace {

constexpr std::size_t kBlock = 64;
// More partners than a body can have without overlapping most of them: what is spawned in one place (RT-02) parts
// in groups of this size instead of costing the square of their number.
constexpr std::uint32_t kMostPartners = 48;

bool may_touch(const Model& model, const State& state, const Work& work, std::uint32_t a, std::uint32_t b) {
  if (!is_dynamic(state, a) && !is_dynamic(state, b)) return false;
  if (both_rest(state, a, b)) return false;
  const std::uint32_t ta = state.traits[a], tb = state.traits[b];
  if (ta > 0 || tb > 0) {
    static const Traits standard;
    const Traits &x = ta > 0 ? model.traits[ta - 1] : standard, &y = tb > 0 ? model.traits[tb - 1] : standard;
    if (!(x.group & y.meets) || !(y.group & x.meets)) return false;
  }
  const std::uint64_t key = std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
  return !std::binary_search(work.joined.begin(), work.joined.end(), key);
}

void find_joined(const Model& model, const State& state, Work& work) {
  work.joined.clear();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (joint.bodies_touch || joint.b == kWorld || (j < state.joints_broken.size() && state.joints_broken[j])) continue;
    work.joined.push_back(std::uint64_t{std::min(joint.a, joint.b)} << 32 | std::max(joint.a, joint.b));
  }
  std::sort(work.joined.begin(), work.joined.end());
}

// Keeps the first partners of each body where there are far too many.
void thin_out(std::size_t bodies, Work& work) {
  if (work.pairs.size() <= kMostPartners / 2 * bodies) return;
  std::vector<std::uint32_t> partners(bodies, 0);
  std::erase_if(work.pairs, [&](const auto& pair) {
    if (partners[pair.first] >= kMostPartners || partners[pair.second] >= kMostPartners) return true;
    ++partners[pair.first], ++partners[pair.second];
    return false;
  });
}

}  // namespace

bool both_rest(const State& state, std::uint32_t a, std::uint32_t b) {
  auto rests = [&](std::uint32_t i) {
    if (is_dynamic(state, i)) return state.asleep[i] != 0;
    return state.velocities[i].isZero(0) && state.angular_momenta[i].isZero(0);
  };
  return rests(a) && rests(b);
}

void place_bodies(const Model& model, const Params& params, const Inputs& inputs, double dt, const State& state,
                  Work& work) {
  (void)params;
  const std::size_t count = state.count();
  work.poses.resize(count), work.shapes.resize(count), work.boxes.resize(count);
  work.reaches.resize(count), work.spins.resize(count);
  const double fall = inputs.gravity.norm() * dt * dt;
  parallel_for(
      count,
      [&](std::size_t i) {
        work.poses[i] = pose_of(state, i);
        work.shapes[i] = shape_of(model, state, i);
        const bool moves = state.roles[i] != static_cast<std::uint8_t>(Role::fixed);
        work.spins[i] = moves ? angular_velocity(state, i) : Vec3(Vec3::Zero());
        const bool awake = is_dynamic(state, i) && !state.asleep[i];
        const double radius = std::isfinite(bounding_radius(state, i)) ? bounding_radius(state, i) : 0;
        // What turning adds is at most the way round, and never more than the body's own size.
        const double turning = std::min(work.spins[i].norm() * dt, 2.0) * radius;
        work.reaches[i] = dt * state.velocities[i].norm() + turning;
        contact::Bounds& box = work.boxes[i];
        box = contact::bounds(work.shapes[i], work.poses[i]);
        const double margin = 0.5 * kTouchMargin * state.half_sizes[i].minCoeff() + turning + (awake ? fall : 0);
        const Vec3 way = dt * state.velocities[i];
        box.low += way.cwiseMin(0) - Vec3::Constant(margin);
        box.high += way.cwiseMax(0) + Vec3::Constant(margin);
      },
      kBlock);
}

void find_pairs(const Model& model, const State& state, Work& work) {
  const ProfileZone zone("rigid.find_pairs");
  const auto count = static_cast<std::uint32_t>(state.count());
  find_joined(model, state, work);
  work.tree_bodies.clear(), work.plane_bodies.clear(), work.tree_boxes.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (shape_of(state, i) == Shape::plane) {
      work.plane_bodies.push_back(i);
      continue;
    }
    work.tree_bodies.push_back(i);
    work.tree_boxes.push_back(work.boxes[i]);
  }
  work.tree.update(work.tree_boxes);
  const std::size_t blocks = (count + kBlock - 1) / kBlock;
  work.found_pairs.resize(std::max(blocks, work.found_pairs.size()));
  parallel_blocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
    auto& found = work.found_pairs[begin / kBlock];
    found.clear();
    for (auto a = static_cast<std::uint32_t>(begin); a < end; ++a) {
      if (shape_of(state, a) == Shape::plane) continue;
      const bool asks = is_dynamic(state, a) && !state.asleep[a];
      const bool drives = state.roles[a] == static_cast<std::uint8_t>(Role::kinematic);
      if (!asks && !drives) continue;
      work.tree.each_meeting(work.boxes[a], [&](std::uint32_t place) {
        const std::uint32_t b = work.tree_bodies[place];
        if (a == b || !may_touch(model, state, work, a, b)) return;
        // Of two that both ask, the lower one reports.
        const bool b_asks = (is_dynamic(state, b) && !state.asleep[b]) ||
                            state.roles[b] == static_cast<std::uint8_t>(Role::kinematic);
        if (b_asks && b < a) return;
        found.emplace_back(std::min(a, b), std::max(a, b));
      });
      if (!asks) continue;
      for (const std::uint32_t b : work.plane_bodies) {
        const contact::Pose& plane = work.poses[b];
        const Vec3 n = plane.axes.col(1);
        const Vec3 middle = 0.5 * (work.boxes[a].low + work.boxes[a].high), half = work.boxes[a].high - middle;
        if ((middle - plane.position).dot(n) > half.dot(n.cwiseAbs()) || !may_touch(model, state, work, a, b)) continue;
        found.emplace_back(std::min(a, b), std::max(a, b));
      }
    }
  });
  work.pairs.clear();
  for (std::size_t b = 0; b < blocks; ++b)
    work.pairs.insert(work.pairs.end(), work.found_pairs[b].begin(), work.found_pairs[b].end());
  std::sort(work.pairs.begin(), work.pairs.end());
  thin_out(count, work);
}

}  // namespace selkie::rigid
