// [[rigid]] and [[joint]] to the one system of rigid bodies.
#pragma once

#include <memory>

#include "selkie/scene/scene.h"
#include "selkie/sim/system.h"

namespace selkie::scene {

std::unique_ptr<sim::System> build_rigid(const Scene& scene);

}  // namespace selkie::scene
