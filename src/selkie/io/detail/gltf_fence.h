// glTF 2.0 before Assimp sees it. Assimp 5.2 overflows its stack on deep JSON and quietly drops or misreads
// damaged meshes (docs/fuzzing.md), so the fence checks every count, offset, index and link itself and passes
// on a fresh GLB with nothing but nodes, positions and indices.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "selkie/geometry/mesh.h"

namespace selkie::io::detail {

// `folder` is where buffers beside the file may be read; without it only embedded ones are accepted.
std::string geometry_only_glb(std::string_view bytes, const std::string& source,
                              const std::optional<std::filesystem::path>& folder);

geometry::TriangleMesh read_gltf(std::string_view bytes, const std::string& source,
                                 const std::optional<std::filesystem::path>& folder);

}  // namespace selkie::io::detail
