// Profile zones: `const ProfileZone zone("springs.force");` adds its wall time to a per-phase total, which
// the World reports per step in stats.csv and `selkie bench` prints. Zones nest; a zone's time includes its
// inner zones'. Names are string literals ("system kind.phase"). Only the thread that steps the world opens
// zones.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string_view>

namespace selkie {

struct PhaseTime {
  double seconds = 0;       // with the inner zones'
  double self_seconds = 0;  // without them: these add up to what was measured, once
  std::uint64_t calls = 0;
};
using PhaseTimes = std::map<std::string_view, PhaseTime>;

class ProfileZone {
 public:
  explicit ProfileZone(std::string_view name);
  ~ProfileZone();
  ProfileZone(const ProfileZone&) = delete;
  ProfileZone& operator=(const ProfileZone&) = delete;

 private:
  std::string_view name_;
  ProfileZone* outer_;
  double inner_seconds_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

// What has gathered since the last call, and an empty start for the next.
PhaseTimes take_phase_times();

}  // namespace selkie
