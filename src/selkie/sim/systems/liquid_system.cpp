// See liquid_system.h.
#include "selkie/sim/systems/liquid_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/coupling/wet_patches.h"
#include "selkie/fluids/liquid/volume.h"
#include "selkie/grid/loops.h"
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
  for (const auto& mesh : scene_.inflow_meshes) inflow_meshes_.push_back(mesh.get());
  for (const auto& mesh : scene_.drain_meshes) drain_meshes_.push_back(mesh.get());
  liquid::prepare(model_, params_, colliders_, 0, state_, work_);
}

double LiquidSystem::step_limit(const Environment& environment) {
  return liquid::step_limit(model_, params_, environment.gravity, state_);
}

template <class Body>
StepReport LiquidSystem::with_inputs(const Environment& environment, Body&& body) {
  // Solids that are thrown in count as those of the scene: the liquid yields to them and does not push them.
  colliders_.clear();
  for (const auto& collider : environment.colliders) colliders_.push_back(collider.get());
  colliders_.insert(colliders_.end(), environment.bodies.begin(), environment.bodies.end());
  if (scene_.container) colliders_.push_back(scene_.container.get());
  placed_ = colliders_;
  colliders_.insert(colliders_.end(), wet_.begin(), wet_.end());
  walls_ = colliders_;
  walls_.resize(walls_.size() - wet_.size());
  for (const coupling::StandingField& field : standing_) placed_.push_back(&field);
  for (const coupling::StandingField* field : plainly_cut_) walls_.push_back(field);
  auto inflow_pose = [&](std::size_t n, double time) { return scene_.inflow_motions[n].pose(time); };
  auto drain_pose = [&](std::size_t n, double time) { return scene_.drain_motions[n].pose(time); };
  liquid::Inputs inputs;
  inputs.gravity = environment.gravity;
  inputs.colliders = colliders_;
  if (!wet_.empty()) inputs.placed = placed_;
  inputs.placed_move =
      wet_.empty() || std::any_of(colliders_.begin(), colliders_.end() - std::ptrdiff_t(wet_.size()),
                                  [](const ports::FieldSampler* c) { return !c->still(); });
  inputs.patches = patches_;
  inputs.walls = walls_;
  inputs.sticky = sticky_;
  inputs.sources = {scene_.inflows, inflow_pose, inflow_meshes_, scene_.drains, drain_pose, drain_meshes_};
  return body(inputs);
}

StepReport LiquidSystem::predict(const Environment& environment, const Interval& interval) {
  (void)from();  // keeps what the sub-step began with
  dt_ = interval.dt();
  last_step_ = state_.last_step;
  return with_inputs(environment, [&](const liquid::Inputs& inputs) {
    StepReport report = liquid::predict(model_, params_, inputs, interval, state_, work_);
    if (report.ok && joint()) begin_joint();
    if (report.ok && !joint()) liquid::assemble(model_, work_.solids, state_, work_.flow);
    return report;
  });
}

// B and E u* for the joint solve. [LE-15]
void LiquidSystem::begin_joint() {
  const auto in = liquid::projection_inputs(model_, work_.solids, state_, work_.flow);
  grid_side_.build(in.domain, dt_, params_.density);
  balance_.assign(model_.shape.size(), 0);
  grid::flux_balance<float, double>(in, liquid::velocity_views(model_, std::as_const(state_)),
                                    grid::view(model_.shape, balance_));
  grid_side_.set_balance(grid::view(model_.shape, std::as_const(balance_)));
  const auto& correction = work_.flow.correction.empty() ? work_.flow.source : work_.flow.correction;
  if (!correction.empty()) grid_side_.cancel_in_closed(grid::view(model_.shape, correction));
  grid_side_.set_guess(grid::view(model_.shape, std::as_const(state_.pressure)),
                       last_step_ > 0 ? last_step_ : dt_);
  pressure_side_ = grid_side_.side([this](std::span<const double> pressure) {
    std::fill(state_.pressure.begin(), state_.pressure.end(), 0.0f);
    grid_side_.to_field(pressure, grid::view(model_.shape, state_.pressure));
  });
}

void LiquidSystem::make_room(const ports::FieldSampler& body) {
  liquid::find_cells(model_.shape, state_.particles, work_.sort.key);
  const std::size_t before = state_.particles.size();
  for (std::size_t p = 0; p < before; ++p)
    if (body.sample(liquid::world_of(model_.shape, liquid::place_of(state_.particles, p)), 0).distance < 0)
      work_.sort.key[p] = liquid::kDropped;
  liquid::sort(model_.shape, state_.particles, work_.ranges, work_.sort);
  state_.counts.seeded -= before - state_.particles.size();
  colliders_.push_back(&body);  // until the first step looks for them anew
  liquid::prepare(model_, params_, colliders_, 0, state_, work_);
}

