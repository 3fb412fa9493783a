// Contact between the bodies of a scene: by default, on request, with itself, with thrown bodies and with
// meshes.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <numbers>
#include <tuple>

#include "selkie/core/parallel.h"
#include "selkie/geometry/generators.h"
#include "selkie/geometry/vertex_in_tet.h"
#include "selkie/sim/systems/contact_coupling.h"
#include "selkie/sim/systems/elastic_system.h"
#include "selkie/sim/systems/mass_spring_system.h"
#include "selkie/sim/systems/rigid_system.h"
#include "small_scene.h"
#include "support/temporary_folder.h"

namespace selkie::scene {
namespace {

using test::parsed;
using test::refusal;

enum class Kind { elastic, springs };

std::string vector_text(const Vec3& v) {
  return "[" + std::to_string(v.x()) + ", " + std::to_string(v.y()) + ", " + std::to_string(v.z()) + "]";
}

std::string block(Kind kind, const std::string& name, const Vec3& min, const Vec3& max, int divisions,
                  const std::string& more = "") {
  const std::string n = std::to_string(divisions);
  return std::string(kind == Kind::elastic ? "[[elastic]]\nyoung = 1e5\nstiffness_damping = 0.01\n"
                                           : "[[mass_spring]]\nstiffness = 8000\ndamping = 0.3\n") +
         "name = \"" + name + "\"\ndensity = 300\nmesh = { tet_box = { min = " + vector_text(min) +
         ", max = " + vector_text(max) + ", divisions = [" + n + ", " + n + ", " + n + "] } }\n" + more;
}

const std::string kFloor = "[[collider]]\nname = \"floor\"\nshape = { plane = {} }\n";
const std::string kWeightless = "[scene]\nfps = 60\ngravity = [0, 0, 0]\n";
const std::string kHeavy = "[scene]\nfps = 60\n";

ports::DeformableSolid& solid(sim::World& world, const std::string& name) {
  return *world.find(name)->deformable_solid();
}

Vec3 momentum(sim::World& world, std::initializer_list<const char*> names) {
  Vec3 sum = Vec3::Zero();
  for (const char* name : names) {
    const ports::DeformableSolid& s = solid(world, name);
    for (std::size_t i = 0; i < s.positions().size(); ++i) sum += s.velocities()[i] / s.inverse_masses()[i];
  }
  return sum;
}

double figure(sim::World& world, const std::string& system, const std::string& wanted) {
  for (const auto& [name, value] : world.find(system)->figures(world.environment()))
    if (name == wanted) return value;
  return std::numeric_limits<double>::quiet_NaN();
}

double fastest(sim::World& world, std::initializer_list<const char*> names) {
  double speed = 0;
  for (const char* name : names) speed = std::max(speed, figure(world, name, "max_speed"));
  return speed;
}

double height(sim::World& world, const std::string& name) {
  double sum = 0;
  for (const Vec3& x : solid(world, name).positions()) sum += x.y();
  return sum / static_cast<double>(solid(world, name).positions().size());
}

void advance(sim::World& world, int frames) {
  for (int n = 0; n < frames; ++n) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
  }
}

// Deepest vertex of one body inside the other: its distance to the surface, m.
double deepest(sim::World& world, const std::string& a, const std::string& b) {
  geometry::TetDetector detector;
  std::vector<geometry::TouchingBody> bodies;
  for (const std::string& name : {a, b}) {
    const ports::DeformableSolid& s = solid(world, name);
    bodies.push_back({s.positions(), s.surface_vertices(), s.tets()});
  }
  double depth = 0;
  for (const auto& f : detector.find(bodies, [](std::size_t i, std::size_t j) { return i != j; })) {
    const ports::DeformableSolid& s = solid(world, f.tet_body == 0 ? a : b);
    const geometry::TriangleTree tree(s.positions(), s.surface());
    depth = std::max(depth, tree.nearest(s.positions(), bodies[f.vertex_body].positions[f.vertex])->distance);
  }
  return depth;
}

class SceneContact : public testing::TestWithParam<std::tuple<Kind, Kind>> {};

TEST_P(SceneContact, TwoBodiesThatCollideKeepTheirMomentumAndGainNoEnergy) {
  const auto [kind_a, kind_b] = GetParam();
  // Springs are solved as exactly as finite elements are, which solve small bodies directly.
  auto exact = [](Kind kind) { return std::string(kind == Kind::springs ? "solver = \"cholesky\"\n" : ""); };
  sim::World world = build(parsed(kWeightless +
                                  block(kind_a, "a", {-0.5, -0.13, -0.12}, {-0.2, 0.15, 0.16}, 3,
                                        exact(kind_a) + "velocity = [1.5, 0.1, 0]\n") +
                                  block(kind_b, "b", {-0.1, -0.2, -0.2}, {0.2, 0.1, 0.1}, 2,
                                        exact(kind_b) + "velocity = [-1, 0, 0.2]\n")));
  const Vec3 before = momentum(world, {"a", "b"});
  const double energy_before = figure(world, "a", "energy") + figure(world, "b", "energy");
  const double speed_before = momentum(world, {"a"}).x();
  double energy = energy_before;
  for (int n = 0; n < 40; ++n) {
    advance(world, 1);
    const double now = figure(world, "a", "energy") + figure(world, "b", "energy");
    // Implicit Euler takes energy, contacts take energy; what the linearised answer of a contact may add is
    // far below what came.
    EXPECT_LT(now, energy + 2e-3 * energy_before) << "step " << n;
    energy = now;
  }
  EXPECT_LT(energy, energy_before);
  EXPECT_LT(momentum(world, {"a"}).x(), 0.5 * speed_before) << "they met";
  // Of 12 kg·m/s, after 40 steps of solves and sums over some hundred vertices.
  EXPECT_LT((momentum(world, {"a", "b"}) - before).norm(), 1e-10 * before.norm());
  EXPECT_LT(deepest(world, "a", "b"), 0.01);
}

TEST_P(SceneContact, AStackComesToRestAndStands) {
  const auto [kind_a, kind_b] = GetParam();
  sim::World world = build(parsed(kHeavy + kFloor + block(kind_a, "a", {-0.2, 0, -0.2}, {0.2, 0.3, 0.2}, 3) +
                                  block(kind_b, "b", {-0.17, 0.31, -0.15}, {0.18, 0.6, 0.17}, 3) +
                                  block(kind_a, "c", {-0.15, 0.61, -0.15}, {0.15, 0.9, 0.15}, 2)));
  advance(world, 240);
  EXPECT_LT(fastest(world, {"a", "b", "c"}), 1e-2);
  const double b = height(world, "b"), c = height(world, "c");
  advance(world, 60);
  EXPECT_NEAR(height(world, "b"), b, 1e-3);
  EXPECT_NEAR(height(world, "c"), c, 1e-3);
  EXPECT_GT(height(world, "c"), 0.6);
  EXPECT_LT(deepest(world, "a", "b"), 0.005);
  EXPECT_LT(deepest(world, "b", "c"), 0.005);
}

INSTANTIATE_TEST_SUITE_P(Solvers, SceneContact,
                         testing::Values(std::tuple{Kind::elastic, Kind::elastic},
                                         std::tuple{Kind::springs, Kind::springs},
                                         std::tuple{Kind::elastic, Kind::springs}));

// Largest change of an edge between two bodies of the same make, as a share of the edge.
double shape_error(const ports::DeformableSolid& a, const ports::DeformableSolid& b) {
  double worst = 0;
  for (const geometry::Segment& edge : geometry::unique_edges(a.tets())) {
    const double now = (a.positions()[edge[1]] - a.positions()[edge[0]]).norm();
    const double then = (b.positions()[edge[1]] - b.positions()[edge[0]]).norm();
    worst = std::max(worst, std::abs(now - then) / then);
  }
  return worst;
}

class SceneContactOverlap : public testing::TestWithParam<std::tuple<Kind, double>> {};

TEST_P(SceneContactOverlap, ComesApartAndToRestWithinFiveSeconds) {
  const auto [kind, overlap] = GetParam();
  const double x = 0.3 * (1 - overlap);
  sim::World world = build(parsed(kHeavy + kFloor + block(kind, "a", {0, 0, 0}, {0.3, 0.3, 0.3}, 3) +
                                  block(kind, "b", {x, 0, 0}, {0.3 + x, 0.3, 0.3}, 3)));
  double fastest_ever = 0;
  for (int n = 0; n < 300; ++n) {
    advance(world, 1);
    fastest_ever = std::max(fastest_ever, fastest(world, {"a", "b"}));
  }
  EXPECT_LT(fastest_ever, 5) << "parted without a bang";
  EXPECT_LT(fastest(world, {"a", "b"}), 0.02);
  EXPECT_LT(deepest(world, "a", "b"), 0.01);
  // Their own shape again, that of a block which nothing disturbed, to RT-02's 1 %.
  sim::World calm = build(parsed(kHeavy + kFloor + block(kind, "a", {0, 0, 0}, {0.3, 0.3, 0.3}, 3)));
  advance(calm, 300);
  for (const char* name : {"a", "b"}) {
    geometry::TetMesh mesh{{solid(world, name).positions().begin(), solid(world, name).positions().end()},
                           {solid(world, name).tets().begin(), solid(world, name).tets().end()}};
    EXPECT_LT(shape_error(solid(world, name), solid(calm, "a")), 0.01) << name;
    for (const geometry::Tet& t : mesh.tets)
      EXPECT_GT(geometry::signed_volume(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]],
                                        mesh.positions[t[3]]),
                0);
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, SceneContactOverlap,
                         testing::Values(std::tuple{Kind::elastic, 0.5}, std::tuple{Kind::elastic, 1.0},
                                         std::tuple{Kind::springs, 0.5}, std::tuple{Kind::springs, 1.0}));

