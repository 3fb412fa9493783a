// A broken contract is a defect of the program: say where, then abort, for a debugger or core dump to see.
#include "selkie/core/check.h"

#include <cstdio>
#include <cstdlib>

namespace selkie::detail {

void check_failed(const char* expression, const char* file, int line, const char* message) {
  std::fprintf(stderr, "%s:%d: check failed: %s (%s)\n", file, line, expression, message);
  std::abort();
}

}  // namespace selkie::detail
