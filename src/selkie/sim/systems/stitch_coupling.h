// The stitch coupling as the World sees it: joins two bodies at points that start close together.
#pragma once

#include "selkie/core/buffer.h"
#include "selkie/coupling/stitch.h"
#include "selkie/sim/coupling_port.h"

namespace selkie::sim {

class StitchCoupling final : public Coupling {
 public:
  StitchCoupling(std::string name, std::vector<std::string> between, std::vector<coupling::StitchPair> pairs,
                 double share)
      : Coupling(std::move(name), std::move(between)), pairs_(std::move(pairs)), share_(share) {}

  std::string_view kind() const override { return "stitch"; }
  bool strong() const override { return false; }
  StepReport exchange(std::span<System* const> members, const Interval& interval) override {
    const auto a = members[0]->surface_samples(), b = members[1]->surface_samples();
    if (!a || !b) return StepReport::failure("a stitched system offers no surface");
    coupling::exchange_stitches(pairs_, share_, interval.dt(), *a, *b);
    members[0]->accept_impulses(interval.dt());
    members[1]->accept_impulses(interval.dt());
    return {};
  }

 private:
  std::vector<coupling::StitchPair> pairs_;  // fixed when built
  double share_;
};

}  // namespace selkie::sim
