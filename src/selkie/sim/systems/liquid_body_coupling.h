// A liquid and a body that push each other within one solve, as the World sees it. It knows neither: the
// liquid offers cells with a pressure, the body a surface. [LE-37 … LE-43; coupling/pressure_load.h]
#pragma once

#include "selkie/coupling/pressure_load.h"
#include "selkie/sim/coupling_port.h"

namespace selkie::sim {

class LiquidBodyCoupling final : public Coupling {
 public:
  LiquidBodyCoupling(std::string name, std::vector<std::string> between, coupling::LoadOrder order)
      : Coupling(std::move(name), std::move(between)), order_(order) {}

  std::string_view kind() const override { return "liquid-elastic"; }
  bool strong() const override { return true; }
  const ports::SparseRows* jacobian(std::span<System* const> members, const Interval&) override {
    const ports::PressureSide* liquid = nullptr;
    const ports::WetBody* body = nullptr;
    for (System* member : members) {
      if (member->is_liquid())
        liquid = member->pressure_side();
      else
        body = member->wet_body();
    }
    if (!liquid || !liquid->cells || !body) return nullptr;
    grid::cut_surface(liquid->cells->shape, body->surface, cut_);
    jacobian_ =
        coupling::pressure_jacobian(*liquid->cells, liquid->unknowns, body->surface, cut_.patches, order_);
    return &jacobian_;
  }

 private:
  coupling::LoadOrder order_;
  grid::CutSurface cut_;
  ports::SparseRows jacobian_;
};

}  // namespace selkie::sim
