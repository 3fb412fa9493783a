// Keeps a live world in time: between steps the caps of iterations of systems that have a `time_budget`
// follow the clock. A new cap enters as an input event, as if a user had set it; the log then replays to the
// same bits on any machine, without a clock. (RT-01, RT-48)
#pragma once

#include <map>
#include <string>
#include <vector>

#include "selkie/sim/world.h"

namespace selkie::sim {

class StepBudget {
 public:
  // What to apply after a step of the world that took `seconds` of wall clock: one "set max_iterations" for
  // each system whose cap changes.
  std::vector<ports::InputEvent> after_step(const World& world, const SyncReport& report, double seconds);

 private:
  std::map<std::string, int> wished_;  // caps as the scene or a user set them: never exceeded
  std::map<std::string, int> given_;   // those set here last
};

// The cap that fits a budget: less in proportion when the step took too long, measured from the iterations
// it made; an eighth more, up to `wished`, when a third of the budget is left over.
int next_cap(int cap, int wished, int made, double seconds, double budget);

}  // namespace selkie::sim
