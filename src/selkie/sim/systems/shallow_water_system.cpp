// See shallow_water_system.h.
#include "selkie/sim/systems/shallow_water_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "selkie/fluids/shallow_water/wet.h"
#include "selkie/sim/event_arguments.h"

namespace selkie::sim {

namespace sw = shallow_water;

template <class Real>
ShallowWaterSystem<Real>::ShallowWaterSystem(std::string name, sw::Model<Real> model, sw::Params params,
                                             sw::State<Real> state, ShallowWaterScene scene)
    : ShallowWaterBase<Real>(std::move(name), std::move(model), params, std::move(state)),
      scene_(std::move(scene)),
      start_volume_(sw::volume(this->model_, this->state_)) {
  for (const auto& cells : scene_.source_cells) sources_.push_back({cells, 0});
}

template <class Real>
double ShallowWaterSystem<Real>::step_limit(const Environment& environment) {
  return sw::step_limit(this->model_, this->params_, std::max(0.0, -environment.gravity.y()), this->state_);
}

// The field at every cell; none where the scene has none.
template <class Real>
sw::Field ShallowWaterSystem<Real>::field_at(double time) {
  if (scene_.acceleration.empty()) return {};
  const sw::Grid& grid = this->model_.grid;
  for (std::vector<double>& part : field_) part.resize(grid.size());
  for (int j = 0; j < grid.cells[1]; ++j)
    for (int i = 0; i < grid.cells[0]; ++i) {
      const std::array<double, 3> at{grid.x(i), grid.z(j), time};
      const auto here = static_cast<std::size_t>(grid.at(i, j));
      for (std::size_t d = 0; d < 3; ++d) field_[d][here] = scene_.acceleration[d](at);
    }
  return {field_[0], field_[1], field_[2]};
}

template <class Real>
StepReport ShallowWaterSystem<Real>::solve(const Environment& environment, const Interval& interval) {
  sw::Inputs inputs;
  inputs.gravity = environment.gravity;
  for (std::size_t s = 0; s < sw::kSideCount; ++s)
    inputs.sides[s] = {scene_.side_values[s](interval.t0()), scene_.side_values[s](interval.t1()),
                       scene_.side_rests[s]};
  for (std::size_t s = 0; s < sources_.size(); ++s)
    sources_[s].rate = scene_.source_rates[s](0.5 * (interval.t0() + interval.t1()));
  inputs.sources = sources_;
  inputs.field = field_at(interval.t1());
  inputs.bodies = environment.bodies;
  const sw::State<Real>& from = this->from();
  StepReport report =
      sw::step(this->model_, this->params_, inputs, interval, from, this->state_, this->work_);
  report.cfl = this->params_.cfl;
  return report;
}

template <class Real>
void ShallowWaterSystem<Real>::apply(const ports::InputEvent& event) {
  if (event.action != "push") return System::apply(event);
  const EventArguments arguments(event);
  const GaussianPush push(arguments);
  const sw::Grid& grid = this->model_.grid;
  const bool at_faces = this->model_.method == sw::Method::semi_lagrangian;
  for (int j = 0; j < grid.cells[1]; ++j)
    for (int i = 0; i < grid.cells[0]; ++i) {
      const auto at = static_cast<std::size_t>(grid.at(i, j));
      const auto depth = static_cast<double>(this->state_.depth[at]);
      const Vec3 dv =
          push.at(Vec3(grid.x(i), depth + static_cast<double>(this->model_.ground[at]), grid.z(j)));
      this->state_.flow_x[at] += static_cast<Real>(dv.x() * (at_faces ? 1 : depth));
      this->state_.flow_z[at] += static_cast<Real>(dv.z() * (at_faces ? 1 : depth));
    }
}

template <class Real>
Figures ShallowWaterSystem<Real>::figures(const Environment& environment) {
  const sw::State<Real>& s = this->state_;
  const sw::Diagnostics d =
      sw::diagnose(this->model_, s, std::max(0.0, -environment.gravity.y()), this->params_.dry_depth);
  const double density = this->params_.density;
  const double gains = s.through_sides + s.rained + s.poured + s.damped + s.rounded;
  return {{"volume", d.volume},
          {"through_sides", s.through_sides},
          {"rained", s.rained},
          {"poured", s.poured},
          {"damped", s.damped},
          {"rounded", s.rounded},
          {"unaccounted", d.volume - start_volume_ - gains},
          {"kinetic", density * d.kinetic},
          {"potential", density * d.potential},
          {"momentum_x", density * d.flow_x},
          {"momentum_z", density * d.flow_z},
          {"top_speed", d.top_speed},
          {"deepest", d.deepest},
          {"wet_area", d.wet_area}};
}

template <class Real>
Vec3 ShallowWaterSystem<Real>::velocity(int i, int j) const {
  const sw::Grid& grid = this->model_.grid;
  auto at = [&](int a, int b) { return static_cast<std::size_t>(grid.at(a, b)); };
  const sw::State<Real>& s = this->state_;
  if (this->model_.method == sw::Method::semi_lagrangian)
    return 0.5 * Vec3(double(s.flow_x[at(i, j)]) + double(s.flow_x[at(i + 1, j)]), 0,
                      double(s.flow_z[at(i, j)]) + double(s.flow_z[at(i, j + 1)]));
  const auto depth = static_cast<double>(s.depth[at(i, j)]);
  if (!(depth > this->params_.dry_depth)) return Vec3::Zero();
  return Vec3(double(s.flow_x[at(i, j)]), 0, double(s.flow_z[at(i, j)])) / depth;
}

// The surface to draw: wet cells as they are. A dry cell beside wet ones goes on at their level where its
// ground is higher, so that the shore is where that level meets the ground; everywhere else the sheet dives
// just below the ground.
template <class Real>
void ShallowWaterSystem<Real>::fill_water() {
  const sw::Grid& grid = this->model_.grid;
  const auto [nx, nz] = grid.cells;
  const sw::ShoreRule<Real> rule{this->params_.shore_margin, this->params_.shore_depth};
  const double below = 0.02 * grid.cell_size;
  auto place = [&, nx = nx](int i, int j) { return static_cast<std::size_t>(j * nx + i); };
  auto at = [&](int i, int j) { return static_cast<std::size_t>(grid.at(i, j)); };
  surface_.resize(grid.cell_count()), fills_.resize(grid.cell_count());
  // Films thinner than a few hundredths of a cell are not worth a surface.
  const double least = std::max(rule.least_depth, 0.03 * grid.cell_size);
  for (int j = 0; j < nz; ++j)
    for (int i = 0; i < nx; ++i) {
      const bool deep = static_cast<double>(this->state_.depth[at(i, j)]) > least && !this->model_.wall(i, j);
      fills_[place(i, j)] = deep ? rule.judge(this->model_, this->state_.depth, i, j).fill : 0;
    }
  for (int j = 0; j < nz; ++j)
    for (int i = 0; i < nx; ++i) {
      const auto ground = static_cast<double>(this->model_.ground[at(i, j)]);
      if (fills_[place(i, j)] > 0) {
        surface_[place(i, j)] = ground + static_cast<double>(this->state_.depth[at(i, j)]);
        continue;
      }
      double sum = 0, count = 0;
      for (int b = std::max(0, j - 1); b <= std::min(nz - 1, j + 1); ++b)
        for (int a = std::max(0, i - 1); a <= std::min(nx - 1, i + 1); ++a)
          if (fills_[place(a, b)] > 0)
            sum += static_cast<double>(this->model_.ground[at(a, b)] + this->state_.depth[at(a, b)]),
                count += 1;
      surface_[place(i, j)] = count > 0 ? std::min(sum / count, ground - below) : ground - below;
    }
  water_.begin(nx, nz, grid.x(0), grid.z(0), grid.cell_size);
  water_.fill([&](int i, int j) { return surface_[place(i, j)]; },
              [&](int i, int j) {
                return std::min(surface_[place(i, j)],
                                static_cast<double>(this->model_.ground[at(i, j)]) - below);
              });
  water_.spread([&](int i, int j) { return static_cast<double>(this->state_.depth[at(i, j)]); }, depths_);
  water_.spread([&](int i, int j) { return velocity(i, j).norm(); }, speeds_);
}

template <class Real>
std::vector<ports::Drawable> ShallowWaterSystem<Real>::drawables() {
  fill_water();
  const sw::Grid& grid = this->model_.grid;
  const auto [nx, nz] = grid.cells;
  ports::Drawable water;
  water.name = this->name();
  water.look = ports::Look::water;
  water.colour = scene_.colour;
  water.shape = ports::TriangleSurface{
      water_.positions(), water_.triangles(), {{"depth", "m", 1, depths_}, {"speed", "m/s", 1, speeds_}}};
  ground_.begin(nx, nz, grid.x(0), grid.z(0), grid.cell_size);
  auto height = [&](int i, int j) {
    return static_cast<double>(this->model_.ground[static_cast<std::size_t>(grid.at(i, j))]);
  };
  double lowest = height(0, 0);
  for (int j = 0; j < nz; ++j)
    for (int i = 0; i < nx; ++i) lowest = std::min(lowest, height(i, j));
  const double foot = lowest - 0.03 * grid.cell_size * std::max(nx, nz);
  ground_.fill(height, [&](int, int) { return foot; });
  ports::Drawable ground;
  ground.name = this->name() + "-ground";
  ground.colour = scene_.ground_colour;
  ground.shape = ports::TriangleSurface{ground_.positions(), ground_.triangles(), {}};
  return {water, ground};
}

template <class Real>
Estimate ShallowWaterSystem<Real>::estimate() {
  Estimate estimate;
  estimate.size = fmt::format("{} × {} cells", this->model_.grid.cells[0], this->model_.grid.cells[1]);
  // Three fields, kept twice more, three of scratch, and the ground.
  estimate.memory_bytes = 13.0 * sizeof(Real) * static_cast<double>(this->model_.grid.size());
  return estimate;
}

template class ShallowWaterSystem<float>;
template class ShallowWaterSystem<double>;

namespace {

template <class Real>
class GroundCollider final : public ports::FieldSampler {
 public:
  explicit GroundCollider(const sw::Model<Real>& model) : grid_(model.grid), heights_(model.ground) {}

