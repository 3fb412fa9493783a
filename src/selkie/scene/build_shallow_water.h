// [[shallow_water]] to a System and the collider that is its ground.
#pragma once

#include <memory>

#include "selkie/scene/scene.h"

namespace selkie::scene {

struct BuiltWater {
  std::unique_ptr<sim::System> system;
  std::shared_ptr<ports::FieldSampler> ground;
};

// `source` is the table in the file, for messages.
BuiltWater build_shallow_water(const ShallowWaterDescription& description, const Scene& scene,
                               const Value& source);

}  // namespace selkie::scene
