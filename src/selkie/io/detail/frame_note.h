// What a frame file must say beyond its arrays so that the drawable can be read back: kind, look, colour,
// grid, names and units of attributes. Lines of text, "look matte"; PLY holds them as comments "selkie ...",
// VDB as one metadata string.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "selkie/ports/drawable.h"

namespace selkie::io::detail {

struct FrameNote {
  struct Array {
    int components = 1;
    std::string name, unit;
  };
  std::string kind;  // triangles, points, curves, vectors, height, volume
  ports::Look look = ports::Look::matte;
  Vec3 colour = Vec3::Zero();
  bool backdrop = false;
  double radius = 0;
  Vec3 origin = Vec3::Zero();  // of heights and volumes, as are the next two
  double spacing = 1;
  std::array<int, 3> cells{1, 1, 1};
  std::vector<Array> arrays;
};

struct NoteLine {
  std::string text;
  int line = 0;  // in the file; 0: not a text file
};

std::vector<std::string> note_lines(const ports::Drawable& drawable);
// InputError with file and line for what is missing or cannot be understood.
FrameNote parse_note(std::span<const NoteLine> lines, const std::string& source);

}  // namespace selkie::io::detail
