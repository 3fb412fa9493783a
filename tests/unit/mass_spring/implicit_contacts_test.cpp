// Bodies on colliders under backward Euler: contacts held inside the solve must carry the whole body, not
// only the vertices that touch.
#include "selkie/solids/mass_spring/implicit_contacts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "selkie/geometry/generators.h"
#include "selkie/geometry/shapes.h"
#include "selkie/solids/mass_spring/diagnostics.h"

namespace selkie::mass_spring {
namespace {

class Plane final : public ports::FieldSampler {
 public:
  Plane(const Vec3& normal, double mu, double e = 0) : normal_(normal.normalized()) {
    friction = mu;
    restitution = e;
  }
  ports::FieldSample sample(const Vec3& point, double) const override {
    return {point.dot(normal_), normal_, Vec3::Zero()};
  }

 private:
  Vec3 normal_;
};

// A block of 0.2 m, 4 kg, standing on a plane through the origin; gravity is tilted instead of the plane.
struct Block {
  geometry::BoxShape shape;
  geometry::TetMesh mesh;
  Model model;
  State state;
  Params params;
  Work work;

  explicit Block(Integrator integrator, double height = 0) {
    shape.min = Vec3(-0.1, height, -0.1), shape.max = Vec3(0.1, height + 0.2, 0.1);
    shape.divisions = {4, 4, 4};
    mesh = geometry::tet_box(shape);
    model = from_tets(mesh, 500);
    state = make_state(model, mesh.positions);
    params.integrator = integrator;
    params.stiffness = 2e4;
    params.damping = 0.2;
  }
  // Advances by n steps of h under gravity at an angle to the plane; returns the touching vertices of the
  // last.
  int run(const Plane& plane, double angle, double h, int n) {
    const ports::FieldSampler* colliders[] = {&plane};
    Inputs inputs;
    inputs.gravity = 9.81 * Vec3(std::sin(angle), -std::cos(angle), 0);
    inputs.colliders = colliders;
    int contacts = 0;
    const double spt = h / static_cast<double>(Tick{1} << 20);
    for (int k = 0; k < n; ++k) {
      const State from = state;
      const Interval interval{Tick{k} << 20, Tick{k + 1} << 20, spt};
      const StepReport report = step(model, params, inputs, interval, from, state, work);
      EXPECT_TRUE(report.ok) << report.trouble;
      contacts = report.contacts;
    }
    return contacts;
  }
  Vec3 centre() const { return diagnose(model, params, Vec3::Zero(), state).centre_of_mass; }
  Vec3 velocity() const { return diagnose(model, params, Vec3::Zero(), state).momentum / total_mass(model); }
};

class ImplicitContacts : public testing::TestWithParam<Integrator> {};
INSTANTIATE_TEST_SUITE_P(BackwardEuler, ImplicitContacts,
                         testing::Values(Integrator::implicit_euler, Integrator::implicit_euler_newton),
                         [](const auto& instance) -> std::string {
                           return instance.param == Integrator::implicit_euler ? "OneLinearisation"
                                                                               : "Newton";
                         });

TEST_P(ImplicitContacts, ABlockAtRestKeepsItsHeight) {
  Block block(GetParam());
  const int contacts = block.run(Plane(Vec3::UnitY(), 0.5), 0, 1.0 / 60, 120);
  EXPECT_EQ(contacts, 25) << "the whole lower face carries";
  // Springs of 2e4 N/m under 25 columns of 1.6 N sag by far less than a millimetre per layer of 50 mm.
  EXPECT_NEAR(block.centre().y(), 0.1, 1e-3);
  EXPECT_LT(block.velocity().norm(), 1e-4);
}

TEST_P(ImplicitContacts, ABlockDroppedFromAHeightIsNotCrushed) {
  Block block(GetParam(), 0.3);
  block.run(Plane(Vec3::UnitY(), 0.5), 0, 1.0 / 60, 180);
  EXPECT_NEAR(block.centre().y(), 0.1, 2e-3);
  EXPECT_LT(diagnose(block.model, block.params, Vec3::Zero(), block.state).max_compression, 0.05);
}

TEST_P(ImplicitContacts, FrictionHoldsABlockBelowItsAngle) {
  Block block(GetParam());
  block.run(Plane(Vec3::UnitY(), 0.6), std::atan(0.5), 1.0 / 60, 60);
  const Vec3 settled = block.centre();
  block.run(Plane(Vec3::UnitY(), 0.6), std::atan(0.5), 1.0 / 60, 120);
  EXPECT_LT(std::abs(block.centre().x() - settled.x()), 1e-4);
}

TEST_P(ImplicitContacts, ABlockSlidesAtTheRateOfCoulombsLaw) {
  Block block(GetParam());
  const double angle = 30 * 3.14159265358979 / 180, mu = 0.2, h = 1.0 / 240;
  block.run(Plane(Vec3::UnitY(), mu), angle, h, 120);
  const double early = block.velocity().x();
  block.run(Plane(Vec3::UnitY(), mu), angle, h, 120);
  const double acceleration = (block.velocity().x() - early) / (120 * h);
  // The block rocks on its springs while it slides, which moves pressure about; 2 % of the exact value.
  const double exact = 9.81 * (std::sin(angle) - mu * std::cos(angle));
  EXPECT_NEAR(acceleration, exact, 0.02 * exact);
}

TEST(ImplicitContacts, RestitutionThrowsABlockBackUp) {
  Block block(Integrator::implicit_euler, 0.3);
  block.run(Plane(Vec3::UnitY(), 0.5, 0.8), 0, 1.0 / 240, 62);  // falls 0.3 m in 0.247 s, about 59 steps
  EXPECT_GT(block.velocity().y(), 0.2);
}

}  // namespace
}  // namespace selkie::mass_spring
