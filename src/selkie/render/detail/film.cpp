// Sampling the picture. Every sample is a function of (seed, pixel, index) alone and every pixel is summed in
// order of its samples, so tiles may be drawn in any order by any number of threads. A tent filter wider than
// a pixel smooths edges; its shape is sampled, so no sample is shared between pixels.
#include "selkie/render/detail/film.h"

#include <chrono>

#include "selkie/core/parallel.h"
#include "selkie/render/detail/colour_map.h"
#include "selkie/render/detail/lens.h"
#include "selkie/render/detail/trace.h"

namespace selkie::render::detail {
namespace {

constexpr int kTile = 16;             // pixels
constexpr float kFilterReach = 0.8f;  // pixels

float tent(float u) { return u < 0.5f ? std::sqrt(2 * u) - 1 : 1 - std::sqrt(2 - 2 * u); }

Rgb sample_pixel(const Scene& scene, const Lens& lens, const Settings& settings, int x, int y, int index) {
  const Sampler sampler(settings.seed, static_cast<std::uint32_t>(y * settings.width + x),
                        static_cast<std::uint32_t>(index));
  const auto place = sampler.pair(0), on_lens = sampler.pair(1), time = sampler.pair(2);
  const Ray ray = lens.ray(static_cast<float>(x) + 0.5f + kFilterReach * tent(place[0]),
                           static_cast<float>(y) + 0.5f + kFilterReach * tent(place[1]), on_lens,
                           settings.motion_blur ? time[0] : 0.5f);
  const Rgb radiance = trace(scene, ray, sampler, {settings.bounces, lens.pixel_angle(), 3});
  return radiance.isFinite().all() ? radiance : Rgb(Rgb::Zero());
}

void add_samples(const Scene& scene, const Lens& lens, const Settings& settings, int from, int to,
                 Film& film) {
  const int across = (film.width + kTile - 1) / kTile, down = (film.height + kTile - 1) / kTile;
  parallel_for(
      static_cast<std::size_t>(across * down),
      [&](std::size_t tile) {
        const int x0 = static_cast<int>(tile) % across * kTile, y0 = static_cast<int>(tile) / across * kTile;
        for (int y = y0; y < std::min(film.height, y0 + kTile); ++y)
          for (int x = x0; x < std::min(film.width, x0 + kTile); ++x) {
            Rgb& sum = film.radiance[static_cast<std::size_t>(y * film.width + x)];
            for (int s = from; s < to; ++s) sum += sample_pixel(scene, lens, settings, x, y, s);
          }
      },
      1);
}

}  // namespace

Film expose(std::span<const ports::Drawable> drawables, std::span<const ports::Material> materials,
            const ports::Camera& camera, const ports::Lighting& lighting, const Settings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  const Scene scene(drawables, materials, camera, lighting, settings);
  const Lens lens(camera, scene.origin(), settings.width, settings.height);
  Film film{.width = settings.width, .height = settings.height, .samples = 0, .radiance = {}};
  film.radiance.assign(static_cast<std::size_t>(film.width) * static_cast<std::size_t>(film.height),
                       Rgb::Zero());
  // Without a budget one pass; with one, passes that double, so that the clock is read often enough.
  for (int pass = settings.time_budget > 0 ? 1 : settings.samples; film.samples < settings.samples;) {
    const int to = std::min(settings.samples, film.samples + pass);
    add_samples(scene, lens, settings, film.samples, to, film);
    film.samples = to;
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (settings.time_budget > 0) {
      if (spent >= settings.time_budget) break;
      const double left = settings.time_budget - spent, each = spent / film.samples;
      pass = std::max(1, std::min(film.samples, static_cast<int>(left / each)));
    }
  }
  for (Rgb& pixel : film.radiance) pixel /= static_cast<float>(film.samples);
  return film;
}

Rgb tone(const Rgb& radiance, float exposure) {
  constexpr float kKnee = 0.6f;
  // Chosen by eye: the default sky is light and colours in the default sun come out as they were given.
  constexpr float kBase = 0.8f;
  const Rgb light = radiance.max(0.0f) * (kBase * exposure);
  const Rgb over = (light - kKnee).max(0.0f) / (1 - kKnee);
  return light.min(kKnee) + (1 - kKnee) * over / (1 + over);
}

std::array<std::uint8_t, 3> encode(const Rgb& linear) {
  std::array<std::uint8_t, 3> result;
  for (std::size_t c = 0; c < 3; ++c)
    result[c] =
        static_cast<std::uint8_t>(255 * srgb_from_linear(linear[static_cast<Eigen::Index>(c)]) + 0.5f);
  return result;
}

}  // namespace selkie::render::detail
