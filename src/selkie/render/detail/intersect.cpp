// Rays against the scene: nearest surface, and how much sun comes through.
#include <embree3/rtcore.h>

#include "selkie/render/detail/ray_masks.h"
#include "selkie/render/detail/scene.h"

namespace selkie::render::detail {
namespace {

constexpr int kMostLayers = 64;  // of wire or clear surfaces along one ray

void set_ray(RTCRay& out, const Ray& ray, float near, float far, unsigned mask) {
  out.org_x = ray.origin.x(), out.org_y = ray.origin.y(), out.org_z = ray.origin.z();
  out.dir_x = ray.direction.x(), out.dir_y = ray.direction.y(), out.dir_z = ray.direction.z();
  out.tnear = near;
  out.tfar = far;
  out.time = ray.time;
  out.mask = mask;
  out.id = 0;
  out.flags = 0;
}

bool nearest(RTCScene scene, const Ray& ray, float near, unsigned mask, RTCRayHit& hit) {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  set_ray(hit.ray, ray, near, kInfinity, mask);
  hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  hit.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(scene, &context, &hit);
  return hit.hit.geomID != RTC_INVALID_GEOMETRY_ID;
}

bool blocked(RTCScene scene, const Ray& ray, unsigned mask) {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRay shadow;
  set_ray(shadow, ray, 0, kInfinity, mask);
  rtcOccluded1(scene, &context, &shadow);
  return shadow.tfar < 0;
}

}  // namespace

bool Scene::intersect(const Ray& ray, float pixel_angle, SurfacePoint& point) const {
  RTCRayHit hit;
  point.distance = kInfinity;
  float near = 0;
  for (int layer = 0; layer < kMostLayers; ++layer) {
    if (!nearest(scene_.get(), ray, near, kBlocking | kPassing, hit)) break;
    const Part& part = *parts_[hit.hit.geomID];
    const float width = ray.footprint + pixel_angle * hit.ray.tfar;
    const bool edge = (part.edges || part.finish.look == ports::Look::wire) && part.kind == Kind::mesh &&
                      on_edge(part, hit.hit.primID, hit.hit.u, hit.hit.v, width);
    if (part.finish.look == ports::Look::wire && part.kind == Kind::mesh && !edge) {
      near = hit.ray.tfar + epsilon_;
      continue;
    }
    point.distance = hit.ray.tfar;
    point.position = ray.origin + point.distance * ray.direction;
    point.geometric_normal = Vec3f(hit.hit.Ng_x, hit.hit.Ng_y, hit.hit.Ng_z).normalized();
    describe_hit(part, hit.hit.primID, hit.hit.u, hit.hit.v, point);
    if (part.edges && edge) point.colour *= 0.12f;
    point.entering = point.geometric_normal.dot(ray.direction) < 0;
    if (!point.entering) point.geometric_normal = -point.geometric_normal;
    if (point.normal.dot(point.geometric_normal) < 0) point.normal = -point.normal;
    break;
  }
  if (ground_ && ray.direction.y() < 0) {
    const float t = (ground_->height - ray.origin.y()) / ray.direction.y();
    if (t > 0 && t < point.distance) {
      point.distance = t;
      point.position = ray.origin + t * ray.direction;
      point.geometric_normal = point.normal = Vec3f::UnitY();
      point.tangent.setZero();
      point.colour = ground_->finish.colour;
      point.finish = &ground_->finish;
      point.entering = true;
      point.fades = true;
      point.offset = epsilon_;
    }
  }
  if (point.distance >= kInfinity) return false;
  // Normals bent so far that the ray would come from behind are bent back to the horizon of the point.
  const float facing = point.normal.dot(ray.direction);
  if (facing > -1e-3f) point.normal = (point.normal - (facing + 1e-3f) * ray.direction).normalized();
  return true;
}

void Scene::describe_hit(const Part& part, std::uint32_t primitive, float u, float v,
                         SurfacePoint& point) const {
  point.finish = &part.finish;
  point.colour = part.finish.colour;
  point.roughness = part.finish.roughness;
  point.fades = part.fades;
  point.offset = epsilon_ + 1e-6f * point.distance;
  point.normal = point.geometric_normal;
  point.tangent.setZero();
  if (part.kind == Kind::mesh) {
    const float w = 1 - u - v;
    const Vec3f* n = &part.normals[3 * static_cast<std::size_t>(primitive)];
    point.normal = (w * n[0] + u * n[1] + v * n[2]).normalized();
    if (!part.colours.empty()) {
      const auto& t = part.triangles[primitive];
      point.colour = w * part.colours[t[0]] + u * part.colours[t[1]] + v * part.colours[t[2]];
    }
  } else if (part.kind == Kind::spheres) {
    if (!part.colours.empty()) point.colour = part.colours[primitive];
  } else {
    const std::uint32_t i = part.segments[primitive] + 1;
    // Derivative of the Catmull-Rom segment between its inner control points.
    const Vec3f* p = &part.positions[i - 1];
    const Vec3f slope = 0.5f * ((p[2] - p[0]) + 2 * u * (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3]) +
                                3 * u * u * (3 * (p[1] - p[2]) + p[3] - p[0]));
    point.tangent = slope.squaredNorm() > 0 ? Vec3f(slope.normalized()) : Vec3f(Vec3f::UnitY());
    if (!part.colours.empty()) point.colour = part.colours[i] * (1 - u) + part.colours[i + 1] * u;
    point.offset += 0.01f * part.radius;
  }
}

