// From drawables to parts: one function per kind of drawable.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "selkie/render/detail/scene.h"

namespace selkie::render::detail {

// What all parts of a picture share.
struct PartContext {
  Vec3 origin = Vec3::Zero();  // positions are relative to it
  double size = 1;             // m; diagonal of everything
  double shutter = 0;          // s; 0: no motion blur
  const Overlay* overlay = nullptr;
  std::array<double, 2> range{0, 1};  // ends of the colour map
};

// Absent for volumes and for drawables without anything finite.
std::optional<Part> make_part(const ports::Drawable& drawable, const ports::Material& material,
                              const PartContext& context);

// One normal per corner: the mean of the faces around the vertex that bend less than a crease away from the
// corner's own, weighted by their angles there. Unusable triangles have been removed before.
std::vector<Vec3f> corner_normals(std::span<const Vec3f> positions,
                                  std::span<const std::array<std::uint32_t, 3>> triangles);

// Whether every edge has exactly one neighbour: the surface has an inside.
bool is_closed(std::span<const std::array<std::uint32_t, 3>> triangles);

// Radius (m) of points or curves: their own, or one that suits their spacing.
double point_radius(std::span<const Vec3> positions, double own);
double curve_radius(std::span<const Vec3> positions, double own);

// How far (m) a body of water drawn below a height surface reaches under its lowest place.
double water_depth(const ports::HeightSurface& surface);

}  // namespace selkie::render::detail
