// [[liquid]] to a System.
#pragma once

#include <memory>
#include <span>

#include "selkie/scene/liquid_description.h"
#include "selkie/sim/collider.h"
#include "selkie/sim/system.h"

namespace selkie::scene {

// `colliders` are those of the scene: liquid never starts inside them.
std::unique_ptr<sim::System> build_liquid(const LiquidDescription& description,
                                          std::span<const std::shared_ptr<ports::FieldSampler>> colliders);

}  // namespace selkie::scene
