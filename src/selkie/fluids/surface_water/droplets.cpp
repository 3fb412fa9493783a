// See droplets.h.
#include "selkie/fluids/surface_water/droplets.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/random.h"
#include "selkie/math/rotation.h"

namespace selkie::surface_water {
namespace {

constexpr std::size_t kMostDroplets = 20000;
constexpr int kMostPerVertex = 8;  // a step
constexpr double kFarAway = 1e3;   // m: farther droplets are lost

struct Air {
  const Model& model;
  const Params& params;
  const Inputs& inputs;
  double dt, time;
  std::uint64_t tick;
  const Metric& m;
  const State& from;
  State& to;
  Work& work;

  Vec3 surface_point(std::size_t v) const {
    return to.positions[v] + (to.depth[v] - model.bottom[v]) * m.vertex_normal[v];
  }

  // Mean of the faces' velocities around a vertex, and the mesh's own.
  Vec3 surface_velocity(std::size_t v) const {
    const Complex& complex = model.complex;
    Vec3 sum = Vec3::Zero();
    double area = 0;
    for (std::uint32_t e = complex.fan_begin[v]; e < complex.fan_begin[v + 1]; ++e) {
      const std::uint32_t f = Corner::face(complex.fan[e]);
      const Vec2 velocity = vector_of(m, f, Vec2(to.rate_1[f], to.rate_2[f]));
      sum += m.area[f] * frame_of(complex, m, to.positions, f).to_space(velocity);
      area += m.area[f];
    }
    const Vec3 mesh = inputs.jump ? Vec3::Zero() : Vec3((to.positions[v] - from.positions[v]) / dt);
    return mesh + sum / area;
  }

  void add(const Vec3& position, const Vec3& velocity, double volume) const {
    to.drop_positions.push_back(position);
    to.drop_velocities.push_back(velocity);
    to.drop_volumes.push_back(volume);
  }

  // A layer that is pulled off with a leaves with √(aη); whole droplets only, the rest by chance.
  void shed() const {
    const double drop = params.droplet_volume;
    for (std::size_t v = 0; v < to.depth.size(); ++v) {
      const double a = work.normal_raw[v], depth = to.depth[v], area = m.dual_area[v];
      if (!(a > 0) || depth <= params.iso_level) continue;
      const double layer = std::min(0.5 * (depth - params.iso_level), dt * std::sqrt(a * depth));
      const double wanted = layer * area / drop + random_uniform(tick, v, 0);
      const int count = std::min(kMostPerVertex, static_cast<int>(wanted));
      if (count == 0 || to.drop_volumes.size() + static_cast<std::size_t>(count) > kMostDroplets) continue;
      const Vec3 n = m.vertex_normal[v], t = any_perpendicular(n), b = n.cross(t);
      const Vec3 point = surface_point(v), velocity = surface_velocity(v) + std::sqrt(a * depth) * n;
      const double reach = 0.5 * std::sqrt(area);
      for (int k = 0; k < count; ++k) {
        const auto c = static_cast<std::uint64_t>(3 * k + 1);
        const double x = random_uniform(tick, v, c, -reach, reach),
                     y = random_uniform(tick, v, c + 1, -reach, reach);
        const double vary = random_uniform(tick, v, c + 2, 0.8, 1.2);
        add(point + x * t + y * b + std::cbrt(drop) * n, vary * velocity, drop);
      }
      const double gone = count * drop;
      to.depth[v] -= gone / area;
      to.shed += gone;
    }
  }

  // Where droplet k meets the water again on its way from x0: through the mesh, or below the surface.
  std::optional<geometry::SurfacePoint> meets(const Vec3& x0, std::size_t k, double deepest) const {
    const Vec3 way = to.drop_positions[k] - x0;
    const double length = way.norm();
    if (length > 0)
      if (auto hit = work.tree.first_hit(to.positions, x0, way / length, length, geometry::Facing::any);
          hit && way.dot(m.normal[hit->triangle]) < 0)
        return hit;
    auto near = work.tree.nearest(to.positions, to.drop_positions[k], deepest);
    if (!near || way.dot(m.normal[near->triangle]) >= 0) return std::nullopt;
    const double above = (to.drop_positions[k] - near->point).dot(m.normal[near->triangle]);
    double surface = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t v = model.complex.vertex[c][near->triangle];
      surface += near->weights[static_cast<int>(c)] * (to.depth[v] - model.bottom[v]);
    }
    return above <= surface ? near : std::nullopt;
  }

