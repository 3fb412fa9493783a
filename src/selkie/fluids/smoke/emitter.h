// Emitters: where smoke, heat, fuel, motion, expansion (HY-14) and vortex particles come from.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "selkie/core/function_ref.h"
#include "selkie/fluids/smoke/state.h"
#include "selkie/geometry/mesh_distance.h"
#include "selkie/geometry/shapes.h"
#include "selkie/ports/time.h"

namespace selkie::smoke {

// Which way the vorticity of a newborn vortex particle points.
enum class VortexSpin {
  ring,      // around the upright axis through the emitter's middle: puffs roll outwards
  upright,   // up or down, at random: eddies of a river or pool
  anywhere,  // any direction, at random
};
constexpr auto describe(VortexSpin*) {
  return std::array<std::string_view, 3>{"ring", "upright", "anywhere"};
}

struct VortexSeeding {
  std::int64_t count = 0;
  double strength = 2e-3;
  double radius = 4;
  VortexSpin spin = VortexSpin::ring;
};
constexpr auto describe(VortexSeeding*) {
  using V = VortexSeeding;
  return Members{
      member("count", &V::count, "", "how many are born while the emitter is on").between(0, 1e7).required(),
      member("strength", &V::strength, "m³/s", "vorticity times volume of each"),
      member("radius", &V::radius, "cells", "reach of each").above(0),
      member("spin", &V::spin, "", "which way they turn"),
  };
}
static_assert(complete<VortexSeeding>());

struct Emitter {
  std::optional<geometry::AnalyticShape> shape;
  double density = 1;
  double temperature = 50;
  double fuel = 0;
  std::optional<std::array<double, 3>> velocity;
  double expansion = 0;
  double noise = 0;
  double noise_size = 0.1;
  double start = 0;
  std::optional<double> end;
  std::optional<VortexSeeding> vortices;
};
constexpr auto describe(Emitter*) {
  using E = Emitter;
  return Members{
      member("shape", &E::shape, "", "where it emits"),
      member("density", &E::density, "", "smoke that cells inside hold at least").at_least(0),
      member("temperature", &E::temperature, "K", "above ambient, that cells inside have at least")
          .at_least(0),
      member("fuel", &E::fuel, "", "share of fuel that cells inside hold at least").between(0, 1),
      member("velocity", &E::velocity, "m/s", "of the gas inside; absent: as it flows"),
      member("expansion", &E::expansion, "1/s", "rate at which gas inside grows; needs an open side"),
      member("noise", &E::noise, "", "how uneven the emission is, in space and time").between(0, 1),
      member("noise_size", &E::noise_size, "m", "width of the unevenness").above(0),
      member("start", &E::start, "s", "when it begins"),
      member("end", &E::end, "s", "when it stops; absent: never"),
      member("vortices", &E::vortices, "", "vortex particles born inside"),
  };
}
static_assert(complete<Emitter>());
std::vector<Problem> validate(const Emitter& emitter);

// Where emitter e's shape has moved to at a time; empty: they stay.
using EmitterPose = FunctionRef<Eigen::Isometry3d(std::size_t emitter, double time)>;

// Emitters as a step takes them.
struct Emitters {
  std::span<const Emitter> list = {};
  EmitterPose pose = {};  // empty: they stay
  // Closed meshes where those without a shape emit, by emitter; may be empty if all have a shape.
  std::span<const std::shared_ptr<const geometry::MeshDistance>> meshes = {};
};

// Smoke, heat, fuel and velocity at the end of the interval. Emission only raises what is there, so its
// result does not depend on the step size.
template <class Real>
void emit(const Model& model, const Emitters& emitters, Interval interval, State<Real>& state);

// Rates of expansion in 1/s, added to `rate` (cell field).
template <class Real>
void add_expansion(const Model& model, const Emitters& emitters, Interval interval, Buffer<Real>& rate);
bool expands(const Emitters& emitters, Interval interval);

// Vortex particles born within the interval: the n-th of an emitter is born at a time and place that depend
// on n alone.
template <class Real>
void seed_vortices(const Model& model, const Emitters& emitters, const Vec3& up, Interval interval,
                   State<Real>& state);

}  // namespace selkie::smoke
