// See read_png.h. libpng's simplified interface; errors come back as a message in the image.
#include "selkie/io/read_png.h"

#include <png.h>

#include <algorithm>
#include <cstdint>

#include "selkie/core/error.h"

namespace selkie::io {

double GreyImage::sample(double u, double v) const {
  const double x = std::clamp(u * width - 0.5, 0.0, width - 1.0),
               y = std::clamp(v * height - 0.5, 0.0, height - 1.0);
  const int i = static_cast<int>(x), j = static_cast<int>(y);
  const int i1 = std::min(i + 1, width - 1), j1 = std::min(j + 1, height - 1);
  auto at = [&](int a, int b) {
    return static_cast<double>(values[static_cast<std::size_t>(b * width + a)]);
  };
  const double s = x - i, t = y - j;
  return (1 - t) * ((1 - s) * at(i, j) + s * at(i1, j)) + t * ((1 - s) * at(i, j1) + s * at(i1, j1));
}

GreyImage read_grey_png(const std::filesystem::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0)
    throw InputError({path.string()}, std::string("cannot be read as a PNG picture: ") + image.message,
                     "give an existing PNG file");
  // Heights are numbers, not light: 8 bits are taken as stored, 16 bits as linear, which they are.
  const bool deep = (image.format & PNG_FORMAT_FLAG_LINEAR) != 0;
  image.format = deep ? PNG_FORMAT_LINEAR_Y : PNG_FORMAT_GRAY;
  GreyImage out;
  out.width = static_cast<int>(image.width), out.height = static_cast<int>(image.height);
  const std::size_t count = static_cast<std::size_t>(image.width) * image.height;
  std::vector<std::uint16_t> pixels(count);
  if (png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) == 0)
    throw InputError({path.string()}, std::string("cannot be read as a PNG picture: ") + image.message,
                     "write it anew");
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(pixels.data());
  out.values.resize(count);
  for (std::size_t k = 0; k < count; ++k)
    out.values[k] = deep ? static_cast<float>(pixels[k]) / 65535.0f : static_cast<float>(bytes[k]) / 255.0f;
  return out;
}

}  // namespace selkie::io
