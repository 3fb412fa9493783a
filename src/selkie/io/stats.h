// stats.csv: one row per step, named columns. RFC 4180 quoting; numbers as the shortest text that reads back
// to the same value; every row reaches the file at once. A column may appear later: then the file is
// rewritten atomically with the longer header and earlier rows keep an empty cell.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace selkie::io {

struct StatsCell {
  std::string column;
  std::variant<double, std::int64_t, std::string> value;
};

class StatsTable {
 public:
  // A new table; replaces an existing file.
  explicit StatsTable(std::filesystem::path path);
  // Continues a table: rows after (frame, step) are dropped, as is a torn last line, so that the resumed
  // run's file equals an uninterrupted run's. A missing file starts a new one. InputError when the file is no
  // table of ours or cannot be read, or when a row up to (frame, step) is damaged.
  static StatsTable resume(std::filesystem::path path, std::int64_t frame, std::int64_t step);

  StatsTable(StatsTable&& other) noexcept;
  StatsTable& operator=(StatsTable&&) = delete;
  ~StatsTable();

  // The first two columns are "frame" and "step"; `cells` are the others, in any order. OutputError when the
  // row cannot be written.
  void append(std::int64_t frame, std::int64_t step, std::span<const StatsCell> cells);
  // Waits until the rows are on the disk; call it before writing a checkpoint.
  void sync();

  const std::vector<std::string>& columns() const { return columns_; }

 private:
  StatsTable() = default;
  void open_for_append();
  void rewrite(const std::vector<std::vector<std::string>>& rows);

  std::filesystem::path path_;
  std::vector<std::string> columns_;
  int descriptor_ = -1;
};

}  // namespace selkie::io
