// See svg_canvas.h.
#include "selkie/io/detail/svg_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "selkie/core/text.h"

namespace selkie::io::detail {
namespace {

constexpr std::size_t kColours = 8, kMarkers = 6;

// Plain classes, not CSS variables: other programs than browsers read these files, too. The background is
// part of the picture, so that it is legible on any page.
constexpr const char* kStyle = R"(
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:13px;fill:#1f2328}
.title{font-size:16px;font-weight:600}
.small{font-size:11.5px}
.soft{fill:#57606a}
.halo{paint-order:stroke;stroke:#ffffff;stroke-width:4px;stroke-linejoin:round}
.paper{fill:#ffffff}
.edge{stroke:#ffffff;stroke-width:1}
.grid{stroke:#d8dee4;stroke-width:1}
.frame{stroke:#57606a;stroke-width:1;fill:none}
.slope{stroke:#57606a;stroke-width:1.3;stroke-dasharray:7 4}
.limit{stroke:#57606a;stroke-width:1.3;stroke-dasharray:2 3}
.line{fill:none;stroke:currentColor;stroke-width:1.8;stroke-linejoin:round}
.mark{fill:currentColor}
.c0{color:#0072b2}.c1{color:#c44f00}.c2{color:#007a5a}.c3{color:#a8427f}
.c4{color:#3a3f44}.c5{color:#3a97cc}.c6{color:#a87b00}.c7{color:#7a3b2e}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
.soft{fill:#a3adb8}
.halo{stroke:#14181d}
.paper{fill:#14181d}
.edge{stroke:#14181d}
.grid{stroke:#30363d}
.frame,.slope,.limit{stroke:#a3adb8}
.c0{color:#5aa9f0}.c1{color:#ff8c42}.c2{color:#2fc99a}.c3{color:#e58bc0}
.c4{color:#d5dbe1}.c5{color:#a5dcff}.c6{color:#f0d43a}.c7{color:#c98a7a}
}
)";

// Bytes of the UTF-8 character that `text` begins with; 0 when it is none. What XML cannot hold (surrogates,
// overlong forms, U+FFFE and U+FFFF) counts as none.
std::size_t utf8_length(std::string_view text) {
  auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  auto follows = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  if (byte(0) < 0x80) return 1;
  if (byte(0) >= 0xc2 && byte(0) < 0xe0) return follows(1) ? 2 : 0;
  if ((byte(0) & 0xf0u) == 0xe0u && follows(1) && follows(2)) {
    const unsigned code = (byte(0) & 0xfu) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu);
    return code < 0x800 || (code >= 0xd800 && code < 0xe000) || code >= 0xfffe ? 0 : 3;
  }
  if (byte(0) >= 0xf0 && byte(0) < 0xf5 && follows(1) && follows(2) && follows(3)) {
    const unsigned code = (byte(0) & 7u) << 18 | (byte(1) & 0x3fu) << 12;
    return code < 0x10000 || code > 0x10ffff ? 0 : 4;
  }
  return 0;
}

std::string_view name_of(Anchor anchor) {
  return anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
}

}  // namespace

std::string escape(std::string_view text) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    const std::string_view character = text.substr(i, std::max<std::size_t>(length, 1));
    i += character.size();
    if (character == "&")
      out += "&amp;";
    else if (character == "<")
      out += "&lt;";
    else if (character == ">")
      out += "&gt;";
    else if (character == "\"")
      out += "&quot;";
    else if (length == 0 ||
             (static_cast<unsigned char>(character[0]) < 0x20 && character != "\n" && character != "\t"))
      out += kReplacement;
    else
      out += character;
  }
  return out;
}

double text_width(std::string_view text, double font_size) {
  constexpr double kWidthPerSize = 0.58;  // mean of the common sans-serif fonts, on the wide side
  return kWidthPerSize * font_size * static_cast<double>(character_count(text));
}

std::vector<std::string> wrap(std::string_view text, double font_size, double width) {
  std::vector<std::string> lines;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (!lines.empty() && text_width(lines.back() + " " + word, font_size) <= width)
      lines.back() += " " + word;
    else
      lines.push_back(word);
  }
  return lines;
}

std::string text_element(double x, double y, std::string_view text, std::string_view style, Anchor anchor) {
  return fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\"{}{}>{}</text>\n", x, y,
                     style.empty() ? "" : fmt::format(" class=\"{}\"", style),
                     anchor == Anchor::start ? "" : fmt::format(" text-anchor=\"{}\"", name_of(anchor)),
                     escape(text));
}

std::string line_element(double x1, double y1, double x2, double y2, std::string_view style) {
  return fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" class=\"{}\"/>\n", x1, y1,
                     x2, y2, style);
}

std::string colour_class(std::size_t n) { return fmt::format("c{}", n % kColours); }

std::string marker(std::size_t n, double x, double y) {
  switch (n % kMarkers) {
    case 0:
      return fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3.6\" class=\"mark\"/>\n", x, y);
    case 1:
      return fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"6.6\" height=\"6.6\" class=\"mark\"/>\n",
                         x - 3.3, y - 3.3);
    case 2:
      return fmt::format("<path d=\"M{:.2f} {:.2f}l4.4 7.4h-8.8z\" class=\"mark\"/>\n", x, y - 4.6);
    case 3:
      return fmt::format("<path d=\"M{:.2f} {:.2f}l4.6 4.6l-4.6 4.6l-4.6 -4.6z\" class=\"mark\"/>\n", x,
                         y - 4.6);
    case 4:
      return fmt::format("<path d=\"M{:.2f} {:.2f}l4.4 -7.4h-8.8z\" class=\"mark\"/>\n", x, y + 4.6);
    default:
      return fmt::format("<path d=\"M{:.2f} {:.2f}l7.2 7.2m0 -7.2l-7.2 7.2\" class=\"line\"/>\n", x - 3.6,
                         y - 3.6);
  }
}

std::string dashes(std::size_t n) {
  const std::size_t round = n / kColours;
  if (round == 0) return {};
  return round % 2 == 1 ? " stroke-dasharray=\"6 3\"" : " stroke-dasharray=\"1.5 3\"";
}

Heading make_heading(std::string_view title, std::string_view caption, double width) {
  constexpr double kMargin = 14;
  Heading heading{{}, 26};
  heading.elements = text_element(kMargin, heading.bottom, title, "title");
  for (const std::string& line : wrap(caption, kSmallFont, width - 2 * kMargin)) {
    heading.bottom += 16;
    heading.elements += text_element(kMargin, heading.bottom, line, "small soft");
  }
  return heading;
}

std::string axes(const Box& box, const AxisRange* x, const AxisRange* y, const Axis& x_axis,
                 const Axis& y_axis) {
  std::string out;
  if (x != nullptr)
    for (const Tick& tick : x->ticks) {
      const double at = box.left + box.width * x->place(tick.value);
      out += line_element(at, box.top, at, box.bottom(), "grid");
      out += text_element(at, box.bottom() + 18, tick.label, "small", Anchor::middle);
    }
  if (y != nullptr)
    for (const Tick& tick : y->ticks) {
      const double at = box.bottom() - box.height * y->place(tick.value);
      out += line_element(box.left, at, box.right(), at, "grid");
      out += text_element(box.left - 8, at + 4, tick.label, "small", Anchor::end);
    }
  out += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" class=\"frame\"/>\n",
                     box.left, box.top, box.width, box.height);
  out += text_element(box.left + box.width / 2, box.bottom() + 40, x_axis.label, {}, Anchor::middle);
  if (!y_axis.label.empty())
    out += fmt::format("<g transform=\"translate(20 {:.2f}) rotate(-90)\">{}</g>\n", box.top + box.height / 2,
                       text_element(0, 0, y_axis.label, {}, Anchor::middle));
  return out;
}

std::string document(double width, double height, std::string_view title, std::string_view description,
                     std::string_view body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-labelledby=\"title desc\">\n"
      "<title id=\"title\">{2}</title>\n<desc id=\"desc\">{3}</desc>\n<style>{4}</style>\n"
      "<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n{5}</svg>\n",
      width, height, escape(title), escape(description), kStyle, body);
}

}  // namespace selkie::io::detail
