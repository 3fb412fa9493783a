// See state_arrays.h.
#include "selkie/core/state_arrays.h"

#include <algorithm>

namespace selkie {

std::string_view scalar_name(Scalar scalar) {
  static constexpr std::string_view kNames[] = {"f32", "f64", "i32", "u32", "i64", "u64", "u8"};
  return kNames[static_cast<int>(scalar)];
}

std::size_t scalar_size(Scalar scalar) {
  static constexpr std::size_t kSizes[] = {4, 8, 4, 4, 8, 8, 1};
  return kSizes[static_cast<int>(scalar)];
}

void add_to_hash(Hasher& hasher, std::span<const ArrayRef> arrays) {
  for (const ArrayRef& array : arrays) {
    hasher.add(std::string_view(array.name));
    hasher.add(static_cast<std::uint64_t>(array.scalar));
    hasher.add(static_cast<std::uint64_t>(array.components));
    hasher.add(static_cast<std::uint64_t>(array.count));
    hasher.add(std::span<const std::byte>(array.as_bytes()));
  }
}

void poison(std::span<const ArrayRef> arrays) {
  for (const ArrayRef& array : arrays) {
    const std::size_t count = array.count * static_cast<std::size_t>(array.components);
    if (array.scalar == Scalar::f64)
      std::fill_n(static_cast<double*>(array.data), count, std::numeric_limits<double>::quiet_NaN());
    else if (array.scalar == Scalar::f32)
      std::fill_n(static_cast<float*>(array.data), count, std::numeric_limits<float>::quiet_NaN());
    else
      std::ranges::fill(array.as_bytes(), std::byte{0x7b});
  }
}

}  // namespace selkie
