// Frames that a run left in a folder, back as drawables: PLY and VDB files with everything the writers store
// (look, colour, radius, attributes with units; numbers in the precision of the file). Damaged or foreign
// files are InputErrors with file, line where there are lines, and remedy. Limit: VTK files are not read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "selkie/io/owned_drawable.h"

namespace selkie::io {

// Frames of which at least one readable file exists, in order. InputError when the folder cannot be read or
// holds none: it says what it holds instead.
std::vector<std::int64_t> frame_numbers(const std::filesystem::path& folder);

// Every drawable of the frame, by name. InputError naming the frames there are when this one is absent.
std::vector<OwnedDrawable> read_frame(const std::filesystem::path& folder, std::int64_t frame);

// One frame file by itself.
OwnedDrawable read_frame_file(const std::filesystem::path& file);
// The same on bytes in memory; `file` tells format and name, and stands in messages.
OwnedDrawable parse_frame_file(std::string_view bytes, const std::filesystem::path& file);

}  // namespace selkie::io
