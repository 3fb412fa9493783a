// How the mesh under a water character moves: clips of a skeleton, blended; a sequence of stored frames;
// formulas; a rigid motion; and what a user drags. Positions are a pure function of the two clocks.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "selkie/core/expression.h"
#include "selkie/geometry/skeleton.h"
#include "selkie/sim/motion.h"

namespace selkie::sim {

struct SurfaceMotion {
  std::vector<Vec3> rest;
  geometry::Skeleton skeleton;              // no joints: none
  std::vector<geometry::SkinWeight> skin;   // per vertex
  std::vector<Expression> clip_weights;     // in t, one per clip of the skeleton
  std::vector<std::vector<Vec3>> sequence;  // stored frames, repeated
  double sequence_rate = 30;                // frames per second
  std::vector<Expression> deform;           // x, y, z as formulas in x, y, z, t; or empty
  Motion motion;

  bool moves() const;
  // At `clip_time` of the animation and `time` of the world.
  void positions(double clip_time, double time, const Vec3& offset, std::vector<Vec3>& result);
  // The joints of the skeleton as the last call of positions() moved them, or at rest.
  void joints(std::vector<Vec3>& result);

  geometry::SkeletonWork work;  // scratch

 private:
  void carry(std::vector<Vec3>& points) const;  // formulas, rigid motion, offset

  double last_clip_time_ = 0, last_time_ = 0;
  Vec3 last_offset_ = Vec3::Zero();
};

}  // namespace selkie::sim
