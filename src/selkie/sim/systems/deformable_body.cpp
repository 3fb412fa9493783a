// See deformable_body.h.
#include "selkie/sim/systems/deformable_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "selkie/core/check.h"

namespace selkie::sim {

std::string fixed_step_warning(double step, double stability_limit) {
  if (!(step > stability_limit)) return {};
  return fmt::format(
      "its 'step' of {:.3g} s is beyond the {:.3g} s up to which the method is stable now; leave 'step' out, "
      "make it "
      "smaller, or choose an implicit integrator",
      step, stability_limit);
}

DrawnPart::DrawnPart(std::size_t vertex_count, std::span<const geometry::Triangle> triangles,
                     std::span<const geometry::Segment> lines) {
  std::vector<std::uint32_t> number(vertex_count, UINT32_MAX);
  for (const geometry::Triangle& t : triangles)
    for (std::uint32_t v : t) number[v] = 0;
  if (triangles.empty()) std::fill(number.begin(), number.end(), 0);
  for (std::uint32_t v = 0; v < vertex_count; ++v)
    if (number[v] == 0) {
      number[v] = static_cast<std::uint32_t>(vertices_.size());
      vertices_.push_back(v);
    }
  for (const geometry::Triangle& t : triangles)
    triangles_.push_back({number[t[0]], number[t[1]], number[t[2]]});
  if (triangles.empty())
    for (const auto& ends : lines) lines_.push_back({number[ends[0]], number[ends[1]]});
}

DrawnPart::DrawnPart(std::size_t vertex_count, const DeformableBody& body,
                     std::span<const geometry::Segment> lines)
    : DrawnPart(vertex_count, body.triangles, lines) {
  tets_ = body.tets;
  if (!body.skin) return;
  skin_ = body.skin->weights;
  triangles_ = body.skin->triangles;
}

ports::Drawable DrawnPart::draw(std::span<const Vec3> positions, std::span<const Vec3> velocities,
                                const std::string& value_name, const std::string& unit,
                                std::span<const double> values) {
  const std::size_t count = skin_ ? skin_->size() : vertices_.size();
  positions_.resize(count), velocities_.resize(count), values_.resize(count);
  if (skin_) {
    geometry::apply(*skin_, positions, positions_);
    geometry::apply(*skin_, velocities, velocities_);
    geometry::apply(*skin_, values, values_);
  }
  for (std::size_t k = 0; k < count && !skin_; ++k) {
    positions_[k] = positions[vertices_[k]];
    velocities_[k] = velocities[vertices_[k]];
    values_[k] = values[vertices_[k]];
  }
  const std::vector<ports::Attribute> attributes{
      {"velocity", "m/s", 3, {velocities_.empty() ? nullptr : velocities_[0].data(), 3 * count}},
      {value_name, unit, 1, values_}};
  ports::Drawable drawable;
  if (triangles_.empty())
    drawable.shape = ports::Curves{positions_, lines_, 0, attributes};
  else
    drawable.shape = ports::TriangleSurface{positions_, triangles_, attributes};
  if (!tets_.empty())
    drawable.interior = {positions,
                         tets_,
                         {{"velocity", "m/s", 3, {velocities[0].data(), 3 * velocities.size()}},
                          {value_name, unit, 1, values}}};
  return drawable;
}

std::uint32_t nearest_vertex(std::span<const Vec3> positions, const Vec3& point) {
  SELKIE_CHECK(!positions.empty(), "a body with vertices");
  const auto nearest = std::min_element(
      positions.begin(), positions.end(),
      [&](const Vec3& a, const Vec3& b) { return (a - point).squaredNorm() < (b - point).squaredNorm(); });
  return static_cast<std::uint32_t>(nearest - positions.begin());
}

geometry::SurfacePoint nearest_on_surface(std::span<const Vec3> positions,
                                          std::span<const geometry::Triangle> surface, const Vec3& point) {
  SELKIE_CHECK(!surface.empty(), "a body with a surface");
  geometry::SurfacePoint nearest;
  nearest.distance = std::numeric_limits<double>::infinity();
  for (std::uint32_t t = 0; t < surface.size(); ++t) {
    const auto& [a, b, c] = surface[t];
    const geometry::TrianglePoint found =
        geometry::nearest_on_triangle(positions[a], positions[b], positions[c], point);
    const double distance = (found.point - point).norm();
    if (distance < nearest.distance) nearest = {t, found.point, found.weights, distance};
  }
  return nearest;
}

HeldFace find_held_face(std::span<const Vec3> positions, std::span<const geometry::Triangle> surface,
                        const Vec3& point) {
  // A corner of less weight hardly moves the point: then the hand is on the vertex, or on the edge.
  constexpr double kLeastWeight = 0.01;
  const std::uint32_t vertex = nearest_vertex(positions, point);
  if (surface.empty()) return {vertex, {}};
  const geometry::SurfacePoint found = nearest_on_surface(positions, surface, point);
  if ((positions[vertex] - point).norm() < found.distance) return {vertex, {}};  // of a rope beside it
  const geometry::Triangle& corners = surface[found.triangle];
  Eigen::Index heaviest = 0;
  found.weights.maxCoeff(&heaviest);
  HeldFace held{corners[static_cast<std::size_t>(heaviest)], {}};
  for (Eigen::Index k = 0; k < 3; ++k)
    if (k != heaviest && found.weights[k] > kLeastWeight)
      held.others.push_back(corners[static_cast<std::size_t>(k)]);
  return held;
}

}  // namespace selkie::sim
