// The run-time form of describe(State*): a list of named arrays that hash, checkpoint, Python views and tests
// walk alike. A State's members are Buffer<number>, Buffer<Eigen column>, or single numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/core/hash.h"

namespace selkie {

enum class Scalar { f32, f64, i32, u32, i64, u64, u8 };
std::string_view scalar_name(Scalar scalar);
std::size_t scalar_size(Scalar scalar);

// One array of a State, as seen now. `data` stays valid while `owner` is held.
struct ArrayRef {
  std::string name, unit, text;
  Scalar scalar = Scalar::f64;
  int components = 1;
  std::size_t count = 0;
  void* data = nullptr;
  std::shared_ptr<const void> owner = {};
  bool is_single = false;  // a lone number, not an array
  std::function<void(std::size_t count)> resize =
      {};  // new contents undefined; take a fresh ArrayRef after it

  std::size_t bytes() const { return count * static_cast<std::size_t>(components) * scalar_size(scalar); }
  std::span<std::byte> as_bytes() const { return {static_cast<std::byte*>(data), bytes()}; }
};

namespace detail {

template <class T>
constexpr Scalar scalar_of() {
  if constexpr (std::is_same_v<T, float>)
    return Scalar::f32;
  else if constexpr (std::is_same_v<T, double>)
    return Scalar::f64;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return Scalar::i32;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return Scalar::u32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return Scalar::i64;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return Scalar::u64;
  else {
    static_assert(std::is_same_v<T, std::uint8_t>, "a State holds plain numbers only");
    return Scalar::u8;
  }
}

template <class T>
ArrayRef element_ref() {
  ArrayRef ref;
  if constexpr (requires { T::SizeAtCompileTime; }) {
    ref.scalar = scalar_of<typename T::Scalar>();
    ref.components = static_cast<int>(T::SizeAtCompileTime);
    static_assert(sizeof(T) == T::SizeAtCompileTime * sizeof(typename T::Scalar),
                  "no padding in state arrays");
  } else {
    ref.scalar = scalar_of<T>();
  }
  return ref;
}

template <class M>
ArrayRef array_ref(M& value) {
  if constexpr (requires { value.owner(); }) {
    ArrayRef ref = element_ref<typename M::value_type>();
    ref.count = value.size();
    ref.data = value.data();
    ref.owner = value.owner();
    ref.resize = [&value](std::size_t count) { value.resize(count); };
    return ref;
  } else {
    ArrayRef ref = element_ref<M>();
    ref.count = 1;
    ref.data = &value;
    ref.is_single = true;
    return ref;
  }
}

}  // namespace detail

// Every described member of `state`, in order. A member that is itself a described struct contributes its own
// members as "outer.inner".
template <class State>
std::vector<ArrayRef> arrays_of(State& state, const std::string& prefix = {}) {
  std::vector<ArrayRef> all;
  each_member<State>([&](const auto& m) {
    auto& value = state.*(m.pointer);
    using M = std::remove_cvref_t<decltype(value)>;
    if constexpr (Described<M>) {
      for (ArrayRef& inner : arrays_of(value, prefix + std::string(m.name) + "."))
        all.push_back(std::move(inner));
    } else {
      ArrayRef ref = detail::array_ref(value);
      ref.name = prefix + std::string(m.name), ref.unit = m.unit, ref.text = m.text;
      all.push_back(std::move(ref));
    }
  });
  return all;
}

// Names, shapes and contents, in order.
void add_to_hash(Hasher& hasher, std::span<const ArrayRef> arrays);

// Fills every floating-point array with NaN and every integer array with an absurd value: what a Work struct
// is refilled with in tests, to prove that no result depends on scratch.
void poison(std::span<const ArrayRef> arrays);

}  // namespace selkie
