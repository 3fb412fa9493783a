// The numbers that a fluid is computed with, as a scene chooses them.
#pragma once

#include <array>
#include <string_view>

namespace selkie::scene {

enum class Precision { single, twofold };
constexpr auto describe(Precision*) { return std::array<std::string_view, 2>{"float", "double"}; }

}  // namespace selkie::scene
