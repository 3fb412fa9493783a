// A 128-bit hash of bytes, for state hashes and file checksums. Not cryptographic. Long inputs are cut into
// fixed blocks hashed in parallel and combined in order, so the value does not depend on the thread count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace selkie {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;

  std::string hex() const;  // 32 lower-case digits
};

Hash128 hash_bytes(std::span<const std::byte> bytes);

// Feeds one thing after another; order matters.
class Hasher {
 public:
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text);
  void add(std::uint64_t word);
  Hash128 value() const;

 private:
  Hash128 state_{0x243f6a8885a308d3ull, 0x13198a2e03707344ull};
};

}  // namespace selkie
