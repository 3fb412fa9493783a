// Vectors of 3-vectors against plain loops, in both widths: a build for one processor's features uses one of
// them.
#include "selkie/solids/mass_spring/detail/triples.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "selkie/core/random.h"

namespace selkie::mass_spring::detail {
namespace {

template <class V>
class TriplesOf : public testing::Test {};
#if defined(__AVX512F__)
using Widths = testing::Types<Lanes, EightLanes>;
#else
using Widths = testing::Types<Lanes>;
#endif
TYPED_TEST_SUITE(TriplesOf, Widths);

std::vector<double> random_numbers(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, 1);
  std::vector<double> numbers(count);
  for (double& x : numbers) x = random.uniform(-1, 1);
  return numbers;
}

TYPED_TEST(TriplesOf, ProductsAreThoseOfEachVector) {
  constexpr std::size_t n = kLanes<TypeParam>;
  const std::vector<double> a = random_numbers(3 * n, 1), b = random_numbers(3 * n, 2);
  const TypeParam products = dots(load_triples<TypeParam>(a.data()), load_triples<TypeParam>(b.data()));
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_EQ(products[i], a[3 * i] * b[3 * i] + a[3 * i + 1] * b[3 * i + 1] + a[3 * i + 2] * b[3 * i + 2]);
}

TYPED_TEST(TriplesOf, ScaledAndPaddedVectorsLandInTheirPlaces) {
  constexpr std::size_t n = kLanes<TypeParam>;
  const std::vector<double> a = random_numbers(3 * n, 3), b = random_numbers(3 * n, 4),
                            shares = random_numbers(n, 5);
  const auto sum = load_triples<TypeParam>(a.data()) +
                   scaled(load_as<TypeParam>(shares.data()), load_triples<TypeParam>(b.data()));
  std::vector<double> place(4 * n, 10), other(4 * n, 10);
  const Padded<TypeParam> rows = padded(sum);
  add_to(place.data(), rows);
  Padded<TypeParam> twice = rows;
  add_to(twice, rows);
  subtract_from(other.data(), twice);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double expected = a[3 * i + c] + shares[i] * b[3 * i + c];
      EXPECT_EQ(place[4 * i + c], 10 + expected);
      EXPECT_EQ(other[4 * i + c], 10 - (expected + expected));
    }
    EXPECT_EQ(place[4 * i + 3], 10);
    EXPECT_EQ(other[4 * i + 3], 10);
  }
}

TYPED_TEST(TriplesOf, InverseRootsAreAccurateToRoundOff) {
  constexpr std::size_t n = kLanes<TypeParam>;
  for (const double size : {1e-270, 1e-6, 1.0, 1e9, 1e270}) {
    std::vector<double> squares = random_numbers(n, 6);
    for (double& s : squares) s = size * (1.5 + s);
    const TypeParam roots = inverse_sqrt(load_as<TypeParam>(squares.data()));
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(roots[i] * std::sqrt(squares[i]), 1, 1e-15)
          << squares[i];  // Newton's last step rounds twice
  }
}

}  // namespace
}  // namespace selkie::mass_spring::detail
