// Parallel loops and reductions whose result does not depend on the number of threads: work is cut into
// blocks of a size the caller fixes, and partial sums are added in a fixed order. Built on a team of threads that
// waits for the next loop (detail/team.h), and on oneTBB for loops inside of loops.
#pragma once

#include <cstddef>
#include <span>

#include "selkie/core/function_ref.h"

namespace selkie {

// How many threads parallel loops may use. 0 asks for one per core. Not to be called while a loop runs.
void set_thread_count(int count);
int thread_count();

// A block size that amortises scheduling for cheap per-element work.
inline constexpr std::size_t kDefaultBlock = 4096;

// Calls body(begin, end) for each block of [0, count); blocks may run at the same time and in any order, so
// they must write to disjoint places. The cut depends on `count` and `block` alone.
void parallel_blocks(std::size_t count, std::size_t block, FunctionRef<void(std::size_t, std::size_t)> body);

// Calls body(i) for each i in [0, count).
template <class Body>
void parallel_for(std::size_t count, Body&& body, std::size_t block = kDefaultBlock) {
  parallel_blocks(count, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

// Sum over fixed blocks: partial(begin, end) yields a block's sum; blocks are added pairwise in a fixed tree.
double sum_blocks(std::size_t count, FunctionRef<double(std::size_t, std::size_t)> partial,
                  std::size_t block = kDefaultBlock);

// Largest value over fixed blocks; `empty` for count == 0. NaN wins, so that trouble is never hidden.
double max_blocks(std::size_t count, double empty, FunctionRef<double(std::size_t, std::size_t)> partial,
                  std::size_t block = kDefaultBlock);

// Sum and largest of body(i), in the same fixed order.
template <class Body>
double deterministic_sum(std::size_t count, Body&& body) {
  return sum_blocks(count, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += body(i);
    return sum;
  });
}
template <class Body>
double deterministic_max(std::size_t count, double empty, Body&& body) {
  return max_blocks(count, empty, [&](std::size_t begin, std::size_t end) {
    double largest = body(begin);
    for (std::size_t i = begin + 1; i < end; ++i) {
      const double value = body(i);
      if (value > largest || value != value) largest = value;  // NaN comes in and stays
    }
    return largest;
  });
}

// Dot product with eight fixed lanes per block; never use Eigen's on long vectors, its bits vary with build
// and alignment.
double dot(std::span<const double> a, std::span<const double> b);

}  // namespace selkie
