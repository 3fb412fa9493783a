// See terminal.h.
#include "terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "selkie/core/text.h"

namespace selkie::cli {
namespace {

std::atomic<bool> g_interrupted{false};

extern "C" void on_signal(int signal) {
  g_interrupted.store(true);
  std::signal(signal, SIG_DFL);  // the next one is not caught
}

}  // namespace

const std::atomic<bool>& interrupted() { return g_interrupted; }

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit shows as a write error instead of ending the program
}

ProgressLine::ProgressLine(const CommonOptions& common)
    : quiet_(common.quiet), json_(common.json), terminal_(isatty(STDOUT_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (open_) std::fputs("\n", stdout);
}

void ProgressLine::show(const sim::Progress& p) {
  const bool new_frame = p.frame != last_frame_;
  if (json_) {
    if (new_frame)
      fmt::print(
          "{{\"event\": \"frame\", \"frame\": {}, \"frames\": {}, \"step\": {}, \"dt\": {}, \"elapsed\": "
          "{:.3f}, "
          "\"remaining\": {:.3f}}}\n",
          p.frame, p.frames, p.step, p.dt, p.elapsed, p.remaining);
  } else if (!quiet_) {
    const std::string text =
        fmt::format("frame {}/{}  step {}  dt {:.3g} s{}  {} elapsed, {} left", p.frame, p.frames, p.step,
                    p.dt, p.substeps > 1 ? fmt::format(" x{}", p.substeps) : "", duration_text(p.elapsed),
                    duration_text(p.remaining));
    const bool last = p.frame == p.frames;
    if (terminal_) {
      if (last || p.elapsed - last_shown_ >= 0.1) {
        fmt::print("\r\x1b[K{}", text);
        open_ = true;
        last_shown_ = p.elapsed;
      }
    } else if (new_frame && (last || p.elapsed - last_shown_ >= 2)) {  // plain lines, but no flood
      fmt::print("{}\n", text);
      last_shown_ = p.elapsed;
    }
  }
  last_frame_ = p.frame;
  std::fflush(stdout);
}

}  // namespace selkie::cli
