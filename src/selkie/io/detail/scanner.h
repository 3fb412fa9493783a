// A cursor over a file's bytes for readers of mixed text and binary formats. Every failure is an InputError
// that names the line (text) or the byte (binary); nothing is ever read beyond the end.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "selkie/math/types.h"

namespace selkie::io::detail {

// Some editors begin text in UTF-8 with it.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

class Scanner {
 public:
  Scanner(std::string_view bytes, std::string source) : bytes_(bytes), source_(std::move(source)) {}

  bool at_end() const { return position_ >= bytes_.size(); }
  std::size_t position() const { return position_; }
  std::size_t value_start() const { return token_start_; }  // of the word or value that was read last
  std::size_t remaining() const { return bytes_.size() - position_; }
  std::string_view rest() const { return bytes_.substr(position_); }
  void seek(std::size_t position) { position_ = std::min(position, bytes_.size()); }

  // Messages name bytes instead of lines from here on (or no longer).
  void set_binary(bool binary) { binary_ = binary; }
  void set_big_endian(bool big) { swap_ = big; }

  // ---- text ----
  // At the start of text only: as binary data the bytes of the mark are a number like any other.
  void skip_byte_order_mark() {
    if (position_ == 0 && bytes_.starts_with(kByteOrderMark)) position_ = kByteOrderMark.size();
  }
  std::string_view line();       // without its end; empty at the end of the file
  std::string_view try_token();  // the next word; empty at the end of the file
  std::string_view token();      // fails at the end of the file
  double number();               // any value a double can hold, NaN included
  std::int64_t integer(std::int64_t lowest = std::numeric_limits<std::int64_t>::lowest(),
                       std::int64_t highest = std::numeric_limits<std::int64_t>::max());

  // ---- binary ----
  template <class T>
  T raw() {
    need(sizeof(T));
    char buffer[sizeof(T)];
    std::memcpy(buffer, bytes_.data() + position_, sizeof(T));
    if (swap_) std::reverse(buffer, buffer + sizeof(T));
    position_ += sizeof(T);
    T value;
    std::memcpy(&value, buffer, sizeof(T));
    return value;
  }
  void skip(std::size_t count) { need(count), position_ += count; }

  // Fails unless `count` records of at least `size` bytes can still follow: a damaged count must not make us
  // allocate or loop.
  void need_records(std::uint64_t count, std::uint64_t size, std::string_view what);

  // At the token or value that was read last; fail_here at the present position.
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy = kDamaged) const;
  [[noreturn]] void fail_here(const std::string& problem, const std::string& remedy = kDamaged) const;

  static constexpr const char* kDamaged = "export the mesh again; the file seems damaged or cut short";

 private:
  void need(std::size_t count) {
    token_start_ = position_;
    if (count > remaining()) fail("the file ends too early");
  }
  [[noreturn]] void fail_at(std::size_t position, const std::string& problem,
                            const std::string& remedy) const;

  std::string_view bytes_;
  std::string source_;
  std::size_t position_ = 0;
  std::size_t token_start_ = 0;
  bool binary_ = false;
  bool swap_ = false;
};

// The text as a number; false when it is none. Accepts a leading plus sign, which std::from_chars refuses.
bool parse_number(std::string_view text, double& value);
bool parse_integer(std::string_view text, std::int64_t& value);

// At most 40 characters of a word for a message, with unprintable ones as dots.
std::string quote(std::string_view text);

}  // namespace selkie::io::detail
