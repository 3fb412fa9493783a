// See messages.h: what the `scene` message says of a scene and its parameters.
#include <array>
#include <cmath>

#include "selkie/view/messages.h"

namespace selkie::view {
namespace {

constexpr std::array<std::string_view, 10> kKindNames{"number", "integer", "boolean",  "text",  "choice",
                                                      "vector", "list",    "optional", "table", "one_of"};

Value vector(const Vec3& v) { return {ValueArray{{v.x()}, {v.y()}, {v.z()}}}; }

Value parameter(const Field& field, const Type& type, const std::string& path, const Value& value) {
  Value entry;
  entry["path"].data = path;
  entry["kind"].data = std::string(kKindNames[static_cast<std::size_t>(type.kind)]);
  entry["unit"].data = field.unit;
  entry["text"].data = field.text;
  entry["value"] = value;
  entry["live"].data = field.live;
  if (std::isfinite(field.lo)) entry["lo"].data = field.lo;
  if (std::isfinite(field.hi)) entry["hi"].data = field.hi;
  if (type.kind == Kind::choice) {
    ValueArray choices;
    for (const std::string& choice : type.choices) choices.push_back({choice});
    entry["choices"].data = std::move(choices);
  }
  return entry;
}

// Lists, and tables that may be absent or exclude one another, have no simple control; a page leaves them
// out.
void add_parameters(const Type& type, const Value& values, const std::string& prefix, ValueArray& list) {
  for (const Field& field : type.fields) {
    const Type* inner = field.type;
    const Value* value = values.find(field.name);
    if (inner->kind == Kind::optional) inner = inner->element;
    if (!value || inner->kind == Kind::list || inner->kind == Kind::one_of) continue;
    if (inner->kind == Kind::table)
      add_parameters(*inner, *value, prefix + field.name + ".", list);
    else
      list.push_back(parameter(field, *inner, prefix + field.name, *value));
  }
}

bool addresses(const ports::Material& material, std::string_view system, const std::string& part) {
  return material.of == part || (!system.empty() && material.of == system);
}

template <class T>
void set_radius(ports::Drawable& drawable, double radius) {
  if (auto* shape = std::get_if<T>(&drawable.shape)) shape->radius = radius;
}

}  // namespace

ValueArray parameter_list(const Type& type, const void* object) {
  ValueArray list;
  add_parameters(type, write(type, object), "", list);
  return list;
}

const Field* find_parameter(const Type& type, std::string_view path) {
  const std::size_t dot = path.find('.');
  const Field* field = type.find(path.substr(0, dot));
  if (!field || dot == std::string_view::npos) return field;
  const Type* inner = field->type;
  if (inner->kind == Kind::optional) inner = inner->element;
  return inner->kind == Kind::table ? find_parameter(*inner, path.substr(dot + 1)) : nullptr;
}

Value scene_base(const scene::SceneDescription& d, const geometry::BoundingBox& bounds) {
  Value message;
  message["type"].data = std::string("scene");
  message["name"].data = d.scene.name;
  message["about"].data = d.scene.about;
  message["fps"].data = d.scene.fps;
  message["steps_per_frame"].data = std::int64_t{d.scene.steps_per_frame};
  message["gravity"] = vector(d.scene.gravity);
  const bool nothing = bounds.isEmpty();
  message["bounds"]["min"] = vector(nothing ? Vec3::Constant(-1) : Vec3(bounds.min()));
  message["bounds"]["max"] = vector(nothing ? Vec3::Constant(1) : Vec3(bounds.max()));
  ValueArray cameras;
  for (const ports::Camera& camera : d.camera) cameras.push_back(write(type_of<ports::Camera>(), &camera));
  message["cameras"].data = std::move(cameras);
  message["light"] = write(type_of<ports::Lighting>(), &d.light);
  return message;
}

void apply_materials(std::span<const ports::Material> materials, std::string_view system,
                     ports::Drawable& drawable) {
  for (const ports::Material& material : materials) {
    if (!addresses(material, system, drawable.name)) continue;
    if (material.look) drawable.look = *material.look;
    if (material.colour) drawable.colour = Vec3(material.colour->data());
    if (material.radius) {
      set_radius<ports::Points>(drawable, *material.radius);
      set_radius<ports::Curves>(drawable, *material.radius);
    }
  }
}

void extend_bounds(geometry::BoundingBox& bounds, const ports::Drawable& drawable) {
  if (drawable.backdrop) return;
  auto extend = [&](std::span<const Vec3> points) {
    const geometry::BoundingBox box = geometry::bounding_box(points);
    if (!box.isEmpty()) bounds.extend(box);
  };
  if (const auto* surface = std::get_if<ports::TriangleSurface>(&drawable.shape)) extend(surface->positions);
  if (const auto* points = std::get_if<ports::Points>(&drawable.shape)) extend(points->positions);
  if (const auto* curves = std::get_if<ports::Curves>(&drawable.shape)) extend(curves->positions);
  if (const auto* volume = std::get_if<ports::Volume>(&drawable.shape)) {
    bounds.extend(volume->origin);
    bounds.extend(volume->origin +
                  volume->cell_size * Vec3(volume->cells[0], volume->cells[1], volume->cells[2]));
  }
  if (const auto* height = std::get_if<ports::HeightSurface>(&drawable.shape)) {
    const Vec3 size((height->samples[0] - 1) * height->spacing, 0,
                    (height->samples[1] - 1) * height->spacing);
    for (const double h : height->heights)
      if (std::isfinite(h)) {
        bounds.extend(height->origin + Vec3(0, h, 0));
        bounds.extend(height->origin + size + Vec3(0, h, 0));
      }
  }
}

}  // namespace selkie::view
