// Reading, writing and changing described structs: every kind, every refusal with its words and place.
#include "selkie/core/schema.h"

#include <gtest/gtest.h>

#include <limits>

#include "unit/core/schema_example.h"

namespace selkie::schema_test {
namespace {

const Type& kType = type_of<Params>();

Params read_params(const Value& value, const std::string& path = "body") {
  Params params;
  read(kType, value, &params, path);
  return params;
}

// The message of the InputError that `action` throws.
template <class Action>
std::string refusal(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}
std::string refusal_of(const char* key, decltype(Value::data) data) {
  const Value value = valid().set(key, std::move(data)).value();
  return refusal([&] { read_params(value); });
}
Value number(double x) { return Value{x}; }

TEST(SchemaRead, LeavesDefaultsWhereNothingIsWritten) {
  Params expected;
  expected.name = "sheet";
  expected.shape.ball = Ball{0.5};
  EXPECT_EQ(read_params(valid().value()), expected);
}

TEST(SchemaRead, TakesEveryKind) {
  Value ball;
  ball["radius"].data = 2.0;
  const Params p = read_params(valid()
                                   .set("stiffness", std::int64_t{250})
                                   .set("cells", std::int64_t{64})
                                   .set("seed", std::int64_t{1} << 60)
                                   .set("enabled", false)
                                   .set("method", std::string("newmark"))
                                   .set("gravity", ValueArray{number(1), number(2), Value{std::int64_t{3}}})
                                   .set("weights", ValueArray{number(4)})
                                   .set("balls", ValueArray{ball})
                                   .set("limit", 3.5)
                                   .set("begin", 2.0)
                                   .set("end", 3.0)
                                   .set("damping", 10.0)
                                   .value());
  EXPECT_EQ(p.stiffness, 250);
  EXPECT_EQ(p.cells, 64);
  EXPECT_EQ(p.seed, std::int64_t{1} << 60);
  EXPECT_FALSE(p.enabled);
  EXPECT_EQ(p.method, Method::newmark);
  EXPECT_EQ(p.gravity, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(p.weights, std::vector<double>{4});
  EXPECT_EQ(p.balls, std::vector<Ball>{Ball{2.0}});
  EXPECT_EQ(p.limit, 3.5);
  EXPECT_EQ(p.times, (Times{2, 3}));
  EXPECT_EQ(p.damping, 10);
}

TEST(SchemaRead, AWholeNumberMayBeWrittenWithAPoint) {
  EXPECT_EQ(read_params(valid().set("cells", 16.0).value()).cells, 16);
}

TEST(SchemaRead, AnUnknownKeyIsRefusedAtItsPlaceWithTheNearestKnown) {
  const std::string text = refusal_of("stifness", 1.0);
  EXPECT_EQ(
      text.find("s.toml:4:1: unknown key 'stifness' in 'body'\n  did you mean 'stiffness'? Known: name, "),
      0u)
      << text;
  const std::string far = refusal_of("colour", 1.0);
  EXPECT_NE(far.find("unknown key 'colour'"), far.npos);
  EXPECT_EQ(far.find("did you mean"), far.npos);
  EXPECT_EQ(refusal_of("times", 1.0).find("s.toml:4:1: unknown key 'times'"), 0u)
      << "inlined members have no table";
}

TEST(SchemaRead, WrongTypesAreRefusedByName) {
  EXPECT_EQ(refusal_of("stiffness", std::string("high")),
            "s.toml:4:9: 'body.stiffness' must be a number, but is the text \"high\"");
  EXPECT_EQ(refusal_of("cells", 1.5), "s.toml:4:9: 'body.cells' must be a whole number, but is 1.5");
  EXPECT_EQ(refusal_of("cells", true), "s.toml:4:9: 'body.cells' must be a whole number, but is true");
  EXPECT_EQ(refusal_of("enabled", std::int64_t{1}),
            "s.toml:4:9: 'body.enabled' must be true or false, but is 1");
  EXPECT_EQ(refusal_of("name", 1.0), "s.toml:4:9: 'body.name' must be a piece of text, but is 1");
  EXPECT_EQ(refusal_of("weights", 1.0), "s.toml:4:9: 'body.weights' must be a list, but is 1");
  EXPECT_EQ(refusal_of("gravity", 1.0), "s.toml:4:9: 'body.gravity' must be a list of 3 numbers, but is 1");
  EXPECT_EQ(refusal_of("gravity", ValueArray{number(1)}),
            "s.toml:4:9: 'body.gravity' must be a list of 3 numbers, but has 1");
  EXPECT_EQ(refusal_of("method", 2.0),
            "s.toml:4:9: 'body.method' must be one of explicit-euler, implicit-euler or newmark (as text), "
            "but is 2");
  EXPECT_EQ(refusal_of("shape", 1.0), "s.toml:4:9: 'body.shape' must be a table, but is 1");
  EXPECT_NE(refusal_of("balls", ValueArray{number(1)}).find("'body.balls[0]' must be a table, but is 1"),
            std::string::npos);
}

TEST(SchemaRead, ValuesOutOfRangeAreRefusedWithTheRangeAndItsUnit) {
  EXPECT_EQ(refusal_of("stiffness", -1.0),
            "s.toml:4:9: 'body.stiffness' is -1, which is out of range\n  use a value of at least 0 N/m");
  EXPECT_EQ(refusal_of("stiffness", 0.0), "accepted");
  EXPECT_EQ(refusal_of("limit", 0.0),
            "s.toml:4:9: 'body.limit' is 0, which is out of range\n  use a value greater than 0 m/s");
  EXPECT_EQ(refusal_of("damping", 10.5),
            "s.toml:4:9: 'body.damping' is 10.5, which is out of range\n"
            "  use a value greater than 0 and at most 10 1/s");
  EXPECT_EQ(refusal_of("cells", std::int64_t{513}),
            "s.toml:4:9: 'body.cells' is 513, which is out of range\n  use a value from 1 to 512");
  EXPECT_NE(refusal_of("weights", ValueArray{number(1), number(-2)}).find("'body.weights[1]' is -2"),
            std::string::npos);
  EXPECT_NE(
      refusal_of("gravity", ValueArray{number(0), number(-200), number(0)}).find("'body.gravity[1]' is -200"),
      std::string::npos);
}

TEST(SchemaRead, NanAndInfinityAreRefusedEverywhere) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()})
    for (const char* key : {"stiffness", "begin", "cells", "seed", "limit"})
      EXPECT_NE(refusal_of(key, bad), "accepted") << key << " " << bad;
}

