// What a page looks at: a live world (session.h) or a finished run (playback.h). A Source is used by one
// thread at a time and reads no clock: it is told the time. Runner (runner.h) gives it a thread and an
// audience.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "selkie/core/value.h"
#include "selkie/view/shot.h"

namespace selkie::view {

enum class CommandKind { play, pause, step, reset, open, speed, seek, set, event, inputs, hash };

// A client's message, its keys checked for type but not yet for sense.
struct Command {
  CommandKind kind = CommandKind::pause;
  std::string scene = {};   // open
  double factor = 1;        // speed
  std::int64_t frame = 0;   // seek
  std::string system = {};  // set, event
  std::string path_or_action = {};
  Value value = {};  // set: the value; event: its arguments
};

struct Reply {
  bool ok = true;
  std::string message = {}, remedy = {};  // when not ok
  Value content = {};                     // a table with its own `type`, or nothing for a plain ok

  static Reply refusal(std::string message, std::string remedy = {}) {
    return {false, std::move(message), std::move(remedy), {}};
  }
};

class Source {
 public:
  virtual ~Source() = default;

  virtual std::string_view mode() const = 0;  // "live", "playback"
  // What is wrong with a command becomes a refusal and leaves everything as it was.
  virtual Reply carry_out(const Command& command) = 0;
  // The clock shows `now` (s): takes at most one step if one is due.
  virtual void advance(double now) = 0;
  // Seconds from `now` until advance() has something to do; infinity when it has not.
  virtual double next_due(double now) const = 0;

  virtual bool playing() const = 0;
  virtual const std::string& trouble() const = 0;   // why it stands still by itself; empty: it does not
  virtual std::uint64_t version() const = 0;        // changes with what is to be seen
  virtual std::uint64_t scene_version() const = 0;  // changes with what scene_message() says
  virtual void draw(ShotMaker& maker, Shot& shot) = 0;
  virtual Value scene_message() = 0;
  virtual Value state_message() = 0;
};

}  // namespace selkie::view
