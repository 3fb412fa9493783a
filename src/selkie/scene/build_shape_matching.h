// [[shape_matching]] to a System.
#pragma once

#include <memory>

#include "selkie/core/value.h"
#include "selkie/scene/scene.h"
#include "selkie/scene/shape_matching_description.h"
#include "selkie/sim/system.h"

namespace selkie::scene {

// `table` is the table in the file, for messages.
std::unique_ptr<sim::System> build_shape_matching(const ShapeMatchingDescription& description,
                                                  const Scene& scene, const Value& table);

}  // namespace selkie::scene
