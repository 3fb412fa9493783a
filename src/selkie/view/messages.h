// The text messages of docs/viewer-protocol.md: what a client sends to commands, and what is told to it to
// JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "selkie/core/schema.h"
#include "selkie/core/value.h"
#include "selkie/geometry/mesh.h"
#include "selkie/scene/description.h"
#include "selkie/view/source.h"

namespace selkie::view {

// One JSON value, at most 16 levels deep. InputError when it is none, or when a number is too large.
Value parse_json(std::string_view text);

struct Acknowledgement {
  std::uint64_t frame_number = 0;
};
struct Request {
  std::optional<std::int64_t> id = {};
  std::variant<Command, Acknowledgement> what = {};
  // Not a JSON object of a known type: counts towards the end of the connection.
  bool malformed = false;
  std::optional<Reply> refusal = {};  // set: `what` means nothing
};
Request parse_request(std::string_view text);

std::string reply_text(const std::optional<std::int64_t>& id, const Reply& reply);

struct SceneChoice {
  std::string name, about;
};
std::string hello_text(std::string_view version, std::string_view mode, std::span<const SceneChoice> scenes);
std::string bye_text(std::string_view why);

// The parameters of a described object as the `params` of a system; `prefix` leads their paths.
ValueArray parameter_list(const Type& type, const void* object);
// The member at a dotted path, without going into lists; nullptr when there is none.
const Field* find_parameter(const Type& type, std::string_view path);

// What live and finished scenes say alike; the `systems` are added by the source.
Value scene_base(const scene::SceneDescription& description, const geometry::BoundingBox& bounds);

// Takes a scene's [[material]] over to a drawable of `system` ("" for scenery).
void apply_materials(std::span<const ports::Material> materials, std::string_view system,
                     ports::Drawable& drawable);

// What a camera should show of these drawables: grown by all but backdrops.
void extend_bounds(geometry::BoundingBox& bounds, const ports::Drawable& drawable);

}  // namespace selkie::view
