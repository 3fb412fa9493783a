// See build_shallow_water.h.
#include "selkie/scene/build_shallow_water.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/expression.h"
#include "selkie/core/text.h"
#include "selkie/io/read_png.h"
#include "selkie/sim/systems/shallow_water_system.h"

namespace selkie::scene {

namespace sw = shallow_water;

namespace {

std::vector<Problem> check(const std::string& key, const std::string& formula,
                           std::vector<std::string> variables) {
  const std::string names = variables.size() == 1 ? "t" : variables.size() == 2 ? "x and z" : "x, z and t";
  try {
    const std::vector<double> zeros(variables.size(), 0.0);
    const Expression expression(formula, std::move(variables));
    expression(zeros);
  } catch (const InputError& error) {
    return {{key, "is not a formula in " + names + ": " + std::string(error.what())}};
  }
  return {};
}

double at(const Expression& formula, double x, double z) {
  const std::array<double, 2> values{x, z};
  return formula(values);
}
Expression of_place(const std::string& formula) { return Expression(formula, {"x", "z"}); }
Expression of_time(const std::string& formula) { return Expression(formula, {"t"}); }

}  // namespace

std::vector<Problem> validate(const WaterDomain& domain) {
  if (!(domain.max[0] > domain.min[0]) || !(domain.max[1] > domain.min[1]))
    return {{"max", "is not above 'min' along x and z"}};
  return {};
}

std::vector<Problem> validate(const WaterSide& side) {
  if (!(side.from < side.to)) return {{"to", "is not above 'from'"}};
  return check("value", side.value, {"t"});
}

std::vector<Problem> validate(const ShallowWaterDescription& water) {
  std::vector<Problem> problems;
  auto add = [&](std::vector<Problem> found) { problems.insert(problems.end(), found.begin(), found.end()); };
  add(check("ground.formula", water.ground.formula, {"x", "z"}));
  add(check("velocity_x", water.velocity_x, {"x", "z"}));
  add(check("velocity_z", water.velocity_z, {"x", "z"}));
  for (std::size_t i = 0; i < water.water.size(); ++i)
    add(check("water." + std::to_string(i) + ".level", water.water[i].level, {"x", "z"}));
  if (!water.acceleration.empty() && water.acceleration.size() != 3)
    add({{"acceleration", "has " + std::to_string(water.acceleration.size()) + " formulas",
          "give three: x, y and z"}});
  for (std::size_t i = 0; i < water.acceleration.size(); ++i)
    add(check("acceleration." + std::to_string(i), water.acceleration[i], {"x", "z", "t"}));
  for (std::size_t i = 0; i < water.source.size(); ++i)
    add(check("source." + std::to_string(i) + ".rate", water.source[i].rate, {"t"}));
  return problems;
}

namespace {

sw::Grid grid_of(const WaterDomain& domain) {
  const double width = domain.max[0] - domain.min[0], length = domain.max[1] - domain.min[1];
  sw::Grid grid;
  grid.cell_size = std::max(width, length) / domain.cells;
  auto count = [&](double size) { return std::max(2, static_cast<int>(std::lround(size / grid.cell_size))); };
  grid.cells = {count(width), count(length)};
  grid.origin = Vec3(domain.min[0], 0, domain.min[1]);
  return grid;
}

template <class Real>
sw::Model<Real> make_model(const ShallowWaterDescription& d, const Scene& scene, const Value& source) {
  const sw::Grid grid = grid_of(d.domain);
  const Expression formula = of_place(d.ground.formula);
  io::GreyImage image;
  try {
    if (!d.ground.image.empty()) image = io::read_grey_png(scene.folder / d.ground.image);
    return sw::make_model<Real>(grid, [&](double x, double z) {
      const double height = at(formula, x, z);
      if (image.values.empty()) return height;
      const double u = (x - d.domain.min[0]) / (d.domain.max[0] - d.domain.min[0]);
      const double v = (z - d.domain.min[1]) / (d.domain.max[1] - d.domain.min[1]);
      return height + d.ground.low + (d.ground.high - d.ground.low) * image.sample(u, v);
    });
  } catch (const InputError& error) {
    const char* key = d.ground.image.empty() ? "ground.formula" : "ground.image";
    throw InputError(find_place(source, key).location(),
                     (error.where().file.empty() ? "" : error.where().file + ": ") + error.problem(),
                     error.remedy());
  }
}

// Water at the start, the highest of all fills.
template <class Real>
void fill(const ShallowWaterDescription& d, const sw::Model<Real>& model, const Value& source,
          sw::State<Real>& state) {
  const sw::Grid& grid = model.grid;
  const Expression velocity_x = of_place(d.velocity_x), velocity_z = of_place(d.velocity_z);
  auto speed_at = [&](const Expression& formula, double x, double z, const char* key) {
    const double speed = at(formula, x, z);
    if (!std::isfinite(speed))
      throw InputError(
          find_place(source, key).location(),
          std::string(key) + " at x = " + number_text(x) + ", z = " + number_text(z) + " is not finite",
          "give a formula with a number everywhere in the domain");
    return speed;
  };
  for (std::size_t f = 0; f < d.water.size(); ++f) {
    const FillDescription& water = d.water[f];
    const Expression level = of_place(water.level);
    for (int j = 0; j < grid.cells[1]; ++j)
      for (int i = 0; i < grid.cells[0]; ++i) {
        const double height = at(level, grid.x(i), grid.z(j));
        if (!std::isfinite(height) || std::abs(height) > 1e6)
          throw InputError(find_place(source, "water." + std::to_string(f) + ".level").location(),
                           "the level at x = " + std::to_string(grid.x(i)) +
                               ", z = " + std::to_string(grid.z(j)) + " is " + std::to_string(height) + " m",
                           "every level must be a number between -1e6 and 1e6 m");
        const Vec3 point(grid.x(i), height, grid.z(j));
        if (model.wall(i, j) || (water.within && !geometry::contains(*water.within, point))) continue;
        const auto place = static_cast<std::size_t>(grid.at(i, j));
        const double depth = height - static_cast<double>(model.ground[place]);
        state.depth[place] = std::max(state.depth[place], static_cast<Real>(depth));
      }
  }
  if (d.velocity_x == "0" && d.velocity_z == "0") return;
  const bool at_faces = model.method == sw::Method::semi_lagrangian;
  const double half = at_faces ? 0.5 * grid.cell_size : 0;
  for (int j = 0; j < grid.cells[1]; ++j)
    for (int i = 0; i < grid.cells[0]; ++i) {
      const auto place = static_cast<std::size_t>(grid.at(i, j));
      const double weight = at_faces ? 1 : static_cast<double>(state.depth[place]);
      state.flow_x[place] =
          static_cast<Real>(weight * speed_at(velocity_x, grid.x(i) - half, grid.z(j), "velocity_x"));
      state.flow_z[place] =
          static_cast<Real>(weight * speed_at(velocity_z, grid.x(i), grid.z(j) - half, "velocity_z"));
    }
}

template <class Real>
std::vector<std::uint32_t> cells_in(const geometry::Region& region, const sw::Model<Real>& model) {
  std::vector<std::uint32_t> cells;
  for (int j = 0; j < model.grid.cells[1]; ++j)
    for (int i = 0; i < model.grid.cells[0]; ++i) {
      const auto place = static_cast<std::size_t>(model.grid.at(i, j));
      const Vec3 point(model.grid.x(i), static_cast<double>(model.ground[place]), model.grid.z(j));
      if (!model.wall(i, j) && geometry::contains(region, point))
        cells.push_back(static_cast<std::uint32_t>(place));
    }
  return cells;
}

template <class Real>
sim::ShallowWaterScene make_scene(const ShallowWaterDescription& d, const sw::Model<Real>& model,
                                  const Value& source) {
  const WaterSides& s = d.sides;
  sim::ShallowWaterScene scene{
      {of_time(s.low_x.value), of_time(s.high_x.value), of_time(s.low_z.value), of_time(s.high_z.value)},
      {s.low_x.rest, s.high_x.rest, s.low_z.rest, s.high_z.rest},
      {},
      {},
      {},
      d.colour,
      d.ground_colour};
  for (const std::string& formula : d.acceleration)
    scene.acceleration.emplace_back(formula, std::vector<std::string>{"x", "z", "t"});
  for (std::size_t i = 0; i < d.source.size(); ++i) {
    scene.source_cells.push_back(cells_in(d.source[i].region, model));
    scene.source_rates.push_back(of_time(d.source[i].rate));
    if (scene.source_cells.back().empty())
      throw InputError(find_place(source, "source." + std::to_string(i)).location(),
                       "the source covers no cell: the ground of none lies in its region",
                       "make the region larger, or tall enough to hold the ground");
  }
  return scene;
}

template <class Real>
BuiltWater build_in(const ShallowWaterDescription& d, const Scene& scene, const Value& source) {
  sw::Model<Real> model = make_model<Real>(d, scene, source);
  model.method = d.method;
  std::size_t index = 0;
  for (const WaterSide* side : {&d.sides.low_x, &d.sides.high_x, &d.sides.low_z, &d.sides.high_z})
    model.sides[index++] = {side->kind, side->from, side->to};
  for (const geometry::Region& region : d.wall)
    sw::add_wall(model, [&](const Vec3& point) { return geometry::contains(region, point); });
  sw::State<Real> state = sw::make_state(model);
  fill(d, model, source, state);
  sim::ShallowWaterScene extras = make_scene(d, model, source);
  BuiltWater built;
  built.ground = sim::ground_collider(model);
  built.system = std::make_unique<sim::ShallowWaterSystem<Real>>(d.name, std::move(model), d.params,
                                                                 std::move(state), std::move(extras));
  return built;
}

}  // namespace

BuiltWater build_shallow_water(const ShallowWaterDescription& d, const Scene& scene, const Value& source) {
  return d.precision == Precision::single ? build_in<float>(d, scene, source)
                                          : build_in<double>(d, scene, source);
}

}  // namespace selkie::scene
