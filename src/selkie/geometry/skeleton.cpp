// See skeleton.h.
#include "selkie/geometry/skeleton.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/check.h"
#include "selkie/core/parallel.h"

namespace selkie::geometry {
namespace {

// The keys around a time and how far between them.
struct Between {
  std::size_t a = 0, b = 0;
  double t = 0;
};
Between between(const std::vector<double>& times, double time) {
  const auto after = std::upper_bound(times.begin(), times.end(), time);
  if (after == times.begin()) return {};
  const auto b = static_cast<std::size_t>(after - times.begin()), a = b - 1;
  if (b == times.size()) return {a, a, 0};
  return {a, b, (time - times[a]) / (times[b] - times[a])};
}

Eigen::Affine3d transform_of(const JointPose& pose) {
  return Eigen::Translation3d(pose.translation) * pose.rotation.normalized() * Eigen::Scaling(pose.scale);
}

void place_joints(const Skeleton& skeleton, std::span<const JointPose> pose,
                  std::vector<Eigen::Affine3d>& world) {
  world.resize(skeleton.joints.size());
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const std::int32_t parent = skeleton.joints[j].parent;
    SELKIE_CHECK(parent < static_cast<std::int32_t>(j), "a joint's parent comes before it");
    world[j] =
        parent < 0 ? transform_of(pose[j]) : world[static_cast<std::size_t>(parent)] * transform_of(pose[j]);
  }
}

}  // namespace

const Clip* Skeleton::find(const std::string& clip) const {
  for (const Clip& c : clips)
    if (c.name == clip) return &c;
  return nullptr;
}

void sample_clip(const Skeleton& skeleton, const Clip& clip, double time, std::span<JointPose> pose) {
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) pose[j] = skeleton.joints[j].rest;
  const double t = clip.duration > 0 ? time - clip.duration * std::floor(time / clip.duration) : 0;
  for (const Channel& channel : clip.channels) {
    JointPose& p = pose[channel.joint];
    if (!channel.translations.empty()) {
      const Between k = between(channel.translation_times, t);
      p.translation = (1 - k.t) * channel.translations[k.a] + k.t * channel.translations[k.b];
    }
    if (!channel.rotations.empty()) {
      const Between k = between(channel.rotation_times, t);
      p.rotation = channel.rotations[k.a].slerp(k.t, channel.rotations[k.b]);
    }
    if (!channel.scales.empty()) {
      const Between k = between(channel.scale_times, t);
      p.scale = (1 - k.t) * channel.scales[k.a] + k.t * channel.scales[k.b];
    }
  }
}

void blend(const Skeleton& skeleton, std::span<const double> weights, double time, SkeletonWork& w) {
  const std::size_t count = skeleton.joints.size();
  w.one.resize(count), w.sum.resize(count);
  double total = 0;
  for (std::size_t c = 0; c < skeleton.clips.size() && c < weights.size(); ++c) {
    if (!(weights[c] > 0)) continue;
    sample_clip(skeleton, skeleton.clips[c], time, w.one);
    for (std::size_t j = 0; j < count; ++j) {
      JointPose &sum = w.sum[j], &one = w.one[j];
      if (total == 0) sum = {Vec3::Zero(), Quat(0, 0, 0, 0), Vec3::Zero()};
      sum.translation += weights[c] * one.translation;
      sum.scale += weights[c] * one.scale;
      const double side = sum.rotation.dot(one.rotation) < 0 ? -weights[c] : weights[c];
      sum.rotation.coeffs() += side * one.rotation.coeffs();
    }
    total += weights[c];
  }
  for (std::size_t j = 0; j < count; ++j) {
    JointPose& pose = w.sum[j];
    if (total == 0)
      pose = skeleton.joints[j].rest;
    else
      pose = {pose.translation / total, pose.rotation.normalized(), pose.scale / total};
  }
  place_joints(skeleton, w.sum, w.world);
  w.skinning.resize(count);
  for (std::size_t j = 0; j < count; ++j) w.skinning[j] = w.world[j] * skeleton.bind[j];
}

void skin_positions(std::span<const SkinWeight> skin, std::span<const Vec3> rest, const SkeletonWork& w,
                    std::span<Vec3> positions) {
  parallel_for(
      rest.size(),
      [&](std::size_t v) {
        Vec3 sum = Vec3::Zero();
        for (std::size_t k = 0; k < 4; ++k)
          if (skin[v].weights[k] > 0) sum += skin[v].weights[k] * (w.skinning[skin[v].joints[k]] * rest[v]);
        positions[v] = sum;
      },
      1024);
}

void bind_at_rest(Skeleton& skeleton) {
  std::vector<JointPose> rest;
  for (const Joint& joint : skeleton.joints) rest.push_back(joint.rest);
  std::vector<Eigen::Affine3d> world;
  place_joints(skeleton, rest, world);
  skeleton.bind.clear();
  for (const Eigen::Affine3d& at : world) skeleton.bind.push_back(at.inverse());
}

}  // namespace selkie::geometry
