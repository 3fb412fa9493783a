// See read_stats.h.
#include "selkie/io/read_stats.h"

#include <utility>

#include "selkie/core/error.h"
#include "selkie/io/detail/csv.h"
#include "selkie/io/read_toml.h"

namespace selkie::io {

StatsRows read_stats(const std::filesystem::path& path) {
  std::vector<std::vector<std::string>> lines = detail::parse_csv(read_text_file(path));
  if (lines.empty() || lines[0].size() < 2 || lines[0][0] != "frame" || lines[0][1] != "step")
    throw InputError(SourceLocation{path.string(), 1, 1},
                     "is no table of a run: it must begin with frame,step");
  StatsRows stats;
  stats.columns = std::move(lines[0]);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].size() > stats.columns.size())
      throw InputError(SourceLocation{path.string(), static_cast<int>(i + 1), 1},
                       "has more cells than there are columns");
    stats.rows.push_back(std::move(lines[i]));
  }
  return stats;
}

}  // namespace selkie::io
