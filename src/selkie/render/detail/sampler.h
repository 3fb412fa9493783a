// Well-spread random numbers of one sample of one pixel: the first two Sobol dimensions, shuffled and
// scrambled afresh for every pair of dimensions by hashes [Burley20]. A pure function of (seed, pixel,
// sample, dimension), so the order in which pixels are drawn cannot matter.
#pragma once

#include <array>
#include <cstdint>

#include "selkie/core/random.h"

namespace selkie::render::detail {

class Sampler {
 public:
  Sampler(std::uint64_t seed, std::uint32_t pixel, std::uint32_t sample)
      : seed_(seed), pixel_(pixel), sample_(sample) {}

  // Two numbers in [0, 1).
  std::array<float, 2> pair(unsigned dimension) const {
    const std::uint64_t key = random_bits(seed_, pixel_, dimension);
    const auto low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
    const std::uint32_t index = scrambled(sample_, low ^ 0x5bd1e995u);
    return {unit(scrambled(reversed(index), low)), unit(scrambled(second_sobol(index), high))};
  }

 private:
  static std::uint32_t reversed(std::uint32_t x) {
    x = (x << 16) | (x >> 16);
    x = ((x & 0x00ff00ffu) << 8) | ((x & 0xff00ff00u) >> 8);
    x = ((x & 0x0f0f0f0fu) << 4) | ((x & 0xf0f0f0f0u) >> 4);
    x = ((x & 0x33333333u) << 2) | ((x & 0xccccccccu) >> 2);
    return ((x & 0x55555555u) << 1) | ((x & 0xaaaaaaaau) >> 1);
  }
  // Owen's scramble: each bit is flipped by a hash of the bits above it, here by a carry-only permutation of
  // the reversed word.
  static std::uint32_t scrambled(std::uint32_t x, std::uint32_t key) {
    x = reversed(x);
    x ^= x * 0x3d20adeau;
    x += key;
    x *= (key >> 16) | 1u;
    x ^= x * 0x05526c56u;
    x ^= x * 0x53a22864u;
    return reversed(x);
  }
  static std::uint32_t second_sobol(std::uint32_t index) {
    std::uint32_t result = 0;
    for (std::uint32_t column = 0x80000000u; index != 0; index >>= 1, column ^= column >> 1)
      if (index & 1u) result ^= column;
    return result;
  }
  static float unit(std::uint32_t x) { return static_cast<float>(x >> 8) * 0x1p-24f; }

  std::uint64_t seed_;
  std::uint32_t pixel_, sample_;
};

}  // namespace selkie::render::detail
