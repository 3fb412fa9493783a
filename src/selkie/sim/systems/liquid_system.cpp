// See liquid_system.h.
#include "selkie/sim/systems/liquid_system.h"

#include <fmt/format.h>

#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/fluids/liquid/volume.h"
#include "selkie/grid/sample.h"
#include "selkie/sim/event_arguments.h"

namespace selkie::sim {
namespace {

class Container final : public ports::FieldSampler {
 public:
  explicit Container(std::shared_ptr<ports::FieldSampler> inside) : inside_(std::move(inside)) {}
  ports::FieldSample sample(const Vec3& point, double time) const override {
    ports::FieldSample sample = inside_->sample(point, time);
    sample.distance = -sample.distance;
    sample.normal = -sample.normal;
    return sample;
  }
  bool still() const override { return inside_->still(); }

 private:
  std::shared_ptr<ports::FieldSampler> inside_;
};

}  // namespace

std::shared_ptr<ports::FieldSampler> make_container(const ColliderDescription& inside) {
  return std::make_shared<Container>(make_collider(inside));
}

LiquidSystem::LiquidSystem(std::string name, liquid::Model model, liquid::Params params,
                           liquid::State<float> state, LiquidScene scene)
    : LiquidBase(std::move(name), std::move(model), std::move(params), std::move(state)),
      scene_(std::move(scene)) {
  for (const auto& collider : scene_.start_colliders) colliders_.push_back(collider.get());
  if (scene_.container) colliders_.push_back(scene_.container.get());
  liquid::prepare(model_, params_, colliders_, 0, state_, work_);
}

double LiquidSystem::step_limit(const Environment& environment) {
  return liquid::step_limit(model_, params_, environment.gravity, state_);
}

liquid::Inputs LiquidSystem::inputs(const Environment& environment) {
  // Solids that are thrown in count as those of the scene: the liquid yields to them and does not push them.
  colliders_.clear();
  for (const auto& collider : environment.colliders) colliders_.push_back(collider.get());
  colliders_.insert(colliders_.end(), environment.bodies.begin(), environment.bodies.end());
  if (scene_.container) colliders_.push_back(scene_.container.get());
  liquid::Inputs inputs;
  inputs.gravity = environment.gravity;
  inputs.colliders = colliders_;
  inputs.inflows = scene_.inflows;
  inputs.drains = scene_.drains;
  return inputs;
}

StepReport LiquidSystem::solve(const Environment& environment, const Interval& interval) {
  auto inflow_pose = [&](std::size_t n, double time) { return scene_.inflow_motions[n].pose(time); };
  auto drain_pose = [&](std::size_t n, double time) { return scene_.drain_motions[n].pose(time); };
  liquid::Inputs in = inputs(environment);
  in.inflow_pose = inflow_pose;
  in.drain_pose = drain_pose;
  return liquid::step(model_, params_, in, interval, from(), state_, work_);
}

void LiquidSystem::apply(const ports::InputEvent& event) {
  if (event.action != "push") return System::apply(event);
  const EventArguments arguments(event);
  const GaussianPush push(arguments);
  auto& particles = state_.particles;
  for (std::size_t p = 0; p < particles.size(); ++p) {
    const Vec3 gust = push.at(liquid::world_of(model_.shape, liquid::place_of(particles, p)));
    for (int axis = 0; axis < model_.shape.dims(); ++axis)
      (*particles.velocity()[static_cast<std::size_t>(axis)])[p] += static_cast<float>(gust[axis]);
  }
}

Figures LiquidSystem::figures(const Environment& environment) {
  const liquid::Energy energy = liquid::energy(model_, params_, environment.gravity, state_);
  const liquid::Counts& c = state_.counts;
  const double there = static_cast<double>(state_.particles.size());
  const double came = static_cast<double>(c.seeded + c.inflow),
               went = static_cast<double>(c.outflow + c.drained + c.crushed);
  return {{"volume", liquid::enclosed_volume(model_, work_.solids, state_.surface, scratch_)},
          {"particle_volume", there * model_.particle_volume()},
          {"particles", there},
          {"inflow", static_cast<double>(c.inflow)},
          {"outflow", static_cast<double>(c.outflow)},
          {"drained", static_cast<double>(c.drained)},
          {"crushed", static_cast<double>(c.crushed)},
          {"unaccounted", there - (came - went)},
          {"kinetic", energy.kinetic},
          {"potential", energy.potential},
          {"top_speed", liquid::top_speed(model_, state_)}};
}

std::vector<ports::Drawable> LiquidSystem::drawables() {
  const auto& particles = state_.particles;
  points_.resize(particles.size()), point_speeds_.resize(particles.size());
  parallel_for(particles.size(), [&](std::size_t p) {
    points_[p] = liquid::world_of(model_.shape, liquid::place_of(particles, p));
    double speed2 = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(model_.shape.dims()); ++a)
      speed2 += std::pow(double((*particles.velocity()[a])[p]), 2);
    point_speeds_[p] = std::sqrt(speed2);
  });
  std::vector<ports::Drawable> all;
  ports::Drawable drops;
  drops.name = name();
  drops.colour = scene_.colour;
  drops.shape = ports::Points{points_,
                              0.5 * model_.shape.cell_size() / model_.seeds,
                              {{"speed", "m/s", 1, point_speeds_}}};
  all.push_back(std::move(drops));
  return all;
}

Estimate LiquidSystem::estimate() {
  Estimate estimate;
  const auto [nx, ny, nz] = model_.shape.cells();
  const auto particles = static_cast<double>(state_.particles.size());
  estimate.size = model_.shape.dims() == 3
                      ? fmt::format("{} × {} × {} cells, {} particles", nx, ny, nz, particles)
                      : fmt::format("{} × {} cells, {} particles", nx, ny, particles);
  // State of 20 B a cell and 32 B a particle, kept twice more; scratch of 90 B a cell and 16 B a particle.
  estimate.memory_bytes = 150.0 * static_cast<double>(model_.shape.size()) + 112.0 * particles;
  return estimate;
}

}  // namespace selkie::sim
