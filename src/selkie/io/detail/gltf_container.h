// The outer layers of a glTF file: GLB chunks, data URIs and buffers beside the file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "selkie/core/value.h"

namespace selkie::io::detail {

struct GltfFile {
  Value json;
  std::vector<std::string> buffers;  // each at least as long as its byteLength said
};

GltfFile open_gltf(std::string_view bytes, const std::string& source,
                   const std::optional<std::filesystem::path>& folder);

// The files beside this one that its buffers lie in.
std::vector<std::filesystem::path> buffer_files(std::string_view bytes, const std::string& source,
                                                const std::filesystem::path& folder);

// JSON and one binary chunk as a GLB file.
std::string make_glb(std::string json, std::string binary);

// The array under `key`; an empty one when absent. Throws InputError when it is something else.
const ValueArray& gltf_array(const Value& table, std::string_view key, const std::string& source);

// The whole number under `key`; `otherwise` when absent. Throws InputError unless 0 <= number < limit.
std::uint64_t gltf_whole(const Value& table, std::string_view key, std::uint64_t limit,
                         std::optional<std::uint64_t> otherwise, const std::string& source);

}  // namespace selkie::io::detail
