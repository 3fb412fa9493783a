// Scenes from text for the tests of the scene module.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "selkie/core/error.h"
#include "selkie/scene/scene.h"

namespace selkie::scene::test {

// A sheet of 5 x 5 vertices in the plane y = 0, from -0.5 to 0.5.
inline const std::string kCloth = R"([[mass_spring]]
name = "cloth"
mesh = { sheet = { size = [1, 1], divisions = [4, 4] } }
)";

inline Scene parsed(const std::string& text, const std::vector<std::string>& settings = {}) {
  return parse(text, "s.toml", ".", settings);
}

// What parsing and building refuse, in words; fails the test when they do not.
inline std::string refusal(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    build(parsed(text, settings));
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "not refused:\n" << text;
  return {};
}

}  // namespace selkie::scene::test
