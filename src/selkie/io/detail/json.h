// A strict reader of JSON text (RFC 8259) into a Value tree, with a limit on nesting. Numbers become double,
// or int64 when written without point and exponent; escapes in texts become UTF-8. The character U+0000 is
// refused: it would end a file's name early.
#pragma once

#include <string>
#include <string_view>

#include "selkie/core/value.h"

namespace selkie::io::detail {

// Throws InputError with the line of the first trouble. `null` becomes an empty Value.
Value parse_json(std::string_view text, const std::string& source);

}  // namespace selkie::io::detail
