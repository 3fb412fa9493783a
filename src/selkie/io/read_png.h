// Grey values of PNG files: heights of terrain.
#pragma once

#include <filesystem>
#include <vector>

namespace selkie::io {

// Rows from top to bottom; 0 is black, 1 white. Colours count by their brightness.
struct GreyImage {
  int width = 0, height = 0;
  std::vector<float> values;

  // Linear between pixel middles; u and v in [0, 1] from the left and the top edge.
  double sample(double u, double v) const;
};

// 8 and 16 bits per channel; values are those of the file, without any gamma. InputError when there is no
// such file or it is no PNG.
GreyImage read_grey_png(const std::filesystem::path& path);

}  // namespace selkie::io
