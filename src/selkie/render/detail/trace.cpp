// Path tracing [Kajiya86] with the sun sampled at every hit and weighted against the surface's own sampling
// [Veach95, power heuristic]. The sky is smooth enough to be found by scattered rays alone. Paths die by
// Russian roulette. Light on bounces is clamped: a little energy is lost for pictures without specks. Sun
// that a path reaches through glass after a matte bounce (a caustic) is left out, for shadow rays already
// pass glass.
#include "selkie/render/detail/trace.h"

#include <algorithm>
#include <array>

namespace selkie::render::detail {
namespace {

constexpr int kMoreMirrors = 10;   // mirrors and refractions on top of the bounces
constexpr float kBounceClamp = 4;  // radiance
constexpr float kBounceRoughness = 0.6f;
constexpr unsigned kPairsPerHit = 4;

struct Path {
  Rgb radiance = Rgb::Zero();
  Rgb weight = Rgb::Ones();
  int scattered = 0;               // off matte, glossy or hair
  const Finish* inside = nullptr;  // the water or glass the path is in
  bool mirror = true;              // the last bounce had one direction only, or there was none
  float density = 0;               // of the last scattered direction

  void gain(const Rgb& light) {
    const Rgb added = weight * light;
    if (scattered == 0) {
      radiance += added;
    } else {
      const float most = largest(added);
      radiance += most > kBounceClamp ? Rgb(added * (kBounceClamp / most)) : added;
    }
  }
};

float power(float a, float b) { return a * a / (a * a + b * b); }

// All smoke up to `far`, nearest first.
void pass_smoke(const Scene& scene, const Ray& ray, float far, float jitter, Path& path) {
  const auto boxes = scene.smoke();
  constexpr std::size_t kMost = 16;
  std::array<std::pair<float, std::size_t>, kMost> order;
  std::size_t count = 0;
  for (std::size_t k = 0; k < boxes.size() && count < kMost; ++k) {
    const auto span = boxes[k].span(ray.origin, ray.direction, far);
    if (span.entry < span.exit) order[count++] = {span.entry, k};
  }
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const SmokeBox& box = boxes[order[i].second];
    const auto span = box.span(ray.origin, ray.direction, far);
    const auto result = box.march(ray.origin, ray.direction, span, jitter, path.scattered == 0 ? 1.0f : 2.5f);
    path.gain(result.radiance);
    path.weight *= result.through;
  }
}

void reach_sky(const Scene& scene, const Ray& ray, Path& path) {
  Rgb light = scene.light().sky(ray.direction);
  const float density = scene.light().sun_density(ray.direction);
  const bool caustic = path.mirror && path.scattered > 0;
  if (density > 0 && !caustic) {
    const float share = path.mirror ? 1.0f : power(path.density, density);
    light += scene.light().sun_irradiance() * (density * share);
  }
  path.gain(light);
}

// The sun on this point.
Rgb sunlight(const Scene& scene, const SurfacePoint& point, const Ray& from, const std::array<float, 2>& u,
             float jitter) {
  const Light& light = scene.light();
  if (!light.has_sun()) return Rgb::Zero();
  const Vec3f sun = light.sample_sun(u);
  float density = 0;
  const Rgb share = reflected(point, -from.direction, sun, density);
  if (largest(share) <= 0) return Rgb::Zero();
  const float side = sun.dot(point.geometric_normal) > 0 ? 1.0f : -1.0f;
  const Ray shadow{point.position + (side * point.offset) * point.geometric_normal, sun, from.time,
                   from.footprint};
  const float sun_density = light.sun_density(light.sun_direction());
  const float weight = sun_density > 0 ? power(sun_density, density) : 1.0f;
  return share * light.sun_irradiance() * scene.sunlight_through(shadow, jitter) * weight;
}

// Sets the ray off from the point; false when the path carries nothing on.
bool go_on(const SurfacePoint& point, const Scatter& next, Ray& ray, Path& path) {
  path.weight *= next.weight;
  if (!(largest(path.weight) > 0)) return false;
  path.mirror = next.specular;
  path.density = next.density;
  if (!next.specular) ++path.scattered;
  if (next.through && !point.finish->thin) path.inside = point.entering ? point.finish : nullptr;
  const float side = next.direction.dot(point.geometric_normal) > 0 ? 1.0f : -1.0f;
  ray.origin = point.position + (side * point.offset) * point.geometric_normal;
  ray.direction = next.direction;
  return true;
}

}  // namespace

Rgb trace(const Scene& scene, Ray ray, const Sampler& sampler, const TraceLimits& limits) {
  Path path;
  SurfacePoint point;
  for (int hit = 0; hit <= limits.bounces + kMoreMirrors; ++hit) {
    const unsigned dimension = limits.dimension + kPairsPerHit * static_cast<unsigned>(hit);
    const bool met = scene.intersect(ray, limits.pixel_angle, point);
    const float far = met ? point.distance : kInfinity;
    const Finish* inside = met && !point.entering && point.finish->clear() ? point.finish : path.inside;
    if (inside && met && !inside->thin) path.weight *= (-inside->absorption * far).exp();
    const auto extra = sampler.pair(dimension);
    if (!scene.smoke().empty()) pass_smoke(scene, ray, far, extra[0], path);
    if (!met) {
      reach_sky(scene, ray, path);
      break;
    }
    ray.footprint += limits.pixel_angle * far;
    if (point.fades)
      if (const float gone = scene.fade(point.position); gone > 0) {
        path.gain(gone * scene.light().sky(ray.direction));
        path.weight *= 1 - gone;
      }
    if (largest(path.weight) <= 0) break;
    // Mirrors seen by bounced light make specks and nothing else worth their noise.
    if (path.scattered > 0) point.roughness = std::max(point.roughness, kBounceRoughness);
    const auto choice = sampler.pair(dimension + 1);
    if (!point.finish->clear()) path.gain(sunlight(scene, point, ray, sampler.pair(dimension + 2), extra[1]));
    if (path.scattered >= limits.bounces && !point.finish->clear()) break;
    if (!go_on(point, scatter(point, -ray.direction, sampler.pair(dimension + 3), choice[0]), ray, path))
      break;
    if (hit >= 2) {  // Russian roulette
      const float survival = std::min(1.0f, largest(path.weight));
      if (choice[1] >= survival) break;
      path.weight /= survival;
    }
  }
  return path.radiance;
}

}  // namespace selkie::render::detail
