// See surface_water_system.h.
#include "selkie/sim/systems/surface_water_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/sim/event_arguments.h"

namespace selkie::sim {

namespace sw = surface_water;

SurfaceWaterSystem::SurfaceWaterSystem(std::string name, sw::Model model, sw::Params params, sw::State state,
                                       SurfaceWaterScene scene)
    : SurfaceWaterBase(std::move(name), std::move(model), params, std::move(state)),
      scene_(std::move(scene)) {
  // The mesh starts where its animation does, so that the first step is not a jump.
  if (scene_.motion.moves()) {
    scene_.motion.positions(0, 0, state_.offset, positions_);
    state_.positions.copy_from(positions_.data(), positions_.size());
    sw::measure(model_.complex, state_.positions, model_.least_angle, metric_);
    state_.dual_area = metric_.dual_area;
  }
  start_volume_ = sw::volume(state_);
  for (const auto& vertices : scene_.source_vertices) sources_.push_back({vertices, 0});
}

// The metric that belongs to the present positions, whatever scratch holds.
const sw::Metric& SurfaceWaterSystem::present_metric() {
  if (state_.positions_before.empty() && !scene_.motion.moves()) return model_.metric;
  sw::measure(model_.complex, state_.positions, model_.least_angle, metric_);
  return metric_;
}

void SurfaceWaterSystem::gather_inputs(const Environment& environment, const Interval& interval,
                                       sw::Inputs& inputs) {
  const double dt = interval.dt();
  if (!params_.freeze) state_.clip_time += dt;
  // A dragged mesh follows the hand within a tenth of a second, so that its inertia stays finite.
  state_.offset += -std::expm1(-dt / 0.1) * (state_.offset_target - state_.offset);
  if (scene_.motion.moves() || !state_.offset.isZero(0) || !state_.positions_before.empty()) {
    scene_.motion.positions(state_.clip_time, interval.t1(), state_.offset, positions_);
    inputs.positions = positions_;
    // Whoever outruns everything was put there: no inertia [SW-38].
    const double farthest = deterministic_max(
        positions_.size(), 0.0, [&](std::size_t v) { return (positions_[v] - state_.positions[v]).norm(); });
    inputs.jump = farthest > ports::kJumpSpeed * dt;
  }
  if (!scene_.acceleration.empty()) {
    const std::size_t count = model_.complex.vertex_count;
    field_.resize(count);
    for (std::size_t v = 0; v < count; ++v) {
      const Vec3& p = inputs.positions.empty() ? state_.positions[v] : inputs.positions[v];
      const std::array<double, 4> at{p.x(), p.y(), p.z(), interval.t1()};
      field_[v] = Vec3(scene_.acceleration[0](at), scene_.acceleration[1](at), scene_.acceleration[2](at));
    }
    inputs.field = field_;
  }
  const double middle = 0.5 * (interval.t0() + interval.t1());
  sources_.resize(scene_.source_vertices.size());
  for (std::size_t s = 0; s < sources_.size(); ++s) sources_[s].rate = scene_.source_rates[s](middle);
  if (state_.spring >= 0)
    sources_.push_back({{static_cast<std::uint32_t>(state_.spring)}, state_.spring_rate});
  inputs.sources = sources_;
  give_pushes(dt, inputs);
  if (!scene_.rim_depth.empty()) inputs.rim_depth = scene_.rim_depth[0](interval.t1());
  inputs.gravity = environment.gravity;
  inputs.bodies = environment.bodies;
  inputs.colliders = environment.colliders;
}

// Each gives its velocity within this step.
void SurfaceWaterSystem::give_pushes(double dt, sw::Inputs& inputs) {
  pushes_.clear();
  for (std::size_t k = 0; k < state_.push_radii.size(); ++k)
    pushes_.push_back({state_.push_points[k], state_.push_velocities[k] / dt, state_.push_radii[k]});
  state_.push_points.resize(0), state_.push_velocities.resize(0), state_.push_radii.resize(0);
  inputs.pushes = pushes_;
}

// A spring at a vertex that is not there is none.
void SurfaceWaterSystem::state_was_written() {
  if (state_.spring >= static_cast<std::int64_t>(model_.complex.vertex_count)) state_.spring = -1;
}

StepReport SurfaceWaterSystem::solve(const Environment& environment, const Interval& interval) {
  const sw::State& before = from();
  sw::Inputs inputs;
  gather_inputs(environment, interval, inputs);
  return sw::step(model_, params_, inputs, interval, before, state_, work_);
}

std::vector<std::string> SurfaceWaterSystem::actions() const {
  return {"push", "grab", "drag", "release", "pour", "source"};
}

// Kept until the next step, where it acts as an acceleration: what points along the normal presses the water
// away or draws it in, what lies across it moves it on [SW-29, SW-30].
void SurfaceWaterSystem::push(const ports::InputEvent& event) {
  const EventArguments arguments(event);
  const GaussianPush push(arguments);
  state_.push_points.push_back(push.point());
  state_.push_velocities.push_back(push.at(push.point()));
  state_.push_radii.push_back(push.radius());
}

// At the vertex nearest to the point; a rate (m³/s) of 0 ends it.
void SurfaceWaterSystem::set_spring(const Vec3& point, double rate) {
  state_.spring_rate = rate;
  state_.spring = -1;
  if (rate == 0) return;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t v = 0; v < state_.positions.size(); ++v) {
    const double d = (state_.positions[v] - point).squaredNorm();
    if (d < least) least = d, state_.spring = static_cast<std::int32_t>(v);
  }
}