TEST(SchemaRead, WholeNumbersThatDoNotFitAreRefused) {
  EXPECT_NE(refusal_of("seed", 0x1p63).find("does not fit"), std::string::npos);
  EXPECT_NE(refusal_of("seed", 1e300).find("does not fit"), std::string::npos);
  EXPECT_EQ(refusal_of("seed", -0x1p63), "accepted");
  EXPECT_EQ(refusal_of("seed", std::numeric_limits<std::int64_t>::max()), "accepted");
}

TEST(SchemaRead, AnUnknownChoiceSuggestsTheNearest) {
  EXPECT_EQ(refusal_of("method", std::string("newmrk")),
            "s.toml:4:9: 'body.method' does not know \"newmrk\"\n"
            "  did you mean \"newmark\"? Known: explicit-euler, implicit-euler or newmark");
}

TEST(SchemaRead, OneOfTakesExactlyOneKey) {
  Value both;
  both["ball"]["radius"].data = 1.0;
  both["box"].data = ValueTable{};
  const std::string text = refusal(
      [&] { read_params(TableBuilder().set("name", std::string("x")).set("shape", both.data).value()); });
  EXPECT_EQ(text,
            "s.toml:3:9: 'body.shape' must hold exactly one key, but holds 2\n  choose one of ball or box");
  const std::string none = refusal(
      [&] { read_params(TableBuilder().set("name", std::string("x")).set("shape", ValueTable{}).value()); });
  EXPECT_NE(none.find("must hold exactly one key, but holds 0"), none.npos);
}

TEST(SchemaRead, AMissingRequiredKeyIsNamedWithItsText) {
  EXPECT_EQ(refusal([] { read_params(TableBuilder().value()); }),
            "s.toml:1:1: 'body' lacks the key 'name'\n  add 'name': what the log calls it");
  EXPECT_EQ(refusal([] { read_params(TableBuilder().value(), ""); }),
            "s.toml:1:1: the table lacks the key 'name'\n  add 'name': what the log calls it");
}

TEST(SchemaRead, AListReplacesItsDefaultAndEarlierContents) {
  Params p;
  p.balls = {Ball{7}, Ball{6}};
  Value value = valid().set("balls", ValueArray{Value{ValueTable{}}}).value();
  read(kType, value, &p, "body");
  EXPECT_EQ(p.balls, std::vector<Ball>{Ball{1}}) << "elements start from their defaults";
}

TEST(SchemaValidate, ReportsAtTheMembersPlace) {
  EXPECT_EQ(refusal_of("weights", ValueArray(4, number(1))),
            "s.toml:4:9: 'body.weights' has more than 3 entries\n  remove some");
  const auto file = std::make_shared<const std::string>("s.toml");
  Value small, large;
  small["radius"].data = 1.0, large["radius"] = Value{2.0, {file, 42, 5}};
  EXPECT_EQ(refusal_of("balls", ValueArray{small, large}),
            "s.toml:42:5: 'body.balls[1].radius' exceeds that of the first");
}

TEST(SchemaValidate, RulesOfInlinedStructsHoldInTheOuterTable) {
  EXPECT_EQ(refusal_of("end", -1.0), "s.toml:4:9: 'body.end' lies before begin\n  exchange the two");
  // Only `begin` is written: the nearest enclosing thing that has a place is the table.
  EXPECT_EQ(refusal_of("begin", 5.0), "s.toml:1:1: 'body.end' lies before begin\n  exchange the two");
}

TEST(SchemaWrite, ReadsBackToAnEqualObject) {
  Params p;
  p.name = "a \"b\"";
  p.stiffness = 1 / 3.0;
  p.seed = -(std::int64_t{1} << 62);
  p.enabled = false;
  p.method = Method::explicit_euler;
  p.gravity = {1e-300, -7, 0.1};
  p.weights = {};
  p.balls = {Ball{2}, Ball{1}};
  p.limit = 0.25;
  p.shape.box = Box{{1, 2, 3}, {5, 6, 7}};
  p.times = {-1, 4};
  EXPECT_EQ(read_params(write(kType, &p)), p);
  p.limit.reset();
  const Value written = write(kType, &p);
  EXPECT_EQ(written.find("limit"), nullptr) << "an empty optional is left out";
  EXPECT_EQ(read_params(written), p);
}

TEST(SchemaWrite, WritingTwiceGivesTheSameText) {
  const Params p = read_params(valid().value());
  const Value once = write(kType, &p);
  const Params again = read_params(once);
  EXPECT_EQ(to_json(once), to_json(write(kType, &again)));
}

}  // namespace
}  // namespace selkie::schema_test
