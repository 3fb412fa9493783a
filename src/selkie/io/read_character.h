// A mesh with its skeleton, skin weights and clips from a glTF file. Read from the checked container itself
// (detail/gltf_container.h), without Assimp, which misreads damaged skins and animations as it does meshes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "selkie/geometry/figure.h"

namespace selkie::io {

// .gltf or .glb; the first node with a mesh and a skin counts. Every node becomes a joint. Vertices at
// exactly equal places are welded (exporters split them along seams), clips without a name are called
// "clip-0", ... Cubic splines are read at their keys and joined by straight lines. Throws InputError for
// whatever is wrong and where there is no skeleton.
geometry::Figure read_character(const std::filesystem::path& path);

// The same on bytes in memory, with embedded buffers.
geometry::Figure parse_character(std::string_view bytes, const std::string& source);

}  // namespace selkie::io
