// Drawable: how every system shows itself. Writers, renderer and viewer see these six kinds and never a
// solver. Spans point into the system's own arrays and are valid until its next step; whoever keeps one past
// that (the background writer) takes a copy.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "selkie/math/types.h"

namespace selkie::ports {

// A named value per point (or per cell of a volume): 1 or 3 components, interleaved.
struct Attribute {
  std::string name;  // "velocity", "speed", "tension", ...
  std::string unit;
  int components = 1;
  std::span<const double> values;  // components × points
};

struct TriangleSurface {
  std::span<const Vec3> positions;
  std::span<const std::array<std::uint32_t, 3>> triangles;
  std::vector<Attribute> attributes;  // per vertex
};

struct Points {
  std::span<const Vec3> positions;
  double radius = 0;  // m; 0: let the viewer choose
  std::vector<Attribute> attributes;
};

// Polylines through points; line k joins points[lines[k][0]] and points[lines[k][1]].
struct Curves {
  std::span<const Vec3> positions;
  std::span<const std::array<std::uint32_t, 2>> lines;
  double radius = 0;
  std::vector<Attribute> attributes;
};

// A dense box of cell-centred values, x fastest.
struct Volume {
  Vec3 origin = Vec3::Zero();  // low corner of cell (0,0,0)
  double cell_size = 1;
  std::array<int, 3> cells{};
  struct Field {
    std::string name;
    std::string unit;
    int components = 1;
    std::span<const float> values;
  };
  std::vector<Field> fields;
};

// Arrows: contacts, forces, velocities to look at.
struct Vectors {
  std::string name;
  std::string unit;
  std::span<const Vec3> origins;
  std::span<const Vec3> values;
};

// A height field over a rectangle: heights at (i, j), i fastest along x, y up.
struct HeightSurface {
  Vec3 origin = Vec3::Zero();
  double spacing = 1;
  std::array<int, 2> samples{};
  std::span<const double> heights;
  std::vector<Attribute> attributes;
};

// Hints a renderer may follow; a scene can override them.
enum class Look { matte, glossy, water, glass, smoke, fire, hair, wire };
constexpr auto describe(Look*) {
  return std::array<std::string_view, 8>{"matte", "glossy", "water", "glass",
                                         "smoke", "fire",   "hair",  "wire"};
}

// What is inside of a body that is drawn by its surface, for files that can hold it.
struct Interior {
  std::span<const Vec3> positions;
  std::span<const std::array<std::uint32_t, 4>> tets;  // empty: nothing
  std::vector<Attribute> attributes;                   // per vertex
};

struct Drawable {
  std::string name;  // file stem: the system's name, or "name-part" when it shows several things
  Look look = Look::matte;
  Vec3 colour{0.8, 0.8, 0.8};
  bool backdrop = false;  // scenery such as a floor: drawn, but a camera need not show all of it
  std::variant<TriangleSurface, Points, Curves, Volume, Vectors, HeightSurface> shape;
  Interior interior = {};
};

}  // namespace selkie::ports
