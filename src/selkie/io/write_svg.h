// Plots as SVG text: pure functions, the same bytes for the same plot. The picture follows the reader's light
// or dark setting (CSS inside the file), uses the reader's fonts, keeps text as text, and tells series apart
// by colour, marker and dashes. Colours stay apart for the common kinds of colour blindness [Okabe08],
// darkened on white and lightened on black for contrast.
// Limit: widths of text are estimated from the number of characters; no font is measured.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "selkie/io/plot.h"

namespace selkie::io {

// Throws InputError when x and y of a series or the values of a part differ in length from what they belong
// to, a bar is negative, or an axis has impossible bounds.
std::string to_svg(const Plot& plot);

// Writes "<folder>/<prefix>-<plot name>.svg" and returns its path.
std::filesystem::path write_svg(const std::filesystem::path& folder, std::string_view prefix,
                                const Plot& plot);

}  // namespace selkie::io