void LiquidSystem::immerse(std::span<const ports::WetBody* const> bodies) {
  wet_.clear(), standing_.clear(), plainly_cut_.clear(), sticky_.clear(), patches_.clear();
  standing_.reserve(bodies.size());
  for (const ports::WetBody* body : bodies) {
    wet_.push_back(body->field);
    standing_.emplace_back(*body->field);
    if (body->sticks) sticky_.push_back(body->field);
    if (body->shares == ports::WetShares::distance) {
      plainly_cut_.push_back(&standing_.back());
      continue;
    }
    coupling::find_patches(model_.shape, *body, cut_);
    patches_.insert(patches_.end(), cut_.patches.begin(), cut_.patches.end());
  }
}

StepReport LiquidSystem::solve(const Environment&, const Interval&) {
  return liquid::solve(model_, params_, state_, work_.flow);
}

StepReport LiquidSystem::correct(const Environment& environment, const Interval& interval) {
  return with_inputs(environment, [&](const liquid::Inputs& inputs) {
    liquid::finish(model_, params_, inputs, interval, state_, work_);
    return StepReport{};
  });
}

void LiquidSystem::apply(const ports::InputEvent& event) {
  if (event.action != "push") return System::apply(event);
  const EventArguments arguments(event);
  const GaussianPush push(arguments);
  if (model_.tracker == liquid::Tracker::level_set) {
    // The surface moves with the gust for one step before the pressure answers.
    for (int axis = 0; axis < model_.shape.dims(); ++axis) {
      const grid::Place place = grid::face_place(axis);
      const auto u = grid::view(model_.shape, *state_.velocity()[static_cast<std::size_t>(axis)]);
      const grid::Box box = grid::sample_box(model_.shape, place);
      grid::for_each_row(box, [&](int j, int k) {
        for (int i = 0; i < box.hi[0]; ++i)
          u(i, j, k) += static_cast<float>(push.at(model_.shape.position(place, i, j, k))[axis]);
      });
    }
    return;
  }
  auto& particles = state_.particles;
  for (std::size_t p = 0; p < particles.size(); ++p) {
    const Vec3 gust = push.at(liquid::world_of(model_.shape, liquid::place_of(particles, p)));
    for (int axis = 0; axis < model_.shape.dims(); ++axis)
      (*particles.velocity()[static_cast<std::size_t>(axis)])[p] += static_cast<float>(gust[axis]);
  }
}

Figures LiquidSystem::figures(const Environment& environment) {
  const liquid::Energy energy = liquid::energy(model_, params_, environment.gravity, state_, work_.solids);
  const liquid::Counts& c = state_.counts;
  const double there = static_cast<double>(state_.particles.size());
  const double came = static_cast<double>(c.seeded + c.inflow + c.reseeded),
               went = static_cast<double>(c.outflow + c.drained + c.crushed + c.thinned);
  const bool level_set = model_.tracker == liquid::Tracker::level_set;
  auto volume = [&](std::uint64_t count, double by_surface) {
    return level_set ? by_surface : static_cast<double>(count) * model_.particle_volume();
  };
  const liquid::Volumes& v = state_.volumes;
  return {{"volume", liquid::enclosed_volume(model_, work_.solids, state_.surface, scratch_)},
          {"particle_volume", (there + static_cast<double>(c.thinned) - static_cast<double>(c.reseeded)) *
                                  model_.particle_volume()},
          {"particles", there},
          {"inflow", static_cast<double>(c.inflow)},
          {"outflow", static_cast<double>(c.outflow)},
          {"drained", static_cast<double>(c.drained)},
          {"refused", static_cast<double>(c.refused)},
          {"crushed", static_cast<double>(c.crushed)},
          {"pushed", static_cast<double>(c.pushed)},
          {"reseeded", static_cast<double>(c.reseeded)},
          {"thinned", static_cast<double>(c.thinned)},
          {"unaccounted", there - (came - went)},
          {"inflow_volume", volume(c.inflow, v.inflow)},
          {"outflow_volume", volume(c.outflow, v.outflow)},
          {"drained_volume", volume(c.drained, v.drained)},
          {"refused_volume", volume(c.refused, v.refused)},
          {"kinetic", energy.kinetic},
          {"potential", energy.potential},
          {"top_speed", liquid::top_speed(model_, state_)}};
}

