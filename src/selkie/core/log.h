// The log: library code says things only through here. Backed by spdlog, whose headers stay in log.cpp.
#pragma once

#include <string>
#include <string_view>

namespace selkie {

enum class LogLevel { debug, info, warning, error, off };

void log(LogLevel level, std::string_view message);
inline void log_debug(std::string_view message) { log(LogLevel::debug, message); }
inline void log_info(std::string_view message) { log(LogLevel::info, message); }
inline void log_warning(std::string_view message) { log(LogLevel::warning, message); }
inline void log_error(std::string_view message) { log(LogLevel::error, message); }

// What reaches standard error; the log file, when there is one, receives info and above.
void set_console_log_level(LogLevel level);

enum class LogStart { append, anew };
// Writes everything from now on to `path` until closed; throws OutputError when it cannot be opened. Where a
// message cannot be written later, the file is given up with a warning.
void open_log_file(const std::string& path, LogStart start = LogStart::append);
void close_log_file();

}  // namespace selkie
