// Counts every allocation of a test program by replacing the global operators new and delete. To be included
// by one source file of the program.
#pragma once

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace selkie::testing {

inline std::atomic<std::size_t> allocations{0};  // so far
inline std::atomic<std::ptrdiff_t> bytes_in_use{0};

inline void* counted(std::size_t size, std::size_t alignment) {
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  ++allocations, bytes_in_use += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  return memory;
}
inline void uncounted(void* memory) {
  bytes_in_use -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace selkie::testing

// None of these is inlined: GCC would see malloc() or free() beside the other operator and take them for a
// mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) { return selkie::testing::counted(size, 16); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  return selkie::testing::counted(size, static_cast<std::size_t>(alignment));
}
// A sanitizer has its own of these, which do not call the ones above (std::stable_sort asks for its buffer like this).
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return selkie::testing::counted(size, 16);
}
[[gnu::noinline]] void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return selkie::testing::counted(size, 16);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { selkie::testing::uncounted(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  selkie::testing::uncounted(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  selkie::testing::uncounted(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  selkie::testing::uncounted(memory);
}
