#include "selkie/sim/step_budget.h"

#include <algorithm>
#include <cmath>

namespace selkie::sim {
namespace {

constexpr double kRoom = 2.0 / 3;  // of the budget: below it a cap may grow
constexpr double kSteepest =
    0.25;                   // a single late step, as when the machine was busy, takes at most this away
constexpr int kFewest = 2;  // iterations that are always made

// A system's cap and budget, if it has both.
struct Capped {
  int cap = 0;
  double budget = 0;  // s; 0: none
};
Capped capped(System& system) {
  const Type& type = system.params_type();
  const Field *cap = type.find("max_iterations"), *budget = type.find("time_budget");
  if (cap == nullptr || budget == nullptr) return {};
  return {static_cast<int>(cap->type->get_integer(cap->member(system.params()))),
          budget->type->get_number(budget->member(system.params()), 0)};
}

}  // namespace

int next_cap(int cap, int wished, int made, double seconds, double budget) {
  if (seconds > budget) {
    const double share = std::max(kSteepest, budget / seconds);
    return std::max(kFewest, static_cast<int>(std::floor(share * std::min(cap, std::max(made, kFewest)))));
  }
  if (seconds > kRoom * budget || made < cap) return cap;
  return std::min(wished, cap + std::max(1, cap / 8));
}

std::vector<ports::InputEvent> StepBudget::after_step(const World& world, const SyncReport& report,
                                                      double seconds) {
  std::vector<ports::InputEvent> events;
  for (const SystemReport& done : report.systems) {
    System* system = world.find(done.system);
    if (system == nullptr) continue;
    const Capped now = capped(*system);
    if (now.budget <= 0) continue;
    const auto given = given_.find(done.system);
    if (given == given_.end() || given->second != now.cap) wished_[done.system] = now.cap;
    // The report sums over sub-steps; a cap is for each solve.
    const int made = done.step.iterations / std::max(1, done.substeps);
    const int cap = next_cap(now.cap, wished_[done.system], made, seconds, now.budget);
    given_[done.system] = cap;
    if (cap == now.cap) continue;
    ports::InputEvent event{world.now(), done.system, "set"};
    event.arguments["path"].data = std::string("max_iterations");
    event.arguments["value"].data = static_cast<std::int64_t>(cap);
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace selkie::sim
