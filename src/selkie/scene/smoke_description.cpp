// Rules across members of [[smoke]].
#include "selkie/scene/smoke_description.h"

#include <algorithm>

namespace selkie::scene {

std::vector<Problem> validate(const InitialDescription& initial) {
  std::vector<Problem> problems;
  for (const auto& [key, formula] : {std::pair{"density", &initial.density},
                                     {"temperature", &initial.temperature},
                                     {"fuel", &initial.fuel}})
    for (Problem& problem : check_formula(key, *formula)) problems.push_back(std::move(problem));
  return problems;
}

std::vector<Problem> validate(const EmitterDescription& emitter) {
  if (emitter.emitter.shape.has_value() != emitter.mesh.has_value()) return {};
  if (emitter.mesh) return {{"mesh", "and 'shape' exclude each other", "keep one of the two"}};
  return {{"", "has neither 'shape' nor 'mesh'", "for example shape = { ball = { radius = 0.1 } }"}};
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
