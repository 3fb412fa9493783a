// See csv.h. Lines end in "\n" alone when written, in "\n" or "\r\n" when read.
#include "selkie/io/detail/csv.h"

namespace selkie::io::detail {

std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (k > 0) row += ',';
    if (cells[k].find_first_of(",\"\r\n") == std::string::npos) {
      row += cells[k];
      continue;
    }
    row += '"';
    for (const char c : cells[k]) row.append(c == '"' ? 2 : 1, c);
    row += '"';
  }
  return row + '\n';
}

std::vector<std::vector<std::string>> parse_csv(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    const char next = k + 1 < text.size() ? text[k + 1] : '\0';
    if (quoted && c == '"' && next == '"') {
      row.back() += c, ++k;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      row.emplace_back();
    } else if (!quoted && c == '\n') {
      rows.push_back(std::move(row));
      row.assign(1, "");
    } else if (quoted || c != '\r' || next != '\n') {
      row.back() += c;
    }
  }
  return rows;
}

}  // namespace selkie::io::detail
