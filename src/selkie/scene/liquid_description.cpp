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

namespace {

std::vector<Problem> one_form(bool shape, bool mesh) {
  if (shape != mesh) return {};
  if (shape) return {{"mesh", "and 'shape' exclude each other", "keep one of the two"}};
  return {{"", "has neither 'shape' nor 'mesh'", "for example shape = { ball = { radius = 0.1 } }"}};
}

}  // namespace

std::vector<Problem> validate(const LiquidInflow& inflow) {
  return one_form(inflow.inflow.shape.has_value(), inflow.mesh.has_value());
}

std::vector<Problem> validate(const LiquidDrain& drain) {
  return one_form(drain.drain.shape.has_value(), drain.mesh.has_value());
}

std::vector<Problem> validate(const LiquidDescription& liquid) {
  if (liquid.mesh_from == sim::LiquidMesh::solver) return {};
  if (liquid.tracker == liquid::Tracker::level_set)
    return {{"mesh_from", "needs particles that carry liquid, which a level set has not",
             "use tracker = \"particles\", or leave the key out"}};
  if (liquid.params.band > 0)
    return {{"mesh_from", "needs particles, which 'band' leaves out below the surface",
             "use band = 0, or leave the key out"}};
  return {};
}

}  // namespace selkie::scene