void SurfaceWaterSystem::apply(const ports::InputEvent& event) {
  const EventArguments arguments(event);
  if (event.action == "push") return push(event);
  if (event.action == "grab") {
    // The grabbed point of the mesh is to come to the target.
    state_.anchor = arguments.vector("point", 1e4) - state_.offset;
    state_.offset_target = arguments.vector("target", 1e4) - state_.anchor;
  } else if (event.action == "drag") {
    state_.offset_target = arguments.vector("target", 1e4) - state_.anchor;
  } else if (event.action == "release") {
    state_.offset_target = state_.offset;
  } else if (event.action == "pour") {
    const double rate = arguments.number("rate", -1e3, 1e3);
    set_spring(rate == 0 ? Vec3(Vec3::Zero()) : arguments.vector("point", 1e4), rate);
  } else if (event.action == "source") {
    // The source's own strength, 25.7 kg/s [SW-34, SW-44]; the next such event ends it.
    constexpr double kUsual = 0.0257;
    set_spring(arguments.vector("point", 1e4), state_.spring >= 0 ? 0 : kUsual);
  } else {
    System::apply(event);
  }
}

Figures SurfaceWaterSystem::figures(const Environment&) {
  const sw::State& s = state_;
  const sw::Diagnostics d = sw::diagnose(model_, present_metric(), s);
  double flying = 0;
  for (const double drop : s.drop_volumes) flying += drop;
  return {{"volume", d.volume},
          {"poured", s.poured},
          {"drained", s.drained},
          {"flying", flying},
          {"lost", s.lost},
          {"unaccounted", d.volume + flying - start_volume_ - s.poured + s.drained + s.lost},
          {"kinetic", params_.density * d.kinetic},
          {"potential", params_.density * params_.attraction * d.potential},
          {"top_speed", d.top_speed},
          {"shallowest", d.shallowest},
          {"deepest", d.deepest},
          {"wet_share", d.wet_area / d.area}};
}

bool SurfaceWaterSystem::shows(SurfaceView view) const {
  return std::find(scene_.show.begin(), scene_.show.end(), view) != scene_.show.end();
}

std::vector<ports::Drawable> SurfaceWaterSystem::drawables() {
  std::vector<ports::Drawable> drawn;
  const sw::Metric& m = present_metric();
  const bool back = !params_.cap && (!model_.complex.closed || !sw::all_wet(state_, params_.iso_level));
  sw::make_sheet(model_, m, state_, {params_.iso_level, params_.sheet_thickness, back, params_.cap}, sheet_);
  depths_.clear();
  for (const std::uint32_t v : sheet_.source) depths_.push_back(state_.depth[v]);
  drawn.push_back({name(), ports::Look::water, scene_.colour, false,
                   ports::TriangleSurface{sheet_.positions, sheet_.triangles, {{"depth", "m", 1, depths_}}}});
  if (shows(SurfaceView::mesh))
    drawn.push_back({name() + "-mesh", ports::Look::matte, scene_.mesh_colour, false,
                     ports::TriangleSurface{state_.positions, model_.complex.triangles, {}}});
  if (!state_.drop_volumes.empty())
    drawn.push_back(
        {name() + "-drops", ports::Look::water, scene_.colour, false,
         ports::Points{
             state_.drop_positions, std::cbrt(params_.droplet_volume * 3 / (4 * 3.14159265358979)), {}}});
  if (shows(SurfaceView::bottom)) draw_bottom(drawn);
  draw_vectors(drawn);
  if (shows(SurfaceView::traces) || shows(SurfaceView::straight_traces) || shows(SurfaceView::vertex_traces))
    draw_traces(drawn);
  if (shows(SurfaceView::skeleton)) draw_skeleton(drawn);
  return drawn;
}

Estimate SurfaceWaterSystem::estimate() {
  Estimate estimate;
  const sw::Complex& c = model_.complex;
  estimate.size = fmt::format("{} vertices, {} triangles, {} part{}", c.vertex_count, c.face_count,
                              c.component_count, c.component_count == 1 ? "" : "s");
  estimate.memory_bytes = 1200.0 * static_cast<double>(c.vertex_count);
  return estimate;
}

}  // namespace selkie::sim
