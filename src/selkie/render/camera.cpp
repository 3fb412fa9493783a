// Cameras: rays through a thin lens, and the automatic view. The automatic camera looks along a fixed
// direction and stands as near as it may: each side of the picture is a plane through the eye, and the
// farthest corner against each pair of planes gives the distance.
#include <cmath>
#include <limits>
#include <numbers>

#include "selkie/core/error.h"
#include "selkie/render/detail/lens.h"
#include "selkie/render/render.h"

namespace selkie::render {
namespace detail {

Lens::Lens(const ports::Camera& camera, const Vec3& origin, int width, int height)
    : position_((camera.position - origin).cast<float>()) {
  const Vec3 forward = (camera.target - camera.position).normalized();
  const Vec3 right = forward.cross(camera.up).normalized();
  forward_ = forward.cast<float>();
  right_ = right.cast<float>();
  up_ = right.cross(forward).cast<float>();
  const double tangent = std::tan(camera.field_of_view * std::numbers::pi / 360);
  pixel_ = static_cast<float>(2 * tangent / height);
  half_width_ = 0.5f * static_cast<float>(width);
  half_height_ = 0.5f * static_cast<float>(height);
  lens_radius_ = static_cast<float>(0.5 * camera.aperture);
  focus_ = static_cast<float>((camera.target - camera.position).norm());
}

Ray Lens::ray(float x, float y, const std::array<float, 2>& on_lens, float time) const {
  const Vec3f through = forward_ + (x - half_width_) * pixel_ * right_ + (half_height_ - y) * pixel_ * up_;
  if (lens_radius_ <= 0) return {position_, through.normalized(), time, 0};
  const float r = lens_radius_ * std::sqrt(on_lens[0]), angle = 2 * kPi * on_lens[1];
  const Vec3f offset = r * (std::cos(angle) * right_ + std::sin(angle) * up_);
  return {position_ + offset, (through * focus_ - offset).normalized(), time, 0};
}

}  // namespace detail

namespace {

constexpr double kFieldOfView = 32;  // degrees: little distortion
constexpr double kFilled = 0.86;     // share of the picture's half the view may fill

}  // namespace

ports::Camera frame_camera(const Box& box, double aspect) {
  if (!(aspect > 0)) throw InputError("the shape of a picture must be above 0", "give width over height");
  const Vec3 back =
      Vec3(-0.62, 0.42, 1).normalized();  // from the scene to the eye; the sun stands to its right
  const Vec3 right = Vec3::UnitY().cross(back).normalized(), up = back.cross(right);
  const double tangent_y = kFilled * std::tan(kFieldOfView * std::numbers::pi / 360);
  const double tangent_x = tangent_y * aspect;
  // Along each picture axis: largest of ±(x) + tangent·z over the corners, z towards the eye.
  std::array<double, 4> most;
  most.fill(-std::numeric_limits<double>::infinity());
  const double size = std::max((box.high - box.low).norm(), 1e-3);
  const Vec3 middle = 0.5 * (box.low + box.high);
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 x = Vec3(corner & 1 ? box.high.x() : box.low.x(), corner & 2 ? box.high.y() : box.low.y(),
                        corner & 4 ? box.high.z() : box.low.z()) -
                   middle;
    const double depth = x.dot(back);
    most[0] = std::max(most[0], x.dot(right) + tangent_x * depth);
    most[1] = std::max(most[1], -x.dot(right) + tangent_x * depth);
    most[2] = std::max(most[2], x.dot(up) + tangent_y * depth);
    most[3] = std::max(most[3], -x.dot(up) + tangent_y * depth);
  }
  const double distance =
      std::max({0.5 * (most[0] + most[1]) / tangent_x, 0.5 * (most[2] + most[3]) / tangent_y, 0.75 * size});
  const Vec3 target = middle + 0.5 * (most[0] - most[1]) * right + 0.5 * (most[2] - most[3]) * up;
  ports::Camera camera;
  camera.name = "automatic";
  camera.target = target;
  camera.position = target + distance * back;
  camera.field_of_view = kFieldOfView;
  return camera;
}

ports::Camera frame_camera(std::span<const ports::Drawable> drawables, double aspect) {
  return frame_camera(bounds(drawables).value_or(Box{Vec3(-0.5, 0, -0.5), Vec3(0.5, 1, 0.5)}), aspect);
}

}  // namespace selkie::render