bool Scene::on_edge(const Part& part, std::uint32_t primitive, float u, float v, float width) const {
  const auto& t = part.triangles[primitive];
  const Vec3f a = part.positions[t[1]] - part.positions[t[0]],
              b = part.positions[t[2]] - part.positions[t[0]];
  const float area = a.cross(b).norm();
  // Distance to an edge: share of the opposite corner times the height over that edge.
  const float from_bc = (1 - u - v) * area / (b - a).norm();
  const float from_ca = u * area / b.norm(), from_ab = v * area / a.norm();
  return std::min({from_bc, from_ca, from_ab}) < 0.6f * width;
}

Rgb Scene::sunlight_through(const Ray& ray, float jitter) const {
  if (ground_ && ray.direction.y() < 0 && ray.origin.y() > ground_->height) return Rgb::Zero();
  if (blocked(scene_.get(), ray, kBlocking)) return Rgb::Zero();
  Rgb share = Rgb::Ones();
  float near = 0, entered = 0;
  RTCRayHit hit;
  for (int layer = 0; has_clear_ && layer < kMostLayers; ++layer) {
    if (!nearest(scene_.get(), ray, near, kPassing, hit)) break;
    const Part& part = *parts_[hit.hit.geomID];
    const float t = hit.ray.tfar;
    near = t + epsilon_;
    if (part.finish.look == ports::Look::wire) {
      const bool edge = part.kind != Kind::mesh || on_edge(part, hit.hit.primID, hit.hit.u, hit.hit.v,
                                                           std::max(ray.footprint, epsilon_));
      if (edge) return Rgb::Zero();
      continue;
    }
    const Vec3f normal = Vec3f(hit.hit.Ng_x, hit.hit.Ng_y, hit.hit.Ng_z).normalized();
    const float cosine = normal.dot(ray.direction);
    // Straight through, dimmed as if refracted: the angle outside decides on either side.
    share *= 1 - fresnel(std::abs(cosine), part.finish.index);
    if (part.finish.thin) {
      share *= part.finish.colour;
    } else if (cosine < 0) {
      entered = t;
    } else {
      share *= (-part.finish.absorption * (t - entered)).exp();
    }
  }
  if (jitter < 0) return share;  // from inside smoke, whose own shadow is known already
  for (const SmokeBox& smoke : smoke_) {
    const auto span = smoke.span(ray.origin, ray.direction, kInfinity);
    if (span.entry < span.exit)
      share *= std::exp(-smoke.optical_depth(ray.origin, ray.direction, span, jitter, 2.0f));
  }
  return share;
}

float Scene::fade(const Vec3f& position) const {
  const float dx = position.x() - middle_.x(), dz = position.z() - middle_.z();
  return smooth_step(fade_begin_, fade_end_, std::sqrt(dx * dx + dz * dz));
}

}  // namespace selkie::render::detail
