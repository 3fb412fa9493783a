// Building the scene: parts, ground, light, and Embree's tree over all surfaces. The tree is built by one
// thread: built by several, its leaves could come in another order, and two surfaces at the same distance
// would win by chance.
#include <embree3/rtcore.h>
#include <fmt/format.h>

#include "selkie/core/error.h"
#include "selkie/core/parallel.h"
#include "selkie/render/detail/parts.h"
#include "selkie/render/detail/ray_masks.h"
#include "selkie/render/detail/scene.h"

namespace selkie::render::detail {
namespace {

class OneThread {
 public:
  OneThread() : before_(thread_count()) { set_thread_count(1); }
  ~OneThread() { set_thread_count(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

void check(RTCDevice device) {
  if (const RTCError error = rtcGetDeviceError(device); error != RTC_ERROR_NONE)
    throw std::runtime_error(fmt::format("Embree failed with error {}", static_cast<int>(error)));
}

// Vertices as Embree wants them: three floats for triangles, four with the radius for the rest.
void fill_vertices(RTCGeometry geometry, unsigned slot, const Part& part,
                   const std::vector<Vec3f>& positions) {
  const bool round = part.kind != Kind::mesh;
  const std::size_t stride = round ? 4 : 3;
  auto* out = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, slot,
                                                          round ? RTC_FORMAT_FLOAT4 : RTC_FORMAT_FLOAT3,
                                                          stride * sizeof(float), positions.size()));
  if (!out) throw std::bad_alloc();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    // Points that nothing usable refers to may be anything; Embree would rather not see it.
    const Vec3f x = positions[i].allFinite() ? positions[i] : Vec3f(Vec3f::Zero());
    for (std::size_t a = 0; a < 3; ++a) out[stride * i + a] = x[static_cast<Eigen::Index>(a)];
    if (round) out[stride * i + 3] = part.radius;
  }
}

template <class Index>
void fill_indices(RTCGeometry geometry, RTCFormat format, const std::vector<Index>& indices) {
  auto* out = static_cast<Index*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, format, sizeof(Index), indices.size()));
  if (!out) throw std::bad_alloc();
  std::copy(indices.begin(), indices.end(), out);
}

RTCGeometryType type_of(Kind kind) {
  switch (kind) {
    case Kind::mesh:
      return RTC_GEOMETRY_TYPE_TRIANGLE;
    case Kind::spheres:
      return RTC_GEOMETRY_TYPE_SPHERE_POINT;
    case Kind::curves:
      break;
  }
  return RTC_GEOMETRY_TYPE_ROUND_CATMULL_ROM_CURVE;
}

float reach_of(const Vec3& low, const Vec3& high, const Vec3& middle) {
  const Vec3 room = (middle - low).cwiseMin(high - middle);
  return static_cast<float>(std::min(room.x(), room.z()));
}

}  // namespace

Scene::Scene(std::span<const ports::Drawable> drawables, std::span<const ports::Material> materials,
             const ports::Camera& camera, const ports::Lighting& lighting, const Settings& settings)
    : light_(lighting), origin_(camera.target) {
  const std::optional<Box> box = bounds(drawables);
  const Vec3 middle = box ? Vec3(0.5 * (box->low + box->high)) : camera.target;
  const double own_size = box ? (box->high - box->low).norm() : 0;
  const double size = std::max(own_size, 1e-6);
  middle_ = (middle - origin_).cast<float>();
  const double view = std::max(0.5 * own_size, (camera.position - middle).norm());
  // Above the rounding of a hit seen from the camera, and far below what can be seen.
  epsilon_ = static_cast<float>(1e-5 * std::max(own_size, 1e-3) + 1e-6 * view);

  PartContext context{.origin = origin_, .size = size, .overlay = &settings.overlay};
  if (settings.motion_blur) context.shutter = settings.shutter * settings.frame_seconds;
  if (!settings.overlay.attribute.empty())
    context.range = attribute_range(drawables, settings.overlay.attribute).value_or(std::array{0.0, 1.0});
  context.range = {settings.overlay.lo.value_or(context.range[0]),
                   settings.overlay.hi.value_or(context.range[1])};

  device_.reset(rtcNewDevice(nullptr));
  if (!device_) throw std::runtime_error("Embree cannot start on this machine");
  scene_.reset(rtcNewScene(device_.get()));
  rtcSetSceneFlags(scene_.get(), RTC_SCENE_FLAG_ROBUST);
  bool has_backdrop = false;
  for (const ports::Drawable& drawable : drawables) {
    has_backdrop |= drawable.backdrop;
    const ports::Material material = material_of(drawable.name, materials);
    if (const auto* volume = std::get_if<ports::Volume>(&drawable.shape)) {
      if (auto smoke = SmokeBox::make(drawable.name, *volume, finish_of(drawable, material, size), origin_))
        smoke_.push_back(std::move(*smoke));
    } else if (auto part = make_part(drawable, material, context)) {
      if (drawable.backdrop) let_fade(drawable, box.value_or(Box{middle, middle}), view, *part);
      add(std::move(*part));
    }
  }
  // Shadows of what floats high fall far out; they must not fade.
  if (box && lighting.ground_height) drop_ = std::max(drop_, box->high.y() - *lighting.ground_height);
  const auto wide = static_cast<float>(std::max(view, drop_));
  fade_end_ = std::min(fade_end_, 8 * wide);
  fade_begin_ = std::min(1.5f * wide, 0.4f * fade_end_);
  {
    const OneThread build;
    rtcCommitScene(scene_.get());
  }
  check(device_.get());
  add_ground(lighting, has_backdrop, box);
  light_smoke();
}

