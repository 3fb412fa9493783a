// See shipped_scenes.h.
#include "shipped_scenes.h"

#include <algorithm>

#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/io/read_toml.h"

namespace selkie::cli {
namespace {

namespace fs = std::filesystem;

fs::path scene_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path installed = program.parent_path().parent_path() / "share" / "selkie" / "scenes";
    if (fs::is_directory(installed, error)) return installed;
  }
  return SELKIE_SCENE_FOLDER;
}

}  // namespace

std::vector<ShippedScene> shipped_scenes() {
  std::vector<ShippedScene> scenes;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(scene_folder(), error)) {
    if (entry.path().extension() != ".toml") continue;
    ShippedScene scene{entry.path().stem().string(), entry.path(), ""};
    const Value root = io::read_toml(entry.path());
    if (const Value* settings = root.find("scene"))
      if (const Value* about = settings->find("about"))
        if (const auto* text = std::get_if<std::string>(&about->data)) scene.about = *text;
    scenes.push_back(std::move(scene));
  }
  std::sort(scenes.begin(), scenes.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return scenes;
}

fs::path find_scene(const std::string& path_or_name) {
  std::error_code error;
  // `selkie run` writes to a folder named like its scene: that must not hide the scene the next time.
  const bool folder = fs::is_directory(path_or_name, error);
  if (!folder && fs::exists(path_or_name, error)) return path_or_name;
  std::vector<std::string> names;
  for (const ShippedScene& scene : shipped_scenes()) {
    if (scene.name == path_or_name) return scene.file;
    names.push_back(scene.name);
  }
  if (folder) return path_or_name;  // refused by the reader
  const std::string nearest = nearest_word(fs::path(path_or_name).stem().string(), names);
  throw InputError({path_or_name, 0, 0}, "no such scene file",
                   (nearest.empty() ? "" : "did you mean the shipped scene '" + nearest + "'? ") +
                       "`selkie scenes` lists the shipped ones");
}

}  // namespace selkie::cli
