// complete<T>() counts the members of a struct at compile time, whatever their types.
#include "selkie/core/describe.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "selkie/core/buffer.h"

namespace selkie::describe_test {

struct Whole {
  double a = 1;
  int b = 2;
};
constexpr auto describe(Whole*) {
  return std::tuple{member("a", &Whole::a, "m", "first").between(0, 1).live(),
                    member("b", &Whole::b, "", "second").above(2).scaled().required()};
}
static_assert(complete<Whole>());

struct Forgetful {
  double a = 1;
  double forgotten = 0;
};
constexpr auto describe(Forgetful*) { return std::tuple{member("a", &Forgetful::a, "", "first")}; }
static_assert(!complete<Forgetful>(), "a forgotten member must be noticed");

struct Mixed {
  std::string text;
  std::vector<double> list;
  std::vector<Whole> tables;
  std::optional<double> maybe;
  std::optional<Whole> maybe_table;
  Eigen::Vector3d vector;
  std::array<int, 2> pair;
  Buffer<Eigen::Vector3d> buffer;
  Whole whole;
  bool flag;
};
constexpr auto describe(Mixed*) {
  return std::tuple{member("text", &Mixed::text, "", ""),
                    member("list", &Mixed::list, "", ""),
                    member("tables", &Mixed::tables, "", ""),
                    member("maybe", &Mixed::maybe, "", ""),
                    member("maybe_table", &Mixed::maybe_table, "", ""),
                    member("vector", &Mixed::vector, "", ""),
                    member("pair", &Mixed::pair, "", ""),
                    member("buffer", &Mixed::buffer, "", ""),
                    member("whole", &Mixed::whole, "", ""),
                    member("flag", &Mixed::flag, "", "")};
}
static_assert(complete<Mixed>());

struct Empty {};
constexpr auto describe(Empty*) { return std::tuple{}; }
static_assert(complete<Empty>());

static_assert(Described<Whole> && !Described<double> && !Described<std::string>);

TEST(Describe, CarriesWhatWasSaidAboutAMember) {
  constexpr auto members = describe(static_cast<Whole*>(nullptr));
  constexpr auto a = std::get<0>(members);
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.unit, "m");
  EXPECT_EQ(a.lo, 0);
  EXPECT_EQ(a.hi, 1);
  EXPECT_TRUE(a.is_live);
  EXPECT_FALSE(a.is_scaled || a.is_required || a.lo_open);
  constexpr auto b = std::get<1>(members);
  EXPECT_TRUE(b.lo_open && b.is_scaled && b.is_required);
  EXPECT_FALSE(b.is_live);
}

TEST(Describe, VisitsMembersInOrder) {
  std::string names;
  each_member<Mixed>([&](const auto& m) { names += std::string(m.name) + " "; });
  EXPECT_EQ(names, "text list tables maybe maybe_table vector pair buffer whole flag ");
}

}  // namespace selkie::describe_test
