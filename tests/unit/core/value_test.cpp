// The value tree: access, kinds, JSON and TOML texts.
#include "selkie/core/value.h"

#include <gtest/gtest.h>

#include <limits>

namespace selkie {
namespace {

Value text(const char* s) { return Value{std::string(s)}; }

Value sample() {
  Value root;
  root["name"] = text("a \"quoted\"\\ line\n");
  root["frames"].data = std::int64_t{90};
  root["scene"]["gravity"].data = ValueArray{Value{0.0}, Value{-9.81}, Value{std::int64_t{0}}};
  root["scene"]["strict"].data = true;
  Value first, second;
  first["name"] = text("left"), second["name"] = text("right");
  second["box"]["size"].data = 1e-7;
  root["body"].data = ValueArray{first, second};
  return root;
}

TEST(Value, FindsKeysAndMakesThemOnDemand) {
  Value root;
  EXPECT_EQ(root.find("a"), nullptr);
  root["a"]["b"].data = 2.5;
  ASSERT_NE(root.find("a"), nullptr);
  EXPECT_EQ(root.find("a")->find("b")->number(), 2.5);
  EXPECT_EQ(root.find("a")->find("c"), nullptr);
  EXPECT_EQ(root.find("a")->find("b")->find("c"), nullptr) << "a number has no keys";
  root["a"]["b"].data = std::int64_t{3};
  EXPECT_EQ(root["a"].table().size(), 1u) << "an existing key is not made twice";
}

TEST(Value, KeepsTheOrderOfItsKeys) {
  Value root;
  for (const char* key : {"z", "a", "m"}) root[key].data = 1.0;
  EXPECT_EQ(to_json(root, 0), R"({"z": 1,"a": 1,"m": 1})");
}

TEST(Value, NamesItsKind) {
  EXPECT_EQ(Value{}.kind_name(), "nothing");
  EXPECT_EQ(Value{true}.kind_name(), "true or false");
  EXPECT_EQ(Value{std::int64_t{1}}.kind_name(), "a whole number");
  EXPECT_EQ(Value{1.5}.kind_name(), "a number");
  EXPECT_EQ(text("x").kind_name(), "a piece of text");
  EXPECT_EQ(Value{ValueArray{}}.kind_name(), "a list");
  EXPECT_EQ(Value{ValueTable{}}.kind_name(), "a table");
}

TEST(Value, KnowsWhereItCameFrom) {
  const Place place{std::make_shared<const std::string>("a.toml"), 3, 7};
  EXPECT_EQ(place.location().text(), "a.toml:3:7");
  EXPECT_EQ(Place{}.location().text(), "");
}

TEST(ToJson, WritesEveryKind) {
  Value root;
  root["nothing"];
  root["yes"].data = true;
  root["whole"].data = std::int64_t{-3};
  root["real"].data = 0.1;
  root["infinite"].data = std::numeric_limits<double>::infinity();
  root["text"] = text("tab\t \x01 \"q\" \\");
  root["none"].data = ValueArray{};
  root["empty"].data = ValueTable{};
  root["list"].data = ValueArray{Value{1.0}, Value{false}};
  EXPECT_EQ(to_json(root, 0), R"({"nothing": null,"yes": true,"whole": -3,"real": 0.1,"infinite": null,)"
                              R"("text": "tab\t \u0001 \"q\" \\","none": [],"empty": {},"list": [1,false]})");
}

TEST(ToJson, IndentsNestedTables) {
  Value root;
  root["a"]["b"].data = ValueArray{Value{std::int64_t{1}}};
  EXPECT_EQ(to_json(root), "{\n  \"a\": {\n    \"b\": [\n      1\n    ]\n  }\n}");
}

TEST(ToToml, PutsPlainKeysFirstThenTablesAndListsOfTables) {
  EXPECT_EQ(to_toml(sample()), R"(name = "a \"quoted\"\\ line\n"
frames = 90

[scene]
gravity = [0.0, -9.81, 0]
strict = true

[[body]]
name = "left"

[[body]]
name = "right"
box = { size = 1e-07 }
)");
}

TEST(ToToml, KeepsPlainKeysOutOfTheTablesBeforeThem) {
  Value root;
  root["table"]["x"].data = 1.0;
  root["plain"].data = 2.0;
  EXPECT_EQ(to_toml(root), "plain = 2.0\n\n[table]\nx = 1.0\n");
}

TEST(ToToml, QuotesUnusualKeysAndWritesSpecialNumbers) {
  Value root;
  root["a key"].data = std::numeric_limits<double>::quiet_NaN();
  root["b"].data = -std::numeric_limits<double>::infinity();
  root["c"].data = 1e300;
  root["d"].data = ValueArray{};
  root["e"].data = ValueArray{Value{ValueTable{}}, Value{1.0}};
  EXPECT_EQ(to_toml(root), "\"a key\" = nan\nb = -inf\nc = 1e+300\nd = []\ne = [{}, 1.0]\n");
}

}  // namespace
}  // namespace selkie
