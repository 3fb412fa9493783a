// RFC 4180 rows: cells with commas, quotes or line breaks are quoted, quotes doubled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace selkie::io::detail {

// With the line end.
std::string csv_row(const std::vector<std::string>& cells);

// Rows that end in a line break; a torn last one is left out.
std::vector<std::vector<std::string>> parse_csv(std::string_view text);

}  // namespace selkie::io::detail