ports::Drawable LiquidSystem::surface_mesh() {
  const grid::Shape& shape = model_.shape;
  // Particles leave ripples of a cell's size, which smoothing that keeps the volume takes away.
  const io::SurfaceMeshOptions options{.smoothing = model_.tracker == liquid::Tracker::particles ? 8 : 2};
  io::make_surface_mesh<float>(shape, grid::Place::cell, grid::view(shape, std::as_const(drawn_surface())),
                               options, mesh_, mesh_work_);
  io::sample_velocities<float>(shape, liquid::velocity_views(model_, std::as_const(state_)), mesh_);
  mesh_speeds_.resize(mesh_.velocities.size());
  for (std::size_t v = 0; v < mesh_speeds_.size(); ++v) mesh_speeds_[v] = mesh_.velocities[v].norm();
  auto flat = [](const std::vector<Vec3>& vectors) {
    return std::span<const double>(vectors.empty() ? nullptr : vectors[0].data(), 3 * vectors.size());
  };
  ports::Drawable drawable;
  drawable.name = name();
  drawable.look = ports::Look::water;
  drawable.colour = scene_.colour;
  drawable.shape = ports::TriangleSurface{mesh_.mesh.positions,
                                          mesh_.mesh.triangles,
                                          {{"normal", "", 3, flat(mesh_.normals)},
                                           {"velocity", "m/s", 3, flat(mesh_.velocities)},
                                           {"speed", "m/s", 1, mesh_speeds_}}};
  return drawable;
}

// Cut off where solids are, a little inside them, so that no gap shows.
const Buffer<float>& LiquidSystem::drawn_surface() {
  const bool by_solver = scene_.mesh_from == LiquidMesh::solver;
  if (!by_solver) find_drawn_surface(model_, scene_.mesh_from, state_.particles, drawn_, surface_work_);
  if (!work_.solids.any()) return by_solver ? state_.surface : drawn_;
  const grid::Shape& shape = model_.shape;
  if (by_solver) drawn_ = state_.surface;
  const auto phi = grid::view(shape, drawn_);
  const auto inside = static_cast<float>(0.3 * shape.cell_size());
  grid::for_each_row(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    for (int i = 0; i < shape.cells()[0]; ++i)
      phi(i, j, k) =
          std::max(phi(i, j, k), -inside - liquid::plain_distance_at<float>(
                                               shape, work_.solids.nodes,
                                               {static_cast<float>(i) + 0.5f, static_cast<float>(j) + 0.5f,
                                                static_cast<float>(k) + 0.5f}));
  });
  return drawn_;
}

void LiquidSystem::add_particles(std::vector<ports::Drawable>& all) {
  const auto& particles = state_.particles;
  points_.resize(particles.size()), point_speeds_.resize(particles.size());
  parallel_for(particles.size(), [&](std::size_t p) {
    points_[p] = liquid::world_of(model_.shape, liquid::place_of(particles, p));
    double speed2 = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(model_.shape.dims()); ++a)
      speed2 += std::pow(double((*particles.velocity()[a])[p]), 2);
    point_speeds_[p] = std::sqrt(speed2);
  });
  ports::Drawable drops;
  drops.name = model_.shape.dims() == 3 ? name() + "-particles" : name();
  drops.colour = scene_.colour;
  drops.shape = ports::Points{
      points_, 0.5 * model_.shape.cell_size() / model_.seeds, {{"speed", "m/s", 1, point_speeds_}}};
  all.push_back(std::move(drops));
}

void LiquidSystem::add_secondary(std::vector<ports::Drawable>& all) {
  constexpr std::array<std::string_view, 3> kNames{"-spray", "-foam", "-bubbles"};
  for (auto& list : secondary_) list.clear();
  for (std::size_t n = 0; n < state_.secondary.size(); ++n)
    secondary_[state_.secondary.kind[n] % 3].push_back(state_.secondary.position[n].cast<double>());
  for (std::size_t kind = 0; kind < 3; ++kind) {
    if (secondary_[kind].empty()) continue;
    ports::Drawable points;
    points.name = name() + std::string(kNames[kind]);
    points.colour = Vec3(0.92, 0.95, 0.97);
    points.shape = ports::Points{secondary_[kind], 0.12 * model_.shape.cell_size(), {}};
    all.push_back(std::move(points));
  }
}

std::vector<ports::Drawable> LiquidSystem::drawables() {
  std::vector<ports::Drawable> all;
  const bool flat = model_.shape.dims() == 2;
  if (!flat) all.push_back(surface_mesh());
  if (model_.tracker == liquid::Tracker::particles && (flat || scene_.show_particles)) add_particles(all);
  add_secondary(all);
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
