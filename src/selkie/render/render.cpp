// render(): checks, exposure, tone, overlay.
#include "selkie/render/render.h"

#include <fmt/format.h>

#include <chrono>

#include "selkie/core/error.h"
#include "selkie/core/log.h"
#include "selkie/render/detail/colour_bar.h"
#include "selkie/render/detail/film.h"

namespace selkie::render {
namespace {

void require(bool condition, std::string problem, std::string remedy) {
  if (!condition) throw InputError(std::move(problem), std::move(remedy));
}

void check(const ports::Camera& camera, const ports::Lighting& lighting, const Settings& s) {
  constexpr int kMost = 16384;
  require(s.width >= 1 && s.width <= kMost && s.height >= 1 && s.height <= kMost,
          fmt::format("a picture of {} × {} pixels", s.width, s.height), fmt::format("give 1 to {}", kMost));
  require(s.samples >= 1 && s.samples <= 1 << 20, fmt::format("{} samples per pixel", s.samples),
          "give 1 to 1048576");
  require(s.bounces >= 0 && s.bounces <= 64, fmt::format("{} bounces", s.bounces), "give 0 to 64");
  require(s.time_budget >= 0, "the time budget is negative", "give seconds, or 0 for none");
  require(!s.motion_blur || (s.shutter >= 0 && s.shutter <= 1), fmt::format("a shutter of {}", s.shutter),
          "give the share of a frame it is open, 0 to 1");
  require(!s.motion_blur || s.frame_seconds > 0, "frames must have a length", "give seconds above 0");
  const auto& o = s.overlay;
  require(!o.lo || !o.hi || *o.lo < *o.hi, "the colour map ends where it starts",
          "give a lower end below the upper");
  require(camera.position.allFinite() && camera.target.allFinite() && camera.up.allFinite(),
          fmt::format("camera `{}` is not at a finite place", camera.name), "give finite numbers");
  require(camera.field_of_view > 0 && camera.field_of_view < 180 && camera.aperture >= 0,
          fmt::format("camera `{}` has an impossible lens", camera.name),
          "field_of_view lies between 0 and 180 degrees, aperture is 0 or more");
  for (const Problem& problem : ports::validate(camera))
    throw InputError(fmt::format("camera `{}`: {} {}", camera.name, problem.member, problem.text));
  for (const Problem& problem : ports::validate(lighting))
    throw InputError(fmt::format("light: {} {}", problem.member, problem.text));
}

}  // namespace

Picture render(std::span<const ports::Drawable> drawables, std::span<const ports::Material> materials,
               const ports::Camera& camera, const ports::Lighting& lighting, const Settings& settings) {
  check(camera, lighting, settings);
  const auto begin = std::chrono::steady_clock::now();
  const detail::Film film = detail::expose(drawables, materials, camera, lighting, settings);
  Picture picture{
      .width = film.width, .height = film.height, .pixels = {}, .samples = film.samples, .seconds = 0};
  picture.pixels.resize(film.radiance.size());
  for (std::size_t i = 0; i < film.radiance.size(); ++i)
    picture.pixels[i] = detail::encode(detail::tone(film.radiance[i], static_cast<float>(lighting.exposure)));
  if (!settings.overlay.attribute.empty()) {
    if (const auto range = attribute_range(drawables, settings.overlay.attribute)) {
      if (settings.overlay.bar) detail::draw_bar(drawables, settings.overlay, *range, picture);
    } else {
      log_warning(fmt::format("picture: nothing carries the attribute `{}`", settings.overlay.attribute));
    }
  }
  picture.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return picture;
}

}  // namespace selkie::render
