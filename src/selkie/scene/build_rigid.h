// [[rigid]] and [[joint]] to the one system of rigid bodies.
#pragma once

#include <memory>
#include <vector>

#include "selkie/scene/scene.h"
#include "selkie/sim/system.h"

namespace selkie::scene {

// The planes among the bodies, as colliders: they have no end, so everyone else meets them as part of the world.
std::vector<std::shared_ptr<ports::FieldSampler>> plane_colliders(const Scene& scene);

// `planes`: those, which the bodies themselves do not meet twice.
std::unique_ptr<sim::System> build_rigid(const Scene& scene,
                                         const std::vector<std::shared_ptr<ports::FieldSampler>>& planes);

}  // namespace selkie::scene
