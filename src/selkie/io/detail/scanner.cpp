// See scanner.h.
#include "selkie/io/detail/scanner.h"

#include <charconv>
#include <cmath>

#include "selkie/core/error.h"

namespace selkie::io::detail {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

template <class T>
bool parse_whole(std::string_view text, T& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (text.empty() || text.front() == '+') return false;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  // Numbers too small for a double read as zero; too large ones as infinity.
  if (result.ec == std::errc::result_out_of_range && result.ptr == text.data() + text.size()) {
    if constexpr (std::is_floating_point_v<T>) {
      value = std::strtod(std::string(text).c_str(), nullptr);
      return true;
    }
  }
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

}  // namespace

bool parse_number(std::string_view text, double& value) { return parse_whole(text, value); }
bool parse_integer(std::string_view text, std::int64_t& value) { return parse_whole(text, value); }

std::string quote(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, 40)) result += c >= ' ' && c <= '~' ? c : '.';
  return result + (text.size() > 40 ? "...\"" : "\"");
}

std::string_view Scanner::line() {
  token_start_ = position_;
  const std::size_t end = std::min(bytes_.find('\n', position_), bytes_.size());
  std::string_view text = bytes_.substr(position_, end - position_);
  position_ = std::min(end + 1, bytes_.size());
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

std::string_view Scanner::try_token() {
  while (position_ < bytes_.size() && is_space(bytes_[position_])) ++position_;
  token_start_ = position_;
  while (position_ < bytes_.size() && !is_space(bytes_[position_])) ++position_;
  return bytes_.substr(token_start_, position_ - token_start_);
}

std::string_view Scanner::token() {
  const std::string_view word = try_token();
  if (word.empty()) fail("the file ends too early");
  return word;
}

double Scanner::number() {
  const std::string_view word = token();
  double value = 0;
  if (!parse_number(word, value)) fail("expected a number, but found " + quote(word));
  return value;
}

std::int64_t Scanner::integer(std::int64_t lowest, std::int64_t highest) {
  const std::string_view word = token();
  std::int64_t value = 0;
  if (!parse_integer(word, value)) fail("expected a whole number, but found " + quote(word));
  if (value < lowest || value > highest) fail("the number " + quote(word) + " is out of range here");
  return value;
}

void Scanner::need_records(std::uint64_t count, std::uint64_t size, std::string_view what) {
  if (size == 0 || count <= remaining() / size) return;
  fail("the file announces " + std::to_string(count) + " " + std::string(what) + ", but only " +
       std::to_string(remaining()) + " bytes follow");
}

void Scanner::fail(const std::string& problem, const std::string& remedy) const {
  fail_at(token_start_, problem, remedy);
}

void Scanner::fail_here(const std::string& problem, const std::string& remedy) const {
  fail_at(position_, problem, remedy);
}

void Scanner::fail_at(std::size_t position, const std::string& problem, const std::string& remedy) const {
  if (binary_)
    throw InputError(SourceLocation{source_}, problem + " (at byte " + std::to_string(position) + ")",
                     remedy);
  // Counting lines only now keeps reading fast.
  const auto end = bytes_.begin() + static_cast<std::ptrdiff_t>(std::min(position, bytes_.size()));
  const auto line = 1 + std::count(bytes_.begin(), end, '\n');
  throw InputError(SourceLocation{source_, static_cast<int>(std::min<std::ptrdiff_t>(line, 2000000000))},
                   problem, remedy);
}

}  // namespace selkie::io::detail
