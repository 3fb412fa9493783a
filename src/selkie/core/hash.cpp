// Two 64-bit lanes over 16-byte pieces with multiply-rotate mixing and a strong finaliser.
#include "selkie/core/hash.h"

#include <bit>
#include <cstring>
#include <vector>

#include "selkie/core/parallel.h"

namespace selkie {
namespace {

constexpr std::uint64_t kA = 0x9e3779b185ebca87ull, kB = 0xc2b2ae3d27d4eb4full, kC = 0x165667b19e3779f9ull;

std::uint64_t finalise(std::uint64_t z) {
  z = (z ^ (z >> 33)) * kB;
  z = (z ^ (z >> 29)) * kC;
  return z ^ (z >> 32);
}

void absorb(Hash128& s, std::uint64_t a, std::uint64_t b) {
  s.high = std::rotl(s.high ^ (a * kA), 27) * kB + s.low;
  s.low = std::rotl(s.low ^ (b * kC), 31) * kA + s.high;
}

Hash128 finish(Hash128 s, std::uint64_t length) {
  absorb(s, length, ~length);
  const std::uint64_t high = finalise(s.high + s.low), low = finalise(s.low ^ std::rotl(high, 17));
  return {high + low, low};
}

Hash128 hash_block(std::span<const std::byte> bytes) {
  Hash128 s{kA, kB};
  std::size_t i = 0;
  for (; i + 16 <= bytes.size(); i += 16) {
    std::uint64_t word[2];
    std::memcpy(word, bytes.data() + i, 16);
    absorb(s, word[0], word[1]);
  }
  std::uint64_t tail[2] = {0, 0};
  if (i < bytes.size()) std::memcpy(tail, bytes.data() + i, bytes.size() - i);
  absorb(s, tail[0], tail[1]);
  return finish(s, bytes.size());
}

}  // namespace

std::string Hash128::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::uint64_t word : {high, low})
    for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(word >> shift) & 15];
  return text;
}

Hash128 hash_bytes(std::span<const std::byte> bytes) {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  if (bytes.size() <= kBlock) return hash_block(bytes);
  std::vector<Hash128> blocks((bytes.size() + kBlock - 1) / kBlock);
  parallel_blocks(bytes.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    blocks[begin / kBlock] = hash_block(bytes.subspan(begin, end - begin));
  });
  return hash_block(std::as_bytes(std::span<const Hash128>(blocks)));
}

void Hasher::add(std::span<const std::byte> bytes) {
  const Hash128 h = hash_bytes(bytes);
  absorb(state_, h.high, h.low);
}
void Hasher::add(std::string_view text) { add(std::as_bytes(std::span<const char>(text))); }
void Hasher::add(std::uint64_t word) { absorb(state_, word, 0); }
Hash128 Hasher::value() const { return finish(state_, 0); }

}  // namespace selkie