  // Gives volume and tangential momentum back to the face.
  void rejoin(std::size_t k, const geometry::SurfacePoint& at) const {
    const Complex& complex = model.complex;
    const std::size_t f = at.triangle;
    double mean = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t v = complex.vertex[c][f];
      mean += std::max(0.0, to.depth[v]) / 3;
      to.depth[v] += at.weights[static_cast<int>(c)] * to.drop_volumes[k] / m.dual_area[v];
    }
    const Frame frame = frame_of(complex, m, to.positions, f);
    const std::uint32_t v0 = complex.vertex[0][f];
    const Vec3 mesh = inputs.jump ? Vec3::Zero() : Vec3((to.positions[v0] - from.positions[v0]) / dt);
    const Vec2 own = vector_of(m, f, Vec2(to.rate_1[f], to.rate_2[f]));
    const Vec2 drop = frame.to_plane(to.drop_velocities[k] - mesh);
    const double share = to.drop_volumes[k] / (to.drop_volumes[k] + mean * m.area[f]);
    const Vec2 rates = rates_of(m, f, own + share * (drop - own));
    to.rate_1[f] = rates[0], to.rate_2[f] = rates[1];
    to.shed -= to.drop_volumes[k];
  }

  // Puts droplet k outside a solid; returns by how much its velocity relative to the solid is to change.
  Vec3 meet_solid(const ports::FieldSampler& solid, std::size_t k) const {
    const ports::FieldSample s = solid.sample(to.drop_positions[k], time);
    if (s.distance >= 0) return Vec3::Zero();
    to.drop_positions[k] -= s.distance * s.normal;
    const Vec3 relative = to.drop_velocities[k] - s.velocity;
    const double into = relative.dot(s.normal);
    if (into >= 0) return Vec3::Zero();
    return -std::min(1.0, solid.friction) * (relative - into * s.normal) -
           (1 + solid.restitution) * into * s.normal;
  }

  void bounce(std::size_t k) const {
    for (const auto& collider : inputs.colliders) to.drop_velocities[k] += meet_solid(*collider, k);
    const double mass = params.density * to.drop_volumes[k];
    for (ports::MovableSolid* body : inputs.bodies) {
      const Vec3 change = meet_solid(*body, k);
      const double size = change.norm();
      if (!(size > 0)) continue;
      // Both give way by their masses; what the droplet gains the body loses.
      const Vec3& point = to.drop_positions[k];
      const Vec3 impulse = change / (1 / mass + body->inverse_mass(point, change / size, time));
      to.drop_velocities[k] += impulse / mass;
      body->push(point, -impulse, time);
    }
  }

  void fly() const {
    double deepest = 0;
    for (std::size_t v = 0; v < to.depth.size(); ++v)
      deepest = std::max(deepest, to.depth[v] - model.bottom[v]);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < to.drop_volumes.size(); ++k) {
      const Vec3 x0 = to.drop_positions[k];
      to.drop_velocities[k] += dt * inputs.gravity;
      to.drop_positions[k] += dt * to.drop_velocities[k];
      bounce(k);
      if (const auto at = meets(x0, k, deepest)) {
        rejoin(k, *at);
        continue;
      }
      if (!(to.drop_positions[k].cwiseAbs().maxCoeff() < kFarAway)) {
        to.lost += to.drop_volumes[k];
        continue;
      }
      to.drop_positions[kept] = to.drop_positions[k];
      to.drop_velocities[kept] = to.drop_velocities[k];
      to.drop_volumes[kept++] = to.drop_volumes[k];
    }
    to.drop_positions.resize(kept), to.drop_velocities.resize(kept), to.drop_volumes.resize(kept);
  }
};

}  // namespace

void move_droplets(const Model& model, const Params& params, const Inputs& inputs, Interval interval,
                   const Metric& metric, const State& from, State& to, Work& work) {
  const Air air{
      model,  params, inputs, interval.dt(), interval.t1(), static_cast<std::uint64_t>(interval.begin),
      metric, from,   to,     work};
  if (!to.drop_volumes.empty()) {
    if (work.tree.empty())
      work.tree = geometry::TriangleTree(to.positions, model.complex.triangles);
    else
      work.tree.refit(to.positions);
    air.fly();
  }
  if (params.droplets) air.shed();
}

}  // namespace selkie::surface_water
