// See scene_type.h.
#include "selkie/scene/scene_type.h"

#include "selkie/scene/description.h"

namespace selkie::scene {

const Type& scene_type() { return type_of<SceneDescription>(); }

}  // namespace selkie::scene
