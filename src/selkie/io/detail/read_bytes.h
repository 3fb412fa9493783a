// A whole file in memory.
#pragma once

#include <filesystem>
#include <string>

namespace selkie::io::detail {

// Throws InputError that says whether the file is missing, a folder, empty or unreadable.
std::string read_bytes(const std::filesystem::path& path);

}  // namespace selkie::io::detail
