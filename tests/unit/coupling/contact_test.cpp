// Contact of deformable bodies: ways out, penalty forces, and impulses, on bodies of free point masses whose
// answer is known.
#include "selkie/coupling/contact.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "selkie/core/random.h"
#include "selkie/coupling/wet_field.h"
#include "selkie/geometry/generators.h"

namespace selkie::coupling {
namespace {

// A body without elasticity: every vertex answers for itself, or all of them together.
class MassBody final : public ports::DeformableSolid {
 public:
  MassBody(geometry::TetMesh mesh, double vertex_mass, bool rigid = false)
      : mesh_(std::move(mesh)), surface_(geometry::boundary_triangles(mesh_.tets)), rigid_(rigid) {
    std::set<std::uint32_t> used;
    for (const geometry::Triangle& t : surface_) used.insert(t.begin(), t.end());
    begin(used, vertex_mass);
  }
  MassBody(const geometry::TriangleMesh& mesh, double vertex_mass, bool rigid = false)
      : mesh_{mesh.positions, {}},
        cells_(mesh.triangles),
        outline_(outline_of(mesh.positions, mesh.triangles)),
        rigid_(rigid) {
    std::set<std::uint32_t> used;
    for (const geometry::Segment& s : outline_) used.insert(s.begin(), s.end());
    begin(used, vertex_mass);
  }
  std::span<const geometry::Tet> tets() const override { return mesh_.tets; }
  std::span<const geometry::Triangle> surface() const override { return surface_; }
  std::span<const std::uint32_t> surface_vertices() const override { return vertices_; }
  std::span<const Vec3> rest_positions() const override { return mesh_.positions; }
  std::span<const geometry::Triangle> flat_cells() const override { return cells_; }
  std::span<const geometry::Segment> outline() const override { return outline_; }
  std::span<const Vec3> start_positions() const override { return start; }
  std::span<const Vec3> positions() const override { return x; }
  std::span<const Vec3> velocities() const override { return v; }
  std::span<const double> inverse_masses() const override { return w; }
  StepReport prepare(double) override { return {}; }
  StepReport respond(std::span<const Vec3> p, std::span<Vec3> change) override {
    Vec3 sum = Vec3::Zero();
    for (const Vec3& one : p) sum += one;
    for (std::size_t i = 0; i < p.size(); ++i)
      change[i] = rigid_ ? Vec3(w[i] / static_cast<double>(p.size()) * sum) : Vec3(w[i] * p[i]);
    return {};
  }
  void move(std::span<const Vec3> dv, std::span<const Vec3> dx) override {
    for (std::size_t i = 0; i < x.size(); ++i) v[i] += dv[i], x[i] += dx[i];
  }
  // Moves all vertices for a step of dt.
  void drift(const Vec3& velocity, double dt) {
    start = x;
    for (std::size_t i = 0; i < x.size(); ++i) v[i] = velocity, x[i] += dt * velocity;
  }
  Vec3 momentum() const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < x.size(); ++i) sum += v[i] / w[i];
    return sum;
  }

  std::vector<Vec3> x, start, v;
  std::vector<double> w;

 private:
  void begin(const std::set<std::uint32_t>& touching, double vertex_mass) {
    vertices_.assign(touching.begin(), touching.end());
    x = start = mesh_.positions;
    v.assign(x.size(), Vec3::Zero());
    w.assign(x.size(), vertex_mass > 0 ? 1 / vertex_mass : 0);
  }

  geometry::TetMesh mesh_;
  std::vector<geometry::Triangle> surface_, cells_;
  std::vector<geometry::Segment> outline_;
  std::vector<std::uint32_t> vertices_;
  bool rigid_;
};

geometry::TetMesh box(const Vec3& min, const Vec3& max, int divisions) {
  return geometry::tet_box({.min = min, .max = max, .divisions = {divisions, divisions, divisions}});
}

const auto others = [](std::size_t a, std::size_t b) { return a != b; };

