// See surface_motion.h.
#include "selkie/sim/systems/surface_motion.h"

#include <algorithm>
#include <cmath>

namespace selkie::sim {

bool SurfaceMotion::moves() const {
  return !skeleton.joints.empty() || sequence.size() > 1 || !deform.empty() || motion.moves();
}

void SurfaceMotion::positions(double clip_time, double time, const Vec3& offset, std::vector<Vec3>& result) {
  result.resize(rest.size());
  if (!skeleton.joints.empty()) {
    std::array<double, 64> weights{};
    const std::size_t count = std::min(weights.size(), clip_weights.size());
    for (std::size_t c = 0; c < count; ++c) weights[c] = std::max(0.0, clip_weights[c](time));
    geometry::blend(skeleton, std::span<const double>(weights.data(), count), clip_time, work);
    geometry::skin_positions(skin, rest, work, result);
  } else if (sequence.size() > 1) {
    const double frames = static_cast<double>(sequence.size()), at = clip_time * sequence_rate;
    const double wrapped = at - frames * std::floor(at / frames);
    const auto a = std::min(sequence.size() - 1, static_cast<std::size_t>(wrapped)),
               b = (a + 1) % sequence.size();
    const double t = wrapped - static_cast<double>(a);
    for (std::size_t v = 0; v < rest.size(); ++v) result[v] = (1 - t) * sequence[a][v] + t * sequence[b][v];
  } else {
    std::copy(rest.begin(), rest.end(), result.begin());
  }
  last_clip_time_ = clip_time, last_time_ = time, last_offset_ = offset;
  carry(result);
}

void SurfaceMotion::joints(std::vector<Vec3>& result) {
  if (work.world.empty()) geometry::blend(skeleton, {}, 0, work);
  result.clear();
  for (const auto& joint : work.world) result.push_back(joint.translation());
  carry(result);
}

void SurfaceMotion::carry(std::vector<Vec3>& points) const {
  if (!deform.empty())
    for (Vec3& p : points) {
      const std::array<double, 4> at{p.x(), p.y(), p.z(), last_clip_time_};
      p = Vec3(deform[0](at), deform[1](at), deform[2](at));
    }
  if (motion.moves()) {
    const Eigen::Isometry3d pose = motion.pose(last_time_);
    for (Vec3& p : points) p = pose * p;
  }
  if (!last_offset_.isZero(0))
    for (Vec3& p : points) p += last_offset_;
}

}  // namespace selkie::sim
