// A sequence of parallel loops of which each begins when the one before it is done: coloured sweeps, levels of a
// tree. The threads are called once for the whole sequence and pass from loop to loop by themselves, at a fraction
// of a microsecond each, where a loop of its own (parallel.h) costs more than one. Results do not depend on the
// number of threads as long as the blocks of a phase write to disjoint places.
#pragma once

#include <cstddef>
#include <span>

#include "selkie/core/function_ref.h"

namespace selkie {

struct Phase {
  std::size_t count = 0;  // elements
  std::size_t block = 1;  // how many of them are handed out at a time
};

// Calls body(phase, begin, end) for each block of each phase. An exception ends the sequence and reaches the caller.
void parallel_phases(std::span<const Phase> phases,
                     FunctionRef<void(std::size_t phase, std::size_t begin, std::size_t end)> body);

}  // namespace selkie
