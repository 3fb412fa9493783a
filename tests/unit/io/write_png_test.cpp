// PNG files re-read through libpng's simplified interface.
#include "selkie/io/write_png.h"

#include <gtest/gtest.h>
#include <png.h>

#include "support/temporary_folder.h"

namespace selkie::io {
namespace {

std::vector<std::uint8_t> gradient(int width, int height) {
  std::vector<std::uint8_t> rgb;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (const int value : {x, y, x * y}) rgb.push_back(static_cast<std::uint8_t>(value));
  return rgb;
}

TEST(WritePng, PixelsComeBackAndEqualPixelsGiveEqualBytes) {
  const test::TemporaryFolder folder;
  const std::vector<std::uint8_t> rgb = gradient(37, 21);
  write_png(folder / "a.png", {37, 21, rgb});
  EXPECT_EQ(png_bytes({37, 21, rgb}), png_bytes({37, 21, rgb}));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_file(&image, (folder / "a.png").c_str()));
  EXPECT_EQ(image.width, 37u);
  EXPECT_EQ(image.height, 21u);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> read(PNG_IMAGE_SIZE(image));
  ASSERT_TRUE(png_image_finish_read(&image, nullptr, read.data(), 0, nullptr));
  EXPECT_EQ(read, rgb);
}

TEST(WritePng, TellsPicturesFromOtherFiles) {
  const test::TemporaryFolder folder;
  write_png(folder / "a.png", {1, 1, gradient(1, 1)});
  std::ofstream(folder / "b.png") << "text";
  EXPECT_TRUE(is_png(folder / "a.png"));
  EXPECT_FALSE(is_png(folder / "b.png"));
  EXPECT_FALSE(is_png(folder / "absent.png"));
}

}  // namespace
}  // namespace selkie::io