  // Linear between cell middles; the distance is that to the plane of the slope.
  ports::FieldSample sample(const Vec3& point, double) const override {
    const auto [nx, nz] = grid_.cells;
    const double x = std::clamp((point.x() - grid_.x(0)) / grid_.cell_size, 0.0, nx - 1.0);
    const double z = std::clamp((point.z() - grid_.z(0)) / grid_.cell_size, 0.0, nz - 1.0);
    const int i = std::min(static_cast<int>(x), std::max(0, nx - 2)),
              j = std::min(static_cast<int>(z), std::max(0, nz - 2));
    const double s = x - i, t = z - j;
    auto h = [&](int a, int b) {
      return static_cast<double>(heights_[static_cast<std::size_t>(grid_.at(a, b))]);
    };
    const double h00 = h(i, j), h10 = h(i + 1, j), h01 = h(i, j + 1), h11 = h(i + 1, j + 1);
    const double height = (1 - t) * ((1 - s) * h00 + s * h10) + t * ((1 - s) * h01 + s * h11);
    const double slope_x = ((1 - t) * (h10 - h00) + t * (h11 - h01)) / grid_.cell_size;
    const double slope_z = ((1 - s) * (h01 - h00) + s * (h11 - h10)) / grid_.cell_size;
    const Vec3 normal = Vec3(-slope_x, 1, -slope_z).normalized();
    return {(point.y() - height) * normal.y(), normal, Vec3::Zero()};
  }
  bool still() const override { return true; }

 private:
  sw::Grid grid_;
  Buffer<Real> heights_;
};

}  // namespace

template <class Real>
std::shared_ptr<ports::FieldSampler> ground_collider(const sw::Model<Real>& model) {
  return std::make_shared<GroundCollider<Real>>(model);
}
template std::shared_ptr<ports::FieldSampler> ground_collider(const sw::Model<float>&);
template std::shared_ptr<ports::FieldSampler> ground_collider(const sw::Model<double>&);

}  // namespace selkie::sim
