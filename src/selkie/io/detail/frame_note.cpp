// See frame_note.h.
#include "selkie/io/detail/frame_note.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <variant>

#include "selkie/core/error.h"
#include "selkie/core/text.h"
#include "selkie/io/detail/poly_view.h"
#include "selkie/io/detail/scanner.h"

namespace selkie::io::detail {
namespace {

using namespace ports;

constexpr std::string_view kKinds[] = {"triangles", "points", "curves", "volume", "vectors", "height"};
constexpr int kLargestGrid = 1 << 20;  // samples along one axis; a damaged number must not be believed

std::string numbers_text(const Vec3& v) {
  return number_text(v.x()) + ' ' + number_text(v.y()) + ' ' + number_text(v.z());
}

void add_array(std::vector<std::string>& lines, int components, const std::string& name,
               const std::string& unit) {
  lines.push_back(fmt::format("attribute {} {}", components, printable(name)));
  if (!unit.empty()) lines.push_back("unit " + printable(unit));
}

void add_shape(std::vector<std::string>& lines, const HeightSurface& s) {
  lines.push_back(fmt::format("grid {} {} {} {} 1", numbers_text(s.origin), number_text(s.spacing),
                              s.samples[0], s.samples[1]));
  for (const Attribute& a : s.attributes) add_array(lines, a.components, a.name, a.unit);
}
void add_shape(std::vector<std::string>& lines, const Volume& s) {
  lines.push_back(fmt::format("grid {} {} {} {} {}", numbers_text(s.origin), number_text(s.cell_size),
                              s.cells[0], s.cells[1], s.cells[2]));
  for (const Volume::Field& f : s.fields) add_array(lines, f.components, f.name, f.unit);
}
void add_shape(std::vector<std::string>& lines, const Vectors& s) { add_array(lines, 3, s.name, s.unit); }
template <class Shape>
void add_shape(std::vector<std::string>& lines, const Shape& s) {
  if constexpr (requires { s.radius; })
    if (s.radius > 0) lines.push_back("radius " + number_text(s.radius));
  for (const Attribute& a : s.attributes) add_array(lines, a.components, a.name, a.unit);
}

class NoteParser {
 public:
  explicit NoteParser(const std::string& source) : source_(source) {}

  void read(const NoteLine& line) {
    line_ = line.line;
    Scanner words(line.text, source_);
    const std::string_view key = words.try_token();
    if (key == "kind") {
      note_.kind = std::string(words.try_token());
      if (std::find(std::begin(kKinds), std::end(kKinds), note_.kind) == std::end(kKinds))
        fail("the kind " + quote(note_.kind) + " is unknown");
    } else if (key == "look") {
      read_look(words.try_token());
    } else if (key == "colour") {
      note_.colour = vector(words);
    } else if (key == "backdrop") {
      note_.backdrop = words.try_token() == "yes";
    } else if (key == "radius") {
      note_.radius = number(words, 0);
    } else if (key == "grid") {
      note_.origin = vector(words);
      note_.spacing = number(words, 0);
      for (int& count : note_.cells) count = whole(words, 0, kLargestGrid);
    } else if (key == "attribute") {
      const int components = whole(words, 1, 3);
      if (components == 2) fail("an attribute has 2 components");
      note_.arrays.push_back({components, std::string(words.rest().substr(words.at_end() ? 0 : 1)), ""});
    } else if (key == "unit") {
      if (note_.arrays.empty()) fail("a unit stands before the first attribute");
      note_.arrays.back().unit = std::string(words.rest().substr(words.at_end() ? 0 : 1));
    } else {
      fail("the note " + quote(line.text) + " is unknown");
    }
  }

  FrameNote finish() {
    line_ = 0;
    if (note_.kind.empty()) fail("the file does not say what it shows");
    return std::move(note_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(SourceLocation{source_, line_}, problem, Scanner::kDamaged);
  }
  void read_look(std::string_view name) {
    constexpr auto names = describe(static_cast<Look*>(nullptr));
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) fail("the look " + quote(name) + " is unknown");
    note_.look = static_cast<Look>(found - names.begin());
  }
  double number(Scanner& words, double lowest) const {
    const std::string_view word = words.try_token();
    double value = 0;
    if (!parse_number(word, value) || !std::isfinite(value) || value < lowest)
      fail(quote(word) + " cannot stand here; a number is needed");
    return value;
  }
  Vec3 vector(Scanner& words) const {
    Vec3 v;
    for (int k = 0; k < 3; ++k) v[k] = number(words, -1e300);
    return v;
  }
  int whole(Scanner& words, int lowest, int highest) const {
    const std::string_view word = words.try_token();
    std::int64_t value = 0;
    if (!parse_integer(word, value) || value < lowest || value > highest)
      fail(quote(word) + " cannot stand here; a whole number is needed");
    return static_cast<int>(value);
  }

  const std::string& source_;
  int line_ = 0;
  FrameNote note_;
};

}  // namespace

std::vector<std::string> note_lines(const Drawable& drawable) {
  constexpr auto looks = describe(static_cast<Look*>(nullptr));
  std::vector<std::string> lines = {
      fmt::format("kind {}", kKinds[drawable.shape.index()]),
      fmt::format("look {}", looks[static_cast<std::size_t>(drawable.look)]),
      "colour " + numbers_text(drawable.colour),
      fmt::format("backdrop {}", drawable.backdrop ? "yes" : "no"),
  };
  std::visit([&](const auto& shape) { add_shape(lines, shape); }, drawable.shape);
  return lines;
}

FrameNote parse_note(std::span<const NoteLine> lines, const std::string& source) {
  NoteParser parser(source);
  for (const NoteLine& line : lines) parser.read(line);
  return parser.finish();
}

}  // namespace selkie::io::detail
