// Scattering at surfaces. The coat is a GGX microsurface [Walter07] with Smith's height-correlated shadowing,
// sampled by its visible normals [Heitz18]; what it lets through meets a Lambertian body. Smooth dielectrics
// choose between reflection and refraction by Fresnel's share. Radiance is not scaled by the squared index
// on refraction: what goes in comes out again, and a uniform surrounding stays uniform.
#include "selkie/render/detail/bsdf.h"

#include "selkie/render/detail/hair.h"

namespace selkie::render::detail {
namespace {

constexpr float kCoat = 0.04f;  // reflected at normal incidence: an index of 1.5

float schlick(float cosine) {
  const float m = std::clamp(1 - cosine, 0.0f, 1.0f);
  return kCoat + (1 - kCoat) * m * m * m * m * m;
}

Vec3f cosine_direction(const std::array<float, 2>& u) {
  const float r = std::sqrt(u[0]), angle = 2 * kPi * u[1];
  return {r * std::cos(angle), r * std::sin(angle), std::sqrt(std::max(0.0f, 1 - u[0]))};
}

float alpha_of(const SurfacePoint& point) { return std::max(0.015f, square(point.roughness)); }

// Smith's lambda of a direction with cosine z.
float lambda(float z, float alpha) {
  const float tangent2 = std::max(0.0f, 1 - z * z) / std::max(1e-8f, z * z);
  return 0.5f * (std::sqrt(1 + alpha * alpha * tangent2) - 1);
}

float ggx(const Vec3f& h, float alpha) {
  const float a2 = alpha * alpha;
  const float d = h.z() * h.z() * (a2 - 1) + 1;
  return a2 / (kPi * d * d);
}

// A normal of the microsurface as seen from `out` (local frame): the upper half of the stretched ball that
// `out` can see, projected on a disc. [Heitz18 §3.2]
Vec3f visible_normal(const Vec3f& out, float alpha, const std::array<float, 2>& u) {
  const Vec3f view = Vec3f(alpha * out.x(), alpha * out.y(), out.z()).normalized();
  const float across2 = view.x() * view.x() + view.y() * view.y();
  const Vec3f t1 = across2 > 0 ? Vec3f(Vec3f(-view.y(), view.x(), 0) / std::sqrt(across2)) : Vec3f(1, 0, 0);
  const Vec3f t2 = view.cross(t1);
  const float r = std::sqrt(u[0]), angle = 2 * kPi * u[1];
  const float p1 = r * std::cos(angle);
  const float half = 0.5f * (1 + view.z());
  const float p2 = mix(std::sqrt(std::max(0.0f, 1 - p1 * p1)), r * std::sin(angle), half);
  const Vec3f n = p1 * t1 + p2 * t2 + std::sqrt(std::max(0.0f, 1 - p1 * p1 - p2 * p2)) * view;
  return Vec3f(alpha * n.x(), alpha * n.y(), std::max(1e-6f, n.z())).normalized();
}

// How often a path follows the coat rather than the body.
float coat_choice(const Rgb& colour, float cosine_out) {
  const float coat = schlick(cosine_out), body = (1 - coat) * luminance(colour);
  return std::clamp(coat / std::max(1e-6f, coat + body), 0.1f, 0.9f);
}

Rgb glossy(const SurfacePoint& point, const Vec3f& out, const Vec3f& in, float& density) {
  const Frame frame(point.normal);
  const Vec3f o = frame.local(out), i = frame.local(in);
  density = 0;
  if (o.z() <= 0 || i.z() <= 0) return Rgb::Zero();
  const float alpha = alpha_of(point);
  const Vec3f h = (o + i).normalized();
  const float d = ggx(h, alpha), lambda_out = lambda(o.z(), alpha), lambda_in = lambda(i.z(), alpha);
  const float coat = schlick(o.dot(h)) * d / (4 * o.z() * (1 + lambda_out + lambda_in));
  const float body = (1 - schlick(o.z())) * (1 - schlick(i.z())) * i.z() / kPi;
  const float choice = coat_choice(point.colour, o.z());
  density = choice * d / (4 * o.z() * (1 + lambda_out)) + (1 - choice) * i.z() / kPi;
  return Rgb::Constant(coat) + body * point.colour;
}

Scatter scatter_glossy(const SurfacePoint& point, const Vec3f& out, const std::array<float, 2>& u,
                       float choice) {
  const Frame frame(point.normal);
  const Vec3f o = frame.local(out);
  Scatter result;
  if (o.z() <= 0) return result;
  Vec3f i;
  if (choice < coat_choice(point.colour, o.z())) {
    const Vec3f h = visible_normal(o, alpha_of(point), u);
    i = 2 * o.dot(h) * h - o;
  } else {
    i = cosine_direction(u);
  }
  result.direction = frame.world(i);
  const Rgb share = glossy(point, out, result.direction, result.density);
  if (result.density > 0) result.weight = share / result.density;
  return result;
}

// Mirror direction or refracted one. Where interpolated normals would send light to the wrong side of the
// true surface, the true normal takes over.
Scatter scatter_clear(const SurfacePoint& point, const Vec3f& out, float choice) {
  const Finish& finish = *point.finish;
  Vec3f n = point.normal;
  if (out.dot(n) <= 0) n = point.geometric_normal;
  const float cosine = std::min(1.0f, out.dot(n));
  const float index = point.entering || finish.thin ? finish.index : 1 / finish.index;
  float share = fresnel(cosine, index);
  Scatter result;
  result.specular = true;
  result.weight = Rgb::Ones();
  // Both faces of a thin sheet reflect; the light between them bounces on: 2F / (1 + F).
  if (finish.thin) share = 2 * share / (1 + share);
  if (choice < share) {
    result.direction = 2 * cosine * n - out;
    if (result.direction.dot(point.geometric_normal) <= 0)
      result.direction = 2 * out.dot(point.geometric_normal) * point.geometric_normal - out;
    return result;
  }
  result.through = true;
  if (finish.thin) {
    result.direction = -out;
    result.weight = point.colour;
    return result;
  }
  const float sine2 = (1 - cosine * cosine) / (index * index);
  result.direction = (-out + cosine * n) / index - std::sqrt(std::max(0.0f, 1 - sine2)) * n;
  if (result.direction.dot(point.geometric_normal) >= 0) result.direction = -out;
  result.direction.normalize();
  return result;
}

}  // namespace

float fresnel(float cosine, float index) {
  const float sine2 = (1 - cosine * cosine) / (index * index);
  if (sine2 >= 1) return 1;
  const float inner = std::sqrt(1 - sine2);
  const float parallel = (index * cosine - inner) / (index * cosine + inner);
  const float across = (cosine - index * inner) / (cosine + index * inner);
  return 0.5f * (parallel * parallel + across * across);
}

Rgb reflected(const SurfacePoint& point, const Vec3f& out, const Vec3f& in, float& density) {
  density = 0;
  if (point.finish->clear()) return Rgb::Zero();
  if (point.finish->look == ports::Look::hair && point.tangent != Vec3f::Zero())
    return hair_reflected(point.tangent, point.colour, out, in, density);
  // Light that comes from behind the true surface must not leak through interpolated normals.
  if (in.dot(point.geometric_normal) <= 0) return Rgb::Zero();
  if (point.finish->look == ports::Look::glossy) return glossy(point, out, in, density);
  const float cosine = std::max(0.0f, in.dot(point.normal));
  density = cosine / kPi;
  return point.colour * density;
}

Scatter scatter(const SurfacePoint& point, const Vec3f& out, std::array<float, 2> direction, float choice) {
  if (point.finish->clear()) return scatter_clear(point, out, choice);
  if (point.finish->look == ports::Look::hair && point.tangent != Vec3f::Zero())
    return hair_scatter(point.tangent, point.colour, out, direction);
  Scatter result;
  if (point.finish->look == ports::Look::glossy) {
    result = scatter_glossy(point, out, direction, choice);
  } else {
    const Vec3f local = cosine_direction(direction);
    result.direction = Frame(point.normal).world(local);
    result.density = local.z() / kPi;
    result.weight = point.colour;
  }
  if (result.direction.dot(point.geometric_normal) <= 0) result.weight = Rgb::Zero();
  return result;
}

}  // namespace selkie::render::detail
