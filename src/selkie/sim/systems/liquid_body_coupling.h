// A liquid and a body that push each other within one solve, as the World sees it. It knows neither: the
// liquid offers cells with a pressure, the body a surface. [LE-37 … LE-43; coupling/pressure_load.h]
#pragma once

#include "selkie/coupling/pressure_load.h"
#include "selkie/coupling/wet_patches.h"
#include "selkie/sim/coupling_port.h"

namespace selkie::sim {

class LiquidBodyCoupling final : public Coupling {
 public:
  struct Settings {
    coupling::LoadOrder order = coupling::LoadOrder::linear;
    bool staggered = false;
    double tolerance = 1e-8;  // relative residual of the joint solve
    int iterations = 1;       // joint solves a sub-step at most
  };
  LiquidBodyCoupling(std::string name, std::vector<std::string> between, std::string_view kind,
                     const Settings& settings)
      : Coupling(std::move(name), std::move(between)), kind_(kind), settings_(settings) {}

  std::string_view kind() const override { return kind_; }
  bool strong() const override { return true; }
  bool staggered() const override { return settings_.staggered; }
  double tolerance() const override { return settings_.tolerance; }
  int iterations() const override { return settings_.iterations; }
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
    coupling::find_patches(liquid->cells->shape, *body, cut_);
    // A voxel's face is where its pressure acts, and whose cell's it is.
    const auto order = body->shares == ports::WetShares::voxels ? coupling::LoadOrder::cell : settings_.order;
    jacobian_ =
        coupling::pressure_jacobian(*liquid->cells, liquid->unknowns, body->surface, cut_.patches, order);
    if (body->reduction) jacobian_ = (*body->reduction * jacobian_).pruned();
    return &jacobian_;
  }

 private:
  std::string_view kind_;
  Settings settings_;
  grid::CutSurface cut_;
  ports::SparseRows jacobian_;
};

}  // namespace selkie::sim
