// The thread of a Source. Commands come from any thread, are carried out between steps in order of arrival
// and answered through a callback; messages and shots go to the audience. Both are called on the Source's
// thread and must return quickly.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "selkie/view/source.h"

namespace selkie::view {

struct Audience {
  std::function<void(Value message, std::uint64_t scene_version)> scene = {};
  std::function<void(Value message)> state = {};
  std::function<void(std::shared_ptr<const Shot>)> frame = {};
};
using Answer = std::function<void(const Reply&)>;

class Runner {
 public:
  explicit Runner(Source& source) : source_(source) {}
  ~Runner() { stop(); }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // The mode never changes, so it may be asked for from any thread.
  std::string_view mode() const { return source_.mode(); }
  // Before start(), or with an empty one to end the calls: returns when none is under way.
  void set_audience(Audience audience);
  void start();
  void stop();  // after the step that is under way; commands that still wait are refused

  void post(Command command, Answer answer);
  // Someone waits: a shot follows as soon as there is something new to see, or (afresh) in any case.
  void request_frame(bool afresh);

  // s between shots: faster than a screen shows them would only cost.
  static constexpr double kShotInterval = 1.0 / 60, kStateInterval = 0.1;

 private:
  using Waiting = std::pair<Command, Answer>;
  void loop();
  void answer(std::vector<Waiting>& commands);
  void publish(double now, bool after_command);
  bool turned() const;  // it stopped or went on, and nobody was told
  double time_to_wait(double now);

  Source& source_;
  ShotMaker maker_;
  std::thread thread_;

  std::mutex audience_mutex_;
  Audience audience_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::vector<Waiting> commands_;
  bool stop_ = false, nudged_ = true, wanted_ = false, afresh_ = false;

  // Of the thread alone: what was told last.
  std::uint64_t told_scene_ = 0, told_state_ = 0, shown_ = 0;
  bool told_playing_ = false;
  std::string told_trouble_;
  double state_time_ = -1e9, shot_time_ = -1e9;
};

}  // namespace selkie::view
