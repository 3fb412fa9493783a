// Files that a scene names. A description keeps their names as written, relative to the scene, for messages;
// what leaves the scene's folder (the resolved copy of a run, a checkpoint's identity) names them in full.
#pragma once

#include <filesystem>
#include <vector>

#include "selkie/scene/scene.h"

namespace selkie::scene {

// The description with every file name absolute.
SceneDescription with_full_paths(const Scene& scene);

// Every file that the scene reads: meshes, images, inputs.
std::vector<std::filesystem::path> files_of(const Scene& scene);

}  // namespace selkie::scene
