// Rules across members of [[liquid]].
#include "selkie/scene/liquid_description.h"

namespace selkie::scene {

std::vector<Problem> validate(const LiquidFill& fill) {
  const int regions = int(fill.box.has_value()) + int(fill.ball.has_value()) +
                      int(fill.cylinder.has_value()) + int(fill.half_space.has_value());
  if (regions == 1) return {};
  return {{"", "must name one region, but names " + std::to_string(regions),
           "choose one of box, ball, cylinder or half_space"}};
}

std::vector<Problem> validate(const LiquidDescription& liquid) {
  std::vector<Problem> problems;
  if (liquid.tracker != liquid::Tracker::level_set) return problems;
  if (liquid.params.foam > 0)
    problems.push_back({"foam", "is born of particles that carry velocity, which a level set has not",
                        "use tracker = \"particles\""});
  for (std::size_t i = 0; i < liquid.drain.size(); ++i)
    if (liquid.drain[i].drain.rate)
      problems.push_back({"drain." + std::to_string(i) + ".rate", "works with particles only",
                          "use tracker = \"particles\", or leave the rate out"});
  return problems;
}

}  // namespace selkie::scene
