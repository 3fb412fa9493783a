// See build_liquid.h.
#include "selkie/scene/build_liquid.h"

#include "selkie/sim/systems/liquid_system.h"

namespace selkie::scene {
namespace {

geometry::Region region_of(const LiquidFill& fill) {
  return {fill.box, fill.ball, fill.cylinder, fill.half_space};
}

}  // namespace

std::unique_ptr<sim::System> build_liquid(
    const LiquidDescription& d, std::span<const std::shared_ptr<ports::FieldSampler>> colliders) {
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
  for (const LiquidInflow& i : d.inflow) {
    scene.inflows.push_back(i.inflow);
    scene.inflow_motions.push_back(i.motion ? sim::Motion(*i.motion) : sim::Motion());
  }
  for (const LiquidDrain& i : d.drain) {
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
  state.counts.seeded = liquid::seed<float>(model, kSeeding, inside, velocity, state.born, state.particles);
  return std::make_unique<sim::LiquidSystem>(d.name, std::move(model), d.params, std::move(state),
                                             std::move(scene));
}

}  // namespace selkie::scene
