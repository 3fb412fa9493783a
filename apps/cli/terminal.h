// One progress line that rewrites itself on a terminal; plain lines elsewhere; JSON lines for machines.
#pragma once

#include "commands.h"
#include "selkie/sim/run.h"

namespace selkie::cli {

class ProgressLine {
 public:
  explicit ProgressLine(const CommonOptions& common);
  ~ProgressLine();  // leaves the cursor on a fresh line
  void show(const sim::Progress& progress);

 private:
  bool quiet_, json_, terminal_;
  bool open_ = false;
  std::int64_t last_frame_ = -1;
  double last_shown_ = -1;
};

// Set by SIGINT and SIGTERM; a second signal ends the program at once.
const std::atomic<bool>& interrupted();
void catch_interrupts();

}  // namespace selkie::cli
