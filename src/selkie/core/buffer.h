// Buffer<T>: the array of every State. Contiguous, 64-byte aligned, reference-counted storage.
// - Copying a Buffer copies its elements; assigning copies *in place* while the capacity lasts, so addresses
//   (and NumPy views of them) survive steps, retries and restores.
// - Growth beyond the capacity takes new storage; whoever holds owner() keeps the old one alive: a view may
//   then be stale, but never dangling.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "selkie/core/check.h"
#include "selkie/core/pages.h"

namespace selkie {

template <class T>
class Buffer {
  static_assert(std::is_trivially_destructible_v<T>, "buffers hold plain data");

 public:
  using value_type = T;

  Buffer() = default;
  explicit Buffer(std::size_t count, const T& value = zero()) { assign(count, value); }
  Buffer(std::initializer_list<T> values) { copy_from(values.begin(), values.size()); }
  Buffer(const Buffer& other) { copy_from(other.data(), other.size()); }
  // Leaves `other` empty: sizes must go with the storage, or a later assignment would write to nowhere.
  Buffer(Buffer&& other) noexcept
      : storage_(std::move(other.storage_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(const Buffer& other) {
    if (this != &other) copy_from(other.data(), other.size());
    return *this;
  }
  // Moving in also keeps the address when it can, for the reason above.
  Buffer& operator=(Buffer&& other) { return *this = static_cast<const Buffer&>(other); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t capacity() const { return capacity_; }
  T* data() { return storage_.get(); }
  const T* data() const { return storage_.get(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) {
    SELKIE_ASSERT(i < size_);
    return storage_.get()[i];
  }
  const T& operator[](std::size_t i) const {
    SELKIE_ASSERT(i < size_);
    return storage_.get()[i];
  }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }
  operator std::span<const T>() const { return span(); }  // NOLINT: implicit on purpose
  operator std::span<T>() { return span(); }              // NOLINT

  void assign(std::size_t count, const T& value) {
    const T copy = value;  // `value` may be an element of this buffer
    reserve_discarding(count);
    size_ = count;
    std::fill_n(data(), count, copy);
  }
  // Keeps the elements that fit; new ones are `value`.
  void resize(std::size_t count, const T& value = zero()) {
    if (count > capacity_) {
      std::shared_ptr<T[]> old = storage_;
      const std::size_t kept = size_;
      allocate(std::max(count, capacity_ + capacity_ / 2));
      std::copy_n(old.get(), kept, data());
    }
    if (count > size_) std::fill(data() + size_, data() + count, value);
    size_ = count;
  }
  void push_back(const T& value) {
    const T copy = value;
    resize(size_ + 1, copy);
  }
  void copy_from(const T* source, std::size_t count) {
    reserve_discarding(count);
    size_ = count;
    std::copy_n(source, count, data());
  }

  // Keeps the present storage alive for as long as the handle lives.
  std::shared_ptr<const void> owner() const { return storage_; }

  friend bool operator==(const Buffer& a, const Buffer& b) {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  static T zero() {  // all-zero bits also for Eigen types, whose default constructor leaves them unset
    if constexpr (requires { T::Zero(); })
      return T::Zero();
    else
      return T{};
  }
  void reserve_discarding(std::size_t count) {
    if (count > capacity_) {
      size_ = 0;
      allocate(count);
    }
  }
  // Padded by one cache line, so that vector loads of the last element may read past it.
  void allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T) + 64;
    storage_ = std::shared_ptr<T[]>(static_cast<T*>(allocate_pages(bytes)),
                                    [bytes](T* p) { free_pages(static_cast<void*>(p), bytes); });
    capacity_ = count;
  }

  std::shared_ptr<T[]> storage_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace selkie
