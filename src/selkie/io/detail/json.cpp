// Recursive descent; see json.h.
#include "selkie/io/detail/json.h"

#include <charconv>

#include "selkie/io/detail/scanner.h"

namespace selkie::io::detail {
namespace {

constexpr int kDeepest = 64;  // glTF needs about eight

class JsonReader {
 public:
  JsonReader(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  Value read() {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    Value value = read_value(0);
    skip_blanks();
    if (at_ != text_.size()) fail("text follows the end of the JSON value");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy = Scanner::kDamaged) const {
    Scanner place(text_, source_);
    place.seek(at_);
    place.fail_here("damaged JSON: " + problem, remedy);
  }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  char peek() {
    skip_blanks();
    if (at_ >= text_.size()) fail("the text ends too early");
    return text_[at_];
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("expected '") + c + "'");
  }

  Value read_value(int depth) {
    if (depth > kDeepest) fail("more than 64 levels of nesting");
    const char c = peek();
    if (c == '{') return read_table(depth);
    if (c == '[') return read_array(depth);
    if (c == '"') return {.data = read_string()};
    return read_word();
  }

  Value read_table(int depth) {
    ValueTable table;
    expect('{');
    if (!take('}')) {
      do {
        if (peek() != '"') fail("expected a key in quotes");
        std::string key = read_string();
        expect(':');
        table.push_back({std::move(key), read_value(depth + 1)});
      } while (take(','));
      expect('}');
    }
    return {.data = std::move(table)};
  }

  Value read_array(int depth) {
    ValueArray array;
    expect('[');
    if (!take(']')) {
      do array.push_back(read_value(depth + 1));
      while (take(','));
      expect(']');
    }
    return {.data = std::move(array)};
  }

  // The number after "\u"; leaves the cursor on its last digit.
  std::uint32_t read_unit() {
    const std::string_view digits = text_.substr(at_ + 1, 4);
    const char* end = digits.data() + digits.size();
    std::uint32_t unit = 0;
    const auto [stop, error] = std::from_chars(digits.data(), end, unit, 16);
    if (digits.size() < 4 || stop != end || error != std::errc{})
      fail("a bad \\u escape", "write four hexadecimal digits after it, as in \\u00e9");
    at_ += 4;
    return unit;
  }

  // Characters beyond 16 bits are written as two escapes, a high and a low surrogate. RFC 8259 §7
  std::uint32_t read_escaped_character() {
    const std::size_t begin = at_ - 1;
    const std::uint32_t high = read_unit();
    if (high == 0)
      fail("the escape \"\\u0000\" stands in a text, and no name may hold that character",
           "take it out, or export the mesh again");
    if (high < 0xd800 || high > 0xdfff) return high;
    if (high < 0xdc00 && text_.substr(at_ + 1, 2) == "\\u") {
      at_ += 2;
      const std::uint32_t low = read_unit();
      if (low >= 0xdc00 && low <= 0xdfff) return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    }
    fail("the escape " + quote(text_.substr(begin, 6)) + " is half a character",
         "write both halves, as in \\ud83d\\ude00, or the character itself in UTF-8");
  }

  static void add_utf8(std::uint32_t character, std::string& text) {
    const int more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;  // bytes
    constexpr std::uint32_t kFirst[] = {0x00, 0xc0, 0xe0, 0xf0};
    text += static_cast<char>(kFirst[more] | character >> 6 * more);
    for (int k = more - 1; k >= 0; --k) text += static_cast<char>(0x80 | (character >> 6 * k & 0x3f));
  }

  std::string read_string() {
    std::string result;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return result;
      }
      if (static_cast<unsigned char>(c) < 0x20) fail("a control character inside a text");
      if (c != '\\') {
        result += c;
        continue;
      }
      if (++at_ >= text_.size()) break;
      constexpr std::string_view escapes = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
      const std::size_t which = escapes.find(text_[at_]);
      if (which != std::string_view::npos) {
        result += meanings[which];
      } else if (text_[at_] == 'u') {
        add_utf8(read_escaped_character(), result);
      } else {
        fail("an unknown escape in a text");
      }
    }
    fail("a text has no closing quote");
  }

  Value read_word() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,]}:", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    Value value;
    std::int64_t whole = 0;
    double number = 0;
    const bool numeric = !word.empty() && (word[0] == '-' || (word[0] >= '0' && word[0] <= '9'));
    if (word == "true" || word == "false")
      value.data = word == "true";
    else if (numeric && parse_integer(word, whole))
      value.data = whole;
    else if (numeric && parse_number(word, number))
      value.data = number;
    else if (word != "null")
      fail("unexpected " + quote(word));
    at_ = end;
    return value;
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
};

}  // namespace

Value parse_json(std::string_view text, const std::string& source) { return JsonReader(text, source).read(); }

}  // namespace selkie::io::detail
