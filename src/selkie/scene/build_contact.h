// Contacts between the bodies of a scene: those that [[contact]] tables describe, and the default for all
// other pairs.
#pragma once

#include "selkie/core/function_ref.h"
#include "selkie/core/value.h"
#include "selkie/scene/description.h"
#include "selkie/sim/world.h"

namespace selkie::scene {

// `table(i)` is the i-th [[contact]] as it stands in the file. Throws InputError for a body that nothing can
// touch. Adds nothing where no two bodies could ever touch.
void add_contacts(const SceneDescription& description, sim::World& world,
                  FunctionRef<const Value&(std::size_t)> table);

}  // namespace selkie::scene
