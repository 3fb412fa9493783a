// Text to description: TOML, then --set on the tree, then one reading through the schema, then scale.
#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "selkie/core/error.h"
#include "selkie/core/schema.h"
#include "selkie/core/text.h"
#include "selkie/io/read_toml.h"
#include "selkie/scene/paths.h"
#include "selkie/scene/scene.h"
#include "selkie/scene/scene_type.h"

namespace selkie::scene {
namespace {

constexpr std::array<std::string_view, 4> kTables{"scene", "output", "light", "bodies"};

// Names are looked for in this order, so that a camera that is called like a body does not hide it.
enum class Named { system, collider, joining, camera };

Named kind_of(std::string_view list) {
  if (list == "camera") return Named::camera;
  if (list == "coupling" || list == "joint") return Named::joining;
  return list == "collider" ? Named::collider : Named::system;
}

// The name of an element as written; of what joins two systems "one-other"; a camera's default; or "".
std::string name_of(std::string_view list, const Value& element) {
  auto text = [](const Value* value) {
    return value && std::holds_alternative<std::string>(value->data) ? std::get<std::string>(value->data)
                                                                     : std::string();
  };
  if (const Value* name = element.find("name")) return text(name);
  const Value* between = element.find("between");
  if (between && between->is_array() && between->array().size() == 2)
    return text(&between->array()[0]) + "-" + text(&between->array()[1]);
  return kind_of(list) == Named::camera ? ports::Camera{}.name : "";
}

Value* element_called(Value& root, const std::string& name, Named kind) {
  for (TableEntry& entry : root.table())
    if (entry.value.is_array() && kind_of(entry.key) == kind)
      for (Value& element : entry.value.array())
        if (name_of(entry.key, element) == name) return &element;
  return nullptr;
}

// A list that a scene may hold; one that it does not hold is empty.
Value* list_called(Value& root, const std::string& name) {
  const std::vector<Field>& fields = scene_type().fields;
  const bool known = std::any_of(fields.begin(), fields.end(), [&](const Field& field) {
    return field.name == name && field.type->kind == Kind::list;
  });
  if (!known) return nullptr;
  if (!root.find(name)) root[name].data = ValueArray();
  return &root[name];
}

// All that addressed_table() finds, for messages: names, and "material.N" where elements have none.
std::vector<std::string> addressable(const Value& root) {
  std::vector<std::string> names(kTables.begin(), kTables.end());
  for (const TableEntry& entry : root.table()) {
    if (!entry.value.is_array()) continue;
    bool nameless = false;
    for (const Value& element : entry.value.array()) {
      const std::string name = name_of(entry.key, element);
      nameless = nameless || name.empty();
      if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    if (nameless) names.push_back(entry.key + ".N");
  }
  return names;
}

bool is_number(std::string_view word) {
  return !word.empty() && word.size() < 9 && word.find_first_not_of("0123456789") == std::string::npos;
}

// What the first word of a --set path means: a top-level table, the first element of that name, or a list
// whose element the next word counts. No key is a number, so `smoke.0` is the list even where a system is
// called smoke.
Value& addressed_table(Value& root, const std::string& head, std::string_view next, const Place& place) {
  if (std::find(kTables.begin(), kTables.end(), head) != kTables.end()) return root[head];
  Value* list = is_number(next) ? list_called(root, head) : nullptr;
  if (list) return *list;
  if (!head.empty())
    for (const Named kind : {Named::system, Named::collider, Named::joining, Named::camera})
      if (Value* element = element_called(root, head, kind)) return *element;
  if (Value* whole = list_called(root, head)) return *whole;  // to be told how many elements it holds
  const std::vector<std::string> known = addressable(root);
  const std::string nearest = nearest_word(head, known);
  throw InputError(
      place.location(), "there is no system called '" + head + "'",
      (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") + "Known: " + join_choices(known));
}

void apply_setting(Value& root, const std::string& setting) {
  const std::string source = "--set " + setting;
  const Place place{std::make_shared<const std::string>(source), 0, 0};
  const std::size_t equals = setting.find('=');
  const std::size_t dot = setting.find('.');
  if (equals == std::string::npos || dot == std::string::npos || dot > equals)
    throw InputError(place.location(), "is not of the form system.key=value",
                     "for example --set scene.frames=10");
  if (std::count(setting.begin(), setting.begin() + static_cast<std::ptrdiff_t>(equals), '.') > 64)
    throw InputError(place.location(), "keys nest more than 64 deep", "for example --set scene.frames=10");
  const std::string head = setting.substr(0, dot);
  std::string rest = setting.substr(dot + 1, equals - dot - 1);
  Value* at = &addressed_table(root, head, rest.substr(0, rest.find('.')), place);
  while (true) {
    const std::size_t next = rest.find('.');
    const std::string key = rest.substr(0, next);
    if (key.empty())
      throw InputError(place.location(), "has an empty key", "for example --set scene.frames=10");
    if (at->is_array()) {
      if (!is_number(key) || std::stoul(key) >= at->array().size())
        throw InputError(place.location(), "there is no element '" + key + "' in the list",
                         "it holds " + std::to_string(at->array().size()) + " element(s), counted from 0");
      at = &at->array()[std::stoul(key)];
    } else if (!at->is_table() && !std::holds_alternative<std::monostate>(at->data)) {
      throw InputError(place.location(),
                       "there is no key '" + key + "' inside " + std::string(at->kind_name()),
                       "for example --set scene.frames=10");
    } else {
      const bool known = at->find(key) != nullptr;
      at = &(*at)[key];
      if (!known) at->place = place;
    }
    if (next == std::string::npos) break;
    rest = rest.substr(next + 1);
  }
  *at = io::parse_toml_value(setting.substr(equals + 1), source);
}

// Keys made by --set have no place of their own yet; they take their value's.
void place_keys(Value& value) {
  if (value.is_array())
    for (Value& element : value.array()) place_keys(element);
  if (value.is_table())
    for (TableEntry& entry : value.table()) {
      if (!entry.key_place.file) entry.key_place = entry.value.place;
      place_keys(entry.value);
    }
}

// The scaled numbers must satisfy the same rules as written ones. They stand nowhere in the file, so what is
// wrong with them is told at the scale.
void scale_up(Scene& scene) {
  const Type& type = scene_type();
  const double scale = scene.description.scene.scale;
  try {
    apply_scale(type, &scene.description, scale);
    scene.description.scene.scale = 1;  // so that the resolved copy is not scaled again
    SceneDescription checked;
    read(type, write(type, &scene.description), &checked, "");
  } catch (const InputError& error) {
    throw InputError(find_place(scene.source, "scene.scale").location(),
                     "with 'scene.scale' = " + number_text(scale) + ", " + error.problem(),
                     error.remedy() + ", or a smaller scale");
  }
}

// Colliders are made and drawn without the scene at hand, so their meshes must be found from anywhere.
void find_mesh(const Scene& scene, const std::string& path_of_member, std::optional<sim::ColliderMesh>& mesh) {
  if (!mesh) return;
  const std::filesystem::path path = std::filesystem::absolute(scene.folder / mesh->file).lexically_normal();
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw InputError(find_place(scene.source, path_of_member + ".mesh.file").location(),
                     "the mesh file '" + mesh->file + "' does not exist",
                     "looked for " + path.string() + "; paths are relative to the scene file");
  mesh->file = path.string();
}
void find_collider_meshes(Scene& scene) {
  SceneDescription& d = scene.description;
  for (std::size_t i = 0; i < d.collider.size(); ++i)
    find_mesh(scene, "collider." + std::to_string(i), d.collider[i].mesh);
  for (std::size_t l = 0; l < d.liquid.size(); ++l) {
    const std::string liquid = "liquid." + std::to_string(l);
    for (std::size_t i = 0; i < d.liquid[l].inflow.size(); ++i)
      find_mesh(scene, liquid + ".inflow." + std::to_string(i), d.liquid[l].inflow[i].mesh);
    for (std::size_t i = 0; i < d.liquid[l].drain.size(); ++i)
      find_mesh(scene, liquid + ".drain." + std::to_string(i), d.liquid[l].drain[i].mesh);
  }
}

}  // namespace

Scene from_value(Value root, const std::filesystem::path& folder, std::span<const std::string> settings) {
  if (!root.is_table()) throw InputError(root.place.location(), "a scene must be a table");
  for (const std::string& setting : settings) apply_setting(root, setting);
  place_keys(root);
  Scene scene;
  scene.folder = folder;
  scene.source = std::move(root);
  const Type& type = scene_type();
  read(type, scene.source, &scene.description, "");
  if (scene.description.scene.scale != 1) scale_up(scene);
  find_collider_meshes(scene);
  return scene;
}

Scene parse(std::string_view text, const std::string& source, const std::filesystem::path& folder,
            std::span<const std::string> settings) {
  return from_value(io::parse_toml(text, source), folder, settings);
}

Scene load(const std::filesystem::path& file, std::span<const std::string> settings) {
  return parse(io::read_text_file(file), file.string(), file.parent_path(), settings);
}

std::string resolved(const Scene& scene) {
  const SceneDescription full = with_full_paths(scene);
  return to_toml(write(scene_type(), &full));
}

std::string identity(const Scene& scene) {
  SceneDescription copy = with_file_contents(scene);
  copy.scene.frames = 0;
  copy.scene.about.clear();
  copy.output = {};
  copy.camera.clear(), copy.light = {}, copy.material.clear();
  return to_toml(write(scene_type(), &copy));
}

}  // namespace selkie::scene
