// Bodies in the water: rays, buoyancy, drag, momentum (SW-31 … SW-33); the drawn sheet (SW-40, SW-41); the
// reference solvers (SW-06, SW-09).
#include "selkie/fluids/surface_water/bodies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "selkie/core/error.h"
#include "selkie/fluids/surface_water/edge_flux.h"
#include "selkie/fluids/surface_water/kinetic.h"
#include "selkie/fluids/surface_water/sheet.h"
#include "selkie/geometry/mesh_check.h"
#include "unit/surface_water/meshes.h"

namespace selkie::surface_water {
namespace {

// A ball that records what pushes it.
class Ball final : public ports::MovableSolid {
 public:
  Vec3 center = Vec3::Zero(), speed = Vec3::Zero(), impulse = Vec3::Zero();
  double radius = 0.2, mass = 10;

  ports::FieldSample sample(const Vec3& p, double) const override {
    const double d = (p - center).norm();
    return {d - radius, d > 0 ? Vec3((p - center) / d) : Vec3(Vec3::UnitY()), speed};
  }
  ports::BoundingBall bounds(double, double) const override { return {center, radius}; }
  ports::BoundingBall way() const override { return {center, radius}; }
  double size() const override { return radius; }
  Vec3 velocity() const override { return speed; }
  ports::SweptSample sweep(const Vec3&, double, const Vec3&, double, double) const override { return {}; }
  double inverse_mass(const Vec3&, const Vec3&, double) const override { return 1 / mass; }
  void push(const Vec3&, const Vec3& given, double) override { impulse += given; }
  void shift(const Vec3&, double) override {}
};

// The upper side of a large box is a flat patch at y = 0.
Pool tank(int divisions = 40) {
  return Pool{make_model(
      geometry::box_surface({.min = {-1, -1, -1}, .max = {1, 0, 1}, .divisions = {divisions, 4, divisions}}),
      0.5, 10, "tank")};
}

TEST(SurfaceBodies, AreFoundByTheirBottomAndTopRays) {
  Ball ball;
  auto hit = [&](double height) {
    ball.center = Vec3(0, height, 0);
    return find_column(ball, ball.bounds(0, 0), Vec3::Zero(), Vec3::UnitY(), 0.5, 0.5, 0);
  };
  const ColumnHit dips = hit(0.05);
  EXPECT_TRUE(dips.touches);
  EXPECT_NEAR(dips.below, 0.35, 1e-5);
  EXPECT_NEAR((dips.normal + Vec3::UnitY()).norm(), 0, 1e-5);
  EXPECT_FALSE(hit(0.25).touches) << "above the water";
  EXPECT_FALSE(hit(-0.25).touches) << "wholly immersed";
  EXPECT_FALSE(hit(-2).touches) << "below the bottom";
  EXPECT_NEAR(hit(-0.45).below, 0, 1e-6) << "starts inside";
}

TEST(SurfaceBodies, BuoyancyIsThatOfTheImmersedCap) {
  Pool pool = tank(120);
  pool.set_depth([](const Vec3&) { return 0.5; });
  Ball ball;
  ball.center = Vec3(0.013, 0.1, 0.007);
  std::vector<ports::MovableSolid*> bodies{&ball};
  pool.inputs.bodies = bodies;
  pool.params.body_drag = 0;
  pool.advance(0.01);
  const double d = 0.1, r = 0.2, cap = std::numbers::pi * d * d * (3 * r - d) / 3;
  EXPECT_NEAR(ball.impulse.y() / (0.01 * 1000 * 9.81), cap, 0.02 * cap);
  EXPECT_NEAR(ball.impulse.x(), 0, 1e-9 + 0.01 * ball.impulse.y());
}

TEST(SurfaceBodies, DragTakesFromTheWaterWhatItGives) {
  Pool pool = tank();
  pool.set_depth([](const Vec3&) { return 0.5; });
  Ball ball;
  ball.center = Vec3(0.02, 0.05, 0.01), ball.speed = Vec3(2, -1, 0.5);
  std::vector<ports::MovableSolid*> bodies{&ball};
  pool.inputs.bodies = bodies;
  pool.params.buoyancy = false;
  const double start = volume(pool.state), dt = 1.0 / 60;
  pool.advance(dt);
  EXPECT_GT(pool.report.contacts, 10);
  EXPECT_LT(ball.impulse.dot(ball.speed), 0) << "drag brakes";
  Vec3 taken = Vec3::Zero();
  for (std::size_t f = 0; f < pool.model.complex.face_count; ++f)
    taken += dt * 1000 * 0.5 * pool.model.metric.area[f] * pool.work.reaction[f];
  EXPECT_NEAR((taken + ball.impulse).norm(), 0, 1e-12 * ball.impulse.norm());
  // What the water has now moves the way the ball did: its tangential share, all faces at depth 0.5.
  pool.params.attraction = 1e-6;
  EXPECT_NEAR(volume(pool.state), start, 1e-13);
}

TEST(SurfaceBodies, LinearDragGrowsWithTheSpeedAndQuadraticWithItsSquare) {
  auto impulse = [](DragLaw law, double speed) {
    Pool pool = tank();
    pool.set_depth([](const Vec3&) { return 0.5; });
    Ball ball;
    ball.center = Vec3(0.02, 0.05, 0.01), ball.speed = Vec3(0, -speed, 0);
    std::vector<ports::MovableSolid*> bodies{&ball};
    pool.inputs.bodies = bodies;
    pool.params.buoyancy = false, pool.params.drag_law = law;
    pool.advance(1e-7);  // so short that nothing is slowed by its own drag
    return ball.impulse.y();
  };
  const double one = impulse(DragLaw::quadratic, 1);
  EXPECT_GT(one, 0);
  EXPECT_NEAR(impulse(DragLaw::linear, 1) / one, 1, 1e-4);
  EXPECT_NEAR(impulse(DragLaw::linear, 3) / one, 3, 1e-3);
  EXPECT_NEAR(impulse(DragLaw::quadratic, 3) / one, 9, 1e-2);
}

// A ball at a vertex, between the middles of triangles that are larger than it.
TEST(SurfaceBodies, SmallOnesAreMetByTheRaysAtCornersAlone) {
  for (const bool corners : {false, true}) {
    Pool pool = tank(8);
    pool.set_depth([](const Vec3&) { return 0.5; });
    pool.params.rays_at_corners = corners;
    Ball ball;
    ball.radius = 0.07, ball.center = Vec3(0, 0.02, 0), ball.speed = Vec3(0, -1, 0);
    std::vector<ports::MovableSolid*> bodies{&ball};
    pool.inputs.bodies = bodies;
    pool.advance(1e-3);
    ASSERT_TRUE(pool.ok);
    EXPECT_EQ(pool.report.contacts > 0, corners) << pool.report.contacts;
    EXPECT_EQ(ball.impulse.y() > 0, corners);
    Vec3 taken = Vec3::Zero(), given = Vec3::Zero();
    for (std::size_t f = 0; f < pool.model.complex.face_count; ++f)
      taken += 1e-3 * 1000 * 0.5 * pool.model.metric.area[f] * pool.work.reaction[f];
    for (int d = 0; d < 3; ++d) given[d] = pool.work.bodies_impulse[d];
    EXPECT_NEAR((taken + given).norm(), 0, 1e-12 * (1 + given.norm()));
  }
}

TEST(SurfaceBodies, FourRaysPerFaceFindTheSameCap) {
  Pool pool = tank(60);
  pool.set_depth([](const Vec3&) { return 0.5; });
  pool.params.rays_at_corners = true, pool.params.body_drag = 0;
  Ball ball;
  ball.center = Vec3(0.013, 0.1, 0.007);
  std::vector<ports::MovableSolid*> bodies{&ball};
  pool.inputs.bodies = bodies;
  pool.advance(0.01);
  const double d = 0.1, r = 0.2, cap = std::numbers::pi * d * d * (3 * r - d) / 3;
  // As fine as one ray per face on a mesh of half the size, where 2 % are allowed.
  EXPECT_NEAR(ball.impulse.y() / (0.01 * 1000 * 9.81), cap, 0.02 * cap);
}

TEST(SurfaceDroplets, BounceOffABodyAndPushIt) {
  Pool pool{sphere_model(4)};
  Ball ball;
  ball.center = Vec3(0, 5, 0), ball.mass = 0.05, ball.speed = Vec3(0.5, 0, 0), ball.restitution = 0.4;
  pool.inputs.gravity = Vec3::Zero();
  std::vector<ports::MovableSolid*> bodies{&ball};
  pool.inputs.bodies = bodies;
  pool.state.drop_positions.push_back(Vec3(0.02, 5.19, 0.01));
  pool.state.drop_velocities.push_back(Vec3(0.3, -2, 0));
  pool.state.drop_volumes.push_back(1e-5);
  pool.advance(1e-3);
  ASSERT_TRUE(pool.ok);
  ASSERT_EQ(pool.state.drop_volumes.size(), 1u);
  const Vec3 drop = pool.state.drop_velocities[0];
  EXPECT_GT(drop.y(), 0) << "it came back";
  EXPECT_GE((pool.state.drop_positions[0] - ball.center).norm(), ball.radius - 1e-12);
  // 10 g of water: what it gained the ball lost.
  EXPECT_NEAR((0.01 * (drop - Vec3(0.3, -2, 0)) + ball.impulse).norm(), 0, 1e-15);
  // Along the normal the two part with 0.4 of the speed they met with.
  const Vec3 n = (Vec3(0.0203, 5.188, 0.01) - ball.center).normalized();
  const Vec3 body = ball.speed + ball.impulse / ball.mass;
  EXPECT_NEAR((drop - body).dot(n) / -(Vec3(0.3, -2, 0) - ball.speed).dot(n), 0.4, 1e-9);
}

TEST(SurfaceBodies, DragAreaIsClippedToTheColumn) {
  const std::array<Vec3, 3> corners{Vec3(0, 0, 0), Vec3(0, 0, 1), Vec3(1, 0, 0)};
  const Vec3 up = Vec3::UnitY(), down = -up;
  EXPECT_NEAR(drag_area(corners, up, Vec3(0, -0.1, 0), down, -1, 0.5, down), 0.5, 1e-14);
  EXPECT_EQ(drag_area(corners, up, Vec3(0, -0.1, 0), down, -1, 0.5, up), 0) << "moving away";
  const Vec3 slanted = Vec3(1, -1, 0).normalized();
  EXPECT_NEAR(drag_area(corners, up, Vec3(0, 0, 0), slanted, -1, 2, slanted), 0.5 * std::sqrt(2.0), 1e-14);
  // The slanted plane y = x rises to 1; cut off at 0.5 the outer quarter is missing.
  EXPECT_NEAR(drag_area(corners, up, Vec3(0, 0, 0), slanted, -1, 0.5, slanted), 0.375 * std::sqrt(2.0),
              1e-14);
}

TEST(SurfaceSheet, IsAClosedManifoldForAnyShore) {
  for (int k = 0; k < 8; ++k) {
    Pool pool{crumpled_model()};
    pool.set_depth([&](const Vec3& x) { return 0.05 * (std::sin(3 * x.x() + k) + x.y() * x.z() + 0.1 * k); });
    Sheet sheet;
    make_sheet(pool.model, pool.model.metric, pool.state, {}, sheet);
    const geometry::TriangleMesh mesh{sheet.positions, sheet.triangles};
    const geometry::MeshReport report =
        geometry::check_mesh(mesh, {.closed = true, .non_degenerate = false, .no_duplicates = true});
    EXPECT_EQ(report.count(geometry::Trouble::hole), 0u) << report.text();
    EXPECT_EQ(report.count(geometry::Trouble::non_manifold_edge), 0u) << report.text();
    EXPECT_EQ(report.count(geometry::Trouble::flipped_face), 0u) << report.text();
    EXPECT_EQ(report.count(geometry::Trouble::unreferenced_vertex), 0u) << report.text();
    EXPECT_FALSE(sheet.shore.empty());
    std::vector<int> ends(sheet.positions.size(), 0);
    for (const auto& [a, b] : sheet.shore) ++ends[a], ++ends[b];
    for (const int count : ends) EXPECT_TRUE(count == 0 || count == 2) << "shores are closed lines";
  }
}

TEST(SurfaceSheet, CapsCloseItWithoutABackSheet) {
  for (int k = 0; k < 8; ++k) {
    Pool pool{crumpled_model()};
    pool.set_depth([&](const Vec3& x) { return 0.05 * (std::sin(3 * x.x() + k) + x.y() * x.z() + 0.1 * k); });
    Sheet sheet;
    make_sheet(pool.model, pool.model.metric, pool.state, {.back = false, .cap = true}, sheet);
    const geometry::TriangleMesh mesh{sheet.positions, sheet.triangles};
    const geometry::MeshReport report =
        geometry::check_mesh(mesh, {.closed = true, .non_degenerate = false, .no_duplicates = true});
    EXPECT_EQ(report.count(geometry::Trouble::hole), 0u) << report.text();
    EXPECT_EQ(report.count(geometry::Trouble::non_manifold_edge), 0u) << report.text();
    EXPECT_EQ(report.count(geometry::Trouble::flipped_face), 0u) << report.text();
    EXPECT_FALSE(sheet.shore.empty());
  }
}

// Half a ball of water: a cap of 2π/3 on the mesh's radius, closed by a disc whose area is π.
TEST(SurfaceSheet, TheCapOfAHalfFilledBallIsADisc) {
  Pool pool{sphere_model(16, 0.0)};
  pool.set_depth([](const Vec3& x) { return 0.01 - 0.1 * x.y(); });
  Sheet sheet;
  make_sheet(pool.model, pool.model.metric, pool.state, {.thickness = 1e-9, .back = false}, sheet);
  const std::size_t front = sheet.triangles.size();
  make_sheet(pool.model, pool.model.metric, pool.state, {.thickness = 1e-9, .back = false, .cap = true},
             sheet);
  ASSERT_GT(sheet.triangles.size(), front);
  Vec3 area = Vec3::Zero();
  double size = 0;
  for (std::size_t t = front; t < sheet.triangles.size(); ++t) {
    const auto& [a, b, c] = sheet.triangles[t];
    const Vec3 cross =
        0.5 * (sheet.positions[b] - sheet.positions[a]).cross(sheet.positions[c] - sheet.positions[a]);
    area += cross, size += cross.norm();
  }
  EXPECT_GT(area.y(), 0) << "it faces out of the water";
  EXPECT_NEAR(area.y(), std::numbers::pi, 0.01 * std::numbers::pi);  // a polygon of some 80 corners
  EXPECT_NEAR(size, area.y(), 1e-6) << "nothing overlaps";
}

// The shore of η = iso + c (z - z0) lies on the circle of latitude z0, to second order.
TEST(SurfaceSheet, ShoresConvergeToACircle) {
  double errors[2];
  for (int level = 0; level < 2; ++level) {
    Pool pool{sphere_model(10 << level, 0.0)};
    pool.set_depth([](const Vec3& x) { return 0.01 + 0.1 * (x.z() - 0.3); });
    Sheet sheet;
    make_sheet(pool.model, pool.model.metric, pool.state, {.thickness = 1e-9}, sheet);
    errors[level] = 0;
    for (const auto& [a, b] : sheet.shore) {
      const Vec3& p = sheet.positions[a];
      EXPECT_NEAR(p.z(), 0.3, 1e-8);
      errors[level] = std::max(errors[level], std::abs(p.norm() - 1));
    }
  }
  EXPECT_GT(errors[0] / errors[1], 3.2);
}

TEST(SurfaceSheet, VerticesMoveContinuouslyAsTheShorePasses) {
  Pool pool{sphere_model(6)};
  pool.set_depth([](const Vec3& x) { return 0.01 + 0.2 * x.z(); });
  Sheet sheet;
  double jump = 0;
  Vec3 last = Vec3::Zero();
  for (int k = 0; k <= 400; ++k) {  // one vertex rises through the iso level
    pool.state.depth[20] = 0.0099 + 0.0002 * k / 400;
    make_sheet(pool.model, pool.model.metric, pool.state, {}, sheet);
    for (std::size_t i = 0; i < sheet.positions.size(); ++i)
      if (sheet.source[i] == 20 && i == sheet.front[20]) {
        if (!last.isZero()) jump = std::max(jump, (sheet.positions[i] - last).norm());
        last = sheet.positions[i];
      }
  }
  EXPECT_FALSE(last.isZero());
  EXPECT_LT(jump, 2e-3);
}

TEST(EdgeFluxReference, KeepsMassAndRefusesObtuseTriangles) {
  const Model model = sphere_model(6);
  const EdgeFlux mesh = make_edge_flux(model.complex, model.metric);
  EXPECT_EQ(mesh.edges.size(), model.complex.face_count * 3 / 2);
  std::vector<double> depth(model.complex.face_count), velocity(mesh.edges.size(), 0);
  double before = 0, after = 0;
  for (std::size_t f = 0; f < depth.size(); ++f)
    depth[f] = 0.2 + 0.02 * random_uniform(1, f, 0), before += depth[f] * model.metric.area[f];
  for (int s = 0; s < 300; ++s) edge_flux_step(mesh, model.metric, 9.81, 1.0 / 180, depth, velocity);
  for (std::size_t f = 0; f < depth.size(); ++f) after += depth[f] * model.metric.area[f];
  EXPECT_NEAR(after / before, 1, 1e-14);
  EXPECT_THROW(make_edge_flux(sliver_model().complex, sliver_model().metric), InputError);
}

TEST(EdgeFluxReference, ReadsAVectorBackFromItsThreeEdges) {
  const Model model = sphere_model(6);
  const EdgeFlux mesh = make_edge_flux(model.complex, model.metric);
  std::vector<double> velocity(mesh.edges.size(), 0);
  const Vec2 given(0.3, -0.7);
  for (std::uint32_t f = 0; f < model.complex.face_count; ++f) {
    const Corners2 x = corners_of(model.metric, f);
    for (std::uint32_t c = 0; c < 3; ++c) {
      const Vec2 along = (x.at[last_corner(c)] - x.at[next_corner(c)]).normalized();
      const double out = given.dot(Vec2(along[1], -along[0]));
      const std::uint32_t e = mesh.of_face[f][c];
      velocity[e] = mesh.edges[e].from == f ? out : -out;
    }
    EXPECT_NEAR((reconstruct(mesh, model.metric, velocity, f) - given).norm(), 0, 1e-14);
  }
}

TEST(KineticReference, RestsOverABottomAndKeepsDepthsPositive) {
  const Model model = sphere_model(6);
  const std::size_t count = model.complex.face_count;
  KineticState state{Buffer<double>(count, 0), Buffer<Vec2>(count)}, next = state;
  std::vector<double> bottom(count);
  for (std::size_t f = 0; f < count; ++f)
    bottom[f] = 0.2 + 0.1 * random_uniform(1, f, 0), state.depth[f] = bottom[f];
  for (int s = 0; s < 50; ++s) {
    kinetic_step(model.complex, model.metric, 9.81, bottom,
                 0.9 * kinetic_step_limit(model.complex, model.metric, 9.81, state), state, next);
    std::swap(state, next);
  }
  for (std::size_t f = 0; f < count; ++f) EXPECT_NEAR(state.depth[f], bottom[f], 1e-13);
  for (std::size_t f = 0; f < count; ++f)
    bottom[f] = 0, state.depth[f] = random_uniform(2, f, 0) < 0.3 ? 0.2 : 0;
  double before = 0, after = 0;
  for (std::size_t f = 0; f < count; ++f) before += state.depth[f] * model.metric.area[f];
  for (int s = 0; s < 200; ++s) {
    kinetic_step(model.complex, model.metric, 9.81, bottom,
                 kinetic_step_limit(model.complex, model.metric, 9.81, state), state, next);
    std::swap(state, next);
    for (std::size_t f = 0; f < count; ++f) ASSERT_GE(state.depth[f], -1e-15);
  }
  for (std::size_t f = 0; f < count; ++f) after += state.depth[f] * model.metric.area[f];
  EXPECT_NEAR(after / before, 1, 1e-13);
}

}  // namespace
}  // namespace selkie::surface_water
