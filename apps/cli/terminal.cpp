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

// At once, and without complaint: progress that cannot be shown must not end a run. main() tells of it.
void put(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

extern "C" void on_signal(int signal) {
  g_interrupted.store(true);
  // The next one is not caught. A closing terminal hangs up twice, by the shell and by the kernel, as it
  // likes.
  if (signal != SIGHUP) std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& interrupted() { return g_interrupted; }

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  if (std::signal(SIGHUP, on_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup goes on
  std::signal(SIGPIPE, SIG_IGN);  // whoever read the progress has gone: no reason to end a run
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit shows as a write error instead of ending the program
}

StatusLine::StatusLine(const CommonOptions& common)
    : silent_(common.quiet || common.json), terminal_(isatty(STDOUT_FILENO) != 0) {}

StatusLine::~StatusLine() { finish_line(); }

void StatusLine::finish_line() {
  if (open_) std::fputs("\n", stdout);
  open_ = false;
}

void StatusLine::show(const std::string& text, double elapsed, bool always) {
  if (silent_) return;
  if (terminal_) {
    if (!always && elapsed - last_shown_ < 0.1) return;
    put("\r\x1b[K" + text);
    open_ = true;
  } else {
    if (!always && elapsed - last_shown_ < 2) return;  // plain lines, but no flood
    put(text + "\n");
  }
  last_shown_ = elapsed;
}

ProgressLine::ProgressLine(const CommonOptions& common) : line_(common), json_(common.json) {}

void ProgressLine::show(const sim::Progress& p) {
  const bool new_frame = p.frame != last_frame_;
  if (json_ && new_frame) {
    put(fmt::format(
        "{{\"event\": \"frame\", \"frame\": {}, \"frames\": {}, \"step\": {}, \"dt\": {}, \"elapsed\": "
        "{:.3f}, "
        "\"remaining\": {:.3f}}}\n",
        p.frame, p.frames, p.step, p.dt, p.elapsed, p.remaining));
  } else if (new_frame || line_.is_terminal()) {
    line_.show(fmt::format("frame {}/{}  step {}  dt {:.3g} s{}  {} elapsed, {} left", p.frame, p.frames,
                           p.step, p.dt, p.substeps > 1 ? fmt::format(" x{}", p.substeps) : "",
                           duration_text(p.elapsed), duration_text(p.remaining)),
               p.elapsed, p.frame == p.frames);
  }
  last_frame_ = p.frame;
}

}  // namespace selkie::cli
