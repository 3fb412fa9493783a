// See finish.h. Absorption follows Beer's law: after `clarity` metres white light has the material's colour.
#include "selkie/render/detail/finish.h"

#include "selkie/render/detail/colour_map.h"

namespace selkie::render::detail {
namespace {

template <class T>
void lay_over(std::optional<T>& below, const std::optional<T>& above) {
  if (above) below = above;
}

void lay_over(ports::Material& below, const ports::Material& above) {
  lay_over(below.look, above.look);
  lay_over(below.colour, above.colour);
  lay_over(below.roughness, above.roughness);
  lay_over(below.refraction, above.refraction);
  lay_over(below.clarity, above.clarity);
  lay_over(below.density, above.density);
  lay_over(below.radius, above.radius);
}

bool is_part_of(std::string_view name, std::string_view system) {
  return name.size() > system.size() && name.starts_with(system) && name[system.size()] == '-';
}

}  // namespace

Rgb albedo(const Vec3& colour) {
  return rgb(colour).unaryExpr([](float x) { return linear_from_srgb(x); });
}

ports::Material material_of(std::string_view name, std::span<const ports::Material> materials) {
  ports::Material result;
  for (const ports::Material& material : materials)
    if (is_part_of(name, material.of)) lay_over(result, material);
  for (const ports::Material& material : materials)
    if (name == material.of) lay_over(result, material);
  return result;
}

Finish finish_of(const ports::Drawable& drawable, const ports::Material& material, double size) {
  Finish finish;
  finish.look = material.look.value_or(drawable.look);
  const Vec3 colour = material.colour ? Vec3(material.colour->data()) : drawable.colour;
  // Smoke and hair scatter light many times over: the share per scattering that makes them look so is higher.
  const bool many = std::holds_alternative<ports::Volume>(drawable.shape) || finish.look == ports::Look::hair;
  finish.colour = many ? rgb(colour) : albedo(colour);
  finish.roughness = static_cast<float>(material.roughness.value_or(0.3));
  finish.index =
      static_cast<float>(material.refraction.value_or(finish.look == ports::Look::water ? 1.33 : 1.5));
  finish.density = material.density;
  finish.radius = material.radius;
  // A colour of exactly 0 would absorb everything at once.
  const auto clarity = static_cast<float>(material.clarity.value_or(size > 0 ? size : 1));
  finish.absorption = -finish.colour.max(1e-4f).min(1.0f).log() / clarity;
  return finish;
}

}  // namespace selkie::render::detail
