// [[vortex_method]] to a System.
#pragma once

#include <memory>
#include <span>

#include "selkie/core/value.h"
#include "selkie/scene/vortex_method_description.h"
#include "selkie/sim/collider.h"
#include "selkie/sim/system.h"

namespace selkie::scene {

// `source` is the table in the file, for messages. A collider that reaches into the box is refused: the
// method knows no obstacles.
std::unique_ptr<sim::System> build_vortex_method(const VortexMethodDescription& description,
                                                 std::span<const sim::ColliderDescription> colliders,
                                                 const Value& source);

}  // namespace selkie::scene
