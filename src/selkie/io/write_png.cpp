// See write_png.h. libpng reports errors by a callback that must not return; ours throws.
#include "selkie/io/write_png.h"

#include <png.h>

#include <array>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include "selkie/core/check.h"
#include "selkie/io/atomic_file.h"

namespace selkie::io {
namespace {

// Frees libpng's structs also when a callback threw.
struct PngWriter {
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~PngWriter() { png_destroy_write_struct(&png, &info); }
};

[[noreturn]] void on_error(png_structp, png_const_charp message) {
  throw std::runtime_error(std::string("libpng: ") + message);
}
void on_warning(png_structp, png_const_charp) {}

void on_write(png_structp png, png_bytep data, png_size_t size) {
  auto& bytes = *static_cast<std::vector<std::byte>*>(png_get_io_ptr(png));
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), begin, begin + size);
}
void on_flush(png_structp) {}

}  // namespace

std::vector<std::byte> png_bytes(const RgbImage& image) {
  const auto width = static_cast<std::size_t>(image.width), height = static_cast<std::size_t>(image.height);
  SELKIE_CHECK(image.width > 0 && image.height > 0 && image.rgb.size() == 3 * width * height,
               "a picture's pixels fit its size");
  std::vector<std::byte> bytes;
  PngWriter writer;
  writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, on_warning);
  SELKIE_CHECK(writer.png != nullptr, "libpng is of the version its header tells");
  writer.info = png_create_info_struct(writer.png);
  png_set_write_fn(writer.png, &bytes, on_write, on_flush);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(writer.png, writer.info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_compression_level(writer.png, 9);
  png_write_info(writer.png, writer.info);
  for (std::size_t row = 0; row < height; ++row)
    png_write_row(writer.png, image.rgb.data() + row * 3 * width);
  png_write_end(writer.png, nullptr);
  return bytes;
}

void write_png(const std::filesystem::path& path, const RgbImage& image) {
  write_file_atomically(path, png_bytes(image));
}

bool is_png(const std::filesystem::path& path) {
  constexpr std::array<unsigned char, 8> kSignature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  std::array<char, 8> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  return file && std::memcmp(begin.data(), kSignature.data(), begin.size()) == 0;
}

}  // namespace selkie::io
