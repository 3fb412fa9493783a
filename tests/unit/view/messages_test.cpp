// What clients may say, and what is told about parameters.
#include "selkie/view/messages.h"

#include <gtest/gtest.h>

#include "decode.h"
#include "selkie/core/error.h"
#include "selkie/solids/mass_spring/params.h"
#include "selkie/view/access.h"

namespace selkie::view {
namespace {

TEST(Messages, ACommandIsReadWithItsIdAndKeys) {
  const Request request = parse_request(
      R"({"type": "event", "id": 7, "system": "cloth", "action": "grab", "arguments": {"point": [0, 1.5, 2]}})");
  ASSERT_FALSE(request.refusal);
  EXPECT_EQ(request.id, 7);
  const Command& command = std::get<Command>(request.what);
  EXPECT_EQ(command.kind, CommandKind::event);
  EXPECT_EQ(command.path_or_action, "grab");
  EXPECT_EQ(command.value.find("point")->array()[1].number(), 1.5);
}

TEST(Messages, WhatIsNoObjectOfAKnownTypeIsMalformed) {
  for (const char* text :
       {"", "{", "[1]", "7", "null", "{}", R"({"type": 3})", R"({"type": "explode"})",
        R"({"type": "play", "id": "x"})", "{\"type\": \"\xff\"}", R"({"type": "speed", "factor": 1e999})"}) {
    const Request request = parse_request(text);
    EXPECT_TRUE(request.malformed) << text;
    EXPECT_TRUE(request.refusal) << text;
  }
}

TEST(Messages, MissingAndWrongKeysAreRefusedWithTheId) {
  for (const char* text :
       {R"({"type": "seek", "id": 1})", R"({"type": "seek", "id": 1, "frame": 1.5})",
        R"({"type": "open", "id": 1, "scene": 3})", R"({"type": "speed", "id": 1, "factor": "fast"})",
        R"({"type": "set", "id": 1, "system": "a", "path": "b"})",
        R"({"type": "set", "id": 1, "system": "a", "path": "b", "value": null})",
        R"({"type": "event", "id": 1, "system": "a", "action": "b", "arguments": [1]})",
        R"({"type": "event", "id": 1, "system": "a", "action": "b", "arguments": {"x": [null]}})",
        R"({"type": "ack", "id": 1})"}) {
    const Request request = parse_request(text);
    EXPECT_FALSE(request.malformed) << text;
    ASSERT_TRUE(request.refusal) << text;
    EXPECT_EQ(request.id, 1) << text;
    EXPECT_NE(reply_text(request.id, *request.refusal).find("\"error\""), std::string::npos);
  }
}

TEST(Messages, DeepNestingIsRefusedWithoutRecursion) {
  EXPECT_THROW(parse_json(std::string(30000, '[') + std::string(30000, ']')), InputError);
  EXPECT_THROW(parse_json(std::string(30000, '[')), InputError);
  EXPECT_NO_THROW(parse_json("[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]"));
}

TEST(Messages, ALongEventIsRefused) {
  const Request request =
      parse_request(R"({"type": "event", "system": "a", "action": "b", "arguments": {"x": ")" +
                    std::string(5000, 'x') + "\"}}");
  EXPECT_TRUE(request.refusal);
}

TEST(Messages, ParametersSayPathKindRangeChoicesAndValue) {
  mass_spring::Params params;
  params.stiffness = 123;
  const ValueArray list = parameter_list(type_of<mass_spring::Params>(), &params);
  const Value* stiffness = nullptr;
  const Value* integrator = nullptr;
  for (const Value& entry : list) {
    if (text_at(entry, "path") == "stiffness") stiffness = &entry;
    if (text_at(entry, "path") == "integrator") integrator = &entry;
  }
  ASSERT_TRUE(stiffness && integrator);
  EXPECT_EQ(stiffness->find("value")->number(), 123);
  EXPECT_EQ(stiffness->find("lo")->number(), 0);
  EXPECT_FALSE(stiffness->find("hi"));  // there is no bound
  EXPECT_EQ(text_at(*stiffness, "unit"), "N/m");
  EXPECT_TRUE(std::get<bool>(stiffness->find("live")->data));
  EXPECT_EQ(text_at(*integrator, "kind"), "choice");
  EXPECT_EQ(integrator->find("choices")->array().size(), 11u);
  EXPECT_TRUE(find_parameter(type_of<mass_spring::Params>(), "drag"));
  EXPECT_FALSE(find_parameter(type_of<mass_spring::Params>(), "drag.deeper"));
  EXPECT_FALSE(find_parameter(type_of<mass_spring::Params>(), "mesh.file"));
}

TEST(Access, OnlyNamesOfThisServerAreItsHost) {
  EXPECT_TRUE(is_own_host("127.0.0.1:8765", "127.0.0.1", "127.0.0.1", 8765));
  EXPECT_TRUE(is_own_host("LOCALHOST:8765", "127.0.0.1", "127.0.0.1", 8765));
  EXPECT_TRUE(is_own_host("192.168.1.5:8765", "0.0.0.0", "192.168.1.5", 8765));
  EXPECT_TRUE(is_own_host("[fe80::1]:8765", "::", "fe80::1", 8765));
  EXPECT_FALSE(is_own_host("evil.example:8765", "0.0.0.0", "192.168.1.5", 8765));
  EXPECT_FALSE(is_own_host("127.0.0.1:80", "127.0.0.1", "127.0.0.1", 8765));
  EXPECT_FALSE(is_own_host("127.0.0.1", "127.0.0.1", "127.0.0.1", 8765));
  EXPECT_FALSE(is_own_host("", "", "", 8765));
}

TEST(Access, OriginTokenAndTargetAreComparedWhole) {
  EXPECT_TRUE(is_own_origin("http://127.0.0.1:8765", "127.0.0.1:8765"));
  EXPECT_TRUE(is_own_origin("", "127.0.0.1:8765"));
  EXPECT_FALSE(is_own_origin("http://127.0.0.1:8765.evil.example", "127.0.0.1:8765"));
  EXPECT_FALSE(is_own_origin("https://127.0.0.1:8765", "127.0.0.1:8765"));
  EXPECT_FALSE(is_own_origin("null", "127.0.0.1:8765"));
  EXPECT_EQ(token_of("/ws?a=b&token=12&c"), "12");
  EXPECT_EQ(token_of("/ws?mytoken=12"), "");
  EXPECT_EQ(path_of("/ws?token=1"), "/ws");
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
  const std::string token = make_token();
  EXPECT_EQ(token.size(), 32u);
  EXPECT_NE(token, make_token());
}

}  // namespace
}  // namespace selkie::view
