// One progress line that rewrites itself on a terminal; plain lines elsewhere; JSON lines for machines.
#pragma once

#include "commands.h"
#include "selkie/sim/run.h"

namespace selkie::cli {

// The line itself: whoever has news hands in the text.
class StatusLine {
 public:
  explicit StatusLine(const CommonOptions& common);
  ~StatusLine();  // leaves the cursor on a fresh line
  // `elapsed` (s) thins out the lines; `always` shows this one all the same.
  void show(const std::string& text, double elapsed, bool always);
  // Ends the line on a terminal, so that something else can be printed.
  void finish_line();
  bool is_terminal() const { return terminal_; }

 private:
  bool silent_, terminal_;
  bool open_ = false;
  double last_shown_ = -1;
};

class ProgressLine {
 public:
  explicit ProgressLine(const CommonOptions& common);
  void show(const sim::Progress& progress);

 private:
  StatusLine line_;
  bool json_;
  std::int64_t last_frame_ = -1;
};

// Set by SIGINT, SIGTERM and SIGHUP; a second SIGINT or SIGTERM ends the program at once.
const std::atomic<bool>& interrupted();
void catch_interrupts();

}  // namespace selkie::cli
