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
  return Members{member("a", &Whole::a, "m", "first").between(0, 1).live(),
                 member("b", &Whole::b, "", "second").above(2).scaled().required()};
}
static_assert(complete<Whole>());

struct Forgetful {
  double a = 1;
  double forgotten = 0;
};
constexpr auto describe(Forgetful*) { return Members{member("a", &Forgetful::a, "", "first")}; }
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
  return Members{member("text", &Mixed::text, "", ""),
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
constexpr auto describe(Empty*) { return Members{}; }
static_assert(complete<Empty>());

static_assert(Described<Whole> && !Described<double> && !Described<std::string>);

TEST(Describe, CarriesWhatWasSaidAboutAMember) {
  int seen = 0;
  each_member<Whole>([&](const auto& m) {
    ++seen;
    if (m.name == "a") {
      EXPECT_EQ(m.unit, "m");
      EXPECT_EQ(m.lo, 0);
      EXPECT_EQ(m.hi, 1);
      EXPECT_TRUE(m.is_live);
      EXPECT_FALSE(m.is_scaled || m.is_required || m.lo_open);
    } else {
      EXPECT_EQ(m.name, "b");
      EXPECT_TRUE(m.lo_open && m.is_scaled && m.is_required);
      EXPECT_FALSE(m.is_live);
    }
  });
  EXPECT_EQ(seen, 2);
}

TEST(Describe, VisitsMembersInOrder) {
  std::string names;
  each_member<Mixed>([&](const auto& m) { names += std::string(m.name) + " "; });
  EXPECT_EQ(names, "text list tables maybe maybe_table vector pair buffer whole flag ");
}

}  // namespace selkie::describe_test