// A point mass inside `where`: one tetrahedron far too small to matter, whose first vertex is the point.
MassBody needle(const Vec3& tip, double mass) {
  geometry::TetMesh mesh;
  mesh.positions = {tip, tip + Vec3(1e-3, 1, 0), tip + Vec3(0, 1, 1e-3), tip + Vec3(-1e-3, 1, -1e-3)};
  mesh.tets = {{0, 1, 2, 3}};
  if (geometry::volume(mesh) < 0) mesh.tets = {{0, 2, 1, 3}};
  return MassBody(mesh, mass);
}

TEST(ContactWayOut, GoesBackAlongThePathOfAVertexThatCameIn) {
  MassBody block(box({0, 0, 0}, {1, 1, 1}, 4), 1), tip = needle({0.3, 1.05, 0.4}, 1);
  tip.drift({0.4, -1, 0}, 0.1);  // enters through the top, though the point ends nearer to no other face
  std::vector<ports::DeformableSolid*> bodies = {&block, &tip};
  ContactWork work;
  find_contacts(bodies, {}, others, work);
  ASSERT_EQ(work.contacts.size(), 1u);
  const Contact& c = work.contacts[0];
  EXPECT_EQ(c.a, 1u);
  EXPECT_EQ(c.vertex, 0u);
  EXPECT_NEAR((c.normal - Vec3::UnitY()).norm(), 0, 1e-14);
  EXPECT_NEAR(c.depth, 0.05, 1e-14);
  EXPECT_NEAR(c.start_depth, -0.05, 1e-14);
  Vec3 foot = Vec3::Zero();
  for (int k = 0; k < 3; ++k) foot += c.weights[k] * block.x[c.corners[static_cast<std::size_t>(k)]];
  EXPECT_NEAR((foot - Vec3(0.32, 1, 0.4)).norm(), 0, 1e-14);
}

geometry::TriangleMesh square(double x0, double y0, double size, int divisions, double z = 0) {
  return geometry::sheet({.center = {x0 + size / 2, y0 + size / 2, z},
                          .size = {size, size},
                          .divisions = {divisions, divisions},
                          .u = Vec3::UnitX(),
                          .v = Vec3::UnitY()});
}

TEST(ContactWayOut, InThePlaneGoesBackAlongThePathToASegment) {
  const geometry::TriangleMesh thin{{{0.3, 1.05, 0}, {0.301, 2, 0}, {0.299, 2, 0}}, {{0, 1, 2}}};
  MassBody block(square(0, 0, 1, 4), 1), tip(thin, 1);
  tip.drift({0.4, -1, 0}, 0.1);
  std::vector<ports::DeformableSolid*> bodies = {&block, &tip};
  ContactWork work;
  find_contacts(bodies, {}, others, work);
  ASSERT_EQ(work.contacts.size(), 1u);
  const Contact& c = work.contacts[0];
  EXPECT_EQ(c.a, 1u);
  EXPECT_EQ(c.vertex, 0u);
  EXPECT_NEAR((c.normal - Vec3::UnitY()).norm(), 0, 1e-14);
  EXPECT_NEAR(c.depth, 0.05, 1e-14);
  EXPECT_NEAR(c.start_depth, -0.05, 1e-14);
  EXPECT_NEAR(c.weights.sum(), 1, 1e-15);
  Vec3 foot = Vec3::Zero();
  for (int k = 0; k < 3; ++k) foot += c.weights[k] * block.x[c.corners[static_cast<std::size_t>(k)]];
  EXPECT_NEAR((foot - Vec3(0.32, 1, 0)).norm(), 0, 1e-14);
}

TEST(ContactWayOut, IsSoughtAmongBodiesOfTheSamePlaneOnly) {
  MassBody low(square(0, 0, 1, 3), 1), same(square(0.3, 0.2, 1, 3), 1),
      beside(square(0.3, 0.2, 1, 3, 0.1), 1), solid(box({0, 0, -0.5}, {1, 1, 0.5}, 3), 1);
  EXPECT_TRUE(share_space(low, same));
  EXPECT_FALSE(share_space(low, beside));
  EXPECT_FALSE(share_space(low, solid));
  EXPECT_FALSE(share_space(solid, low));
  for (MassBody* other : {&same, &beside, &solid}) {
    std::vector<ports::DeformableSolid*> bodies = {&low, other};
    ContactWork work;
    find_contacts(bodies, {}, others, work);
    EXPECT_EQ(work.contacts.empty(), other != &same);
  }
}

