// Model and State of water on a surface.
#pragma once

#include <cstdint>

#include "selkie/core/buffer.h"
#include "selkie/core/describe.h"
#include "selkie/fluids/surface_water/metric.h"
#include "selkie/fluids/surface_water/params.h"

namespace selkie::surface_water {

// Fixed once built. Vertices are renumbered so that neighbours stand close in memory.
struct Model {
  Complex complex;
  std::vector<std::uint32_t> original;  // number of each vertex in the mesh it was made from
  Buffer<Vec3> rest;                    // m, positions the mesh was made with
  Buffer<double> bottom;                // m, H: depth of the bottom below the mesh
  Metric metric;                        // of the rest positions
  double least_angle = 0;               // rad, that `metric` was made with
  RimKind rim = RimKind::wall;
};

// `bottom` below all of the mesh (m). Throws InputError for a mesh that water cannot live on (complex.h).
Model make_model(geometry::TriangleMesh mesh, double bottom, double least_angle_degrees,
                 const std::string& source, bool open = false);

// Everything that influences a later step.
struct State {
  Buffer<double> depth;
  Buffer<double> rate_1, rate_2;
  Buffer<Vec3> positions, positions_before, acceleration;
  Buffer<double> dual_area;
  Buffer<double> normal_acceleration;
  Buffer<double> depth_before, depth_rate, depth_curvature;
  std::int32_t history = 0;
  double step_before = 0;
  Buffer<Vec3> drop_positions, drop_velocities;
  Buffer<double> drop_volumes;
  double poured = 0, drained = 0, shed = 0, lost = 0;
  double clip_time = 0;
  Vec3 offset = Vec3::Zero(), offset_target = Vec3::Zero(), anchor = Vec3::Zero();
  Buffer<Vec3> push_points, push_velocities;
  Buffer<double> push_radii;
  std::int32_t spring = -1;
  double spring_rate = 0;
};
constexpr auto describe(State*) {
  using S = State;
  return Members{
      member("depth", &S::depth, "m",
             "of the water at each vertex; may be a little negative where it is dry"),
      member("rate_1", &S::rate_1, "1/s", "velocity of each face: rate of its second barycentric coordinate"),
      member("rate_2", &S::rate_2, "1/s", "and of its third"),
      member("positions", &S::positions, "m", "of the vertices at the end of the last step"),
      member("positions_before", &S::positions_before, "m", "one step earlier; empty: never moved"),
      member("acceleration", &S::acceleration, "m/s²", "of the vertices, smoothed; empty: never moved"),
      member("dual_area", &S::dual_area, "m²", "of each vertex at the end of the last step"),
      member("normal_acceleration", &S::normal_acceleration, "m/s²",
             "along the normal, smoothed; empty: none yet"),
      member("depth_before", &S::depth_before, "m",
             "implicit Euler, Kass and Miller: one step earlier; empty: another method was used"),
      member("depth_rate", &S::depth_rate, "m/s", "Newmark with an integrated rate; empty as above"),
      member("depth_curvature", &S::depth_curvature, "m/s²", "Newmark's second derivative; empty as above"),
      member("history", &S::history, "", "steps of motion since the start or the last jump, up to 2"),
      member("step_before", &S::step_before, "s", "length of the last step; 0: none yet"),
      member("drop_positions", &S::drop_positions, "m", "droplets in the air"),
      member("drop_velocities", &S::drop_velocities, "m/s", "of droplets"),
      member("drop_volumes", &S::drop_volumes, "m³", "of droplets"),
      member("poured", &S::poured, "m³", "came from sources, less what sinks took"),
      member("drained", &S::drained, "m³", "left over the rim of an open mesh, less what it let in"),
      member("shed", &S::shed, "m³", "left as droplets, less what rejoined"),
      member("lost", &S::lost, "m³", "of droplets that fell out of the world"),
      member("clip_time", &S::clip_time, "s", "clock of the animation, which can be stopped"),
      member("offset", &S::offset, "m", "by which a user has dragged the whole mesh"),
      member("offset_target", &S::offset_target, "m", "to which he drags it"),
      member("anchor", &S::anchor, "m", "the point he holds, without the offset"),
      member("push_points", &S::push_points, "m", "middles of pushes that act in the next step"),
      member("push_velocities", &S::push_velocities, "m/s", "what each gives to the water at its middle"),
      member("push_radii", &S::push_radii, "m", "of pushes"),
      member("spring", &S::spring, "", "vertex where a user lets water in or out; -1: none"),
      member("spring_rate", &S::spring_rate, "m³/s", "of that spring; negative: a sink"),
  };
}
static_assert(complete<State>());

// At rest with depth `depth`.
State make_state(const Model& model, double depth);

// m³: Σ A_i η_i, without curvature correction [SW-03].
double volume(const State& state);

struct Diagnostics {
  double volume = 0;                   // m³
  double kinetic = 0;                  // J for a density of 1 kg/m³
  double potential = 0;                // likewise, of the depth above the mesh, for an attraction of 1 m/s²
  double top_speed = 0;                // m/s
  double shallowest = 0, deepest = 0;  // m
  double wet_area = 0;                 // m²
  double area = 0;                     // m²
};
// `metric` is that of state.positions.
Diagnostics diagnose(const Model& model, const Metric& metric, const State& state);

}  // namespace selkie::surface_water
