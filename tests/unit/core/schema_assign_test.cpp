// assign() by dotted path, apply_scale(), and the texts a schema gives about itself.
#include <gtest/gtest.h>

#include <cctype>

#include "selkie/core/schema.h"
#include "unit/core/schema_example.h"

namespace selkie::schema_test {
namespace {

const Type& kType = type_of<Params>();

Params sample() {
  Params p;
  p.shape.box = Box{};
  p.balls = {Ball{3}, Ball{2}};
  return p;
}

std::string refusal(Params& p, std::string_view path, decltype(Value::data) data, bool live_only = false) {
  try {
    assign(kType, &p, path, Value{std::move(data)}, live_only);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SchemaAssign, ReachesMembersElementsAndOptionals) {
  Params p = sample();
  EXPECT_EQ(refusal(p, "stiffness", 7.0), "accepted");
  EXPECT_EQ(refusal(p, "balls.1.radius", 1.5), "accepted");
  EXPECT_EQ(refusal(p, "shape.box.divisions",
                    ValueArray{Value{std::int64_t{2}}, Value{std::int64_t{3}}, Value{std::int64_t{4}}}),
            "accepted");
  EXPECT_EQ(refusal(p, "limit", 2.0), "accepted");
  EXPECT_EQ(refusal(p, "end", 8.0), "accepted");
  EXPECT_EQ(p.stiffness, 7);
  EXPECT_EQ(p.balls[1].radius, 1.5);
  EXPECT_EQ(p.shape.box->divisions, (std::array<int, 3>{2, 3, 4}));
  EXPECT_EQ(p.limit, 2.0);
  EXPECT_EQ(p.times.end, 8);
}

TEST(SchemaAssign, SettingAMemberOfAnAbsentTableMakesTheTable) {
  Params p;
  EXPECT_EQ(refusal(p, "shape.ball.radius", 0.25), "accepted");
  ASSERT_TRUE(p.shape.ball);
  EXPECT_EQ(p.shape.ball->radius, 0.25);
}

TEST(SchemaAssign, RefusesWithTheSameWordsAsReading) {
  Params p = sample();
  EXPECT_EQ(refusal(p, "stifness", 1.0).find("unknown key 'stifness'\n  did you mean 'stiffness'?"), 0u);
  EXPECT_EQ(refusal(p, "shape.box.sise", 1.0),
            "unknown key 'sise' in 'shape.box'\n  did you mean 'size'? Known: size or divisions");
  EXPECT_EQ(refusal(p, "stiffness", -1.0),
            "'stiffness' is -1, which is out of range\n  use a value of at least 0 N/m");
  EXPECT_EQ(refusal(p, "balls.2.radius", 1.0),
            "'balls' has no element '2'\n  it holds 2 element(s), counted from 0");
  EXPECT_NE(refusal(p, "balls.99999999999999999999.radius", 1.0).find("has no element"), std::string::npos);
  EXPECT_NE(refusal(p, "balls.x.radius", 1.0).find("has no element 'x'"), std::string::npos);
  EXPECT_EQ(refusal(p, "stiffness.x", 1.0),
            "unknown key 'x' in 'stiffness'\n  'stiffness' has no keys of its own");
  EXPECT_NE(refusal(p, "balls.", 1.0), "accepted");
  EXPECT_NE(refusal(p, ".stiffness", 1.0), "accepted");
}

TEST(SchemaAssign, ChecksTheRulesOfEveryEnclosingTable) {
  Params p = sample();
  EXPECT_EQ(refusal(p, "end", -1.0), "'end' lies before begin\n  exchange the two");
  EXPECT_EQ(refusal(p, "balls.1.radius", 9.0), "'balls[1].radius' exceeds that of the first");
  EXPECT_EQ(refusal(p, "shape.ball.radius", 1.0),
            "'shape' must hold exactly one key, but holds 2\n  choose one of ball or box");
}

TEST(SchemaAssign, ARefusedValueLeavesNoTrace) {
  Params p = sample();
  refusal(p, "end", -1.0);
  refusal(p, "shape.ball.radius", 1.0);
  refusal(p, "weights", ValueArray{Value{1.0}, Value{-1.0}});
  refusal(p, "limit", -3.0);
  EXPECT_EQ(p, sample());
}

TEST(SchemaAssign, LiveOnlyRefusesWhatNeedsARestart) {
  Params p = sample();
  EXPECT_EQ(refusal(p, "cells", std::int64_t{9}, true),
            "'cells' cannot change while the world runs\n  set it in the scene and start again");
  EXPECT_EQ(p.cells, 8);
  EXPECT_EQ(refusal(p, "stiffness", 3.0, true), "accepted");
  EXPECT_EQ(refusal(p, "balls.0.radius", 4.0, true), "accepted");
}

TEST(SchemaScale, MultipliesResolutionCountsOnly) {
  Params p = sample();
  p.shape.box->divisions = {4, 5, 7};
  apply_scale(kType, &p, 1.5);
  EXPECT_EQ(p.cells, 12);
  EXPECT_EQ(p.shape.box->divisions, (std::array<int, 3>{6, 8, 11})) << "7.5 and 10.5 round away from zero";
  EXPECT_EQ(p.seed, 1);
  EXPECT_EQ(p.stiffness, 100);
}

TEST(SchemaScale, KeepsTheLowerBoundAndRefusesTheUpper) {
  Params p = sample();
  apply_scale(kType, &p, 0.01);
  EXPECT_EQ(p.cells, 1);
  EXPECT_EQ(p.shape.box->divisions, (std::array<int, 3>{2, 2, 2}));
  p.cells = 100;
  EXPECT_THROW(apply_scale(kType, &p, 6), InputError);
}

TEST(SchemaText, NamesEveryKind) {
  auto text = [](const char* name) { return type_text(*kType.find(name)->type); };
  EXPECT_EQ(text("stiffness"), "number");
  EXPECT_EQ(text("cells"), "whole number");
  EXPECT_EQ(text("enabled"), "true or false");
  EXPECT_EQ(text("name"), "text");
  EXPECT_EQ(text("method"), "one of explicit-euler, implicit-euler or newmark");
  EXPECT_EQ(text("gravity"), "3 numbers");
  EXPECT_EQ(text("weights"), "list of: number");
  EXPECT_EQ(text("balls"), "list of: table");
  EXPECT_EQ(text("limit"), "number");
  EXPECT_EQ(text("shape"), "table with one of the keys ball or box");
}

// Consumes one JSON value of `text` from `at`; false when it is none. Numbers are taken loosely.
bool skip_json(const std::string& text, std::size_t& at) {
  auto blank = [&] {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  };
  auto string = [&] {
    if (text[at++] != '"') return false;
    for (; at < text.size() && text[at] != '"'; ++at)
      if (text[at] == '\\') ++at;
    return at++ < text.size();
  };
  auto sequence = [&](char close, bool keyed) {
    ++at, blank();
    if (text[at] == close) return ++at, true;
    for (;;) {
      blank();
      if (keyed) {
        if (!string()) return false;
        blank();
        if (text[at++] != ':') return false;
      }
      if (!skip_json(text, at)) return false;
      blank();
      if (text[at] == close) return ++at, true;
      if (text[at++] != ',') return false;
    }
  };
  blank();
  if (at >= text.size()) return false;
  if (text[at] == '{') return sequence('}', true);
  if (text[at] == '[') return sequence(']', false);
  if (text[at] == '"') return string();
  for (const std::string_view word : {"true", "false", "null"})
    if (text.compare(at, word.size(), word) == 0) return at += word.size(), true;
  const std::size_t end = text.find_first_not_of("0123456789+-.eE", at);
  const bool some = end != at;
  at = end == text.npos ? text.size() : end;
  return some;
}

TEST(JsonSchema, IsValidJson) {
  const std::string text = to_json(json_schema(kType));
  std::size_t at = 0;
  EXPECT_TRUE(skip_json(text, at));
  EXPECT_EQ(at, text.size());
}

TEST(JsonSchema, CarriesRangesDefaultsUnitsAndRequirements) {
  const Value schema = json_schema(kType);
  const Value& properties = *schema.find("properties");
  auto json = [](const Value* v) { return v ? to_json(*v, 0) : "absent"; };
  EXPECT_EQ(json(schema.find("required")), R"(["name"])");
  EXPECT_EQ(json(schema.find("additionalProperties")), "false");
  EXPECT_EQ(json(properties.find("stiffness")),
            R"({"type": "number","description": "Hooke constant [N/m]","minimum": 0,"default": 100})");
  EXPECT_EQ(json(properties.find("damping")),
            R"({"type": "number","description": "velocity decay [1/s]","exclusiveMinimum": 0,"maximum": 10,)"
            R"("default": 0.5})");
  EXPECT_EQ(json(properties.find("method")->find("enum")),
            R"(["explicit-euler","implicit-euler","newmark"])");
  EXPECT_EQ(json(properties.find("gravity")->find("minItems")), "3");
  EXPECT_EQ(json(properties.find("shape")->find("maxProperties")), "1");
  EXPECT_EQ(json(properties.find("shape")->find("default")), "absent") << "an unset choice is no valid value";
  EXPECT_EQ(json(properties.find("begin")->find("type")), R"("number")") << "inlined";
  EXPECT_EQ(json(properties.find("name")->find("default")), "absent") << "required keys have none";
}

}  // namespace
}  // namespace selkie::schema_test