TEST(ContactImpulses, InThePlaneKeepMomentumAndStayInIt) {
  const double dt = 1.0 / 60;
  for (const ContactResponse response : {ContactResponse::impulse, ContactResponse::penalty}) {
    MassBody below(square(0, 0, 1, 3), 2), above(square(0.21, 1.002, 1, 3), 0.5);
    above.drift({0.5, -1, 0}, dt);
    std::vector<ports::DeformableSolid*> bodies = {&below, &above};
    const Vec3 before = below.momentum() + above.momentum();
    ContactWork work;
    const StepReport report = exchange_contacts(bodies, {.response = response}, dt, others, work);
    ASSERT_TRUE(report.ok);
    EXPECT_GE(report.contacts, 5) << "three corners of the upper, two of the lower";
    EXPECT_LT((below.momentum() + above.momentum() - before).norm(), 1e-13 * before.norm());
    EXPECT_GT(below.momentum().norm(), 0.1 * before.norm()) << "they met";
    for (const MassBody* body : {&below, &above})
      for (std::size_t i = 0; i < body->x.size(); ++i) {
        EXPECT_EQ(body->x[i].z(), 0);
        EXPECT_EQ(body->v[i].z(), 0);
      }
  }
}

TEST(ContactImpulses, InThePlaneLetBodiesInTheSamePlaceOut) {
  MassBody a(square(0, 0, 1, 3), 1, true), b(square(0, 0, 1, 3), 1, true);
  std::vector<ports::DeformableSolid*> bodies = {&a, &b};
  ContactWork work;
  double deepest = 1;
  for (int n = 0; n < 150 && deepest > 0.01; ++n) {
    a.start = a.x, b.start = b.x;
    ASSERT_TRUE(exchange_contacts(bodies, {}, 1.0 / 60, others, work).ok);
    deepest = 0;
    for (const Contact& c : work.contacts) deepest = std::max(deepest, c.depth);
  }
  EXPECT_LT(deepest, 0.01);
  EXPECT_GT((a.x[0] - b.x[0]).norm(), 0.9);
  EXPECT_EQ(a.x[0].z(), 0);
}

TEST(ContactWayOut, OfAVertexThatWasInsideIsAgainstItsNormal) {
  MassBody block(box({0, 0, 0}, {1, 1, 1}, 4), 1), tip = needle({0.05, 0.9, 0.4}, 1);
  std::vector<ports::DeformableSolid*> bodies = {&block, &tip};  // nothing moved; the side is nearer
  ContactWork work;
  find_contacts(bodies, {}, others, work);
  ASSERT_EQ(work.contacts.size(), 1u);
  EXPECT_NEAR((work.contacts[0].normal - Vec3::UnitY()).norm(), 0, 1e-14);
  EXPECT_NEAR(work.contacts[0].depth, 0.1, 1e-12);
}

TEST(ContactWayOut, KeepsTheThicknessAway) {
  MassBody block(box({0, 0, 0}, {1, 1, 1}, 4), 1), tip = needle({0.3, 1.015, 0.4}, 1);
  std::vector<ports::DeformableSolid*> bodies = {&block, &tip};
  ContactWork work;
  find_contacts(bodies, {}, others, work);
  EXPECT_TRUE(work.contacts.empty());
  find_contacts(bodies, {.thickness = 0.02}, others, work);
  ASSERT_EQ(work.contacts.size(), 1u);
  EXPECT_NEAR(work.contacts[0].depth, 0.005, 1e-9);  // the tip's normal points down but for its three slopes
}

