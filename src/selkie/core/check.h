// SELKIE_CHECK is always on: cheap checks of the programmer's own contracts, outside inner loops.
// SELKIE_ASSERT is on in debug and sanitizer builds only, so that inner loops may use it.
// Neither is for user input; that is InputError's.
#pragma once

namespace selkie::detail {
[[noreturn]] void check_failed(const char* expression, const char* file, int line, const char* message);
}

#define SELKIE_CHECK(condition, message) \
  ((condition) ? void(0) : ::selkie::detail::check_failed(#condition, __FILE__, __LINE__, message))

#if defined(SELKIE_ASSERTS) || !defined(NDEBUG)
#define SELKIE_ASSERT(condition) SELKIE_CHECK(condition, "assertion")
#else
#define SELKIE_ASSERT(condition) void(0)
#endif
