// See messages.h: JSON in, and the small messages out.
#include "selkie/view/messages.h"

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "selkie/core/error.h"
#include "selkie/core/text.h"

namespace selkie::view {
namespace {

using nlohmann::json;

constexpr int kDeepest = 16;
constexpr std::size_t kLongestArguments = 4096;  // bytes of an event in the log

Value to_value(const json& j) {
  switch (j.type()) {
    case json::value_t::boolean:
      return {j.get<bool>()};
    case json::value_t::number_integer:
      return {j.get<std::int64_t>()};
    case json::value_t::number_unsigned: {
      const auto number = j.get<std::uint64_t>();
      if (number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return {static_cast<std::int64_t>(number)};
      return {static_cast<double>(number)};
    }
    case json::value_t::number_float:
      return {j.get<double>()};
    case json::value_t::string:
      return {j.get<std::string>()};
    case json::value_t::array: {
      ValueArray list;
      for (const json& element : j) list.push_back(to_value(element));
      return {std::move(list)};
    }
    case json::value_t::object: {
      ValueTable table;
      for (const auto& [key, value] : j.items()) table.push_back({key, to_value(value), {}});
      return {std::move(table)};
    }
    default:
      return {};
  }
}

// JSON's null has no counterpart in an input log, which must replay what was applied.
bool holds_null(const Value& value) {
  if (std::holds_alternative<std::monostate>(value.data)) return true;
  if (value.is_array())
    for (const Value& element : value.array())
      if (holds_null(element)) return true;
  if (value.is_table())
    for (const TableEntry& entry : value.table())
      if (holds_null(entry.value)) return true;
  return false;
}

const Value& required(const Value& message, std::string_view key) {
  const Value* value = message.find(key);
  if (!value) throw InputError("the message lacks '" + std::string(key) + "'");
  return *value;
}

std::string text_at(const Value& message, std::string_view key) {
  const Value& value = required(message, key);
  const auto* text = std::get_if<std::string>(&value.data);
  if (!text)
    throw InputError("'" + std::string(key) + "' must be a piece of text, not " +
                     std::string(value.kind_name()));
  return *text;
}

std::int64_t whole_at(const Value& message, std::string_view key) {
  const Value& value = required(message, key);
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return *whole;
  throw InputError("'" + std::string(key) + "' must be a whole number, not " +
                   std::string(value.kind_name()));
}

double number_at(const Value& message, std::string_view key) {
  const Value& value = required(message, key);
  if (value.is_number()) return value.number();
  throw InputError("'" + std::string(key) + "' must be a number, not " + std::string(value.kind_name()));
}

constexpr std::array<std::string_view, 11> kCommandNames{"play", "pause", "step",  "reset",  "open", "speed",
                                                         "seek", "set",   "event", "inputs", "hash"};

Command command_of(CommandKind kind, const Value& message) {
  Command command;
  command.kind = kind;
  switch (kind) {
    case CommandKind::open:
      command.scene = text_at(message, "scene");
      break;
    case CommandKind::speed:
      command.factor = number_at(message, "factor");
      break;
    case CommandKind::seek:
      command.frame = whole_at(message, "frame");
      break;
    case CommandKind::set:
      command.system = text_at(message, "system");
      command.path_or_action = text_at(message, "path");
      command.value = required(message, "value");
      break;
    case CommandKind::event:
      command.system = text_at(message, "system");
      command.path_or_action = text_at(message, "action");
      command.value = Value{ValueTable{}};
      if (const Value* arguments = message.find("arguments")) command.value = *arguments;
      if (!command.value.is_table()) throw InputError("'arguments' must be an object");
      if (to_json(command.value, 0).size() > kLongestArguments)
        throw InputError("the arguments of an event are longer than " + std::to_string(kLongestArguments) +
                         " bytes");
      break;
    default:
      break;
  }
  if ((kind == CommandKind::set || kind == CommandKind::event) && holds_null(command.value))
    throw InputError("null is no value", "leave the key out");
  return command;
}

Request malformed(std::string why, std::string remedy = {}) {
  Request request;
  request.malformed = true;
  request.refusal = Reply::refusal(std::move(why), std::move(remedy));
  return request;
}

}  // namespace

Value parse_json(std::string_view text) {
  const auto fence = [](int depth, json::parse_event_t, json&) {
    if (depth > kDeepest) throw InputError("the message nests more than 16 levels deep");
    return true;
  };
  try {
    return to_value(json::parse(text.begin(), text.end(), fence));
  } catch (const json::exception& error) {
    throw InputError(std::string("not JSON: ") + error.what());
  }
}

Request parse_request(std::string_view text) {
  Value message;
  try {
    message = parse_json(text);
  } catch (const InputError& error) {
    return malformed(error.problem());
  }
  if (!message.is_table()) return malformed("a message must be a JSON object");
  Request request;
  if (const Value* id = message.find("id")) {
    if (!std::holds_alternative<std::int64_t>(id->data)) return malformed("'id' must be a whole number");
    request.id = std::get<std::int64_t>(id->data);
  }
  try {
    const std::string type = text_at(message, "type");
    if (type == "ack") {
      const std::int64_t number = whole_at(message, "frame_number");
      request.what = Acknowledgement{number < 0 ? 0 : static_cast<std::uint64_t>(number)};
      return request;
    }
    for (std::size_t k = 0; k < kCommandNames.size(); ++k)
      if (type == kCommandNames[k]) {
        request.what = command_of(static_cast<CommandKind>(k), message);
        return request;
      }
    std::vector<std::string> known(kCommandNames.begin(), kCommandNames.end());
    known.emplace_back("ack");
    request.malformed = true;
    request.refusal = Reply::refusal("unknown message type '" + type.substr(0, 80) + "'",
                                     "known are " + join_choices(known));
  } catch (const InputError& error) {
    const Value* type = message.find("type");
    request.malformed = !type || !std::holds_alternative<std::string>(type->data);
    request.refusal = Reply::refusal(error.problem(), error.remedy());
  }
  return request;
}

std::string reply_text(const std::optional<std::int64_t>& id, const Reply& reply) {
  Value message = reply.content;
  if (!reply.ok) {
    message["type"].data = std::string("error");
    message["message"].data = reply.message;
    message["remedy"].data = reply.remedy;
  } else if (!message.is_table()) {
    message["type"].data = std::string("ok");
  }
  if (id) message["id"].data = *id;
  return to_json(message, 0);
}

std::string hello_text(std::string_view version, std::string_view mode, std::span<const SceneChoice> scenes) {
  Value message;
  message["type"].data = std::string("hello");
  message["protocol"].data = std::int64_t{1};
  message["version"].data = std::string(version);
  message["mode"].data = std::string(mode);
  ValueArray list;
  for (const SceneChoice& scene : scenes) {
    Value entry;
    entry["name"].data = scene.name;
    entry["about"].data = scene.about;
    list.push_back(std::move(entry));
  }
  message["scenes"].data = std::move(list);
  return to_json(message, 0);
}

std::string bye_text(std::string_view why) {
  Value message;
  message["type"].data = std::string("bye");
  message["message"].data = std::string(why);
  return to_json(message, 0);
}

}  // namespace selkie::view
