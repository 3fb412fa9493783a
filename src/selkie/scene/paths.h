// Files that a scene names. A description keeps their names as written, relative to the scene, for messages;
// what leaves the scene's folder (the resolved copy of a run) names them in full.
#pragma once

#include <filesystem>
#include <vector>

#include "selkie/scene/scene.h"

namespace selkie::scene {

// From the root, without "." and "..": behind a link, ".." leads out of the folder that the link points to.
std::filesystem::path full_path(const std::filesystem::path& path);

// The path of a file that the scene names at `place`, relative to the scene's folder. Throws InputError where
// it is not there; `what` says what it would have been.
std::filesystem::path existing_file(const std::string& name, const std::filesystem::path& folder,
                                    const Place& place, const std::string& what = "mesh file");

// The description with every file name absolute.
SceneDescription with_full_paths(const Scene& scene);

// The description with the content of every file in place of its name: 32 digits and the extension, which
// says how it is read. Files that these name in turn (the buffers of a .gltf) count as part of them.
// InputError when one cannot be read.
SceneDescription with_file_contents(const Scene& scene);

// Every file that the scene reads: meshes and what these name, images, inputs.
std::vector<std::filesystem::path> files_of(const Scene& scene);

}  // namespace selkie::scene
