// The run-time description of a whole scene, in one place: lowering the descriptions of every table costs the
// compiler far more than all code that uses them.
#pragma once

#include "selkie/core/schema.h"

namespace selkie::scene {

const Type& scene_type();

}  // namespace selkie::scene
