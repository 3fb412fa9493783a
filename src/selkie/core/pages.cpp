// See pages.h.
#include "selkie/core/pages.h"

#include <atomic>
#include <cstdint>
#include <limits>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace selkie {
namespace {

constexpr std::size_t kLine = 64, kHugePage = std::size_t{2} << 20;
// Below two huge pages most of an array may lie in small ones anyway.
constexpr std::size_t kLarge = 2 * kHugePage;
// Arrays that are read side by side must not begin at the same place of a page: they would share sets of the caches.
constexpr std::size_t kStagger = 33 * kLine, kPlaces = 16;

}  // namespace

void* allocate_pages(std::size_t bytes) {
  if (bytes < kLarge) return ::operator new(bytes, std::align_val_t{kLine});
  static std::atomic<std::size_t> next{0};
  const std::size_t offset = next.fetch_add(1, std::memory_order_relaxed) % kPlaces * kStagger;
  void* memory = ::operator new(bytes + kPlaces * kStagger, std::align_val_t{kHugePage});
#ifdef __linux__
  // A wish: where it is not granted nothing is lost.
  (void)madvise(memory, (bytes + offset) / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
  return static_cast<char*>(memory) + offset;
}

void free_pages(void* memory, std::size_t bytes) {
  if (bytes < kLarge) return ::operator delete(memory, std::align_val_t{kLine});
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  ::operator delete(reinterpret_cast<void*>(address / kHugePage * kHugePage), std::align_val_t{kHugePage});
}

double machine_memory() {
#ifdef __linux__
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) return static_cast<double>(pages) * static_cast<double>(size);
#endif
  return std::numeric_limits<double>::infinity();
}

}  // namespace selkie
