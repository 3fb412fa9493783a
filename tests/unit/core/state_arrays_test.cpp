// A State seen as named arrays: shapes, hash, poison, growth.
#include "selkie/core/state_arrays.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

namespace selkie::state_arrays_test {

struct Inner {
  Buffer<float> heat;
  std::uint64_t count = 0;
};
constexpr auto describe(Inner*) {
  return Members{member("heat", &Inner::heat, "K", "temperature"),
                 member("count", &Inner::count, "", "how many")};
}
static_assert(complete<Inner>());

struct State {
  Buffer<Eigen::Vector3d> position;
  Buffer<std::int32_t> index;
  Buffer<std::uint8_t> flag;
  double energy = 0;
  Inner inner;
};
constexpr auto describe(State*) {
  return Members{member("position", &State::position, "m", "where"),
                 member("index", &State::index, "", "which"), member("flag", &State::flag, "", "marks"),
                 member("energy", &State::energy, "J", "total"),
                 member("inner", &State::inner, "", "nested")};
}
static_assert(complete<State>());

namespace {

State sample() {
  State s;
  s.position.assign(4, Eigen::Vector3d(1, 2, 3));
  s.index = {7, 8};
  s.flag = {1};
  s.energy = 0.5;
  s.inner.heat.assign(3, 273.0f);
  s.inner.count = 9;
  return s;
}

Hash128 hash(State& s) {
  Hasher hasher;
  add_to_hash(hasher, arrays_of(s));
  return hasher.value();
}

TEST(StateArrays, ListsEveryMemberWithNameShapeAndUnit) {
  State s = sample();
  const std::vector<ArrayRef> arrays = arrays_of(s);
  ASSERT_EQ(arrays.size(), 6u);
  EXPECT_EQ(arrays[0].name, "position");
  EXPECT_EQ(arrays[0].unit, "m");
  EXPECT_EQ(arrays[0].scalar, Scalar::f64);
  EXPECT_EQ(arrays[0].components, 3);
  EXPECT_EQ(arrays[0].count, 4u);
  EXPECT_EQ(arrays[0].bytes(), 96u);
  EXPECT_EQ(arrays[0].data, s.position.data());
  EXPECT_FALSE(arrays[0].is_single);
  EXPECT_EQ(arrays[2].scalar, Scalar::u8);
  EXPECT_EQ(arrays[3].name, "energy");
  EXPECT_TRUE(arrays[3].is_single);
  EXPECT_EQ(arrays[4].name, "inner.heat");
  EXPECT_EQ(arrays[4].scalar, Scalar::f32);
  EXPECT_EQ(arrays[5].name, "inner.count");
  EXPECT_EQ(arrays[5].scalar, Scalar::u64);
}

TEST(StateArrays, ScalarNamesAndSizesAgree) {
  EXPECT_EQ(scalar_name(Scalar::f32), "f32");
  EXPECT_EQ(scalar_size(Scalar::f32), 4u);
  EXPECT_EQ(scalar_name(Scalar::u64), "u64");
  EXPECT_EQ(scalar_size(Scalar::u64), 8u);
  EXPECT_EQ(scalar_name(Scalar::u8), "u8");
  EXPECT_EQ(scalar_size(Scalar::u8), 1u);
}

TEST(StateArrays, HashSeesEveryMember) {
  State base = sample();
  const Hash128 before = hash(base);
  State same = sample();
  EXPECT_EQ(hash(same), before);
  State s = sample();
  s.position[3].z() = 3.0000000000000004;
  EXPECT_NE(hash(s), before);
  s = sample();
  s.index[1] = 9;
  EXPECT_NE(hash(s), before);
  s = sample();
  s.flag[0] = 0;
  EXPECT_NE(hash(s), before);
  s = sample();
  s.energy = -0.5;
  EXPECT_NE(hash(s), before);
  s = sample();
  s.inner.heat.resize(2);
  EXPECT_NE(hash(s), before);
  s = sample();
  s.inner.count = 10;
  EXPECT_NE(hash(s), before);
}

TEST(StateArrays, PoisonSpoilsEveryNumber) {
  State s = sample();
  poison(arrays_of(s));
  for (const auto& p : s.position) EXPECT_TRUE(std::isnan(p.x()) && std::isnan(p.y()) && std::isnan(p.z()));
  for (const float h : s.inner.heat) EXPECT_TRUE(std::isnan(h));
  EXPECT_TRUE(std::isnan(s.energy));
  EXPECT_EQ(s.index[0], 0x7b7b7b7b);
  EXPECT_EQ(s.flag[0], 0x7b);
  EXPECT_EQ(s.inner.count, 0x7b7b7b7b7b7b7b7bull);
}

TEST(StateArrays, EmptyStatesAreFine) {
  State s;
  poison(arrays_of(s));
  EXPECT_EQ(hash(s).hex().size(), 32u);
}

TEST(StateArrays, ResizeGrowsTheMemberAndTheOldViewStaysReadable) {
  State s = sample();
  const ArrayRef old = arrays_of(s)[1];
  old.resize(1000);
  EXPECT_EQ(s.index.size(), 1000u);
  EXPECT_EQ(static_cast<const std::int32_t*>(old.data)[0], 7);  // stale, but not freed
  EXPECT_EQ(arrays_of(s)[1].count, 1000u);
}

}  // namespace
}  // namespace selkie::state_arrays_test
