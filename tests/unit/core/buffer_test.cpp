// Buffers keep their address as long as they can, and old storage lives as long as someone holds it.
#include "selkie/core/buffer.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <utility>

namespace selkie {
namespace {

TEST(Buffer, StartsEmptyAndFillsWithZeros) {
  const Buffer<double> none;
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.span().empty());
  const Buffer<Eigen::Vector3d> three(3);
  for (const auto& v : three) EXPECT_EQ(v, Eigen::Vector3d::Zero());
  EXPECT_EQ((Buffer<int>{1, 2, 3})[2], 3);
}

TEST(Buffer, IsAlignedToCacheLines) {
  for (std::size_t count = 1; count < 20; ++count) {
    const Buffer<float> buffer(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u);
  }
}

TEST(Buffer, LargeOnesAreAlignedAndBeginAtDifferentPlacesOfAPage) {
  const std::size_t count = 9 << 20;
  Buffer<char> first(count, 1), second(count, 2);
  for (Buffer<char>* buffer : {&first, &second}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % 64, 0u);
    EXPECT_EQ(std::count(buffer->begin(), buffer->end(), (*buffer)[0]), static_cast<std::ptrdiff_t>(count));
  }
  EXPECT_NE(reinterpret_cast<std::uintptr_t>(first.data()) % 4096,
            reinterpret_cast<std::uintptr_t>(second.data()) % 4096);
}

TEST(Buffer, AssignmentCopiesInPlaceWhileTheCapacityLasts) {
  Buffer<int> target(10, 7);
  const int* address = target.data();
  const Buffer<int> smaller{1, 2, 3}, equal(10, 4);
  target = smaller;
  EXPECT_EQ(target.data(), address);
  EXPECT_EQ(target, smaller);
  target = equal;
  EXPECT_EQ(target.data(), address);
  EXPECT_EQ(target, equal);
  target = Buffer<int>(10, 9);
  EXPECT_EQ(target.data(), address) << "moving in keeps the address too";
  EXPECT_EQ(target, Buffer<int>(10, 9));
}

TEST(Buffer, SelfAssignmentChangesNothing) {
  Buffer<int> a{1, 2, 3};
  const Buffer<int>& same = a;
  a = same;
  EXPECT_EQ(a, (Buffer<int>{1, 2, 3}));
}

TEST(Buffer, ACopyHasItsOwnElements) {
  Buffer<int> a{1, 2, 3};
  Buffer<int> b = a;
  b[0] = 9;
  EXPECT_EQ(a[0], 1);
  EXPECT_NE(a, b);
}

TEST(Buffer, AMovedFromBufferIsEmptyAndUsable) {
  Buffer<int> a{1, 2, 3};
  const int* address = a.data();
  Buffer<int> b = std::move(a);
  EXPECT_EQ(b.data(), address);
  EXPECT_EQ(a.size(), 0u);  // NOLINT: what a moved-from buffer looks like is the point
  a = Buffer<int>{4, 5};
  EXPECT_EQ(a, (Buffer<int>{4, 5}));
  std::swap(a, b);
  EXPECT_EQ(a, (Buffer<int>{1, 2, 3}));
  EXPECT_EQ(b, (Buffer<int>{4, 5}));
}

TEST(Buffer, GrowthKeepsElementsAndTheOldStorageLivesThroughItsOwner) {
  Buffer<double> buffer{1, 2, 3};
  const double* old = buffer.data();
  const std::shared_ptr<const void> owner = buffer.owner();
  buffer.resize(1000, 5.0);
  EXPECT_NE(buffer.data(), old);
  EXPECT_EQ(buffer[2], 3);
  EXPECT_EQ(buffer[3], 5);
  EXPECT_EQ(buffer[999], 5);
  // Under the address sanitizer this read would be reported if the storage had been freed.
  EXPECT_EQ(old[2], 3);
}

TEST(Buffer, ShrinkingAndGrowingBackRefillsTheNewElements) {
  Buffer<int> buffer(5, 1);
  const int* address = buffer.data();
  buffer.resize(2);
  buffer.resize(5, 8);
  EXPECT_EQ(buffer.data(), address);
  EXPECT_EQ(buffer, (Buffer<int>{1, 1, 8, 8, 8}));
}

TEST(Buffer, ElementsOfTheBufferItselfMayBeAppendedOrAssigned) {
  Buffer<int> buffer{5};
  for (int i = 0; i < 100; ++i) buffer.push_back(buffer[0]);
  EXPECT_EQ(buffer, Buffer<int>(101, 5));
  buffer.assign(1000, buffer[100]);
  EXPECT_EQ(buffer, Buffer<int>(1000, 5));
}

TEST(Buffer, AppendingReallocatesSeldom) {
  Buffer<int> buffer;
  int moves = 0;
  for (int i = 0; i < 10000; ++i) {
    const int* before = buffer.data();
    buffer.push_back(i);
    moves += buffer.data() != before;
  }
  EXPECT_LT(moves, 40);  // log_1.5(10000) = 23, and the first few sizes grow by one
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(buffer[static_cast<std::size_t>(i)], i);
}

TEST(Buffer, EqualityComparesSizesAndElements) {
  EXPECT_EQ(Buffer<int>{}, Buffer<int>{});
  EXPECT_NE((Buffer<int>{1}), (Buffer<int>{1, 1}));
  EXPECT_NE((Buffer<int>{1}), (Buffer<int>{2}));
}

}  // namespace
}  // namespace selkie
