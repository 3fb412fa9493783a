// What a drawable is made of, once the scene's materials have been laid over its own look.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "selkie/ports/drawable.h"
#include "selkie/ports/picture.h"
#include "selkie/render/detail/vectors.h"

namespace selkie::render::detail {

struct Finish {
  ports::Look look = ports::Look::matte;
  Rgb colour{0.8f, 0.8f, 0.8f};
  float roughness = 0.35f;
  float index = 1.5f;                     // of refraction
  Rgb absorption = Rgb::Zero();           // 1/m, inside water and glass
  bool thin = false;                      // glass without an inside: light goes straight through
  std::optional<double> density, radius;  // given by a material
  bool clear() const { return look == ports::Look::water || look == ports::Look::glass; }
};

// Colours of scenes are meant as a screen shows them (sRGB); this is the share of light they reflect.
Rgb albedo(const Vec3& colour);

// The material of a name with what stands for it and for its parts, the part's own word last.
ports::Material material_of(std::string_view name, std::span<const ports::Material> materials);

// `size` (m) stands in for the clarity of water and glass that have none.
Finish finish_of(const ports::Drawable& drawable, const ports::Material& material, double size);

}  // namespace selkie::render::detail
