// The scenes that come with Selkie: beside the installed program, or in the source tree it was built from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace selkie::cli {

struct ShippedScene {
  std::string name;  // file stem
  std::filesystem::path file;
  std::string about;
};

std::vector<ShippedScene> shipped_scenes();  // sorted by name

// A path as given, or a shipped scene of that name. InputError naming the nearest one when neither exists.
std::filesystem::path find_scene(const std::string& path_or_name);

}  // namespace selkie::cli
