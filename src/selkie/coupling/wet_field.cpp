// See wet_field.h.
#include "selkie/coupling/wet_field.h"

#include <algorithm>
#include <limits>
#include <map>

namespace selkie::coupling {

WetField::WetField(std::span<const Vec3> positions, std::span<const geometry::Triangle> triangles)
    : distance_({{positions.begin(), positions.end()}, {triangles.begin(), triangles.end()}}, 0),
      velocities_(positions.size(), Vec3::Zero()) {
  find_bounds();
}

void WetField::move(std::span<const Vec3> positions, std::span<const Vec3> velocities) {
  distance_.move(positions);
  set_velocities(velocities);
  find_bounds();
}

void WetField::find_bounds() {
  low_ = Vec3::Constant(std::numeric_limits<double>::infinity()), high_ = -low_;
  for (const geometry::Triangle& t : distance_.mesh().triangles)
    for (const std::uint32_t v : t) {
      low_ = low_.cwiseMin(distance_.mesh().positions[v]);
      high_ = high_.cwiseMax(distance_.mesh().positions[v]);
    }
  margin_ = 0.25 * (high_ - low_).norm();
}

ports::FieldSample WetField::sample(const Vec3& point, double) const {
  const Vec3 away = point - point.cwiseMax(low_).cwiseMin(high_);
  if (const double far = away.norm(); far > margin_) {
    ports::FieldSample sample;
    sample.distance = far;
    sample.normal = away / far;
    return sample;
  }
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

WetOutline::WetOutline(std::span<const Vec3> positions, std::span<const geometry::Segment> segments)
    : positions_(positions.begin(), positions.end()),
      velocities_(positions.size(), Vec3::Zero()),
      segments_(segments.begin(), segments.end()),
      before_(segments.size()),
      after_(segments.size()) {
  std::map<std::uint32_t, std::uint32_t> begins;
  for (std::uint32_t s = 0; s < segments_.size(); ++s) begins[segments_[s][0]] = s;
  for (std::uint32_t s = 0; s < segments_.size(); ++s) {
    after_[s] = begins.at(segments_[s][1]);
    before_[after_[s]] = s;
  }
}

void WetOutline::move(std::span<const Vec3> positions, std::span<const Vec3> velocities) {
  positions_.assign(positions.begin(), positions.end());
  set_velocities(velocities);
}

// The sign is that of the side of the nearest segment; at a corner, of the mean of the normals that meet there.
ports::FieldSample WetOutline::sample(const Vec3& point, double) const {
  auto outward = [&](std::uint32_t s) {
    const Vec3 along = positions_[segments_[s][1]] - positions_[segments_[s][0]];
    return Vec3(along.y(), -along.x(), 0).normalized();
  };
  double least = std::numeric_limits<double>::infinity(), share = 0;
  std::uint32_t nearest = 0;
  Vec3 away = Vec3::Zero();
  for (std::uint32_t s = 0; s < segments_.size(); ++s) {
    Vec3 a = positions_[segments_[s][0]], along = positions_[segments_[s][1]] - a, to = point - a;
    along.z() = to.z() = 0;
    const double part = std::clamp(to.dot(along) / along.squaredNorm(), 0.0, 1.0);
    const Vec3 off = to - part * along;
    if (off.squaredNorm() < least) least = off.squaredNorm(), nearest = s, share = part, away = off;
  }
  Vec3 normal = outward(nearest);
  if (share == 0) normal += outward(before_[nearest]);
  if (share == 1) normal += outward(after_[nearest]);
  const double sign = away.dot(normal) < 0 ? -1 : 1, distance = std::sqrt(least);
  ports::FieldSample sample;
  sample.distance = sign * distance;
  sample.normal = distance > 0 ? Vec3(sign * away / distance) : normal.normalized();
  sample.velocity =
      (1 - share) * velocities_[segments_[nearest][0]] + share * velocities_[segments_[nearest][1]];
  return sample;
}

std::vector<geometry::Segment> outline_of(std::span<const Vec3> positions,
                                          std::span<const geometry::Triangle> triangles) {
  std::map<geometry::Segment, int> directed;
  for (geometry::Triangle t : triangles) {
    const Vec3 a = positions[t[1]] - positions[t[0]], b = positions[t[2]] - positions[t[0]];
    if (a.x() * b.y() < a.y() * b.x()) std::swap(t[1], t[2]);
    for (std::size_t c = 0; c < 3; ++c) ++directed[{t[c], t[(c + 1) % 3]}];
  }
  std::vector<geometry::Segment> outline;
  for (const auto& [edge, count] : directed)
    if (!directed.contains({edge[1], edge[0]})) outline.push_back(edge);
  return outline;
}

}  // namespace selkie::coupling
