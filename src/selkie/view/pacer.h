// RT-01: how a clock becomes steps of a fixed length. The pacer owes the world the seconds that pass, times
// the speed; each step pays some back. It never owes more than a few frames: what a slow machine cannot catch
// up is given up and counted.
#pragma once

#include <algorithm>
#include <limits>

namespace selkie::view {

class Pacer {
 public:
  // The clock shows `now` (s). Speed 0: the world stands, and nothing is owed.
  void pass(double now, double speed, double most_owed) {
    const double passed = running_ ? std::max(0.0, now - last_) : 0;
    last_ = now, running_ = speed > 0;
    if (!running_) {
      owed_ = 0;
      return;
    }
    owed_ += passed * speed;
    if (owed_ > most_owed) {
      dropped_ += (owed_ - most_owed) / speed;
      owed_ = most_owed;
    }
  }
  // A step of `step` seconds may be taken now. Rounding of the clock must not delay it by a whole turn.
  bool due(double step) const { return owed_ >= step * (1 - 1e-9); }
  void taken(double seconds) { owed_ = std::max(0.0, owed_ - seconds); }
  double wait(double step, double speed) const {
    if (speed <= 0) return std::numeric_limits<double>::infinity();
    return due(step) ? 0 : (step - owed_) / speed;
  }
  double dropped() const { return dropped_; }  // s of clock time

 private:
  bool running_ = false;
  double last_ = 0, owed_ = 0, dropped_ = 0;
};

}  // namespace selkie::view
