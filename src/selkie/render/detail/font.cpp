// See font.h. Each glyph is seven rows of five dots, written as base-32 digits 0-9 a-v.
#include "selkie/render/detail/font.h"

#include <algorithm>
#include <utility>

namespace selkie::render::detail {
namespace {

constexpr std::pair<char, const char*> kGlyphs[] = {
    {' ', "0000000"}, {'0', "ehjlphe"}, {'1', "4c4444e"}, {'2', "eh1248v"}, {'3', "v24211u"},
    {'4', "26aiv22"}, {'5', "vgu11he"}, {'6', "68guhhe"}, {'7', "v124888"}, {'8', "ehhehhe"},
    {'9', "ehhf12c"}, {'A', "ehhvhhh"}, {'B', "uhhuhhu"}, {'C', "ehggghe"}, {'D', "sihhhis"},
    {'E', "vgguggv"}, {'F', "vgguggg"}, {'G', "ehgnhhf"}, {'H', "hhhvhhh"}, {'I', "e44444e"},
    {'J', "72222ic"}, {'K', "hikokih"}, {'L', "ggggggv"}, {'M', "hrllhhh"}, {'N', "hhpljhh"},
    {'O', "ehhhhhe"}, {'P', "uhhuggg"}, {'Q', "ehhhlid"}, {'R', "uhhukih"}, {'S', "fgge11u"},
    {'T', "v444444"}, {'U', "hhhhhhe"}, {'V', "hhhhha4"}, {'W', "hhhllla"}, {'X', "hha4ahh"},
    {'Y', "hhha444"}, {'Z', "v1248gv"}, {'a', "00e1fhf"}, {'b', "ggmphhu"}, {'c', "00egghe"},
    {'d', "11djhhf"}, {'e', "00ehvge"}, {'f', "69gsggg"}, {'g', "0fhhf1e"}, {'h', "ggmphhh"},
    {'i', "40c444e"}, {'j', "20622ic"}, {'k', "ggikoki"}, {'l', "c44444e"}, {'m', "00qllhh"},
    {'n', "00mphhh"}, {'o', "00ehhhe"}, {'p', "00uhugg"}, {'q', "00djf11"}, {'r', "00mpggg"},
    {'s', "00ege1u"}, {'t', "88s8896"}, {'u', "00hhhjd"}, {'v', "00hhha4"}, {'w', "00hhlla"},
    {'x', "00ha4ah"}, {'y', "00hhf1e"}, {'z', "00v248v"}, {'.', "00000cc"}, {',', "0000c48"},
    {'-', "000v000"}, {'+', "044v440"}, {'/', "01248g0"}, {'(', "2488842"}, {')', "8422248"},
    {'[', "e88888e"}, {']', "e22222e"}, {'^', "4ah0000"}, {'%', "op248j3"}, {'*', "04lel40"},
    {'_', "000000v"}, {':', "0cc0cc0"}, {'=', "00v0v00"},
};

constexpr std::pair<std::string_view, std::string_view> kReplacements[] = {
    {"²", "2"},    {"³", "3"}, {"·", "."}, {"⁻", "-"}, {"¹", "1"},
    {"°", " deg"}, {"µ", "u"}, {"×", "x"}, {"−", "-"},
};

}  // namespace

std::array<std::uint8_t, 7> glyph(char character) {
  const auto* found = std::find_if(std::begin(kGlyphs), std::end(kGlyphs),
                                   [&](const auto& entry) { return entry.first == character; });
  const std::string_view rows = found != std::end(kGlyphs) ? found->second : "vhhhhhv";
  std::array<std::uint8_t, 7> result{};
  for (std::size_t r = 0; r < 7; ++r)
    result[r] = static_cast<std::uint8_t>(rows[r] <= '9' ? rows[r] - '0' : rows[r] - 'a' + 10);
  return result;
}

std::string plain(std::string_view utf8) {
  std::string result;
  while (!utf8.empty()) {
    const auto* known = std::find_if(std::begin(kReplacements), std::end(kReplacements),
                                     [&](const auto& entry) { return utf8.starts_with(entry.first); });
    if (known != std::end(kReplacements)) {
      result += known->second;
      utf8.remove_prefix(known->first.size());
      continue;
    }
    // One box for a whole character that the font lacks: continuation bytes add nothing.
    if ((static_cast<unsigned char>(utf8[0]) & 0xc0) != 0x80) result += utf8[0];
    utf8.remove_prefix(1);
  }
  return result;
}

void draw_text(Picture& picture, int x, int y, int scale, std::string_view text,
               const std::array<std::uint8_t, 3>& colour) {
  for (const char character : text) {
    const auto rows = glyph(character);
    for (int dy = 0; dy < kGlyphHeight * scale; ++dy)
      for (int dx = 0; dx < kGlyphWidth * scale; ++dx) {
        const int row = dy / scale, column = dx / scale, px = x + dx, py = y + dy;
        const bool dot = rows[static_cast<std::size_t>(row)] >> (kGlyphWidth - 1 - column) & 1;
        if (dot && px >= 0 && py >= 0 && px < picture.width && py < picture.height)
          picture.pixels[static_cast<std::size_t>(py * picture.width + px)] = colour;
      }
    x += kGlyphAdvance * scale;
  }
}

}  // namespace selkie::render::detail
