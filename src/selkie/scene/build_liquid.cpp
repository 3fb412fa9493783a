// See build_liquid.h.
#include "selkie/scene/build_liquid.h"

#include <algorithm>
#include <vector>

#include "selkie/grid/loops.h"
#include "selkie/sim/systems/liquid_system.h"

namespace selkie::scene {
namespace {

geometry::Region region_of(const LiquidFill& fill) {
  return {fill.box, fill.ball, fill.cylinder, fill.half_space};
}

double distance(const LiquidFill& fill, const Vec3& x) {
  if (fill.box) return geometry::signed_distance(*fill.box, x).distance;
  if (fill.ball) return geometry::signed_distance(*fill.ball, x).distance;
  if (fill.cylinder) return geometry::signed_distance(*fill.cylinder, x).distance;
  return geometry::signed_distance(*fill.half_space, x).distance;
}

// The grid moves as the nearest body does.
void fill_velocity(const LiquidDescription& d, const liquid::Model& model, liquid::State<float>& state) {
  const bool moves = std::any_of(d.fill.begin(), d.fill.end(),
                                 [](const LiquidFill& fill) { return !fill.velocity.isZero(); });
  if (!moves) return;
  for (int axis = 0; axis < model.shape.dims(); ++axis)
    grid::fill(model.shape, grid::face_place(axis), *state.velocity()[static_cast<std::size_t>(axis)],
               [&](const Vec3& x) {
                 const LiquidFill* nearest = nullptr;
                 for (const LiquidFill& body : d.fill)
                   if (!nearest || distance(body, x) < distance(*nearest, x)) nearest = &body;
                 return nearest ? nearest->velocity[axis] : 0.0;
               });
}

// φ of the bodies of liquid, for a level set.
void fill_level_set(const LiquidDescription& d, const liquid::Model& model, liquid::State<float>& state) {
  // A body that ends at a wall goes on behind it.
  const double wide = model.shape.extent().maxCoeff();
  auto grown = [&](LiquidFill fill) {
    if (fill.box)
      for (int a = 0; a < 3; ++a) {
        const double low = model.shape.origin()[a], high = low + model.shape.extent()[a];
        if (fill.box->min[a] <= low + 1e-6 * wide) fill.box->min[a] = low - wide;
        if (fill.box->max[a] >= high - 1e-6 * wide) fill.box->max[a] = high + wide;
      }
    return fill;
  };
  std::vector<LiquidFill> bodies;
  for (const LiquidFill& fill : d.fill) bodies.push_back(grown(fill));
  grid::fill(model.shape, grid::Place::cell, state.surface, [&](const Vec3& x) {
    double nearest = 1e3 * wide;
    for (const LiquidFill& body : bodies) nearest = std::min(nearest, distance(body, x));
    return nearest;
  });
}

}  // namespace

std::unique_ptr<sim::System> build_liquid(const LiquidDescription& d,
                                          std::span<const std::shared_ptr<ports::FieldSampler>> colliders) {
  liquid::Model model;
  model.shape = shape_of(d.domain);
  model.sides = {d.sides.low_x, d.sides.high_x, d.sides.low_y, d.sides.high_y, d.sides.low_z, d.sides.high_z};
  model.tracker = d.tracker;
  model.seeds = d.seeds;

  sim::LiquidScene scene;
  scene.colour = d.colour;
  scene.show_particles = d.show_particles;
  scene.start_colliders.assign(colliders.begin(), colliders.end());
  if (d.container) {
    sim::ColliderDescription vessel;
    vessel.shape = d.container->shape;
    vessel.motion = d.container->motion;
    scene.container = sim::make_container(vessel);
  }
  scene.mesh_from = d.mesh_from;
  auto mesh_of = [](const std::optional<sim::ColliderMesh>& mesh) {
    return mesh ? std::make_shared<const geometry::MeshDistance>(sim::read_collider_mesh(*mesh)) : nullptr;
  };
  for (const LiquidInflow& i : d.inflow) {
    scene.inflow_meshes.push_back(mesh_of(i.mesh));
    scene.inflows.push_back(i.inflow);
    scene.inflow_motions.push_back(i.motion ? sim::Motion(*i.motion) : sim::Motion());
  }
  for (const LiquidDrain& i : d.drain) {
    scene.drain_meshes.push_back(mesh_of(i.mesh));
    scene.drains.push_back(i.drain);
    scene.drain_motions.push_back(i.motion ? sim::Motion(*i.motion) : sim::Motion());
  }

  liquid::State<float> state = liquid::make_state<float>(model);
  // Where bodies overlap the first one has its way; none begins inside a solid.
  const double clearance = 0.02 * model.shape.cell_size();
  auto body_at = [&](const Vec3& x) -> const LiquidFill* {
    for (const LiquidFill& fill : d.fill)
      if (geometry::contains(region_of(fill), x)) return &fill;
    return nullptr;
  };
  auto inside = [&](const Vec3& x) {
    if (!body_at(x)) return false;
    if (scene.container && scene.container->sample(x, 0).distance < clearance) return false;
    for (const auto& collider : colliders)
      if (collider->sample(x, 0).distance < clearance) return false;
    return true;
  };
  auto velocity = [&](const Vec3& x) { return body_at(x)->velocity; };
  constexpr std::uint64_t kSeeding = 0x66696c6c;
  fill_velocity(d, model, state);
  if (d.tracker == liquid::Tracker::level_set)
    fill_level_set(d, model, state);
  else
    state.counts.seeded = liquid::seed<float>(model, kSeeding, inside, velocity, state.born, state.particles);
  return std::make_unique<sim::LiquidSystem>(d.name, std::move(model), d.params, std::move(state),
                                             std::move(scene));
}

}  // namespace selkie::scene
