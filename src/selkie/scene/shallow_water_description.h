// [[shallow_water]]: a sheet of water on a height field, as a scene writes it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/fluids/shallow_water/model.h"
#include "selkie/fluids/shallow_water/params.h"
#include "selkie/geometry/shapes.h"
#include "selkie/scene/precision.h"

namespace selkie::scene {

struct WaterDomain {
  std::array<double, 2> min{0, 0}, max{1, 1};
  int cells = 128;
};
constexpr auto describe(WaterDomain*) {
  using D = WaterDomain;
  return Members{
      member("min", &D::min, "m", "lowest x and z"),
      member("max", &D::max, "m", "highest x and z"),
      member("cells", &D::cells, "", "cells along the longer side; the other follows, rounded")
          .between(2, 16384)
          .scaled(),
  };
}
static_assert(complete<WaterDomain>());
std::vector<Problem> validate(const WaterDomain& domain);

struct GroundDescription {
  std::string formula = "0";
  std::string image;
  double low = 0, high = 1;
};
constexpr auto describe(GroundDescription*) {
  using G = GroundDescription;
  return Members{
      member("formula", &G::formula, "m",
             "height as a formula in x and z; added to the image, if there is one"),
      member(
          "image", &G::image, "",
          "PNG file whose brightness is the height, relative to the scene; its left is low x, its top low z"),
      member("low", &G::low, "m", "height of black"),
      member("high", &G::high, "m", "height of white"),
  };
}
static_assert(complete<GroundDescription>());

struct FillDescription {
  std::string level = "0";
  std::optional<geometry::Region> within;
};
constexpr auto describe(FillDescription*) {
  using F = FillDescription;
  return Members{
      member("level", &F::level, "m", "height of the surface, as a formula in x and z").required(),
      member("within", &F::within, "", "only where this region holds the surface; absent: everywhere")};
}
static_assert(complete<FillDescription>());

struct WaterSide {
  shallow_water::SideKind kind = shallow_water::SideKind::closed;
  std::string value = "0";
  double rest = 0;
  double from = -1e300, to = 1e300;
};
constexpr auto describe(WaterSide*) {
  using S = WaterSide;
  return Members{
      member("kind", &S::kind, "",
             "closed: a wall; absorbing: waves and water leave; inflow: a discharge comes in; level: the "
             "surface "
             "is held; sea: waves come in and others leave"),
      member("value", &S::value, "m²/s or m",
             "formula in t: of inflow the discharge per metre, of level and sea the height of the surface"),
      member("rest", &S::rest, "m", "sea: the height around which it swings"),
      member("from", &S::from, "m", "where along the side it begins; the rest is closed"),
      member("to", &S::to, "m", "where along the side it ends"),
  };
}
static_assert(complete<WaterSide>());
std::vector<Problem> validate(const WaterSide& side);

struct WaterSides {
  WaterSide low_x, high_x, low_z, high_z;
};
constexpr auto describe(WaterSides*) {
  using S = WaterSides;
  return Members{member("low_x", &S::low_x, "", "the side at low x"),
                 member("high_x", &S::high_x, "", "the side at high x"),
                 member("low_z", &S::low_z, "", "the side at low z"),
                 member("high_z", &S::high_z, "", "the side at high z")};
}
static_assert(complete<WaterSides>());

struct WaterSource {
  geometry::Region region;
  std::string rate = "1";
};
constexpr auto describe(WaterSource*) {
  using S = WaterSource;
  return Members{member("region", &S::region, "", "over the cells whose ground lies in it").required(),
                 member("rate", &S::rate, "m³/s", "formula in t; negative: a sink")};
}
static_assert(complete<WaterSource>());

struct ShallowWaterDescription {
  std::string name;
  WaterDomain domain;
  GroundDescription ground;
  std::vector<FillDescription> water;
  std::string velocity_x = "0", velocity_z = "0";
  WaterSides sides;
  std::vector<geometry::Region> wall;
  std::vector<WaterSource> source;
  std::vector<std::string> acceleration;
  shallow_water::Method method = shallow_water::Method::conservative;
  Precision precision = Precision::single;
  Vec3 colour{0.1, 0.3, 0.4};
  Vec3 ground_colour{0.55, 0.48, 0.36};
  shallow_water::Params params;
};
constexpr auto describe(ShallowWaterDescription*) {
  using S = ShallowWaterDescription;
  return Members{
      member("name", &S::name, "", "unique name: file stem, --set, Python").required(),
      member("domain", &S::domain, "", "the rectangle in x and z"),
      member("ground", &S::ground, "", "height of the ground below it; a collider for bodies"),
      member("water", &S::water, "", "water at the start; none: dry"),
      member("velocity_x", &S::velocity_x, "m/s", "of the water at the start, as a formula in x and z"),
      member("velocity_z", &S::velocity_z, "m/s", "as velocity_x"),
      member("sides", &S::sides, "", "what the four sides are"),
      member("wall", &S::wall, "",
             "walls from the ground to the sky, where the ground lies in these regions"),
      member("source", &S::source, "", "springs and sinks"),
      member(
          "acceleration", &S::acceleration, "m/s²",
          "three formulas in x, z, t: a field that acts besides gravity; what is upright presses or lifts"),
      member("method", &S::method, "",
             "conservative: finite volumes that keep every drop; semi-lagrangian: simple, loses some"),
      member("precision", &S::precision, "", "numbers the water is computed with"),
      member("colour", &S::colour, "", "red, green, blue of the water in pictures").between(0, 1),
      member("ground_colour", &S::ground_colour, "", "of the ground").between(0, 1),
      member("params", &S::params, "", "").inlined(),
  };
}
static_assert(complete<ShallowWaterDescription>());
std::vector<Problem> validate(const ShallowWaterDescription& water);

}  // namespace selkie::scene
