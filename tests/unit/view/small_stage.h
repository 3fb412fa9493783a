// A small scene for tests of the viewer: a cloth of 5 × 5 vertices over a ball, made from text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "selkie/scene/scene.h"
#include "selkie/view/session.h"

namespace selkie::view {

inline constexpr const char* kSmallScene = R"(
[scene]
name = "small"
fps = 30
steps_per_frame = 2
[[collider]]
name = "ball"
shape = { ball = { center = [0, 0, 0], radius = 0.2 } }
[[mass_spring]]
name = "cloth"
mesh = { sheet = { center = [0, 0.5, 0], size = [1, 1], divisions = [4, 4] } }
stiffness = 100
[[material]]
of = "cloth"
look = "glossy"
)";

inline Stage small_stage(const std::string& name, std::span<const std::string> settings) {
  const scene::Scene scene = scene::parse(kSmallScene, name, {}, settings);
  return {scene.description, scene::build(scene)};
}

inline SessionOptions small_session(bool paused = true) {
  return {small_stage, "small", {}, {{"small", "a cloth"}, {"other", "the same"}}, paused};
}

inline Command command(CommandKind kind) { return {.kind = kind}; }

inline Command set_command(const std::string& path, Value value) {
  return {.kind = CommandKind::set, .system = "cloth", .path_or_action = path, .value = std::move(value)};
}

inline Command grab_command(const Vec3& target) {
  Value arguments;
  arguments["point"].data = ValueArray{{0.5}, {0.5}, {0.5}};
  arguments["target"].data = ValueArray{{target.x()}, {target.y()}, {target.z()}};
  return {.kind = CommandKind::event, .system = "cloth", .path_or_action = "grab", .value = arguments};
}

}  // namespace selkie::view
