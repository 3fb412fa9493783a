// stats.csv back from a finished run: its columns by name and its rows as text. A torn last line is left out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace selkie::io {

struct StatsRows {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // each at most as long as the columns
};

// InputError when the file is missing or no table of a run.
StatsRows read_stats(const std::filesystem::path& path);

}  // namespace selkie::io
