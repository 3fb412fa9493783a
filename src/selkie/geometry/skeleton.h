// Skeletons: joints in a tree, clips that move them, and surfaces that follow by linear blend skinning.
// [Angst07 §6.4; SW-46] Clips are blended by weight, joint by joint: translations and scales linearly,
// rotations as normalised sums of quaternions on one side. A clip that says nothing of a joint leaves it at
// rest.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "selkie/math/types.h"

namespace selkie::geometry {

struct JointPose {
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 scale = Vec3::Ones();
};

struct Joint {
  std::string name;
  std::int32_t parent = -1;  // an earlier joint, or none
  JointPose rest;            // relative to the parent
};

// Keys of one joint; each list may be empty. Values between keys are interpolated, before and after held.
struct Channel {
  std::uint32_t joint = 0;
  std::vector<double> translation_times, rotation_times, scale_times;  // s, ascending
  std::vector<Vec3> translations, scales;
  std::vector<Quat> rotations;
};

struct Clip {
  std::string name;
  double duration = 1;  // s; it repeats
  std::vector<Channel> channels;
};

struct Skeleton {
  std::vector<Joint> joints;
  std::vector<Eigen::Affine3d> bind;  // inverse of each joint's place when the surface was bound
  std::vector<Clip> clips;

  const Clip* find(const std::string& clip) const;
};

// Up to four joints per vertex; weights sum to one.
struct SkinWeight {
  std::array<std::uint32_t, 4> joints{};
  std::array<double, 4> weights{};
};

// Pose of a clip at a time, joint by joint.
void sample_clip(const Skeleton& skeleton, const Clip& clip, double time, std::span<JointPose> pose);

// Scratch of animate().
struct SkeletonWork {
  std::vector<JointPose> one, sum;
  std::vector<double> total;
  std::vector<Eigen::Affine3d> world, skinning;
};

// Where each joint stands with the clips blended; weights in the order of skeleton.clips, none: the rest
// pose. Fills work.world, and work.skinning with the maps from bound to present positions.
void blend(const Skeleton& skeleton, std::span<const double> weights, double time, SkeletonWork& work);

// positions[v] = Σ weight · skinning · rest[v].
void skin_positions(std::span<const SkinWeight> skin, std::span<const Vec3> rest, const SkeletonWork& work,
                    std::span<Vec3> positions);

// bind from the rest pose.
void bind_at_rest(Skeleton& skeleton);

}  // namespace selkie::geometry
