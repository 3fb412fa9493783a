// Shapes of rigid bodies as a scene describes them, with their mass properties.
#pragma once

#include <memory>

#include "selkie/contact/shape.h"
#include "selkie/core/value.h"
#include "selkie/scene/rigid_description.h"
#include "selkie/scene/scene.h"

namespace selkie::scene {

struct BodyShape {
  contact::Shape shape;                       // about its principal axes
  std::shared_ptr<const contact::Form> form;  // none for primitives
  Eigen::Isometry3d center = Eigen::Isometry3d::Identity();  // principal axes in the frame of the description
  double mass = 0;                            // kg; of bodies that do not move: 0
  Vec3 inertia = Vec3::Ones();                // kg·m²
};

// InputError where the shape has no volume, or suits no body of this role.
BodyShape make_shape(const RigidDescription& body, const Scene& scene, const Value& table);

}  // namespace selkie::scene
