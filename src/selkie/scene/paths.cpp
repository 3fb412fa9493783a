// See paths.h. Walks the schema, so that a new system's file names are found without being registered.
#include "selkie/scene/paths.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>

#include "selkie/core/error.h"
#include "selkie/core/function_ref.h"
#include "selkie/core/hash.h"
#include "selkie/core/schema.h"
#include "selkie/io/read_mesh.h"
#include "selkie/io/read_toml.h"
#include "selkie/scene/scene_type.h"

namespace selkie::scene {
namespace {

namespace fs = std::filesystem;

// What the keys are called, in any table, whose text names a file.
bool names_a_file(std::string_view key) {
  static constexpr std::array<std::string_view, 4> kKeys{"file", "files", "image", "inputs"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

void for_each_file(const Type& type, void* object, bool is_file, FunctionRef<void(std::string&)> use) {
  switch (type.kind) {
    case Kind::text:
      if (auto& name = *static_cast<std::string*>(object); is_file && !name.empty()) use(name);
      break;
    case Kind::list:
    case Kind::optional:
      for (std::size_t i = 0; i < type.size(object); ++i)
        for_each_file(*type.element, type.at(object, i), is_file, use);
      break;
    case Kind::table:
    case Kind::one_of:
      for (const Field& field : type.fields)
        for_each_file(*field.type, field.member(object), names_a_file(field.name), use);
      break;
    default:
      break;
  }
}

}  // namespace

fs::path full_path(const fs::path& path) {
  const fs::path full = fs::absolute(path.empty() ? fs::path(".") : path);
  if (std::find(full.begin(), full.end(), "..") != full.end()) {
    std::error_code error;
    const fs::path resolved = fs::weakly_canonical(full, error);
    if (!error) return resolved;
  }
  return full.lexically_normal();
}

fs::path existing_file(const std::string& name, const fs::path& folder, const Place& place,
                       const std::string& what) {
  const fs::path path = folder / name;
  std::error_code error;
  if (!fs::exists(path, error))
    throw InputError(place.location(), "the " + what + " '" + name + "' does not exist",
                     "looked for " + path.string() + "; paths are relative to the scene file");
  return path;
}

SceneDescription with_full_paths(const Scene& scene) {
  SceneDescription copy = scene.description;
  for_each_file(scene_type(), &copy, false,
                [&](std::string& name) { name = full_path(scene.folder / name).string(); });
  return copy;
}

SceneDescription with_file_contents(const Scene& scene) {
  SceneDescription copy = with_full_paths(scene);
  std::map<std::string, std::string> contents;  // one file may be named many times
  for_each_file(scene_type(), &copy, false, [&](std::string& name) {
    std::string& content = contents[name];
    if (content.empty()) {
      std::string text = io::read_text_file(name);
      for (const fs::path& part : io::files_read_with(name)) text += io::read_text_file(part);
      content =
          hash_bytes(std::as_bytes(std::span<const char>(text))).hex() + fs::path(name).extension().string();
    }
    name = content;
  });
  return copy;
}

std::vector<fs::path> files_of(const Scene& scene) {
  SceneDescription copy = with_full_paths(scene);
  std::vector<fs::path> files;
  for_each_file(scene_type(), &copy, false, [&](std::string& name) {
    files.emplace_back(name);
    for (fs::path& part : io::files_read_with(name)) files.push_back(std::move(part));
  });
  return files;
}

}  // namespace selkie::scene
