// The five characters XML reserves, out and back.
#pragma once

#include <string>
#include <string_view>

namespace selkie::io::detail {

std::string xml_escaped(std::string_view text);
std::string xml_unescaped(std::string_view text);

}  // namespace selkie::io::detail