TEST(PenaltyForces, SumToZeroWithTheirTorques) {
  RandomStream random(11, 1);
  for (int n = 0; n < 50; ++n) {
    MassBody block(box({0, 0, 0}, {1, 1, 1}, 3), 1);
    for (Vec3& x : block.x) x += Vec3(random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 0);
    MassBody tip = needle({random.uniform(0.2, 0.8), random.uniform(0.7, 0.9), random.uniform(0.2, 0.8)}, 1);
    std::vector<ports::DeformableSolid*> bodies = {&block, &tip};
    ContactWork work;
    find_contacts(bodies, {}, others, work);
    ASSERT_EQ(work.contacts.size(), 1u);
    const Contact& c = work.contacts[0];
    const PenaltyForces f = penalty_forces(c, 1e4);
    Vec3 force = f.on_vertex, torque = tip.x[c.vertex].cross(f.on_vertex);
    for (std::size_t k = 0; k < 3; ++k) {
      force += f.on_corners[k];
      torque += block.x[c.corners[k]].cross(f.on_corners[k]);
    }
    // Forces of 1e3 N at arms of 1 m: what is left is round-off, and 1e-9 of what rays forgive at edges.
    EXPECT_GT(f.on_vertex.norm(), 100);
    EXPECT_LT(force.norm(), 1e-11);
    EXPECT_LT(torque.norm(), 1e-9);
  }
}

TEST(PenaltyForces, CarryAMassAtTheDepthOfItsWeightOverTheStiffness) {
  // 1 kg on a fixed block with k = 1e4 N/m: 0.981 mm (RT-19). Symplectic steps with some drag, until at rest.
  const double dt = 1e-3, k = 1e4;
  MassBody block(box({0, 0, 0}, {1, 1, 1}, 2), 0);
  MassBody tip = needle({0.3, 1 - 1e-4, 0.4}, 1);
  for (std::size_t i = 1; i < 4; ++i) tip.w[i] = 0;
  std::vector<ports::DeformableSolid*> bodies = {&block, &tip};
  ContactWork work;
  for (int n = 0; n < 3000; ++n) {
    tip.start = tip.x;
    tip.v[0] = 0.98 * tip.v[0] + dt * Vec3(0, -9.81, 0);
    tip.x[0] += dt * tip.v[0];
    ASSERT_TRUE(
        exchange_contacts(bodies, {.response = ContactResponse::penalty, .stiffness = k}, dt, others, work)
            .ok);
  }
  ASSERT_LT(tip.v[0].norm(), 1e-9);
  // Positions that count are those where forces are taken: before the last push, dt²·g below.
  EXPECT_NEAR(1 - tip.x[0].y(), 0.981e-3 - dt * dt * 9.81, 1e-8);
}

class TwoBlocks : public testing::TestWithParam<bool> {};

TEST_P(TwoBlocks, CollideWithoutChangeOfMomentumOrGainOfEnergy) {
  const double dt = 1.0 / 60;
  MassBody below(box({0, 0, 0}, {1, 1, 1}, 3), 2, GetParam());
  MassBody above(box({0.21, 1.002, 0.17}, {1.21, 2.002, 1.17}, 3), 0.5, GetParam());
  above.drift({0.5, -1, 0}, dt);
  std::vector<ports::DeformableSolid*> bodies = {&below, &above};
  const Vec3 before = below.momentum() + above.momentum();
  auto energy = [&] {
    double sum = 0;
    for (const MassBody* body : {&below, &above})
      for (std::size_t i = 0; i < body->v.size(); ++i) sum += 0.5 / body->w[i] * body->v[i].squaredNorm();
    return sum;
  };
  const double energy_before = energy();
  ContactWork work;
  const StepReport report = exchange_contacts(bodies, {}, dt, others, work);
  ASSERT_TRUE(report.ok);
  EXPECT_GT(report.contacts, 10);
  EXPECT_LT((below.momentum() + above.momentum() - before).norm(), 1e-13 * before.norm());
  EXPECT_LT(energy(), energy_before);
  for (const Contact& c : work.contacts) {
    const MassBody& a = c.a == 0 ? below : above;
    const MassBody& b = c.b == 0 ? below : above;
    Vec3 u = a.v[c.vertex], above_foot = a.x[c.vertex];
    for (int k = 0; k < 3; ++k) {
      u -= c.weights[k] * b.v[c.corners[static_cast<std::size_t>(k)]];
      above_foot -= c.weights[k] * b.x[c.corners[static_cast<std::size_t>(k)]];
    }
    // What started 2 mm above may still come down to the surface.
    EXPECT_GT(u.dot(c.normal), -0.002 / dt - 1e-3);
    EXPECT_GT(above_foot.dot(c.normal), -1e-4)
        << "nothing ends below the surface by more than a hundredth of what it came";
  }
}

