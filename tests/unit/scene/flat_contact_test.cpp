// Contact between elastic bodies in the plane: what bodies of tetrahedra do, triangles do as well.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "selkie/core/parallel.h"
#include "selkie/geometry/generators.h"
#include "selkie/sim/systems/contact_coupling.h"
#include "selkie/sim/systems/elastic_system.h"
#include "small_scene.h"

namespace selkie::scene {
namespace {

using test::parsed;
using test::refusal;

std::string number(double value) { return std::to_string(value); }

// A block of square cells of 0.1 m, 1 m deep.
std::string flat(const std::string& name, double x0, double y0, int columns, int rows,
                 const std::string& more = "", double z = 0, int density = 300) {
  const double width = 0.1 * columns, height = 0.1 * rows;
  return "[[elastic]]\nname = \"" + name + "\"\ndensity = " + std::to_string(density) +
         "\nyoung = 1e5\nstiffness_damping = 0.01\nthickness = 1\nmesh = { sheet = { center = [" +
         number(x0 + width / 2) + ", " + number(y0 + height / 2) + ", " + number(z) + "], size = [" +
         number(width) + ", " + number(height) + "], divisions = [" + std::to_string(columns) + ", " +
         std::to_string(rows) + "], u = [1, 0, 0], v = [0, 1, 0] } }\n" + more;
}

const std::string kFloor = "[[collider]]\nname = \"floor\"\nshape = { plane = {} }\n";
const std::string kWeightless = "[scene]\nfps = 60\ngravity = [0, 0, 0]\n";
const std::string kHeavy = "[scene]\nfps = 60\n";

ports::DeformableSolid& solid(sim::World& world, const std::string& name) {
  return *world.find(name)->deformable_solid();
}

void advance(sim::World& world, int frames) {
  for (int n = 0; n < frames; ++n) {
    const sim::SyncReport report = world.sync_step();
    ASSERT_TRUE(report.ok) << report.trouble;
  }
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
  return std::nan("");
}

Vec3 center(sim::World& world, const std::string& name) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& x : solid(world, name).positions()) sum += x;
  return sum / static_cast<double>(solid(world, name).positions().size());
}

double area(const Vec3& a, const Vec3& b, const Vec3& c) { return (b - a).cross(c - a).z(); }

// Whether x lies in a triangle of the body that has no corner `but`.
bool is_inside(const ports::DeformableSolid& body, const Vec3& x, std::uint32_t but = UINT32_MAX) {
  const std::span<const Vec3> p = body.positions();
  return std::any_of(body.flat_cells().begin(), body.flat_cells().end(), [&](const geometry::Triangle& cell) {
    if (std::find(cell.begin(), cell.end(), but) != cell.end()) return false;
    const auto& [a, b, c] = cell;
    const double s = area(p[a], p[b], p[c]) > 0 ? 1 : -1;
    return s * area(p[a], p[b], x) > 0 && s * area(p[b], p[c], x) > 0 && s * area(p[c], p[a], x) > 0;
  });
}

double distance_to_outline(const ports::DeformableSolid& body, const Vec3& x,
                           std::uint32_t but = UINT32_MAX) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [a, b] : body.outline()) {
    if (a == but || b == but) continue;
    const Vec3 from = body.positions()[a], along = body.positions()[b] - from;
    const double share = std::clamp((x - from).dot(along) / along.squaredNorm(), 0.0, 1.0);
    least = std::min(least, (x - from - share * along).norm());
  }
  return least;
}

// Deepest vertex of one body inside the other, m.
double deepest(sim::World& world, const std::string& a, const std::string& b) {
  double depth = 0;
  for (const auto& [of, in] : {std::pair{a, b}, std::pair{b, a}})
    for (const std::uint32_t v : solid(world, of).surface_vertices()) {
      const Vec3& x = solid(world, of).positions()[v];
      if (is_inside(solid(world, in), x)) depth = std::max(depth, distance_to_outline(solid(world, in), x));
    }
  return depth;
}

