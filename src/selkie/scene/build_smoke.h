// [[smoke]] to a System.
#pragma once

#include <memory>

#include "selkie/scene/smoke_description.h"
#include "selkie/sim/system.h"

namespace selkie::scene {

std::unique_ptr<sim::System> build_smoke(const SmokeDescription& description);

}  // namespace selkie::scene
