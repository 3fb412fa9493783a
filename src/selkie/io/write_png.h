// Pictures as PNG files: 8-bit, written whole and atomically. Equal pixels give equal bytes (no time stamp;
// fixed filters and compression).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace selkie::io {

// Rows from top to bottom, red green blue per pixel.
struct RgbImage {
  int width = 0, height = 0;
  std::span<const std::uint8_t> rgb;  // 3 × width × height
};

std::vector<std::byte> png_bytes(const RgbImage& image);
void write_png(const std::filesystem::path& path, const RgbImage& image);

// Whether the file at `path` begins like a PNG; false when it cannot be read.
bool is_png(const std::filesystem::path& path);

}  // namespace selkie::io