TEST(FlatContact, TwoBlocksThatCollideKeepTheirMomentumAndGainNoEnergy) {
  sim::World world = build(parsed(kWeightless + flat("a", -0.45, -0.13, 3, 3, "velocity = [1.5, 0.1, 0]\n") +
                                  flat("b", -0.1, -0.2, 3, 3, "velocity = [-1, 0, 0]\n")));
  const Vec3 before = momentum(world, {"a", "b"});
  const double came = momentum(world, {"a"}).x();
  const double energy_before = figure(world, "a", "energy") + figure(world, "b", "energy");
  double energy = energy_before;
  for (int n = 0; n < 40; ++n) {
    advance(world, 1);
    const double now = figure(world, "a", "energy") + figure(world, "b", "energy");
    EXPECT_LT(now, energy + 2e-3 * energy_before) << "step " << n;  // as in space
    energy = now;
  }
  EXPECT_LT(momentum(world, {"a"}).x(), 0.5 * came) << "they met";
  // Of 14 kg·m/s, after 40 steps of direct solves and sums over 32 vertices.
  EXPECT_LT((momentum(world, {"a", "b"}) - before).norm(), 1e-12 * before.norm());
  EXPECT_LT(deepest(world, "a", "b"), 0.01);
  for (const char* name : {"a", "b"})
    for (std::size_t i = 0; i < solid(world, name).positions().size(); ++i) {
      EXPECT_EQ(solid(world, name).positions()[i].z(), 0);
      EXPECT_EQ(solid(world, name).velocities()[i].z(), 0);
    }
}

TEST(FlatContact, AStackComesToRestAndStands) {
  sim::World world = build(parsed(kHeavy + kFloor + flat("a", -0.2, 0, 4, 3) + flat("b", -0.17, 0.31, 3, 3) +
                                  flat("c", -0.15, 0.62, 2, 2)));
  advance(world, 240);
  for (const char* name : {"a", "b", "c"}) EXPECT_LT(figure(world, name, "max_speed"), 1e-2) << name;
  const double b = center(world, "b").y(), c = center(world, "c").y();
  advance(world, 60);
  EXPECT_NEAR(center(world, "b").y(), b, 1e-3);
  EXPECT_NEAR(center(world, "c").y(), c, 1e-3);
  EXPECT_LT(deepest(world, "a", "b"), 0.005);
  EXPECT_LT(deepest(world, "b", "c"), 0.005);
}

TEST(FlatContact, AStackStandsAsHighAsOneOfTetrahedra) {
  // Without Poisson's ratio a free bar strains as plane strain does. The upper block sinks by 25 mm as both
  // shorten under their weight. What may differ is the overlap that is not worth pushing out, a hundredth of
  // an edge, and 2 % of the way for meshes that lump their masses differently (measured: 0.85 mm in all).
  const std::string soft = "young = 2e4\npoisson = 0\ndensity = 300\nstiffness_damping = 0.02\n";
  auto sheet = [&](const std::string& name, double y) {
    return "[[elastic]]\nname = \"" + name + "\"\n" + soft + "mesh = { sheet = { center = [0, " +
           number(y + 0.15) +
           ", 0], size = [0.3, 0.3], divisions = [3, 3], u = [1, 0, 0], v = [0, 1, 0] } }\n";
  };
  auto box = [&](const std::string& name, double y) {
    return "[[elastic]]\nname = \"" + name + "\"\n" + soft + "mesh = { tet_box = { min = [-0.15, " +
           number(y) + ", -0.15], max = [0.15, " + number(y + 0.3) + ", 0.15], divisions = [3, 3, 3] } }\n";
  };
  sim::World plane = build(parsed(kHeavy + kFloor + sheet("low", 0) + sheet("high", 0.301)));
  sim::World space = build(parsed(kHeavy + kFloor + box("low", 0) + box("high", 0.301)));
  advance(plane, 300), advance(space, 300);
  const double slop = 0.01 * 0.1 * std::numbers::sqrt2;
  for (const char* name : {"low", "high"}) {
    EXPECT_LT(figure(plane, name, "max_speed"), 1e-3);
    EXPECT_NEAR(center(plane, name).y(), center(space, name).y(), slop + 5e-4) << name;
  }
  EXPECT_LT(deepest(plane, "low", "high"), slop + 1e-4);
  EXPECT_LT(center(plane, "high").y(), 0.449) << "it is compressed";
}

