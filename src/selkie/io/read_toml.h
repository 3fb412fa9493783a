// TOML text to a value tree with places. toml++ stays in the .cpp. A syntax error is an InputError with
// file:line:column.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "selkie/core/value.h"

namespace selkie::io {

// `source` names the text in messages.
Value parse_toml(std::string_view text, const std::string& source);
Value read_toml(const std::filesystem::path& path);

// One value on its own, as in `--set water.cells=96`. A bare word that is no TOML value counts as text, so
// that
// `--set cloth.integrator=rk4` needs no quotes.
Value parse_toml_value(std::string_view text, const std::string& source);

// The whole file as text; InputError when it is missing, a folder, or cannot be read to its end.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace selkie::io
