// Memory for large arrays, in huge pages where the system offers them: a sweep over millions of elements reads from many
// arrays at once, and looking up small pages then costs as much as the arithmetic (a force pass over a million tetrahedra
// takes a fifth to a third less time).
#pragma once

#include <cstddef>

namespace selkie {

// Aligned to a cache line at least. The memory is not initialised; give it back with the same number of bytes.
void* allocate_pages(std::size_t bytes);
void free_pages(void* memory, std::size_t bytes);

// Of the whole machine, in bytes; infinite where the system does not tell.
double machine_memory();

}  // namespace selkie