INSTANTIATE_TEST_SUITE_P(OfFreeVerticesAndOfOnePiece, TwoBlocks, testing::Bool());

TEST(ContactImpulses, NeverPullAndNeverExceedFriction) {
  const double dt = 1.0 / 60;
  MassBody below(box({0, 0, 0}, {1, 1, 1}, 3), 2), above(box({0.2, 1.001, 0.1}, {1.2, 2.001, 1.1}, 3), 1);
  above.drift({3, -1, 0}, dt);
  std::vector<ports::DeformableSolid*> bodies = {&below, &above};
  ContactWork work;
  ASSERT_TRUE(exchange_contacts(bodies, {.friction = 0.3}, dt, others, work).ok);
  double slowed = 0, largest = 0;
  for (std::size_t i = 0; i < work.contacts.size(); ++i)
    largest = std::max(largest, work.impulse[i].dot(work.contacts[i].normal));
  for (std::size_t i = 0; i < work.contacts.size(); ++i) {
    const double pressed = work.impulse[i].dot(work.contacts[i].normal);
    EXPECT_GE(pressed, 0);
    slowed += (work.impulse[i] - pressed * work.contacts[i].normal).norm();
    // Bounds lag by one pass, until they change by less than a hundredth of the largest.
    EXPECT_LE((work.impulse[i] - pressed * work.contacts[i].normal).norm(),
              0.3 * (pressed + 0.011 * largest));
  }
  EXPECT_GT(slowed, 0);
}

TEST(ContactImpulses, GiveBackTheShareOfRestitution) {
  const double dt = 1e-3;
  MassBody below(box({0, 0, 0}, {1, 1, 1}, 2), 1, true),
      above(box({0, 1.0005, 0}, {1, 2.0005, 1}, 2), 1, true);
  above.drift({0, -2, 0}, dt);
  std::vector<ports::DeformableSolid*> bodies = {&below, &above};
  ContactWork work;
  ASSERT_TRUE(exchange_contacts(bodies, {.friction = 0, .restitution = 0.5}, dt, others, work).ok);
  EXPECT_NEAR(above.v[0].y() - below.v[0].y(), 1, 1e-3);  // equal masses: e = ½ of the 2 m/s
}

TEST(ContactImpulses, LetBodiesThatSitInEachOtherOutSlowlyAndWithoutSpeed) {
  const double dt = 1.0 / 60;
  for (const double overlap : {0.5, 1.0}) {
    MassBody a(box({0, 0, 0}, {1, 1, 1}, 3), 1, true), b(box({0, 0, 0}, {1, 1, 1}, 3), 1, true);
    for (Vec3& x : b.x) x.x() += 1 - overlap;
    std::vector<ports::DeformableSolid*> bodies = {&a, &b};
    ContactWork work;
    int steps = 0;
    for (; steps < 300; ++steps) {
      a.start = a.x, b.start = b.x;
      const double before = (a.x[0] - b.x[0]).norm();
      const StepReport report = exchange_contacts(bodies, {}, dt, others, work);
      ASSERT_TRUE(report.ok);
      EXPECT_LT(std::abs((a.x[0] - b.x[0]).norm() - before), 2.1 * dt) << "no faster than kWayOut";
      EXPECT_LT(a.v[0].norm() + b.v[0].norm(), 1e-9);
      double deepest = 0;
      for (const Contact& c : work.contacts) deepest = std::max(deepest, c.depth);
      if (deepest < 0.01) break;
    }
    EXPECT_LT(steps, 150) << overlap;
  }
}

}  // namespace
}  // namespace selkie::coupling
