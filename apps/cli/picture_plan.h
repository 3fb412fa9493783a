// What a `selkie render` command means: which frames, from which camera, into which files. Everything that
// can be wrong with the command is said here, before the first ray.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "commands.h"
#include "frame_source.h"
#include "selkie/ports/picture.h"
#include "selkie/render/render.h"

namespace selkie::cli {

enum class PictureForm { picture, folder, film };

struct PicturePlan {
  PictureForm form = PictureForm::picture;
  std::filesystem::path target;
  std::vector<std::int64_t> frames;
  double film_fps = 30;
  render::Settings settings;
  ports::Camera camera;
  ports::Lighting light;
};

// Frames, sizes and files; InputError or OutputError. Creates the folders that will be needed.
PicturePlan plan_pictures(const FrameSource& source, const RenderOptions& options);
// Camera, ground and colour map, fixed over all frames so that a film does not jump: looks at every frame
// when something is left open. `interrupt` is looked at between frames.
void settle_view(FrameSource& source, const RenderOptions& options, PicturePlan& plan);

std::filesystem::path picture_path(const PicturePlan& plan, const std::string& scene_name,
                                   std::int64_t frame);

}  // namespace selkie::cli
