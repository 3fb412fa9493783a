// [[surface_water]]: water on a closed mesh that may move, as a scene writes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/fluids/surface_water/params.h"
#include "selkie/geometry/creature.h"
#include "selkie/geometry/figure.h"
#include "selkie/geometry/generators.h"
#include "selkie/geometry/placement.h"
#include "selkie/geometry/shapes.h"
#include "selkie/sim/motion.h"
#include "selkie/sim/systems/surface_view.h"

namespace selkie::scene {

struct WaterMesh {
  std::optional<geometry::IcosphereShape> icosphere;
  std::optional<geometry::BallShape> ball;
  std::optional<geometry::BoxShape> box;
  std::optional<geometry::CylinderShape> cylinder;
  std::optional<geometry::TorusShape> torus;
  std::optional<geometry::CreatureShape> creature;
  std::optional<geometry::FigureShape> figure;
  std::optional<geometry::LettersShape> letters;
  std::optional<geometry::SheetShape> sheet;
  std::optional<std::string> file;
};
constexpr auto describe(WaterMesh*) {
  using M = WaterMesh;
  return Members{
      member("icosphere", &M::icosphere, "", "a sphere of nearly equal triangles"),
      member("ball", &M::ball, "", "a sphere by longitude and latitude"),
      member("box", &M::box, "", "the surface of a box"),
      member("cylinder", &M::cylinder, "", "a closed cylinder"),
      member("torus", &M::torus, "", "a ring"),
      member("creature", &M::creature, "", "a sitting animal with long ears"),
      member("figure", &M::figure, "",
             "a figure with arms and legs, and a skeleton with the clips walk and wave"),
      member("letters", &M::letters, "", "letters, each a part of its own"),
      member("sheet", &M::sheet, "", "a flat rectangle; needs open = true"),
      member("file", &M::file, "", "a mesh beside the scene: .obj .ply .stl .gltf .glb"),
  };
}
static_assert(complete<WaterMesh>());
constexpr bool describes_one_of(WaterMesh*) { return true; }

struct ClipWeight {
  std::string name;
  std::string weight = "1";
};
constexpr auto describe(ClipWeight*) {
  using C = ClipWeight;
  return Members{member("name", &C::name, "", "of a clip of the skeleton").required(),
                 member("weight", &C::weight, "", "formula in t; clips are blended by their weights")};
}
static_assert(complete<ClipWeight>());

struct MeshSequence {
  std::vector<std::string> files;
  double fps = 30;
};
constexpr auto describe(MeshSequence*) {
  using S = MeshSequence;
  return Members{
      member("files", &S::files, "", "meshes beside the scene with the same triangles; repeated").required(),
      member("fps", &S::fps, "1/s", "how many of them are shown in a second").above(0)};
}
static_assert(complete<MeshSequence>());

struct SurfaceSource {
  geometry::Region region;
  std::string rate = "0.0257";
};
constexpr auto describe(SurfaceSource*) {
  using S = SurfaceSource;
  return Members{member("region", &S::region, "", "at the vertices that start in it").required(),
                 member("rate", &S::rate, "m³/s", "formula in t; negative: a sink")};
}
static_assert(complete<SurfaceSource>());

struct SurfaceWaterDescription {
  std::string name;
  WaterMesh mesh;
  std::optional<geometry::Placement> place;
  bool open = false;
  surface_water::RimKind rim = surface_water::RimKind::wall;
  std::string rim_depth = "0";
  std::string bottom = "0.2";
  std::string water = "0.2";
  std::vector<std::string> velocity;
  std::vector<ClipWeight> clip;
  std::optional<MeshSequence> sequence;
  std::vector<std::string> deform;
  std::optional<sim::MotionFormulas> motion;
  std::vector<std::string> acceleration;
  std::vector<SurfaceSource> source;
  std::vector<sim::SurfaceView> show;
  Vec3 colour{0.1, 0.3, 0.4};
  Vec3 mesh_colour{0.7, 0.7, 0.68};
  surface_water::Params params;
};
constexpr auto describe(SurfaceWaterDescription*) {
  using S = SurfaceWaterDescription;
  return Members{
      member("name", &S::name, "", "unique name: file stem, --set, Python").required(),
      member("mesh", &S::mesh, "", "the surface that the water covers: closed, unless open is set")
          .required(),
      member("place", &S::place, "", "moves, turns and scales the mesh"),
      member("open", &S::open, "", "the mesh may have a rim"),
      member("rim", &S::rim, "", "wall: nothing passes; drain: what reaches it leaves; level: depth is held"),
      member("rim_depth", &S::rim_depth, "m", "formula in t: depth at a rim of the kind level"),
      member("bottom", &S::bottom, "m",
             "depth of the bottom below the mesh, a formula in x, y, z at the start"),
      member("water", &S::water, "m", "depth of the water at the start, a formula in x, y, z"),
      member("velocity", &S::velocity, "m/s",
             "three formulas in x, y, z at the start; only what is tangential counts"),
      member("clip", &S::clip, "", "clips of the skeleton that move the mesh; none: it rests"),
      member("sequence", &S::sequence, "", "or stored frames of the mesh"),
      member("deform", &S::deform, "m", "three formulas in x, y, z, t: where each point goes"),
      member("motion", &S::motion, "", "moves the whole, after everything else"),
      member("acceleration", &S::acceleration, "m/s²",
             "three formulas in x, y, z, t: a field that acts on the water"),
      member("source", &S::source, "", "springs and sinks"),
      member("show", &S::show, "", "what is drawn besides the water"),
      member("colour", &S::colour, "", "red, green, blue of the water in pictures").between(0, 1),
      member("mesh_colour", &S::mesh_colour, "", "of the mesh").between(0, 1),
      member("params", &S::params, "", "").inlined(),
  };
}
static_assert(complete<SurfaceWaterDescription>());
std::vector<Problem> validate(const SurfaceWaterDescription& water);

}  // namespace selkie::scene
