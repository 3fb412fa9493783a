// The broad phase: boxes of bodies on their way, and the pairs of them that meet. See contacts.h.
#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/solids/rigid/contacts.h"

namespace selkie::rigid {
namespace {

constexpr std::size_t kBlock = 64, kNearBlock = 512;
// What moves by less than this share of its size is not looked up again in the broad phase.
constexpr double kTrembling = 0.05;
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
  work.reaches.resize(count), work.spins.resize(count), work.ways.resize(count);
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
        const double margin = 0.5 * kTouchMargin * thickness(work.shapes[i]) + turning + (awake ? fall : 0);
        const Vec3& way = work.ways[i] = dt * state.velocities[i];
        box.low += way.cwiseMin(0) - Vec3::Constant(margin);
        box.high += way.cwiseMax(0) + Vec3::Constant(margin);
      },
      kBlock);
}

namespace {

// Planes have no box: everyone who moves is held against each of them.
void meet_planes(const Model& model, const State& state, Work& work) {
  work.plane_pairs.clear();
  for (const std::uint32_t b : work.plane_bodies) {
    const contact::Pose& plane = work.poses[b];
    const Vec3 n = plane.axes.col(1);
    for (const std::uint32_t a : work.boxed_bodies) {
      if (!is_dynamic(state, a) || state.asleep[a]) continue;
      const Vec3 middle = 0.5 * (work.boxes[a].low + work.boxes[a].high), half = work.boxes[a].high - middle;
      if ((middle - plane.position).dot(n) > half.dot(n.cwiseAbs()) || !may_touch(model, state, work, a, b)) continue;
      work.plane_pairs.emplace_back(std::min(a, b), std::max(a, b));
    }
  }
  if (!std::is_sorted(work.plane_pairs.begin(), work.plane_pairs.end()))
    std::sort(work.plane_pairs.begin(), work.plane_pairs.end());
}

}  // namespace

void find_pairs(const Model& model, const State& state, Work& work) {
  const ProfileZone zone("rigid.find_pairs");
  const auto count = static_cast<std::uint32_t>(state.count());
  find_joined(model, state, work);
  work.boxed_bodies.clear(), work.plane_bodies.clear();
  for (std::uint32_t i = 0; i < count; ++i)
    (shape_of(state, i) == Shape::plane ? work.plane_bodies : work.boxed_bodies).push_back(i);
  const std::size_t boxed_count = work.boxed_bodies.size();
  work.known_boxes.resize(boxed_count), work.known_ways.resize(boxed_count), work.margins.resize(boxed_count);
  parallel_for(
      boxed_count,
      [&](std::size_t k) {
        const std::uint32_t i = work.boxed_bodies[k];
        work.known_boxes[k] = work.boxes[i], work.known_ways[k] = work.ways[i];
        work.margins[k] = kTrembling * thickness(work.shapes[i]);
      },
      kNearBlock);
  work.near.update(work.known_boxes, work.known_ways, work.margins);
  const auto near = work.near.near();
  const std::size_t blocks = (near.size() + kNearBlock - 1) / kNearBlock;
  work.found_pairs.resize(std::max(blocks, work.found_pairs.size()));
  parallel_blocks(near.size(), kNearBlock, [&](std::size_t begin, std::size_t end) {
    auto& found = work.found_pairs[begin / kNearBlock];
    found.clear();
    for (std::size_t k = begin; k < end; ++k) {
      if (!work.known_boxes[near[k].first].meets(work.known_boxes[near[k].second])) continue;
      const std::uint32_t a = work.boxed_bodies[near[k].first], b = work.boxed_bodies[near[k].second];
      if (may_touch(model, state, work, a, b)) found.emplace_back(a, b);
    }
  });
  meet_planes(model, state, work);
  work.pairs.clear();
  for (std::size_t b = 0; b < blocks; ++b)
    work.pairs.insert(work.pairs.end(), work.found_pairs[b].begin(), work.found_pairs[b].end());
  const auto boxed = static_cast<std::ptrdiff_t>(work.pairs.size());
  work.pairs.insert(work.pairs.end(), work.plane_pairs.begin(), work.plane_pairs.end());
  std::inplace_merge(work.pairs.begin(), work.pairs.begin() + boxed, work.pairs.end());
  thin_out(count, work);
}

}  // namespace selkie::rigid