// m/s², along a block whose every vertex is held; gravity is that of a slope of 20°.
double acceleration_on_slope(double friction) {
  const double slope = 20 * std::numbers::pi / 180, g = 9.81;
  sim::World world = build(
      parsed("[scene]\nfps = 120\ngravity = [" + number(g * std::sin(slope)) + ", " +
             number(-g * std::cos(slope)) + ", 0]\n[[contact]]\nfriction = " + number(friction) + "\n" +
             flat("slope", -0.5, -0.2, 20, 2, "pin = [{ box = { min = [-9, -9, -9], max = [9, 9, 9] } }]\n") +
             flat("block", -0.2, 0.001, 3, 3)));
  advance(world, 60);
  const double early = momentum(world, {"block"}).x();
  advance(world, 60);
  return (momentum(world, {"block"}).x() - early) / (300 * 0.09) / 0.5;
}

TEST(FlatContact, FrictionHoldsABlockBelowItsAngleAndLetsItSlideAboveIt) {
  const double slope = 20 * std::numbers::pi / 180, g = 9.81;
  // Without friction: the block's own edge bends by up to its strain ρgh/E = 0.009, and normals with it; on
  // average by far less (measured: 0.0035 m/s²). With friction, bounds settle to a hundredth of the largest:
  // 0.03 m/s² of 0.3 g cos 20°.
  EXPECT_NEAR(acceleration_on_slope(0), g * std::sin(slope), 0.01);
  EXPECT_NEAR(acceleration_on_slope(0.3), g * (std::sin(slope) - 0.3 * std::cos(slope)), 0.04);
  EXPECT_NEAR(acceleration_on_slope(0.4), 0, 1e-3);
}

TEST(FlatContact, BlocksThatStartInEachOtherComeApartWithinThePlane) {
  for (const double shift : {0.0, 0.15}) {
    sim::World world = build(parsed(kWeightless + flat("a", 0, 0, 3, 3) + flat("b", shift, 0, 3, 3)));
    double fastest = 0;
    for (int n = 0; n < 120; ++n) {
      advance(world, 1);
      fastest = std::max({fastest, figure(world, "a", "max_speed"), figure(world, "b", "max_speed")});
    }
    EXPECT_LT(fastest, 5) << "parted without a bang";
    EXPECT_LT(deepest(world, "a", "b"), 0.01) << shift;
    EXPECT_GT((center(world, "a") - center(world, "b")).norm(), 0.28) << shift;
    EXPECT_EQ(figure(world, "a", "inverted") + figure(world, "b", "inverted"), 0);
  }
}

