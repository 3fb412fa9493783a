// Reads the frames of docs/viewer-protocol.md as a page does, for tests.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "selkie/core/value.h"
#include "selkie/view/encode.h"
#include "selkie/view/messages.h"

namespace selkie::view {

struct DecodedFrame {
  Value header;
  std::string payload;

  const Value& part(std::size_t index) const { return header.find("parts")->array().at(index); }

  template <class T>
  std::vector<T> array(const Value& place) const {
    const auto offset = static_cast<std::size_t>(place.find("offset")->number());
    const auto count = static_cast<std::size_t>(place.find("count")->number());
    if (offset % 8 != 0 || offset + count * sizeof(T) > payload.size()) throw std::runtime_error("bad array");
    std::vector<T> values(count);
    std::memcpy(values.data(), payload.data() + offset, count * sizeof(T));
    return values;
  }
};

inline DecodedFrame decode(std::string_view message) {
  if (message.substr(0, 4) != "SKF1") throw std::runtime_error("no frame");
  std::uint32_t length = 0;
  std::memcpy(&length, message.data() + 4, 4);
  if (length % 8 != 0) throw std::runtime_error("the payload is not aligned");
  return {parse_json(message.substr(8, length)), std::string(message.substr(8 + length))};
}

inline std::string flat(const FrameMessage& message) {
  std::string all;
  for (const auto& piece : message.pieces())
    all.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  return all;
}

inline std::string text_at(const Value& value, std::string_view key) {
  const Value* found = value.find(key);
  return found && std::holds_alternative<std::string>(found->data) ? std::get<std::string>(found->data) : "";
}

}  // namespace selkie::view
