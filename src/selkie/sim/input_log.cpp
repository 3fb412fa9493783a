// See input_log.h. The arguments are free-form tables, so the file is read by hand rather than through a
// schema.
#include "selkie/sim/input_log.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/io/read_toml.h"

namespace selkie::sim {
namespace {

const std::vector<std::string> kKeys{"tick", "frame", "system", "action", "arguments"};

std::string text_of(const Value& event, const std::string& key) {
  const Value* value = event.find(key);
  if (!value)
    throw InputError(event.place.location(), "an event lacks the key '" + key + "'",
                     key == "system" ? "add the name of the system that it is for"
                                     : "add what happens, for example action = \"set\"");
  if (!std::holds_alternative<std::string>(value->data))
    throw InputError(value->place.location(), "'" + key + "' must be a piece of text");
  return std::get<std::string>(value->data);
}

Tick tick_of(const Value& event) {
  const Value* tick = event.find("tick");
  const Value* frame = event.find("frame");
  if ((tick != nullptr) == (frame != nullptr))
    throw InputError(event.place.location(), "an event needs either 'tick' or 'frame'",
                     "for example frame = 10, or 10.5 for the middle of a frame");
  if (tick) {
    if (!std::holds_alternative<std::int64_t>(tick->data) || std::get<std::int64_t>(tick->data) < 0)
      throw InputError(tick->place.location(), "'tick' must be a whole number of at least 0");
    return std::get<std::int64_t>(tick->data);
  }
  if (!frame->is_number() || !(frame->number() >= 0) || !(frame->number() < 1e9))
    throw InputError(frame->place.location(), "'frame' must be a number of at least 0");
  return static_cast<Tick>(std::llround(frame->number() * static_cast<double>(kTicksPerFrame)));
}

ports::InputEvent event_of(const Value& value) {
  if (!value.is_table()) throw InputError(value.place.location(), "an event must be a table");
  for (const TableEntry& entry : value.table())
    if (std::find(kKeys.begin(), kKeys.end(), entry.key) == kKeys.end()) {
      const std::string nearest = nearest_word(entry.key, kKeys);
      throw InputError(
          entry.key_place.location(), "unknown key '" + entry.key + "' in an event",
          (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") + "Known: " + join_choices(kKeys));
    }
  ports::InputEvent event{tick_of(value), text_of(value, "system"), text_of(value, "action"), {}};
  if (const Value* arguments = value.find("arguments"))
    event.arguments = *arguments;
  else
    event.arguments = {ValueTable{}, value.place};
  if (!event.arguments.is_table())
    throw InputError(event.arguments.place.location(), "'arguments' must be a table");
  return event;
}

}  // namespace

std::string events_to_toml(std::span<const ports::InputEvent> events) {
  Value root{ValueTable{}};
  ValueArray list;
  for (const ports::InputEvent& event : events) {
    Value entry;
    entry["tick"].data = std::int64_t{event.tick};
    entry["system"].data = event.system;
    entry["action"].data = event.action;
    entry["arguments"] = event.arguments;
    if (!entry["arguments"].is_table()) entry["arguments"].data = ValueTable{};
    list.push_back(std::move(entry));
  }
  if (!list.empty()) root["event"].data = std::move(list);
  return to_toml(root);
}

std::vector<ports::InputEvent> events_from_toml(std::string_view text, const std::string& source) {
  const Value root = io::parse_toml(text, source);
  for (const TableEntry& entry : root.table())
    if (entry.key != "event")
      throw InputError(entry.key_place.location(), "unknown key '" + entry.key + "' in an input file",
                       "an input file holds [[event]] tables only");
  std::vector<ports::InputEvent> events;
  if (const Value* list = root.find("event")) {
    if (!list->is_array())
      throw InputError(list->place.location(), "'event' must be a list of tables", "write [[event]]");
    for (const Value& event : list->array()) events.push_back(event_of(event));
  }
  return events;
}

std::vector<ports::InputEvent> read_events(const std::filesystem::path& path) {
  return events_from_toml(io::read_text_file(path), path.string());
}

}  // namespace selkie::sim