TEST(FlatContact, TheHashIsThatOfOneThreadAndOfPoisonedScratch) {
  auto run = [](int threads, bool poison) {
    const int before = thread_count();
    set_thread_count(threads);
    sim::World world =
        build(parsed(kHeavy + kFloor + flat("a", -0.2, 0, 4, 3) + flat("b", -0.17, 0.31, 3, 3)));
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

TEST(FlatContact, ABlockInATankComesToRestOnAnotherThatStandsInWater) {
  auto wet = [](const std::string& body) {
    return "[[coupling]]\nkind = \"liquid-elastic\"\nbetween = [\"water\", \"" + body + "\"]\n";
  };
  sim::World world =
      build(parsed("[scene]\nfps = 100\n[[liquid]]\nname = \"water\"\ndomain = { min = [0, 0, 0], max = "
                   "[1, 1, 0], cells = 20 }\nfill = [ { box = { min = [0, 0, -1], max = [1, 0.1, 1] } } ]\n" +
                   flat("low", 0.35, 0.01, 3, 3, "", 0, 2000) + flat("high", 0.4, 0.35, 2, 2, "", 0, 2000) +
                   wet("low") + wet("high")));
  for (int n = 0; n < 80; ++n) {
    advance(world, 1);
    ASSERT_LT(deepest(world, "low", "high"), 0.02) << "step " << n;
  }
  EXPECT_GT(center(world, "high").y(), 0.35) << "it would be below 0.2 m";
}

// A strip bent into a hairpin, its rest shape: its bend is held, its legs fly at each other; how deep
// vertices are inside other parts at worst, m.
double depth_of_hairpin(bool self) {
  geometry::TriangleMesh mesh =
      geometry::sheet({.size = {1.2, 0.1}, .divisions = {36, 3}, .u = Vec3::UnitX(), .v = Vec3::UnitY()});
  const double radius = 0.09, half = std::numbers::pi * radius / 2;
  for (Vec3& x : mesh.positions) {
    const double along = x.x(), inner = radius - x.y(), side = along > 0 ? 1 : -1;
    x = std::abs(along) > half ? Vec3(side * inner, std::abs(along) - half, 0)
                               : Vec3(std::sin(along / radius) * inner, -std::cos(along / radius) * inner, 0);
  }
  fem::Model model = fem::from_triangles(mesh, 300, 1);
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
  body.triangles = mesh.triangles;
  sim::World world({.fps = 60}, {.gravity = Vec3::Zero(), .colliders = {}});
  world.add(std::make_unique<sim::ElasticSystem>("strip", std::move(model), params, std::move(state),
                                                 std::move(body)));
  if (self)
    world.add(std::make_unique<sim::ContactCoupling>("contact", std::vector<std::string>{"strip"},
                                                     coupling::ContactParams{}, true));
  double deepest_ever = 0;
  for (int n = 0; n < 12; ++n) {
    advance(world, 1);
    const ports::DeformableSolid& strip = solid(world, "strip");
    for (const std::uint32_t v : strip.surface_vertices())
      if (const Vec3& x = strip.positions()[v]; is_inside(strip, x, v))
        deepest_ever = std::max(deepest_ever, distance_to_outline(strip, x, v));
  }
  return deepest_ever;
}

TEST(FlatContact, TheLegsOfAHairpinStopAtEachOther) {
  EXPECT_GT(depth_of_hairpin(false), 0.01);
  EXPECT_LT(depth_of_hairpin(true), 0.003) << "a tenth of an edge";
}

TEST(FlatContact, BodiesOfOtherPlanesAndOfSpaceAreRefusedByNameAndElseLeftAlone) {
  const std::string plane = flat("a", 0, 0, 2, 2), beside = flat("b", 0, 0, 2, 2, "", 0.5);
  const std::string cube = "[[elastic]]\nname = \"c\"\nmesh = { tet_box = { divisions = [2, 2, 2] } }\n";
  const std::string named = "[[contact]]\nbodies = [\"a\", \"";
  for (const std::string& text : {refusal(kHeavy + plane + beside + named + "b\"]\n"),
                                  refusal(kHeavy + plane + cube + named + "c\"]\n")}) {
    EXPECT_NE(text.find("'a' lives in the plane z = 0 m"), std::string::npos) << text;
    EXPECT_NE(text.find("s.toml:"), std::string::npos) << text;
  }
  EXPECT_TRUE(build(parsed(kHeavy + plane + beside)).couplings().empty());
  EXPECT_TRUE(build(parsed(kHeavy + plane + cube)).couplings().empty());
  EXPECT_EQ(build(parsed(kHeavy + plane + flat("b", 0, 0.5, 2, 2))).couplings().size(), 1u);
  // Asked for all: those that share a plane meet, the others pass.
  sim::World world = build(parsed(kWeightless + plane + beside + "velocity = [0.3, 0, 0]\n[[contact]]\n"));
  advance(world, 5);
  EXPECT_EQ(momentum(world, {"a"}).norm(), 0);
}

}  // namespace
}  // namespace selkie::scene
