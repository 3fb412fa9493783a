// Where the copies of a rigid body stand.
#pragma once

#include <vector>

#include "selkie/scene/rigid_description.h"

namespace selkie::scene {

Eigen::Isometry3d turned(const Vec3& degrees);  // about x, then y, then z
Eigen::Isometry3d place_of(const RigidDescription& body);  // as 'position' and 'rotate' say, without copies
std::vector<Eigen::Isometry3d> places_of(const RigidDescription& body);

}  // namespace selkie::scene
