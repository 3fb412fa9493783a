// [[coupling]] tables to what joins the systems of a World.
#pragma once

#include <memory>

#include "selkie/core/value.h"
#include "selkie/scene/description.h"
#include "selkie/sim/world.h"

namespace selkie::scene {

// Coupling number `i`, which stands in `table`; all systems are in the world. Throws InputError for systems that
// cannot be joined so, and for bodies that start where they cannot be.
std::unique_ptr<sim::Coupling> build_coupling(const SceneDescription& scene, std::size_t i, const sim::World& world,
                                              const Value& table);

}  // namespace selkie::scene
