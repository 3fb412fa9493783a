// See wet_field.h.
#include "selkie/coupling/wet_field.h"

namespace selkie::coupling {

WetField::WetField(std::span<const Vec3> positions, std::span<const geometry::Triangle> triangles)
    : distance_({{positions.begin(), positions.end()}, {triangles.begin(), triangles.end()}}, 0),
      velocities_(positions.size(), Vec3::Zero()) {}

void WetField::move(std::span<const Vec3> positions, std::span<const Vec3> velocities) {
  distance_.move(positions);
  velocities_.assign(velocities.begin(), velocities.end());
}

ports::FieldSample WetField::sample(const Vec3& point, double) const {
  geometry::SurfacePoint nearest;
  const geometry::SurfaceDistance surface = distance_.exact(point, nearest);
  ports::FieldSample sample;
  sample.distance = surface.distance;
  sample.normal = surface.normal;
  const geometry::Triangle& corners = distance_.mesh().triangles[nearest.triangle];
  sample.velocity.setZero();
  for (int c = 0; c < 3; ++c)
    sample.velocity += nearest.weights[c] * velocities_[corners[static_cast<std::size_t>(c)]];
  return sample;
}

}  // namespace selkie::coupling
