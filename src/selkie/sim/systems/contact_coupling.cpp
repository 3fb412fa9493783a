// See contact_coupling.h.
#include "selkie/sim/systems/contact_coupling.h"

namespace selkie::sim {

ContactCoupling::ContactCoupling(std::string name, std::vector<std::string> bodies,
                                 coupling::ContactParams params, bool self,
                                 const std::set<std::pair<std::string, std::string>>& apart)
    : Coupling(std::move(name), std::move(bodies)), params_(params) {
  for (const std::string& a : between())
    for (const std::string& b : between()) {
      const bool may = a == b ? self : !apart.contains({a, b}) && !apart.contains({b, a});
      touch_.push_back(may ? 1 : 0);
    }
}

StepReport ContactCoupling::exchange(std::span<System* const> members, const Interval& interval) {
  solids_.clear();
  for (System* member : members) {
    solids_.push_back(member->deformable_solid());
    if (!solids_.back()) return StepReport::failure("'" + member->name() + "' cannot be touched");
  }
  return coupling::exchange_contacts(
      solids_, params_, interval.dt(),
      [&](std::size_t a, std::size_t b) { return touch_[a * members.size() + b] != 0; }, work_);
}

}  // namespace selkie::sim
