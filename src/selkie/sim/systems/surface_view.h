// What a surface of water may show besides itself. Apart from the system, so that scene descriptions need not
// include the solver.
#pragma once

#include <array>
#include <string_view>

namespace selkie::sim {

// [SW-45]
enum class SurfaceView { mesh, velocity, vertex_velocity, acceleration, traces, skeleton };
constexpr auto describe(SurfaceView*) {
  return std::array<std::string_view, 6>{"mesh",         "velocity", "vertex-velocity",
                                         "acceleration", "traces",   "skeleton"};
}

}  // namespace selkie::sim
