// [[smoke]] to a System.
#pragma once

#include <memory>

#include "selkie/scene/scene.h"
#include "selkie/sim/system.h"

namespace selkie::scene {

// `table` is the system's in the file, for messages.
std::unique_ptr<sim::System> build_smoke(const SmokeDescription& description, const Scene& scene,
                                         const Value& table);

}  // namespace selkie::scene
