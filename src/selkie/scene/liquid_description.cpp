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
  if (liquid.tracker == liquid::Tracker::level_set && !liquid.inflow.empty() &&
      liquid.params.transfer == liquid::Transfer::apic)
    problems.push_back({"transfer", "belongs to particles that carry velocity",
                        "leave it out with tracker = \"level-set\""});
  return problems;
}

}  // namespace selkie::scene
