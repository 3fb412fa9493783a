// spdlog behind a narrow door: its headers cost seconds per translation unit.
#include "selkie/core/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <mutex>

#include "selkie/core/error.h"

namespace selkie {
namespace {

struct Sinks {
  std::mutex mutex;
  std::shared_ptr<spdlog::sinks::sink> console = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  std::shared_ptr<spdlog::sinks::sink> file;
  Sinks() {
    console->set_level(spdlog::level::warn);
    console->set_pattern("%^%l%$: %v");
  }
};

Sinks& sinks() {
  static Sinks instance;
  return instance;
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::off:
      break;
  }
  return spdlog::level::off;
}

}  // namespace

void log(LogLevel level, std::string_view message) {
  Sinks& all = sinks();
  const std::lock_guard lock(all.mutex);
  const spdlog::details::log_msg record("selkie", level_of(level),
                                        spdlog::string_view_t(message.data(), message.size()));
  if (all.console->should_log(record.level)) all.console->log(record);
  if (!all.file || !all.file->should_log(record.level)) return;
  // A message that cannot be kept must not end what it tells of, least of all when that is a full disk.
  try {
    all.file->log(record);
    all.file->flush();
  } catch (const spdlog::spdlog_ex& e) {
    all.file.reset();
    const std::string text = std::string("the log file is given up: ") + e.what();
    all.console->log(spdlog::details::log_msg("selkie", spdlog::level::warn, text));
  }
}

void set_console_log_level(LogLevel level) { sinks().console->set_level(level_of(level)); }

void open_log_file(const std::string& path, LogStart start) {
  try {
    auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path, start == LogStart::anew);
    file->set_level(spdlog::level::info);
    file->set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
    const std::lock_guard lock(sinks().mutex);
    sinks().file = file;
  } catch (const spdlog::spdlog_ex& e) {
    throw OutputError(path, std::string("the log cannot be opened: ") + e.what(),
                      "check that the folder exists and may be written");
  }
}

void close_log_file() {
  const std::lock_guard lock(sinks().mutex);
  sinks().file.reset();
}

}  // namespace selkie
