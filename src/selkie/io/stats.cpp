// See stats.h. A row is one write() on a descriptor opened for appending, so that a killed run tears at most
// its last line; a row that meets a full disk is taken back.
#include "selkie/io/stats.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/io/atomic_file.h"
#include "selkie/io/detail/csv.h"
#include "selkie/io/read_toml.h"

namespace selkie::io {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string cell_text(const std::variant<double, std::int64_t, std::string>& value) {
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  return std::get<std::string>(value);
}

Rows read_rows(const std::filesystem::path& path) { return detail::parse_csv(read_text_file(path)); }

// False when the cell is not a whole number.
bool parse_integer(const std::string& cell, std::int64_t& value) {
  const char* end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, value);
  return error == std::errc{} && stop == end;
}

}  // namespace

StatsTable::StatsTable(std::filesystem::path path) : path_(std::move(path)), columns_{"frame", "step"} {
  rewrite({});
}

StatsTable::StatsTable(StatsTable&& other) noexcept
    : path_(std::move(other.path_)),
      columns_(std::move(other.columns_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

StatsTable::~StatsTable() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

StatsTable StatsTable::resume(std::filesystem::path path, std::int64_t frame, std::int64_t step) {
  if (!std::filesystem::exists(path)) return StatsTable(std::move(path));
  const auto refuse = [&](int line, const std::string& problem) {
    throw InputError({.file = path.string(), .line = line}, problem,
                     "Move the file away, or run without resuming.");
  };
  Rows rows = read_rows(path);
  if (rows.empty() || rows[0].size() < 2 || rows[0][0] != "frame" || rows[0][1] != "step")
    refuse(1, "the first columns must be frame and step");
  StatsTable table;
  table.columns_ = rows[0];
  Rows kept;
  const std::pair last(frame, step);
  // Rows ascend: nothing after the last is kept, so that damage there does not matter. Before the first step
  // there is none.
  bool last_read = step == 0;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    std::pair<std::int64_t, std::int64_t> key;
    if (rows[r].size() != table.columns_.size() || !parse_integer(rows[r][0], key.first) ||
        !parse_integer(rows[r][1], key.second)) {
      if (last_read) break;
      refuse(static_cast<int>(r + 1), "this row does not fit the header");
    }
    last_read = last_read || key >= last;
    if (key <= last) kept.push_back(std::move(rows[r]));
  }
  table.path_ = std::move(path);
  table.rewrite(kept);
  return table;
}

void StatsTable::append(std::int64_t frame, std::int64_t step, std::span<const StatsCell> cells) {
  std::vector<std::string> row(columns_.size());
  row[0] = std::to_string(frame), row[1] = std::to_string(step);
  const std::size_t known = columns_.size();
  for (const StatsCell& cell : cells) {
    const auto column = std::find(columns_.begin(), columns_.end(), cell.column);
    const auto index = static_cast<std::size_t>(column - columns_.begin());
    if (column == columns_.end()) {
      columns_.push_back(cell.column);
      row.emplace_back();
    }
    row[index] = cell_text(cell.value);
  }
  if (columns_.size() > known) {
    try {
      Rows rows = read_rows(path_);
      if (!rows.empty()) rows.erase(rows.begin());
      for (auto& earlier : rows) earlier.resize(columns_.size());
      rows.push_back(std::move(row));
      rewrite(rows);
    } catch (const OutputError&) {
      columns_.resize(known);  // as in the file that still stands
      throw;
    } catch (const InputError& error) {
      columns_.resize(known);
      throw OutputError(path_.string(), "a column cannot be added, since the table " + error.problem(),
                        error.remedy());
    }
    return;
  }
  const std::string text = detail::csv_row(row);
  const off_t begin = ::lseek(descriptor_, 0, SEEK_END);
  try {
    FileSink(descriptor_, path_).write(text);
  } catch (const OutputError&) {
    // The error to tell is the one above; a torn tail that stays is dropped by resume().
    [[maybe_unused]] const int result = ::ftruncate(descriptor_, begin);
    throw;
  }
}

void StatsTable::sync() {
  if (::fsync(descriptor_) != 0) throw_output_error(path_, errno);
}

void StatsTable::open_for_append() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) throw_output_error(path_, errno);
}

void StatsTable::rewrite(const Rows& rows) {
  std::string text = detail::csv_row(columns_);
  for (const auto& row : rows) text += detail::csv_row(row);
  write_file_atomically(path_, text);
  open_for_append();
}

}  // namespace selkie::io
