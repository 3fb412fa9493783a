// Everything a ray can meet: drawables as Embree geometry, smoke, the ground, and the light.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "selkie/ports/drawable.h"
#include "selkie/ports/picture.h"
#include "selkie/render/detail/bsdf.h"
#include "selkie/render/detail/light.h"
#include "selkie/render/detail/sampler.h"
#include "selkie/render/detail/smoke_box.h"
#include "selkie/render/render.h"

struct RTCDeviceTy;  // Embree's; its header stays in .cpp files
struct RTCSceneTy;

namespace selkie::render::detail {

enum class Kind { mesh, spheres, curves };

// One drawable, ready for Embree; the arrays a hit needs stay here.
struct Part {
  std::string name = {};
  Kind kind = Kind::mesh;
  Finish finish = {};
  bool fades = false;                             // wide scenery: blends into the horizon
  bool edges = false;                             // overlay: edges of triangles are drawn
  float radius = 0;                               // of spheres and curves
  std::vector<Vec3f> positions = {}, moved = {};  // moved: at the end of the shutter, when it blurs
  std::vector<std::array<std::uint32_t, 3>> triangles = {};  // of a mesh
  std::vector<Vec3f> normals = {};                           // one per corner of a triangle
  std::vector<std::uint32_t> segments = {};                  // of curves: first of four control points
  std::vector<Rgb> colours = {};                             // per vertex; empty: the finish's
};

struct Ray {
  Vec3f origin, direction;
  float time = 0;       // within the shutter, 0 to 1
  float footprint = 0;  // m; width of a pixel where the ray ends up, for the width of drawn edges
};

struct Ground {
  float height = 0;
  Finish finish;
};

struct ReleaseEmbree {
  void operator()(RTCDeviceTy* device) const;
  void operator()(RTCSceneTy* scene) const;
};

class Scene {
 public:
  Scene(std::span<const ports::Drawable> drawables, std::span<const ports::Material> materials,
        const ports::Camera& camera, const ports::Lighting& lighting, const Settings& settings);

  // The nearest surface; `pixel_angle` (rad) widens drawn edges with the distance.
  bool intersect(const Ray& ray, float pixel_angle, SurfacePoint& point) const;
  // Share of the sun's light that comes down the ray: surfaces block, water and glass dim, smoke thins (not
  // when `jitter` is below 0).
  Rgb sunlight_through(const Ray& ray, float jitter) const;
  // How far a point of fading scenery has blended into the horizon.
  float fade(const Vec3f& position) const;

  const Light& light() const { return light_; }
  std::span<const SmokeBox> smoke() const { return smoke_; }
  const Vec3& origin() const { return origin_; }

 private:
  void add(Part&& part);
  void let_fade(const ports::Drawable& backdrop, const Box& box, double view, Part& part);
  void light_smoke();
  void add_ground(const ports::Lighting& lighting, bool has_backdrop, const std::optional<Box>& box);
  void describe_hit(const Part& part, std::uint32_t primitive, float u, float v, SurfacePoint& point) const;
  bool on_edge(const Part& part, std::uint32_t primitive, float u, float v, float width) const;

  Light light_;
  Vec3 origin_;
  float epsilon_ = 0;  // m; a step off a surface that rounding cannot undo
  Vec3f middle_ = Vec3f::Zero();
  float fade_begin_ = kInfinity, fade_end_ = kInfinity;
  double drop_ = 0;  // m; from the highest place down to the ground
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<SmokeBox> smoke_;
  std::optional<Ground> ground_;
  bool has_clear_ = false;
  std::unique_ptr<RTCDeviceTy, ReleaseEmbree> device_;
  std::unique_ptr<RTCSceneTy, ReleaseEmbree> scene_;
};

}  // namespace selkie::render::detail
