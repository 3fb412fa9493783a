// A small font of dots, five wide and seven high, for numbers and names in pictures.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "selkie/render/render.h"

namespace selkie::render::detail {

inline constexpr int kGlyphWidth = 5, kGlyphHeight = 7, kGlyphAdvance = 6;  // dots

// Rows from the top; bit 4 is the leftmost dot. What the font lacks is drawn as a box.
std::array<std::uint8_t, 7> glyph(char character);

// Letters the font has in place of a few it lacks: "m/s²" becomes "m/s2", "·" a dot.
std::string plain(std::string_view utf8);

// Draws text with its top left corner at (x, y), each dot `scale` pixels wide; what leaves the picture is
// cut.
void draw_text(Picture& picture, int x, int y, int scale, std::string_view text,
               const std::array<std::uint8_t, 3>& colour);

}  // namespace selkie::render::detail
