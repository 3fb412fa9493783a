// Documentation of the scene format, generated from the descriptions.
#include <cmath>
#include <set>

#include "selkie/core/schema.h"
#include "selkie/core/text.h"
#include "selkie/scene/scene.h"
#include "selkie/scene/scene_type.h"

namespace selkie::scene {
namespace {

// The table a field leads to: through optional and list.
const Type* table_below(const Type* type) {
  while (type->kind == Kind::optional || type->kind == Kind::list) type = type->element;
  return type->kind == Kind::table || type->kind == Kind::one_of ? type : nullptr;
}

std::string escape_pipes(std::string text) {
  for (std::size_t i = 0; (i = text.find('|', i)) != std::string::npos; i += 2) text.replace(i, 1, "\\|");
  return text;
}

std::string default_text(const Field& field, const Value& defaults) {
  if (field.required) return "required";
  const Value* value = defaults.find(field.name);
  if (!value || table_below(field.type)) return "";
  Value root;
  root["x"] = *value;
  std::string text = to_toml(root);
  return "`" + text.substr(4, text.size() - 5) + "`";
}

std::string range_text(const Field& field) {
  std::string text;
  if (std::isfinite(field.lo)) text = (field.lo_open ? "> " : "≥ ") + number_text(field.lo);
  if (std::isfinite(field.hi)) text += (text.empty() ? "≤ " : ", ≤ ") + number_text(field.hi);
  return text;
}

void document(const Type& type, const std::string& title, const std::string& text, std::string& out,
              std::set<const Type*>& done) {
  if (!done.insert(&type).second) return;
  out += "\n## `" + title + "`\n\n" + (text.empty() ? "" : text + ".\n\n");
  if (type.kind == Kind::one_of) out += "Exactly one of these keys:\n\n";
  out += "| key | type | unit | default | range | meaning |\n|---|---|---|---|---|---|\n";
  const Value defaults = type.defaults ? type.defaults() : Value{};
  for (const Field& field : type.fields)
    out += "| `" + field.name + "` | " + escape_pipes(type_text(*field.type)) + " | " + field.unit + " | " +
           default_text(field, defaults) + " | " + range_text(field) + " | " + escape_pipes(field.text) +
           (field.live ? " (live)" : "") + (field.scaled ? " (multiplied by `scene.scale`)" : "") + " |\n";
  for (const Field& field : type.fields)
    if (const Type* table = table_below(field.type))
      document(*table, title + "." + field.name, field.text, out, done);
}

}  // namespace

std::string format_markdown() {
  std::string out =
      "# The scene format\n\n"
      "A scene is a TOML file in SI units. This page is generated from the program's own definitions "
      "(`selkie info --scene-format`); `selkie info --json-schema` gives the same as a JSON schema for "
      "editors. An unknown "
      "key, a wrong type or a value out of range is an error with its place in the file.\n\n"
      "`--set NAME.KEY=VALUE` on the command line changes one value of the table `scene`, `output`, `light` "
      "or `bodies`, or of the first thing called NAME: systems come first, then colliders, then couplings "
      "and "
      "joints (called by what they join, `skirt-belt`), then cameras. `--set LIST.N.KEY=VALUE` changes "
      "element N of a list, counted from 0, with or without a name: `material.0.roughness=0.2`. "
      "A KEY of an inner table may stand for its whole path where there is only one such place: "
      "`water.cells` for `water.domain.cells`. "
      "Parameters marked (live) may also change while the world runs.\n";
  std::set<const Type*> done;
  for (const Field& field : scene_type().fields) {
    const bool list = field.type->kind == Kind::list;
    document(*table_below(field.type), (list ? "[[" : "[") + field.name + (list ? "]]" : "]"), field.text,
             out, done);
  }
  return out;
}

Value format_json_schema() {
  Value schema = json_schema(scene_type());
  schema["$schema"].data = std::string("https://json-schema.org/draft/2020-12/schema");
  schema["title"].data = std::string("Selkie scene");
  return schema;
}

}  // namespace selkie::scene
