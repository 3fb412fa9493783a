// Counter-based random numbers: a pure function of (seed, stream, counter), so the same particle draws the
// same number whatever the thread, the order or the restart. The mixer is a strong 64-bit finaliser applied
// twice (the idea of [Salmon11]: random numbers as a keyed hash of a counter).
#pragma once

#include <cstdint>

namespace selkie {

// A well-mixed 64-bit word; every bit of every argument reaches every bit of the result.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
  auto mix = [](std::uint64_t z) {
    z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93ull;
    z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93ull;
    return z ^ (z >> 32);
  };
  const std::uint64_t keyed = mix(seed + 0x9e3779b97f4a7c15ull) ^ mix(stream + 0x7f4a7c159e3779b9ull);
  return mix(mix(counter + 0x632be59bd9b4e019ull) + keyed * 0x9fb21c651e98df25ull);
}

// Uniform in [0, 1) with 53 random bits.
constexpr double random_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
  return static_cast<double>(random_bits(seed, stream, counter) >> 11) * 0x1p-53;
}

// Uniform in [lo, hi). Rounding could reach hi itself, which lo then replaces.
constexpr double random_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter, double lo,
                                double hi) {
  const double value = lo + (hi - lo) * random_uniform(seed, stream, counter);
  return value < hi ? value : lo;
}

// A sequence for generators that draw one after another; equal to calling the functions above in order.
class RandomStream {
 public:
  constexpr RandomStream(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}
  constexpr std::uint64_t bits() { return random_bits(seed_, stream_, counter_++); }
  constexpr double uniform() { return random_uniform(seed_, stream_, counter_++); }
  constexpr double uniform(double lo, double hi) {
    return random_uniform(seed_, stream_, counter_++, lo, hi);
  }

 private:
  std::uint64_t seed_, stream_, counter_ = 0;
};

}  // namespace selkie
