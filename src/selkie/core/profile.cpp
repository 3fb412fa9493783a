// Totals are kept per thread: the stepping thread reads its own, so no lock is needed.
#include "selkie/core/profile.h"

#include <utility>

namespace selkie {
namespace {
thread_local PhaseTimes t_phases;
}

ProfileZone::~ProfileZone() {
  PhaseTime& phase = t_phases[name_];
  phase.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  ++phase.calls;
}

PhaseTimes take_phase_times() { return std::exchange(t_phases, {}); }

}  // namespace selkie
