// Contact between deformable bodies as the World sees it: after all have stepped, those that overlap are
// parted.
#pragma once

#include <set>
#include <utility>

#include "selkie/coupling/contact.h"
#include "selkie/sim/coupling_port.h"

namespace selkie::sim {

class ContactCoupling final : public Coupling {
 public:
  // Pairs of `apart` (names, in either order) do not touch; bodies touch themselves where `self` is set.
  ContactCoupling(std::string name, std::vector<std::string> bodies, coupling::ContactParams params,
                  bool self, const std::set<std::pair<std::string, std::string>>& apart = {});

  std::string_view kind() const override { return "contact"; }
  bool strong() const override { return false; }
  StepReport exchange(std::span<System* const> members, const Interval& interval) override;

  const coupling::ContactWork& work() const { return work_; }  // tests: the contacts of the last exchange

 private:
  coupling::ContactParams params_;
  std::vector<std::uint8_t> touch_;  // [a][b]
  std::vector<ports::DeformableSolid*> solids_;
  coupling::ContactWork work_;
};

}  // namespace selkie::sim
