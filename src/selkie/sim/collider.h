// Colliders: solids that no solver moves. Analytic shapes at rest or following formulas; every system sees
// them as FieldSamplers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "selkie/geometry/shapes.h"
#include "selkie/ports/surface.h"
#include "selkie/sim/motion.h"

namespace selkie::sim {

struct ColliderDescription {
  std::string name;
  geometry::AnalyticShape shape;
  std::optional<MotionFormulas> motion;
  double friction = 0.5;
  double restitution = 0;
};
constexpr auto describe(ColliderDescription*) {
  using C = ColliderDescription;
  return std::tuple{
      member("name", &C::name, "", "what messages and pictures call it"),
      member("shape", &C::shape, "", "its form, at t = 0").required(),
      member("motion", &C::motion, "", "how it moves; absent: it stays"),
      member("friction", &C::friction, "", "Coulomb coefficient").at_least(0),
      member("restitution", &C::restitution, "", "share of the normal speed given back").between(0, 1),
  };
}
static_assert(complete<ColliderDescription>());

std::shared_ptr<ports::FieldSampler> make_collider(const ColliderDescription& description);

}  // namespace selkie::sim