const std::string kTwoBlocks = block(Kind::elastic, "a", {-0.2, 0, -0.2}, {0.2, 0.3, 0.2}, 2) +
                               block(Kind::springs, "b", {-0.15, 0.31, -0.15}, {0.15, 0.6, 0.15}, 2);

TEST(SceneContactDefault, BodiesPassThroughEachOtherOnlyWhereContactIsOff) {
  sim::World on = build(parsed(kHeavy + kFloor + kTwoBlocks));
  sim::World off = build(parsed(kHeavy + "contact = false\n" + kFloor + kTwoBlocks));
  sim::World told = build(parsed(kHeavy + "contact = false\n" + kFloor + kTwoBlocks +
                                 "[[contact]]\nbodies = [\"a\", \"b\"]\nfriction = 0.2\n"));
  EXPECT_EQ(on.couplings().size(), 1u);
  EXPECT_TRUE(off.couplings().empty());
  EXPECT_EQ(told.couplings().size(), 1u) << "the pair is described; nothing is left to the default";
  for (sim::World* world : {&on, &off, &told}) advance(*world, 60);
  EXPECT_GT(height(on, "b"), 0.35);
  EXPECT_LT(height(off, "b"), 0.25);
  EXPECT_GT(height(told, "b"), 0.35);
}

