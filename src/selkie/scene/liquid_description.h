// [[liquid]]: a box with liquid in it, as a scene writes it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/fluids/liquid/inflow.h"
#include "selkie/fluids/liquid/model.h"
#include "selkie/fluids/liquid/params.h"
#include "selkie/scene/domain_description.h"
#include "selkie/sim/collider.h"
#include "selkie/sim/systems/liquid_surface.h"

namespace selkie::scene {

struct LiquidSides {
  liquid::Side low_x = liquid::Side::closed, high_x = liquid::Side::closed;
  liquid::Side low_y = liquid::Side::closed, high_y = liquid::Side::closed;
  liquid::Side low_z = liquid::Side::closed, high_z = liquid::Side::closed;
};
constexpr auto describe(LiquidSides*) {
  using S = LiquidSides;
  return Members{
      member("low_x", &S::low_x, "", "closed: a wall; open: liquid leaves"),
      member("high_x", &S::high_x, "", "as low_x"),
      member("low_y", &S::low_y, "", "as low_x"),
      member("high_y", &S::high_y, "", "as low_x"),
      member("low_z", &S::low_z, "", "as low_x"),
      member("high_z", &S::high_z, "", "as low_x"),
  };
}
static_assert(complete<LiquidSides>());

// A body of liquid at the start. Exactly one region is set.
struct LiquidFill {
  std::optional<geometry::Box> box;
  std::optional<geometry::Ball> ball;
  std::optional<geometry::Cylinder> cylinder;
  std::optional<geometry::Plane> half_space;
  Vec3 velocity = Vec3::Zero();
};
constexpr auto describe(LiquidFill*) {
  using F = LiquidFill;
  return Members{
      member("box", &F::box, "", "liquid inside a box along the axes"),
      member("ball", &F::ball, "", "liquid inside a ball"),
      member("cylinder", &F::cylinder, "", "liquid inside a cylinder"),
      member("half_space", &F::half_space, "", "liquid behind a plane"),
      member("velocity", &F::velocity, "m/s", "that it starts with"),
  };
}
static_assert(complete<LiquidFill>());
std::vector<Problem> validate(const LiquidFill& fill);

struct LiquidInflow {
  liquid::Inflow inflow;
  std::optional<sim::ColliderMesh> mesh;
  std::optional<sim::MotionFormulas> motion;
};
constexpr auto describe(LiquidInflow*) {
  using I = LiquidInflow;
  return Members{member("inflow", &I::inflow, "", "").inlined(),
                 member("mesh", &I::mesh, "", "or a closed mesh in which the liquid appears"),
                 member("motion", &I::motion, "", "how it moves; absent: it stays")};
}
static_assert(complete<LiquidInflow>());
std::vector<Problem> validate(const LiquidInflow& inflow);

struct LiquidDrain {
  liquid::Drain drain;
  std::optional<sim::ColliderMesh> mesh;
  std::optional<sim::MotionFormulas> motion;
};
constexpr auto describe(LiquidDrain*) {
  using D = LiquidDrain;
  return Members{member("drain", &D::drain, "", "").inlined(),
                 member("mesh", &D::mesh, "", "or a closed mesh in which liquid disappears"),
                 member("motion", &D::motion, "", "how it moves; absent: it stays")};
}
static_assert(complete<LiquidDrain>());
std::vector<Problem> validate(const LiquidDrain& drain);

// A vessel: everything outside the shape is solid to this liquid.
struct LiquidContainer {
  geometry::AnalyticShape shape;
  std::optional<sim::MotionFormulas> motion;
};
constexpr auto describe(LiquidContainer*) {
  using C = LiquidContainer;
  return Members{member("shape", &C::shape, "", "its inside, at t = 0").required(),
                 member("motion", &C::motion, "", "how it moves; absent: it stays")};
}
static_assert(complete<LiquidContainer>());

struct LiquidDescription {
  std::string name;
  DomainDescription domain;
  LiquidSides sides;
  std::vector<LiquidFill> fill;
  std::vector<LiquidInflow> inflow;
  std::vector<LiquidDrain> drain;
  std::optional<LiquidContainer> container;
  liquid::Tracker tracker = liquid::Tracker::particles;
  int seeds = 2;
  Vec3 colour{0.12, 0.35, 0.5};
  bool show_particles = false;
  sim::LiquidMesh mesh_from = sim::LiquidMesh::solver;
  liquid::Params params;
};
constexpr auto describe(LiquidDescription*) {
  using L = LiquidDescription;
  return Members{
      member("name", &L::name, "", "unique name: file stem, --set, couplings, Python").required(),
      member("domain", &L::domain, "", "the box the liquid lives in"),
      member("sides", &L::sides, "", "what the six sides of the box are"),
      member("fill", &L::fill, "", "the liquid at the start"),
      member("inflow", &L::inflow, "", "where liquid comes from"),
      member("drain", &L::drain, "", "where liquid goes"),
      member("container", &L::container, "", "a vessel around the liquid; absent: the box itself"),
      member("tracker", &L::tracker, "", "what says where the liquid is"),
      member("seeds", &L::seeds, "", "particles along each edge of a cell; 2 is 8 a cell, in 2-D 4")
          .between(1, 8),
      member("colour", &L::colour, "", "red, green, blue of the liquid in pictures").between(0, 1),
      member("show_particles", &L::show_particles, "", "draw and export the particles as well"),
      member("mesh_from", &L::mesh_from, "", "from what the surface that is drawn and exported is made"),
      member("params", &L::params, "", "").inlined(),
  };
}
static_assert(complete<LiquidDescription>());
std::vector<Problem> validate(const LiquidDescription& liquid);

}  // namespace selkie::scene
