// What a surface of water may show besides itself. Apart from the system, so that scene descriptions need not
// include the solver.
#pragma once

#include <array>
#include <string_view>

namespace selkie::sim {

// [SW-45]
enum class SurfaceView {
  mesh,
  bottom,             // of the water
  velocity,           // of faces
  vertex_velocity,    // one arrow per face around a vertex
  acceleration,       // inertia at vertices
  face_acceleration,  // along the surface, of the last step
  traces,             // where the water of each face was, through the velocities on its way
  straight_traces,    // the same with the velocity it has now, turned along [SW-18]
  vertex_traces,      // as traces, from the vertices
  skeleton
};
constexpr auto describe(SurfaceView*) {
  return std::array<std::string_view, 10>{
      "mesh",   "bottom",          "velocity",      "vertex-velocity", "acceleration", "face-acceleration",
      "traces", "straight-traces", "vertex-traces", "skeleton"};
}

}  // namespace selkie::sim
