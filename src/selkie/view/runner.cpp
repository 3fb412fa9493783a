// See runner.h.
#include "selkie/view/runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>

#include "selkie/core/log.h"

namespace selkie::view {
namespace {

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void Runner::set_audience(Audience audience) {
  const std::lock_guard lock(audience_mutex_);
  audience_ = std::move(audience);
}

void Runner::start() {
  thread_ = std::thread([this] { loop(); });
}

void Runner::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = nudged_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  std::vector<Waiting> left;
  {
    const std::lock_guard lock(mutex_);
    left.swap(commands_);
  }
  for (auto& [command, answer] : left) answer(Reply::refusal("the server is about to end"));
}

void Runner::post(Command command, Answer answer) {
  {
    const std::lock_guard lock(mutex_);
    if (!stop_) {
      commands_.emplace_back(std::move(command), std::move(answer));
      answer = nullptr;
      nudged_ = true;
    }
  }
  if (answer)
    answer(Reply::refusal("the server is about to end"));
  else
    wake_.notify_one();
}

void Runner::request_frame(bool afresh) {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = nudged_ = true;
    afresh_ = afresh_ || afresh;
  }
  wake_.notify_one();
}

void Runner::answer(std::vector<Waiting>& commands) {
  for (auto& [command, reply_to] : commands) reply_to(source_.carry_out(command));
  commands.clear();
}

void Runner::publish(double now, bool after_command) {
  const std::lock_guard audience_lock(audience_mutex_);
  const std::uint64_t scene = source_.scene_version();
  if (scene != told_scene_) {
    maker_ = ShotMaker();
    told_scene_ = scene;
    if (audience_.scene) audience_.scene(source_.scene_message(), scene);
  }
  const std::uint64_t version = source_.version();
  if (after_command || turned() || (version != told_state_ && now - state_time_ >= kStateInterval)) {
    told_state_ = version, state_time_ = now;
    told_playing_ = source_.playing(), told_trouble_ = source_.trouble();
    if (audience_.state) audience_.state(source_.state_message());
  }
  {
    const std::lock_guard lock(mutex_);
    const bool soon = now - shot_time_ < kShotInterval;
    if (!wanted_ || (!afresh_ && (version == shown_ || soon))) return;
    wanted_ = afresh_ = false;
  }
  const std::shared_ptr<Shot> shot = maker_.begin();
  shot->version = shown_ = version;
  shot->scene_version = scene;
  shot_time_ = now;
  source_.draw(maker_, *shot);
  if (audience_.frame) audience_.frame(shot);
}

bool Runner::turned() const {
  return source_.playing() != told_playing_ || source_.trouble() != told_trouble_;
}

// Until a step, a shot or a state message is due; the lock is held.
double Runner::time_to_wait(double now) {
  if (turned()) return 0;
  double wait = source_.next_due(now);
  if (wanted_ && source_.version() != shown_) wait = std::min(wait, kShotInterval - (now - shot_time_));
  if (source_.version() != told_state_) wait = std::min(wait, kStateInterval - (now - state_time_));
  return wait;
}

void Runner::loop() {
  std::vector<Waiting> commands;
  bool first = true;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      const double wait = std::clamp(time_to_wait(clock_seconds()), 0.0, 3600.0);
      wake_.wait_for(lock, std::chrono::duration<double>(wait), [&] { return nudged_ || wait == 0; });
      if (stop_) return;
      nudged_ = false;
      commands.swap(commands_);
    }
    const bool after_command = first || !commands.empty();
    first = false;
    answer(commands);
    const double now = clock_seconds();
    source_.advance(now);
    publish(now, after_command);
  }
}

}  // namespace selkie::view