TEST(SceneContactDefault, BodiesThatNeverMeetMoveAsIfThereWereNone) {
  const std::string far = block(Kind::elastic, "a", {-0.2, 0.1, -0.2}, {0.2, 0.4, 0.2}, 2) +
                          block(Kind::springs, "b", {0.3, 0.1, -0.2}, {0.7, 0.4, 0.2}, 2);
  sim::World on = build(parsed(kHeavy + kFloor + far));
  sim::World off = build(parsed(kHeavy + "contact = false\n" + kFloor + far));
  advance(on, 30), advance(off, 30);
  for (const char* name : {"a", "b"})
    for (std::size_t i = 0; i < solid(on, name).positions().size(); ++i) {
      EXPECT_EQ(solid(on, name).positions()[i], solid(off, name).positions()[i]);
      EXPECT_EQ(solid(on, name).velocities()[i], solid(off, name).velocities()[i]);
    }
}

TEST(SceneContactDefault, StitchedBodiesAndClothAloneAreLeftAlone) {
  const std::string stitch = "[[coupling]]\nkind = \"stitch\"\nbetween = [\"a\", \"b\"]\ndistance = 0.1\n";
  EXPECT_EQ(build(parsed(kTwoBlocks + stitch)).couplings().size(), 1u);
  const std::string cloth = "[[mass_spring]]\nname = \"cloth\"\nmesh = { sheet = {} }\n";
  const std::string other = "[[mass_spring]]\nname = \"other\"\nmesh = { sheet = {} }\n";
  EXPECT_TRUE(build(parsed(cloth + other)).couplings().empty());
  EXPECT_EQ(build(parsed(cloth + kTwoBlocks)).couplings().size(), 1u);
}

TEST(SceneContactDefault, ImpossibleContactsAreRefusedWithTheirPlace) {
  const std::string two = kHeavy + kTwoBlocks;
  EXPECT_NE(refusal(two + "[[contact]]\nbodies = [\"a\", \"c\"]\n").find("unknown system \"c\""),
            std::string::npos);
  EXPECT_NE(refusal(two + "[[contact]]\nbodies = [\"a\", \"a\"]\n").find("twice"), std::string::npos);
  EXPECT_NE(refusal(two + "[[contact]]\nbodies = [\"a\"]\n").find("self = true"), std::string::npos);
  EXPECT_NE(refusal(two + "[[contact]]\nfriction = -1\n").find("out of range"), std::string::npos);
  EXPECT_NE(refusal(two + "[[contact]]\nrestitution = 1.5\n").find("out of range"), std::string::npos);
  const std::string plate =
      "[[elastic]]\nname = \"p\"\nmesh = { sheet = { u = [1, 0, 0], v = [0, 1, 0], divisions = [3, 2] } }\n";
  const std::string flat = refusal(two + plate + "[[contact]]\nbodies = [\"a\", \"p\"]\n");
  EXPECT_NE(flat.find("never touch"), std::string::npos);
  EXPECT_NE(flat.find("s.toml:"), std::string::npos);
}

