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

// A part of the scene that a --set path leads to, and its type; null where the scene does not know it.
struct Addressed {
  Value* value = nullptr;
  const Type* type = nullptr;
};

Addressed element_called(Value& root, const std::string& name, Named kind) {
  for (TableEntry& entry : root.table())
    if (entry.value.is_array() && kind_of(entry.key) == kind)
      for (Value& element : entry.value.array())
        if (name_of(entry.key, element) == name) {
          const Field* list = scene_type().find(entry.key);
          return {&element, list && list->type->kind == Kind::list ? list->type->element : nullptr};
        }
  return {};
}

// A list that a scene may hold; one that it does not hold is empty.
Addressed list_called(Value& root, const std::string& name) {
  const Field* list = scene_type().find(name);
  if (!list || list->type->kind != Kind::list) return {};
  if (!root.find(name)) root[name].data = ValueArray();
  return {&root[name], list->type};
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
Addressed addressed_table(Value& root, const std::string& head, std::string_view next, const Place& place) {
  if (std::find(kTables.begin(), kTables.end(), head) != kTables.end())
    return {&root[head], scene_type().find(head)->type};
  if (is_number(next))
    if (const Addressed list = list_called(root, head); list.value) return list;
  if (!head.empty())
    for (const Named kind : {Named::system, Named::collider, Named::joining, Named::camera})
      if (const Addressed element = element_called(root, head, kind); element.value) return element;
  if (const Addressed whole = list_called(root, head); whole.value)
    return whole;  // to be told how many elements it holds
  const std::vector<std::string> known = addressable(root);
  const std::string nearest = nearest_word(head, known);
  throw InputError(
      place.location(), "there is no system called '" + head + "'",
      (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") + "Known: " + join_choices(known));
}

// The path that a key stands for: itself, or where it is found further inside, when there is one such place
// (`water.cells` for `water.domain.cells`), or one among the tables that the scene holds.
std::string full_path(const Addressed& at, const std::string& key) {
  const Type* type = at.type;
  while (type && type->kind == Kind::optional) type = type->element;
  if (!type || type->find(key)) return key;
  std::vector<std::string> inside = members_below(*type, key);
  if (inside.size() > 1)
    std::erase_if(inside, [&](const std::string& path) {
      const Value* table = at.value;
      for (std::size_t begin = 0, dot; table && (dot = path.find('.', begin)) != path.npos; begin = dot + 1)
        table = table->is_table() ? table->find(path.substr(begin, dot - begin)) : nullptr;
      return !table;
    });
  return inside.size() == 1 ? inside[0] : key;
}

Addressed member_of(const Addressed& table, const std::string& key) {
  const Type* type = table.type;
  while (type && type->kind == Kind::optional) type = type->element;
  const Field* field = type ? type->find(key) : nullptr;
  return {&(*table.value)[key], field ? field->type : nullptr};
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
  Addressed at = addressed_table(root, head, rest.substr(0, rest.find('.')), place);
  while (true) {
    std::size_t next = rest.find('.');
    std::string key = rest.substr(0, next);
    if (key.empty())
      throw InputError(place.location(), "has an empty key", "for example --set scene.frames=10");
    if (at.value->is_array()) {
      ValueArray& list = at.value->array();
      if (!is_number(key) || std::stoul(key) >= list.size())
        throw InputError(place.location(), "there is no element '" + key + "' in the list",
                         "it holds " + std::to_string(list.size()) + " element(s), counted from 0");
      at = {&list[std::stoul(key)], at.type && at.type->kind == Kind::list ? at.type->element : nullptr};
    } else if (!at.value->is_table() && !std::holds_alternative<std::monostate>(at.value->data)) {
      throw InputError(place.location(),
                       "there is no key '" + key + "' inside " + std::string(at.value->kind_name()),
                       "for example --set scene.frames=10");
    } else {
      rest.replace(0, key.size(), full_path(at, key));
      next = rest.find('.');
      key = rest.substr(0, next);
      const bool known = at.value->find(key) != nullptr;
      at = member_of(at, key);
      if (!known) at.value->place = place;
    }
    if (next == std::string::npos) break;
    rest = rest.substr(next + 1);
  }
  *at.value = io::parse_toml_value(setting.substr(equals + 1), source);
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
                     error.remedy() + (scale > 1 ? ", or a smaller scale" : ", or a larger scale"));
  }
}

// Colliders are made and drawn without the scene at hand, so their meshes must be found from anywhere.
void find_mesh(const Scene& scene, const std::string& path_of_member,
               std::optional<sim::ColliderMesh>& mesh) {
  if (!mesh) return;
  const Place place = find_place(scene.source, path_of_member + ".mesh.file");
  mesh->file = existing_file(mesh->file, scene.folder, place).string();
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
  // Whoever steps the scene later may have changed the working directory by then.
  scene.folder = full_path(folder);
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
