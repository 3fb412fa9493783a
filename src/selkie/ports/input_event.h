// The only way the world changes from outside: tick-stamped events, logged and replayed. Mouse drags,
// parameter edits and keyframes are all InputEvents, applied between sync steps at or after their tick.
#pragma once

#include <string>
#include <vector>

#include "selkie/core/value.h"
#include "selkie/ports/time.h"

namespace selkie::ports {

struct InputEvent {
  Tick tick = 0;
  std::string system;    // addressee; empty: the world itself
  std::string action;    // "set" (path, value), "grab" (point, target), "release", "impulse", ...
  Value arguments = {};  // a table; which keys depends on the action
};

}  // namespace selkie::ports
