// [[surface_water]] to a System.
#pragma once

#include <memory>

#include "selkie/scene/scene.h"

namespace selkie::scene {

// `source` is the table in the file, for messages.
std::unique_ptr<sim::System> build_surface_water(const SurfaceWaterDescription& description,
                                                 const Scene& scene, const Value& source);

}  // namespace selkie::scene