TEST(SceneContactDefault, ClothComesToRestOnASoftBlock) {
  sim::World world =
      build(parsed(kHeavy + kFloor + block(Kind::elastic, "a", {-0.3, 0, -0.3}, {0.3, 0.3, 0.3}, 4) +
                   "[[mass_spring]]\nname = \"cloth\"\ndamping = 0.3\ndrag = 1\nmesh = { sheet = { "
                   "center = [0, 0.33, 0], size = [0.4, 0.4], divisions = [8, 8] } }\n"));
  advance(world, 90);
  EXPECT_LT(fastest(world, {"a", "cloth"}), 0.05);
  for (const Vec3& x : solid(world, "cloth").positions()) EXPECT_GT(x.y(), 0.27);
}

TEST(SceneContactDefault, TheHashIsThatOfOneThreadAndOfPoisonedScratch) {
  auto run = [](int threads, bool poison) {
    const int before = thread_count();
    set_thread_count(threads);
    sim::World world = build(parsed(kHeavy + kFloor + kTwoBlocks));
    world.set_poison_work(poison);
    advance(world, 40);
    const Hash128 hash = world.hash();
    set_thread_count(before);
    return hash;
  };
  const Hash128 one = run(1, false);
  EXPECT_EQ(one, run(2, false));
  EXPECT_EQ(one, run(1, true));
}

// A bar bent into a hairpin, its rest shape: legs 0.08 m apart.
geometry::TetMesh hairpin() {
  geometry::TetMesh mesh =
      geometry::tet_box({.min = {-0.6, -0.05, -0.05}, .max = {0.6, 0.05, 0.05}, .divisions = {36, 3, 3}});
  const double radius = 0.09, half = std::numbers::pi * radius / 2;
  for (Vec3& x : mesh.positions) {
    const double along = x.x(), inner = radius - x.y(), side = along > 0 ? 1 : -1;
    x = std::abs(along) > half
            ? Vec3(side * inner, std::abs(along) - half, x.z())
            : Vec3(std::sin(along / radius) * inner, -std::cos(along / radius) * inner, x.z());
  }
  return mesh;
}

// Its bend is held, its legs fly at each other; how deep vertices are inside other parts after a while, m.
double depth_of_hairpin(bool self) {
  const geometry::TetMesh mesh = hairpin();
  fem::Model model = fem::from_tets(mesh, 300);
  fem::State state = fem::make_state(model);
  for (std::uint32_t i = 0; i < model.vertex_count; ++i) {
    const Vec3& x = mesh.positions[i];
    if (x.y() < -0.06) fem::pin(state, i);
    if (x.y() > 0.2) state.velocities[i].x() = x.x() > 0 ? -1.5 : 1.5;
  }
  fem::Params params;
  params.young = 2e4;
  params.stiffness_damping = 0.005;
  sim::DeformableBody body;
  body.rest_positions = mesh.positions;
  body.tets = mesh.tets;
  body.triangles = geometry::boundary_triangles(mesh.tets);
  sim::World world({.fps = 60}, {.gravity = Vec3::Zero(), .colliders = {}});
  world.add(std::make_unique<sim::ElasticSystem>("bar", std::move(model), params, std::move(state),
                                                 std::move(body)));
  if (self)
    world.add(std::make_unique<sim::ContactCoupling>("contact", std::vector<std::string>{"bar"},
                                                     coupling::ContactParams{}, true));
  double deepest_ever = 0;
  geometry::TetDetector detector;
  for (int n = 0; n < 12; ++n) {
    advance(world, 1);
    const ports::DeformableSolid& bar = solid(world, "bar");
    const geometry::TriangleTree tree(bar.positions(), bar.surface());
    const std::vector<geometry::TouchingBody> bodies = {
        {bar.positions(), bar.surface_vertices(), bar.tets()}};
    for (const auto& f : detector.find(bodies, [](std::size_t, std::size_t) { return true; })) {
      auto elsewhere = [&](std::uint32_t t) {
        const geometry::Triangle& c = bar.surface()[t];
        return std::find(c.begin(), c.end(), f.vertex) == c.end();
      };
      const auto nearest = tree.nearest(bar.positions(), bar.positions()[f.vertex], 1, elsewhere);
      deepest_ever = std::max(deepest_ever, nearest->distance);
    }
  }
  return deepest_ever;
}

