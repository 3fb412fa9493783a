// See picture.h.
#include "selkie/ports/picture.h"

namespace selkie::ports {

std::vector<Problem> validate(const Camera& camera) {
  const Vec3 view = camera.target - camera.position;
  if (view.norm() == 0) return {{"target", "is where the camera stands; choose another point"}};
  if (view.cross(camera.up).norm() <= 1e-9 * view.norm() * camera.up.norm())
    return {{"up", "points along the view or is zero; choose a direction across it"}};
  return {};
}

std::vector<Problem> validate(const Lighting& lighting) {
  if (lighting.sun_direction.norm() == 0) return {{"sun_direction", "is zero; point it towards the sun"}};
  return {};
}

}  // namespace selkie::ports
