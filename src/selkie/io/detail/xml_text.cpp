// See xml_text.h.
#include "selkie/io/detail/xml_text.h"

#include <utility>

namespace selkie::io::detail {
namespace {

constexpr std::pair<char, std::string_view> kEntities[] = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    std::string_view replacement(&c, 1);
    for (const auto& [plain, entity] : kEntities)
      if (c == plain) replacement = entity;
    result += replacement;
  }
  return result;
}

std::string xml_unescaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::size_t used = 1;
    char next = text.front();
    for (const auto& [plain, entity] : kEntities)
      if (text.starts_with(entity)) next = plain, used = entity.size();
    result += next;
    text.remove_prefix(used);
  }
  return result;
}

}  // namespace selkie::io::detail
