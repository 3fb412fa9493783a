// How a body is solved together with a liquid: what a scene decides before the first step, and how far the
// body may go in one. [LE-43, LE-46]
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "selkie/ports/wet_body.h"

namespace selkie::sim {

struct Wetting {
  ports::WetShares shares = ports::WetShares::distance;
  bool sticks = false;
  std::shared_ptr<ports::FieldSampler> tank = {};  // what the liquid's walls are to the body
  std::optional<double> plane = {};                // z of a flat liquid, m
  std::function<double()> reach = {};              // m: the way that the body may go in one step; empty: any
};

// The longest step in which what moves at `speed` (m/s) and is pulled by gravity goes no further than that,
// so that no marker finds itself on the other side of it. (LE-43)
inline double wet_step_limit(const Wetting& wetting, double speed, double gravity) {
  if (!wetting.reach || !(speed > 0)) return std::numeric_limits<double>::infinity();
  const double reach = wetting.reach();  // (speed + gravity dt) dt = reach
  return 2 * reach / (speed + std::sqrt(speed * speed + 4 * gravity * reach));
}

}  // namespace selkie::sim