// Scenery far wider than the view must be gone before its edge shows.
void Scene::let_fade(const ports::Drawable& backdrop, const Box& box, double view, Part& part) {
  ports::Drawable alone = backdrop;
  alone.backdrop = false;
  const auto wide = bounds(std::span(&alone, 1));
  if (!wide || (wide->high - wide->low).norm() <= 4 * view) return;
  part.fades = true;
  drop_ = std::max(drop_, box.high.y() - wide->high.y());
  if (const float reach = reach_of(wide->low, wide->high, 0.5 * (box.low + box.high)); reach > 0)
    fade_end_ = std::min(fade_end_, 0.98f * reach);
}

void Scene::light_smoke() {
  // What the ground sends up under open sky, for the underside of smoke.
  const Rgb level = ground_ ? ground_->finish.colour : Rgb::Constant(0.3f);
  const float sun_height = std::max(0.0f, light_.sun_direction().y());
  const Rgb from_below = level * (light_.sky_mean() + light_.sun_irradiance() * sun_height / kPi);
  for (SmokeBox& smoke : smoke_)
    smoke.light_up(light_, from_below, [&](const Vec3f& position) {
      return luminance(sunlight_through({position, light_.sun_direction(), 0.5f, 0}, -1));
    });
}

void ReleaseEmbree::operator()(RTCDeviceTy* device) const { rtcReleaseDevice(device); }
void ReleaseEmbree::operator()(RTCSceneTy* scene) const { rtcReleaseScene(scene); }

void Scene::add(Part&& moved_part) {
  parts_.push_back(std::make_unique<Part>(std::move(moved_part)));
  const Part& part = *parts_.back();
  RTCGeometry geometry = rtcNewGeometry(device_.get(), type_of(part.kind));
  const bool blurs = !part.moved.empty();
  if (blurs) rtcSetGeometryTimeStepCount(geometry, 2);
  fill_vertices(geometry, 0, part, part.positions);
  if (blurs) fill_vertices(geometry, 1, part, part.moved);
  if (part.kind == Kind::mesh) fill_indices(geometry, RTC_FORMAT_UINT3, part.triangles);
  if (part.kind == Kind::curves) fill_indices(geometry, RTC_FORMAT_UINT, part.segments);
  const bool passes = part.finish.clear() || part.finish.look == ports::Look::wire;
  rtcSetGeometryMask(geometry, passes ? kPassing : kBlocking);
  has_clear_ |= passes;
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(scene_.get(), geometry, static_cast<unsigned>(parts_.size() - 1));
  rtcReleaseGeometry(geometry);
}

void Scene::add_ground(const ports::Lighting& lighting, bool has_backdrop, const std::optional<Box>& box) {
  if (!lighting.ground || has_backdrop) return;
  double height = 0;
  if (lighting.ground_height) {
    height = *lighting.ground_height;
  } else {
    if (box) height = box->low.y();
    // Walls of water and arrows may reach lower than the drawables themselves.
    for (const auto& part : parts_)
      for (const Vec3f& x : part->positions)
        if (x.allFinite()) height = std::min(height, static_cast<double>(x.y() - part->radius) + origin_.y());
    height -= 4 * epsilon_;
  }
  Ground ground{.height = static_cast<float>(height - origin_.y()), .finish = {}};
  ground.finish.colour = albedo(lighting.ground_colour);
  ground_ = ground;
}

}  // namespace selkie::render::detail
