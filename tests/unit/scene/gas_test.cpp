// [[smoke]], [[lattice_boltzmann]] and [[vortex_method]]: what is built, and what is refused with which
// reason.
#include "selkie/sim/systems/lattice_boltzmann_system.h"
#include "selkie/sim/systems/smoke_system.h"
#include "selkie/sim/systems/vortex_method_system.h"
#include "small_scene.h"
#include "support/temporary_folder.h"

namespace selkie::scene {
namespace {

using test::parsed;
using test::refusal;

const std::string kSmoke = "[[smoke]]\nname = \"smoke\"\n";
const std::string kLattice = "[[lattice_boltzmann]]\nname = \"gas\"\n";
const std::string kVortices = "[[vortex_method]]\nname = \"gas\"\n";
const std::string kRing = "ring = [{ center = [0.5, 0.5, 0.5], core = 0.1 }]\n";

void expect_refused(const std::string& text, const std::string& reason) {
  const std::string said = refusal(text);
  EXPECT_NE(said.find(reason), std::string::npos) << said;
}

template <class Real = float>
sim::SmokeSystem<Real>& smoke_of(sim::World& world) {
  return dynamic_cast<sim::SmokeSystem<Real>&>(*world.find("smoke"));
}

TEST(SceneGas, CellsAreCubesAndTheLongestSideHasTheCells) {
  sim::World world = build(parsed(kSmoke + "domain = { min = [0, 0, 0], max = [1, 2, 0.5], cells = 20 }\n"));
  const grid::Shape& shape = smoke_of(world).model().shape;
  EXPECT_EQ(shape.cells(), (grid::Index{10, 20, 5}));
  EXPECT_DOUBLE_EQ(shape.cell_size(), 0.1);
}

TEST(SceneGas, ABoxWithoutDepthIsTwoDimensional) {
  sim::World world = build(parsed(kSmoke + "domain = { min = [0, 0, 1], max = [1, 2, 1], cells = 20 }\n"));
  EXPECT_EQ(smoke_of(world).model().shape.dims(), 2);
}

TEST(SceneGas, ABoxThatTheMachineCannotHoldIsRefusedBeforeItIsTried) {
  DomainDescription domain{.cells = 100};
  EXPECT_EQ(cell_count(domain), 1e6);
  EXPECT_EQ(cell_count({.max = Vec3(1, 0.5, 0), .cells = 100}), 5000);
  EXPECT_NO_THROW(require_memory(domain, 1e9, Value{ValueTable{}}));
  EXPECT_THROW(require_memory(domain, 1e7, Value{ValueTable{}}), InputError);
  domain.cells = 1290;
  EXPECT_TRUE(validate(domain).empty());
  domain.cells = 1291;  // cubed beyond 2³¹
  EXPECT_EQ(validate(domain).size(), 1u);
}

TEST(SceneGas, ABoxWithoutExtentIsRefused) {
  expect_refused(kSmoke + "domain = { min = [0, 0, 0], max = [0, 1, 1] }\n", "is not above 'min'");
  expect_refused(kSmoke + "domain = { min = [0, 0, 0], max = [1, -1, 1] }\n", "is not above 'min'");
  expect_refused(kSmoke + "domain = { cells = 0 }\n", "out of range");
  expect_refused(kSmoke + "domain = { min = [0, 0, 0], max = [1, 1, 0.001], cells = 10 }\n",
                 "larger than the shortest side");
}

TEST(SceneGas, ASourceOfVolumeInAClosedBoxIsRefusedWithTheReason) {
  expect_refused(kSmoke +
                     "sides = { high_y = \"closed\" }\n"
                     "emit = [{ shape = { ball = {} }, expansion = 1 }]\n",
                 "which has nowhere to go");
  expect_refused(kSmoke + "sides = { high_y = \"closed\" }\nburns = true\nburn_expansion = 1\n",
                 "which has nowhere to go");
}

TEST(SceneGas, WindThatBlowsInAndNotOutIsRefused) {
  expect_refused(kSmoke + "sides = { low_x = \"wind\", high_y = \"closed\" }\nwind = [1, 0, 0]\n",
                 "through one side only");
}

TEST(SceneGas, AnEmitterMustEndSomewhere) {
  expect_refused(kSmoke + "emit = [{ shape = { plane = {} } }]\n", "which has no end");
  expect_refused(kSmoke + "emit = [{ shape = { ball = {} }, start = 2, end = 1 }]\n", "is not after 'start'");
}

TEST(SceneGas, FormulasOfTheStartAreReadAndChecked) {
  sim::World world =
      build(parsed(kSmoke + "domain = { cells = 8 }\ninitial = { velocity_x = \"2*y\", density = \"x\" }\n"));
  const auto& state = smoke_of(world).live_state();
  const grid::Shape& shape = smoke_of(world).model().shape;
  EXPECT_FLOAT_EQ(state.velocity_x[static_cast<std::size_t>(shape.at(3, 2, 1))], 2 * 2.5f / 8);
  EXPECT_FLOAT_EQ(state.density[static_cast<std::size_t>(shape.at(3, 2, 1))], 3.5f / 8);
  expect_refused(kSmoke + "initial = { density = \"sin(\" }\n", "is not a formula");
}

// "Float and double from one source": the divergence that is left is that of the numbers asked for.
TEST(SceneGas, DoublePrecisionLeavesADivergenceThatFloatCannot) {
  const std::string scene = kSmoke +
                            "domain = { cells = 16 }\ntolerance = 1e-12\n"
                            "initial = { velocity_x = \"sin(7*y)\", velocity_y = \"cos(5*x*z)\" }\n"
                            "emit = [{ shape = { ball = { center = [0.5, 0.3, 0.5], radius = 0.2 } } }]\n";
  auto imbalance = [](auto& system) {
    const auto& model = system.model();
    const auto& state = system.live_state();
    using Real = std::decay_t<decltype(state.density[0])>;
    const grid::CellKinds kinds =
        grid::all_fluid(model.shape, {{{false, false}, {false, true}, {false, false}}});
    grid::ProjectionInputs<Real> in;
    in.domain.shape = model.shape;
    in.domain.kinds = grid::view(model.shape, kinds);
    return grid::largest_imbalance<Real>(in, smoke::velocity_views(model, std::as_const(state)));
  };
  sim::World exact = build(parsed(scene + "precision = \"double\"\n")), quick = build(parsed(scene));
  exact.sync_step(), quick.sync_step();
  EXPECT_LT(imbalance(smoke_of<double>(exact)), 1e-10);
  EXPECT_GT(imbalance(smoke_of<float>(quick)), 1e-9);
  EXPECT_GT(smoke::top_speed(smoke_of<double>(exact).model(), smoke_of<double>(exact).live_state()), 0.1);
}

TEST(SceneGas, AnEmitterHasAShapeOrAClosedMesh) {
  expect_refused(kSmoke + "emit = [{ density = 1 }]\n", "has neither 'shape' nor 'mesh'");
  expect_refused(kSmoke + "emit = [{ shape = { ball = {} }, mesh = { file = \"a.obj\" } }]\n",
                 "and 'shape' exclude each other");
  expect_refused(kSmoke + "emit = [{ mesh = { file = \"nowhere.obj\" } }]\n", "does not exist");
}

TEST(SceneGas, AnOpenMeshCannotEmitAndAClosedOneDoes) {
  const selkie::test::TemporaryFolder folder;
  const std::string corners = "v 0.3 0.3 0.3\nv 0.7 0.3 0.3\nv 0.5 0.3 0.7\nv 0.5 0.7 0.5\n";
  const std::string sides = "f 1 4 2\nf 2 4 3\nf 3 4 1\n";
  std::ofstream(folder.path() / "open.obj") << corners << sides;
  std::ofstream(folder.path() / "closed.obj") << corners << sides << "f 1 2 3\n";
  auto scene = [&](const std::string& file) {
    return parse(kSmoke + "domain = { cells = 16 }\nemit = [{ mesh = { file = \"" + file + "\" } }]\n",
                 "scene.toml", folder.path());
  };
  try {
    build(scene("open.obj"));
    ADD_FAILURE() << "an open mesh was accepted";
  } catch (const InputError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("scene.toml:"), std::string::npos) << said;
    EXPECT_NE(said.find("nothing can be emitted inside 'open.obj'"), std::string::npos) << said;
  }
  sim::World world = build(scene("closed.obj"));
  world.sync_step();
  const auto& state = smoke_of(world).live_state();
  const grid::Shape& shape = smoke_of(world).model().shape;
  EXPECT_GT(state.density[static_cast<std::size_t>(shape.at(8, 7, 7))], 0.9f);
  EXPECT_EQ(state.density[static_cast<std::size_t>(shape.at(2, 12, 2))], 0);
}

TEST(SceneGas, AStitchCannotHoldGas) {
  expect_refused(
      test::kCloth + kSmoke + "[[coupling]]\nkind = \"stitch\"\nbetween = [\"cloth\", \"smoke\"]\n",
      "has no points to join");
}

TEST(SceneGas, APushMovesTheGasWhereItPoints) {
  sim::World world = build(parsed(kSmoke + "domain = { cells = 8 }\n"));
  ports::InputEvent event;
  event.system = "smoke", event.action = "push";
  event.arguments = Value{ValueTable{}};
  auto vector = [](double x, double y, double z) { return Value{ValueArray{Value{x}, Value{y}, Value{z}}}; };
  event.arguments["point"] = vector(0.5, 0.5, 0.5);
  event.arguments["direction"] = vector(0, 0, 2);
  event.arguments["strength"] = Value{0.3};
  event.arguments["radius"] = Value{0.2};
  smoke_of(world).apply(event);
  const auto& state = smoke_of(world).live_state();
  const grid::Shape& shape = smoke_of(world).model().shape;
  EXPECT_GT(state.velocity_z[static_cast<std::size_t>(shape.at(4, 4, 4))], 0.2f);
  EXPECT_EQ(state.velocity_x[static_cast<std::size_t>(shape.at(4, 4, 4))], 0);
}

TEST(SceneGas, CollidersBecomeWallsOfALattice) {
  sim::World world =
      build(parsed(kLattice + "domain = { max = [1, 1, 0], cells = 16 }\n"
                              "[[collider]]\nshape = { ball = { center = [0.5, 0.5, 0], radius = 0.2 } }\n"));
  auto& system = dynamic_cast<sim::LatticeBoltzmannSystem&>(*world.find("gas"));
  const auto& model = system.model();
  EXPECT_NE(model.kinds[static_cast<std::size_t>(model.shape.at(8, 8, 0))], lattice_boltzmann::kGas);
  EXPECT_EQ(model.kinds[static_cast<std::size_t>(model.shape.at(1, 8, 0))], lattice_boltzmann::kGas);
}

TEST(SceneGas, ALatticeRefusesWhatItCannotDo) {
  expect_refused(
      kLattice + "[[collider]]\nname = \"fan\"\nshape = { ball = {} }\nmotion = { angle = \"t\" }\n",
      "'fan' moves");
  expect_refused(kLattice + "walls = { high_y = [9, 0, 0] }\n", "faster than a third of a cell");
  expect_refused(kLattice + "periodic = { y = true }\nwalls = { high_y = [0.1, 0, 0] }\n",
                 "joined to the opposite one");
}

TEST(SceneGas, RingsBecomeVortexParticlesWithAFlowAndSmoke) {
  sim::World world = build(parsed(kVortices + kRing + "domain = { cells = 12 }\nshow_particles = true\n"));
  auto& system = dynamic_cast<sim::VortexMethodSystem&>(*world.find("gas"));
  EXPECT_GT(system.live_state().positions.size(), 100u);
  EXPECT_LT(system.step_limit({}), 1);
  const std::vector<ports::Drawable> drawn = system.drawables();
  ASSERT_EQ(drawn.size(), 2u);
  EXPECT_EQ(std::get<ports::Volume>(drawn[0].shape).fields[0].name, "density");
  const auto& points = std::get<ports::Points>(drawn[1].shape);
  EXPECT_EQ(points.positions.size(), system.live_state().positions.size());
  EXPECT_EQ(points.attributes[0].name, "vorticity");
  for (const auto& [name, value] : system.figures({})) {
    EXPECT_TRUE(std::isfinite(value)) << name;
    // What a single ring must have, and what it must not.
    if (name == "smoke" || name == "impulse" || name == "energy") {
      EXPECT_GT(value, 0) << name;
    }
    if (name == "vorticity") {
      EXPECT_LT(value, 1e-12);
    }
  }
}

TEST(SceneGas, AVortexMethodRefusesWhatItCannotDo) {
  expect_refused(kVortices, "nothing would ever move");
  expect_refused(kVortices + "smoke = \"x\"\n", "nothing would ever move");
  EXPECT_NO_THROW(parsed(kVortices + "smoke = \"x\"\nbuoyancy = 1\n"));
  expect_refused(kVortices + kRing + "domain = { max = [1, 1, 0] }\n", "makes the box flat");
  expect_refused(kVortices + kRing + "domain = { max = [1, 1, 0.1], cells = 16 }\n", "fewer than 4 cells");
  expect_refused(kVortices + "ring = [{}]\n", "reaches out of the box");
  expect_refused(kVortices + "ring = [{ center = [0.5, 0.5, 0.5], axis = [0, 0, 0] }]\n", "has no length");
  expect_refused(kVortices + "ring = [{ center = [0.5, 0.5, 0.5], core = 0.001 }]\n", "less than 0.5 cells");
  expect_refused(kVortices + "patch = [{ center = [0.5, 0.5, 0.9] }]\n", "reaches out of the box");
  expect_refused(kVortices + kRing + "smoke = \"sin(\"\n", "is not a formula");
  expect_refused(kVortices + kRing + "[[collider]]\nname = \"pillar\"\nshape = { ball = {} }\n",
                 "knows no obstacles");
}

}  // namespace
}  // namespace selkie::scene
