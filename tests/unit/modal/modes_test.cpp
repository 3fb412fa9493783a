// Modes, frames and the exact oscillator.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "modal_bodies.h"
#include "selkie/core/error.h"
#include "selkie/solids/modal/oscillator.h"
#include "selkie/solids/modal/skin.h"

namespace selkie::modal {
namespace {

using test::at;
using test::elements;
using test::modes_of;
using test::plate;

// Many small Runge-Kutta steps.
std::array<double, 2> integrated(double lambda, double d, double f, double h, double q, double v) {
  constexpr int kSteps = 20000;
  const double dt = h / kSteps;
  auto slope = [&](double x, double w) { return f - d * w - lambda * x; };
  for (int n = 0; n < kSteps; ++n) {
    const double k1 = v, l1 = slope(q, v);
    const double k2 = v + dt / 2 * l1, l2 = slope(q + dt / 2 * k1, v + dt / 2 * l1);
    const double k3 = v + dt / 2 * l2, l3 = slope(q + dt / 2 * k2, v + dt / 2 * l2);
    const double k4 = v + dt * l3, l4 = slope(q + dt * k3, v + dt * l3);
    q += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    v += dt / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  return {q, v};
}

TEST(ModalOscillator, IsExactUnderCriticalAndOverdamped) {
  for (const double d : {0.0, 1.0, 19.9, 20.0, 20.1, 200.0})
    for (const double h : {1e-3, 0.1, 1.3}) {
      const Transition t = transition(100, d, h);
      const auto [q, v] = integrated(100, d, 7, h, 0.3, -2);
      EXPECT_NEAR(t.qq * 0.3 + t.qv * -2 + t.qf * 7, q, 1e-10) << d << ' ' << h;
      EXPECT_NEAR(t.vq * 0.3 + t.vv * -2 + t.vf * 7, v, 1e-9) << d << ' ' << h;
    }
}

TEST(ModalOscillator, StaysFiniteAtAnyStepAndDamping) {
  for (const double lambda : {1e-6, 1.0, 1e14})
    for (const double d : {0.0, 1.0, 1e12})
      for (const double h : {1e-9, 1.0, 1e9}) {
        const Transition t = transition(lambda, d, h);
        EXPECT_TRUE(std::isfinite(t.qq + t.qv + t.qf + t.vq + t.vv + t.vf));
        EXPECT_LE(std::abs(t.qq), 1 + 1e-12);
        EXPECT_GE(t.qf, 0);
      }
}

TEST(ModalModes, AreMassNormalisedWithoutRigidMotionAndInOrder) {
  const fem::Model body = elements(plate());
  const Model model = modes_of(body, 20);
  ASSERT_EQ(model.vertex_count, body.vertex_count);  // a plate of one layer is all surface
  for (std::size_t a = 0; a < 20; ++a) {
    EXPECT_GT(model.eigenvalues[a], a == 0 ? 0 : model.eigenvalues[a - 1] * (1 - 1e-12));
    Vec3 momentum = Vec3::Zero(), spin = Vec3::Zero();
    for (std::size_t b = 0; b <= a; ++b) {
      double gram = 0;
      for (std::size_t i = 0; i < model.vertex_count; ++i) {
        const double mass = body.masses[model.mesh_vertex[i]];
        gram += mass * model.mode(a, i).dot(model.mode(b, i));
        if (a == b) {
          momentum += mass * model.mode(a, i);
          spin += mass * model.rest_position(i).cross(model.mode(a, i));
        }
      }
      EXPECT_NEAR(gram, a == b ? 1 : 0, 1e-12);
    }
    EXPECT_LT(momentum.norm(), 1e-11);
    EXPECT_LT(spin.norm(), 1e-11);
  }
}

TEST(ModalModes, AgreeWithADenseDecompositionAboveTheDenseLimit) {
  const fem::Model body = elements(geometry::tet_box({Vec3(0, 0, 0), Vec3(1, 0.3, 0.2), {12, 4, 3}}));
  ASSERT_GT(3 * body.vertex_count, 600u);
  const Model model = modes_of(body, 10);
  const auto stiffness = fem::rest_stiffness(body, 1e6, 0.3);
  Eigen::VectorXd roots(3 * body.vertex_count);
  for (std::uint32_t i = 0; i < 3 * body.vertex_count; ++i) roots[i] = std::sqrt(body.inverse_masses[i / 3]);
  const Eigen::VectorXd all = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
                                  roots.asDiagonal() * stiffness.dense() * roots.asDiagonal())
                                  .eigenvalues();
  for (std::size_t k = 0; k < 10; ++k)
    EXPECT_NEAR(model.eigenvalues[k] / all[static_cast<Eigen::Index>(k) + 6], 1, 1e-8);
}

TEST(ModalModes, FramesAreCentredAndAlongThePrincipalAxes) {
  geometry::TetMesh mesh = plate();
  for (Vec3& x : mesh.positions) x = at(Vec3(1, 2, 3), Vec3(0.3, 0.2, -0.5)) * x;
  const fem::Model body = elements(mesh);
  const Model model = modes_of(body, 4);
  EXPECT_NEAR(model.mass, 1000 * 0.4 * 0.32 * 0.05, 1e-9);
  Vec3 centre = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
  for (std::size_t i = 0; i < model.vertex_count; ++i) {
    const Vec3 x = model.rest_position(i);
    const double mass = body.masses[model.mesh_vertex[i]];
    centre += mass * x;
    inertia += mass * (x.squaredNorm() * Mat3::Identity() - x * x.transpose());
  }
  EXPECT_LT(centre.norm(), 1e-13);
  EXPECT_LT((inertia - Mat3(model.inertia.asDiagonal())).norm(), 1e-13);
  const State state = make_state(model, std::vector{at(Vec3::Zero())});
  std::vector<Vec3> surface(model.vertex_count);
  skin_all(model, state, 1, surface);
  for (std::size_t i = 0; i < model.vertex_count; ++i)
    EXPECT_LT((surface[i] - mesh.positions[model.mesh_vertex[i]]).norm(), 1e-13);
}

TEST(ModalModes, SkinningEqualsTheSumOverModes) {
  const fem::Model body = elements(plate(5));
  const Model model = modes_of(body, 11);
  State state = make_state(model, std::vector{at(Vec3(1, 0, 0), Vec3(0.1, 0.7, 0)), at(Vec3(0, 2, 0))});
  for (std::size_t k = 0; k < state.displacements.size(); ++k) {
    state.displacements[k] = 0.01 * std::sin(double(k));
    state.rates[k] = std::cos(double(k));
  }
  state.velocities[1] = Vec3(1, 2, 3);
  state.angular_velocities[0] = Vec3(3, -1, 2);
  std::vector<Vec3> x(2 * model.vertex_count), v(x.size());
  skin_all(model, state, 1, x);
  skin_velocities(model, state, x, v);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t b = i / model.vertex_count, vertex = i % model.vertex_count;
    EXPECT_LT((x[i] - position_of(model, state, b, vertex)).norm(), 1e-14);
    EXPECT_LT((v[i] - velocity_of(model, state, b, vertex)).norm(), 1e-13);
  }
}

TEST(ModalModes, HingesTooManyModesAndLoosePartsAreRefused) {
  const fem::Model body = elements(plate());
  std::vector<std::uint8_t> pinned(body.vertex_count, 0);
  pinned[3] = 1;
  EXPECT_THROW(modes_of(body, 4, {}, pinned), InputError);  // one vertex
  for (std::size_t i = 0; i < pinned.size(); ++i)
    pinned[i] = body.rest_positions[i].x() < -0.19 && body.rest_positions[i].y() > 0;
  EXPECT_THROW(modes_of(body, 4, {}, pinned), InputError);  // an edge: a hinge
  std::fill(pinned.begin(), pinned.end(), 1);
  EXPECT_THROW(modes_of(body, 4, {}, pinned), InputError);
  EXPECT_THROW(modes_of(body, 3 * body.vertex_count - 5), InputError);
  EXPECT_NO_THROW(modes_of(body, 3 * body.vertex_count - 6));
  geometry::TetMesh two = plate();
  const auto count = static_cast<std::uint32_t>(two.positions.size());
  for (std::uint32_t i = 0; i < count; ++i) two.positions.push_back(two.positions[i] + Vec3(2, 0, 0));
  const std::size_t tets = two.tets.size();
  for (std::size_t t = 0; t < tets; ++t) {
    geometry::Tet tet = two.tets[t];
    for (std::uint32_t& v : tet) v += count;
    two.tets.push_back(tet);
  }
  EXPECT_THROW(modes_of(elements(two), 4), InputError);
}

}  // namespace
}  // namespace selkie::modal
