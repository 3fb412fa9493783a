// Totals are kept per thread: the stepping thread reads its own, so no lock is needed.
#include "selkie/core/profile.h"

#include <utility>

namespace selkie {
namespace {
thread_local PhaseTimes t_phases;
thread_local ProfileZone* t_innermost = nullptr;
}  // namespace

ProfileZone::ProfileZone(std::string_view name)
    : name_(name), outer_(t_innermost), begin_(std::chrono::steady_clock::now()) {
  t_innermost = this;
}

ProfileZone::~ProfileZone() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  t_innermost = outer_;
  if (outer_ != nullptr) outer_->inner_seconds_ += seconds;
  PhaseTime& phase = t_phases[name_];
  phase.seconds += seconds;
  phase.self_seconds += seconds - inner_seconds_;
  ++phase.calls;
}

PhaseTimes take_phase_times() { return std::exchange(t_phases, {}); }

}  // namespace selkie
