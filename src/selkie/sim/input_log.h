// Input events as text: the log a run leaves (inputs.toml) and what `selkie run --inputs FILE` replays.
//
//   [[event]]
//   tick = 4294967296            # 2³² ticks a frame; or: frame = 1.0
//   system = "cloth"
//   action = "set"
//   arguments = { path = "stiffness", value = 200.0 }
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "selkie/ports/input_event.h"

namespace selkie::sim {

std::string events_to_toml(std::span<const ports::InputEvent> events);

// InputError with the place for unknown keys, missing ones or wrong types.
std::vector<ports::InputEvent> events_from_toml(std::string_view text, const std::string& source);
std::vector<ports::InputEvent> read_events(const std::filesystem::path& path);

}  // namespace selkie::sim
