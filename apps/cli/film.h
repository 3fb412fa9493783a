// MP4 films through the program ffmpeg, which runs beside us and is fed raw pictures by a pipe. No library of
// it is linked and no shell is involved.
#pragma once

#include <filesystem>
#include <memory>

#include "selkie/io/write_png.h"

namespace selkie::cli {

class Film {
 public:
  // Starts ffmpeg. OutputError when it is not installed or has no encoder for MP4.
  Film(const std::filesystem::path& target, int width, int height, double fps);
  ~Film();  // without finish(): ends ffmpeg and removes what it wrote
  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;

  void add(const io::RgbImage& picture);
  // Waits for ffmpeg and puts the film into its place. OutputError with ffmpeg's last lines when it failed.
  void finish();

 private:
  struct Process;
  std::unique_ptr<Process> process_;
};

}  // namespace selkie::cli