TEST(SceneContactSelf, TheLegsOfAHairpinStopAtEachOther) {
  EXPECT_GT(depth_of_hairpin(false), 0.01);
  EXPECT_LT(depth_of_hairpin(true), 0.003) << "a tenth of an edge";
}

TEST(SceneContactThrown, AnElasticBlockTakesWhatTheBallGives) {
  for (const char* integrator : {"backward-euler", "backward-euler-newton", "symplectic-euler"}) {
    sim::World world =
        build(parsed(kWeightless + block(Kind::elastic, "a", {-0.2, -0.2, -0.2}, {0.2, 0.2, 0.2}, 4) +
                     "integrator = \"" + integrator + "\"\n"));
    ports::InputEvent event{0, "thrown", "throw", Value{ValueTable{}}};
    auto vector = [](double x, double y, double z) {
      return Value{ValueArray{Value{x}, Value{y}, Value{z}}};
    };
    event.arguments["shape"] = Value{std::string("ball")};
    event.arguments["position"] = vector(-0.5, 0.02, 0.01);
    event.arguments["velocity"] = vector(4, 0, 0);
    event.arguments["size"] = Value{0.15};
    event.arguments["density"] = Value{500.0};
    world.apply_now(event);
    auto& thrown = dynamic_cast<sim::RigidSystem&>(*world.find("thrown"));
    auto total = [&] {
      return Vec3(momentum(world, {"a"}) + thrown.live_state().masses[0] * thrown.live_state().velocities[0]);
    };
    const Vec3 before = total();
    advance(world, 40);
    EXPECT_GT(momentum(world, {"a"}).x(), 0.2 * before.x()) << integrator;
    // Direct solves to 1e-6 of their right side, refined to round-off; sums over a hundred contacts.
    EXPECT_LT((total() - before).norm(), 1e-9 * before.norm()) << integrator;
    for (const Vec3& x : solid(world, "a").positions())
      EXPECT_GT((x - thrown.live_state().positions[0]).norm(), 0.15 - 0.01) << integrator;
  }
}

void write_tetrahedron(const std::filesystem::path& file, bool closed) {
  std::ofstream out(file);
  out << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n" << (closed ? "f 2 3 4\n" : "");
}

TEST(SceneContactMesh, AClosedMeshStopsVerticesWhereItMovesTo) {
  const selkie::test::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
  write_tetrahedron(folder / "closed.obj", true);
  const Scene scene = parse(kHeavy +
                                "[[collider]]\nname = \"wedge\"\nmesh = { file = \"closed.obj\", place = { "
                                "translate = [-0.3, -1, -0.3] } }\nmotion = { translate = [\"0.1*t\", \"0\", "
                                "\"0\"] }\n" +
                                block(Kind::elastic, "a", {-0.05, 0.1, -0.05}, {0.05, 0.2, 0.05}, 2),
                            "s.toml", folder, {});
  sim::World world = build(scene);
  const ports::FieldSampler& wedge = *world.environment().colliders[0];
  const ports::FieldSample inside = wedge.sample(Vec3(-0.3 + 0.1 + 0.01, -0.5, 0), 1);
  EXPECT_NEAR(inside.distance, -0.01, 1e-12);
  EXPECT_LT((inside.normal + Vec3::UnitX()).norm(), 1e-9);
  EXPECT_LT((inside.velocity - Vec3(0.1, 0, 0)).norm(), 1e-6);
  advance(world, 60);
  for (const Vec3& x : solid(world, "a").positions())
    EXPECT_GT(wedge.sample(x, world.time()).distance, -1e-6);
}

TEST(SceneContactMesh, OpenMeshesAndMissingFilesAreRefused) {
  const selkie::test::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
  write_tetrahedron(folder / "open.obj", false);
  auto why = [&](const std::string& collider) {
    try {
      build(parse("[[collider]]\n" + collider, "s.toml", folder, {}));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  const std::string open = why("mesh = { file = \"open.obj\" }\n");
  EXPECT_NE(open.find("hole"), std::string::npos) << open;
  EXPECT_NE(open.find("edge 1-2"), std::string::npos) << open;
  EXPECT_NE(why("mesh = { file = \"none.obj\" }\n").find("does not exist"), std::string::npos);
  EXPECT_NE(why("name = \"x\"\n").find("neither"), std::string::npos);
  EXPECT_NE(why("mesh = { file = \"open.obj\" }\nshape = { ball = {} }\n").find("exclude"),
            std::string::npos);
}

}  // namespace
}  // namespace selkie::scene
