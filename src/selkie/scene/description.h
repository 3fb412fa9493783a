// What a scene file may say: one described struct per table. Parser, defaults, `--set`, documentation, JSON
// schema and Python names all come from the describe() functions here and beside each solver's Params.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "selkie/core/describe.h"
#include "selkie/coupling/contact.h"
#include "selkie/geometry/placement.h"
#include "selkie/ports/picture.h"
#include "selkie/scene/body_description.h"
#include "selkie/scene/coupling_description.h"
#include "selkie/scene/elastic_description.h"
#include "selkie/scene/lattice_boltzmann_description.h"
#include "selkie/scene/liquid_description.h"
#include "selkie/scene/modal_description.h"
#include "selkie/scene/position_based_description.h"
#include "selkie/scene/rigid_description.h"
#include "selkie/scene/shallow_water_description.h"
#include "selkie/scene/shape_matching_description.h"
#include "selkie/scene/smoke_description.h"
#include "selkie/scene/surface_water_description.h"
#include "selkie/scene/vortex_method_description.h"
#include "selkie/sim/collider.h"
#include "selkie/solids/mass_spring/params.h"

namespace selkie::scene {

struct SceneSettings {
  std::string name = "untitled";
  std::string about;
  double fps = 30;
  std::int64_t frames = 90;
  int steps_per_frame = 1;
  Vec3 gravity{0, -9.81, 0};
  double scale = 1;
  std::string inputs;
  bool contact = true;
};
constexpr auto describe(SceneSettings*) {
  using S = SceneSettings;
  return Members{
      member("name", &S::name, "", "short name; the default output folder is out/<name>"),
      member("about", &S::about, "", "one line for `selkie scenes`"),
      member("fps", &S::fps, "1/s", "frames per second").above(0).at_most(1e6),
      member("frames", &S::frames, "", "how many frames to compute; frame 0 is the initial state")
          .between(0, 1e9),
      member("steps_per_frame", &S::steps_per_frame, "", "sync steps a frame is cut into").between(1, 1e6),
      member("gravity", &S::gravity, "m/s²", "acceleration of free fall"),
      member("scale", &S::scale, "", "multiplies every resolution (divisions, segments, cells)")
          .above(0)
          .at_most(1e3),
      member("inputs", &S::inputs, "",
             "file of input events that happen to the scene, relative to it; `selkie run --inputs` replaces "
             "them"),
      member(
          "contact", &S::contact, "",
          "bodies of tetrahedra stop each other, cloth and ropes; false: only where a [[contact]] says so"),
  };
}
static_assert(complete<SceneSettings>());

enum class OutputFormat { ply, vdb, vtk };
constexpr auto describe(OutputFormat*) { return std::array<std::string_view, 3>{"ply", "vdb", "vtk"}; }

struct OutputSettings {
  std::vector<OutputFormat> formats = {OutputFormat::ply, OutputFormat::vdb};
  int every = 1;
  int checkpoint_every = 10;
};
constexpr auto describe(OutputSettings*) {
  using S = OutputSettings;
  return Members{
      member(
          "formats", &S::formats, "",
          "file formats of frames: ply (surfaces, points, lines), vdb (volumes), vtk (all, tetrahedra too, "
          "with a ParaView time series)"),
      member("every", &S::every, "frames", "write every n-th frame").between(1, 1e9),
      member("checkpoint_every", &S::checkpoint_every, "frames", "frames between checkpoints")
          .between(1, 1e9),
  };
}
static_assert(complete<OutputSettings>());

struct MassSpringDescription {
  std::string name;
  BodyMesh mesh;
  std::optional<geometry::Placement> place;
  std::optional<double> density;
  std::optional<double> mass;
  double bending = 0.1;
  double altitude = 0;
  bool stiffness_per_length = false;
  Vec3 velocity = Vec3::Zero();
  std::vector<PinDescription> pin;
  std::optional<double> step;
  Vec3 colour{0.8, 0.55, 0.35};
  mass_spring::Params params;
};
constexpr auto describe(MassSpringDescription*) {
  using M = MassSpringDescription;
  return Members{
      member("name", &M::name, "", "unique name: file stem, --set, couplings, Python").required(),
      member("mesh", &M::mesh, "", "where vertices and springs come from: one spring per edge").required(),
      member("place", &M::place, "", "moves, turns and scales the mesh"),
      member("density", &M::density, "kg/m³, kg/m² or kg/m",
             "of tetrahedra, triangles or segments; default 1000, 0.2 or 0.1")
          .above(0),
      member("mass", &M::mass, "kg", "whole mass; instead of density").above(0),
      member("bending", &M::bending, "", "strength of the bending springs of surfaces, as a factor; 0: none")
          .at_least(0),
      member("altitude", &M::altitude, "",
             "strength of springs along the shortest altitude of tetrahedra, or of pairs of triangles (axial "
             "bending), as a factor; 0: none")
          .at_least(0),
      member("stiffness_per_length", &M::stiffness_per_length, "",
             "spring constant ∝ 1/rest length; stiffness is then a force in N"),
      member("velocity", &M::velocity, "m/s", "initial velocity of every vertex"),
      member("pin", &M::pin, "", "vertices that are held or driven"),
      member("step", &M::step, "s",
             "longest sub-step, in place of the method's stability limit; sync steps are cut evenly")
          .above(0),
      member("colour", &M::colour, "", "red, green, blue in pictures").between(0, 1),
      member("params", &M::params, "", "").inlined(),
  };
}
static_assert(complete<MassSpringDescription>());
std::vector<Problem> validate(const MassSpringDescription& body);

struct ContactDescription {
  std::vector<std::string> bodies;
  bool self = false;
  coupling::ContactParams params;
};
constexpr auto describe(ContactDescription*) {
  using C = ContactDescription;
  return Members{
      member("bodies", &C::bodies, "", "names of the bodies that touch; none: all that can"),
      member("self", &C::self, "", "each of them also touches itself"),
      member("params", &C::params, "", "").inlined(),
  };
}
static_assert(complete<ContactDescription>());

struct SceneDescription {
  SceneSettings scene;
  OutputSettings output;
  std::vector<ports::Camera> camera;
  ports::Lighting light;
  std::vector<ports::Material> material;
  std::vector<sim::ColliderDescription> collider;
  std::vector<MassSpringDescription> mass_spring;
  std::vector<ElasticDescription> elastic;
  std::vector<PositionBasedDescription> position_based;
  std::vector<ModalDescription> modal;
  std::vector<ShapeMatchingDescription> shape_matching;
  std::vector<RigidDescription> rigid;
  std::vector<JointDescription> joint;
  rigid::Params bodies;
  std::vector<SmokeDescription> smoke;
  std::vector<LiquidDescription> liquid;
  std::vector<LatticeBoltzmannDescription> lattice_boltzmann;
  std::vector<VortexMethodDescription> vortex_method;
  std::vector<ShallowWaterDescription> shallow_water;
  std::vector<SurfaceWaterDescription> surface_water;
  std::vector<CouplingDescription> coupling;
  std::vector<ContactDescription> contact;
};
constexpr auto describe(SceneDescription*) {
  using S = SceneDescription;
  return Members{
      member("scene", &S::scene, "", "name, time and gravity"),
      member("output", &S::output, "", "what a run writes"),
      member("camera", &S::camera, "", "where pictures are taken from; none: one that shows everything"),
      member("light", &S::light, "", "sun, sky and ground of pictures"),
      member("material", &S::material, "", "how things look in pictures"),
      member("collider", &S::collider, "", "solids that no solver moves"),
      member("mass_spring", &S::mass_spring, "", "bodies of masses and springs: cloth, ropes, jelly"),
      member("elastic", &S::elastic, "", "elastic bodies of finite elements: jelly, rubber, beams"),
      member("position_based", &S::position_based, "",
             "bodies held by constraints: cloth, ropes, balloons, soft solids"),
      member("modal", &S::modal, "", "elastic bodies in a few modes of vibration: plates, spoons, bells"),
      member("shape_matching", &S::shape_matching, "",
             "soft bodies and crowds of them, drawn to the shape they remember"),
      member("rigid", &S::rigid, "", "rigid bodies: stacks, piles, walls, machines"),
      member("joint", &S::joint, "", "what joins rigid bodies"),
      member("bodies", &S::bodies, "", "how rigid bodies are solved, those that users throw included"),
      member("smoke", &S::smoke, "", "boxes of gas: smoke, fire, wind"),
      member("liquid", &S::liquid, "", "boxes with liquid that has a free surface: water, honey"),
      member("lattice_boltzmann", &S::lattice_boltzmann, "",
             "boxes of gas on a lattice; colliders are walls"),
      member("vortex_method", &S::vortex_method, "", "boxes of gas moved by vortex particles alone"),
      member("shallow_water", &S::shallow_water, "", "sheets of water on ground with shores"),
      member("surface_water", &S::surface_water, "",
             "water on closed surfaces that may move: water characters"),
      member("coupling", &S::coupling, "", "what joins systems"),
      member("contact", &S::contact, "",
             "how deformable bodies touch each other and themselves, where the default will not do"),
  };
}
static_assert(complete<SceneDescription>());
std::vector<Problem> validate(const SceneDescription& scene);

}  // namespace selkie::scene
