// Rules across members of [[smoke]], and its grid.
#include "selkie/scene/smoke_description.h"

#include <algorithm>
#include <cmath>

#include "selkie/core/error.h"
#include "selkie/core/expression.h"
#include "selkie/core/text.h"

namespace selkie::scene {

std::vector<Problem> validate(const DomainDescription& domain) {
  const Vec3 size = domain.max - domain.min;
  if (!(size.x() > 0) || !(size.y() > 0) || !(size.z() >= 0))
    return {{"max", "is not above 'min' in every direction",
             "only z may be equal, for a two-dimensional domain"}};
  const double dx = size.maxCoeff() / domain.cells;
  if (size.x() < 0.5 * dx || size.y() < 0.5 * dx || (size.z() > 0 && size.z() < 0.5 * dx))
    return {{"cells", "makes cells larger than the shortest side of the domain",
             "raise it, or thicken the domain"}};
  return {};
}

grid::Shape shape_of(const DomainDescription& domain) {
  const Vec3 size = domain.max - domain.min;
  const double dx = size.maxCoeff() / domain.cells;
  auto count = [&](double length) { return std::max(1, static_cast<int>(std::lround(length / dx))); };
  return {size.z() > 0 ? 3 : 2, {count(size.x()), count(size.y()), count(size.z())}, dx, domain.min};
}

std::vector<Problem> validate(const InitialDescription& initial) {
  std::vector<Problem> problems;
  for (const auto& [name, formula] : {std::pair{"velocity_x", &initial.velocity_x},
                                      {"velocity_y", &initial.velocity_y},
                                      {"velocity_z", &initial.velocity_z},
                                      {"density", &initial.density},
                                      {"temperature", &initial.temperature},
                                      {"fuel", &initial.fuel}})
    try {
      const Expression expression(*formula, {"x", "y", "z"});
      expression(std::vector<double>{0, 0, 0});
    } catch (const InputError& error) {
      problems.push_back({name, "is not a formula in x, y and z: " + std::string(error.what())});
    }
  return problems;
}

std::vector<Problem> validate(const SmokeDescription& smoke) {
  std::vector<Problem> problems;
  const bool flat = smoke.domain.min.z() == smoke.domain.max.z();
  const auto& s = smoke.sides;
  std::vector<smoke::Side> sides{s.low_x, s.high_x, s.low_y, s.high_y};
  if (!flat) sides.insert(sides.end(), {s.low_z, s.high_z});
  const bool open = std::find(sides.begin(), sides.end(), smoke::Side::open) != sides.end();
  const std::string remedy = "open a side, for example sides = { high_y = \"open\" }";
  for (std::size_t i = 0; i < smoke.emit.size(); ++i)
    if (smoke.emit[i].emitter.expansion != 0 && !open)
      problems.push_back({"emit." + std::to_string(i) + ".expansion",
                          "makes gas in a box without an open side, which has nowhere to go", remedy});
  if (smoke.burns && smoke.params.burn_expansion > 0 && !open)
    problems.push_back(
        {"burn_expansion", "makes gas in a box without an open side, which has nowhere to go", remedy});
  // Wind must leave as much as it brings, unless an open side balances it.
  if (!open)
    for (int axis = 0; axis < (flat ? 2 : 3); ++axis) {
      const bool low = sides[static_cast<std::size_t>(2 * axis)] == smoke::Side::wind;
      const bool high = sides[static_cast<std::size_t>(2 * axis + 1)] == smoke::Side::wind;
      if (low != high && smoke.params.wind[axis] != 0)
        problems.push_back(
            {"wind", "blows in or out through one side only of a box without an open side", remedy});
    }
  return problems;
}

}  // namespace selkie::scene
