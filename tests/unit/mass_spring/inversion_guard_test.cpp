// The inversion guard: its forces and tangent against differences, conservation, silence while nothing is
// squeezed, and that it does what it is for.
#include "selkie/solids/mass_spring/inversion_guard.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "selkie/solids/mass_spring/diagnostics.h"
#include "selkie/solids/mass_spring/forces.h"
#include "support/mass_spring_bodies.h"

namespace selkie::mass_spring {
namespace {

using testing::block;
using testing::Body;

auto at(const Buffer<Vec3>& x) {
  return [&x](std::uint32_t i) -> const Vec3& { return x[i]; };
}

double energy(const Body& body, const Params& p, const Buffer<Vec3>& x) {
  return guard_energy(body.model, p, at(x));
}

Buffer<Vec4> forces(const Body& body, const Params& p, const State& s) {
  Work work;
  Buffer<Vec4> f;
  accumulate_forces(body.model, p, s.positions, s.velocities, f, work);
  return f;
}

// The lower half pressed flat, with a corner pushed through the body: some tetrahedra are upright, some
// squeezed, some inside out.
Body crushed(int n) {
  Body body = block(n);
  for (Vec3& x : body.state.positions) x.y() = (x.y() < 0 ? 0.2 : 1) * x.y() + 0.1 * x.x();
  body.state.positions[0] += Vec3(0.6, 0.3, 0.5);
  return body;
}

Params stiff() { return testing::exact_params(Integrator::implicit_euler, 1000); }

Body one_tet() {
  geometry::TetMesh mesh;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, 0, 0.8), Vec3(0.4, 0.9, 0.3)};
  mesh.tets = {{0, 2, 1, 3}};
  Body body{from_tets(mesh, 1.0), {}};
  body.state = make_state(body.model, mesh.positions);
  return body;
}

TEST(InversionGuard, ForcesAreTheNegativeGradientOfTheEnergy) {
  const Body body = crushed(2);
  const Params p = stiff();
  Work work;
  const std::size_t squeezed =
      find_squeezed(body.model, body.state.positions, p.inversion_threshold, work).size();
  ASSERT_GT(squeezed, 3u);
  ASSERT_LT(squeezed, body.model.guard.tets.size());
  Buffer<Vec4> f(body.model.vertex_count, Vec4::Zero());
  add_guard_forces(body.model, p, body.state.positions, f, work, false);
  Buffer<Vec3> x = body.state.positions;
  const double step = 1e-6;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int c = 0; c < 3; ++c) {
      const double kept = x[i][c];
      x[i][c] = kept + step;
      const double up = energy(body, p, x);
      x[i][c] = kept - step;
      const double down = energy(body, p, x);
      x[i][c] = kept;
      // Energies of some 1e3 J: their round-off over 2e-6 m is below 1e-6 N.
      EXPECT_NEAR(f[i][c], -(up - down) / (2 * step), 1e-5);
    }
}

TEST(InversionGuard, TheExactTangentIsTheFiniteDifferenceJacobianAndTheOtherPositive) {
  const Body body = crushed(2);
  const Params p = stiff();
  const Eigen::Index n = 3 * body.model.vertex_count;
  auto assembled = [&](Geometric geometric) {
    Work work;
    assemble_tangent(body.model, p, body.state.positions, {.stiffness = 1, .geometric = geometric}, work);
    Eigen::MatrixXd a = work.system->matrix.dense();
    for (Eigen::Index i = 0; i < n; ++i) a(i, i) -= body.model.masses[static_cast<std::size_t>(i / 3)];
    return a;
  };
  const Eigen::MatrixXd exact = assembled(Geometric::exact);
  const double step = 1e-6;
  Eigen::MatrixXd differences(n, n);
  State s = body.state;
  for (Eigen::Index c = 0; c < n; ++c) {
    double& value = s.positions[static_cast<std::size_t>(c / 3)][c % 3];
    const double kept = value;
    value = kept + step;
    const Buffer<Vec4> up = forces(body, p, s);
    value = kept - step;
    const Buffer<Vec4> down = forces(body, p, s);
    value = kept;
    for (Eigen::Index r = 0; r < n; ++r) {
      const auto i = static_cast<std::size_t>(r / 3);
      differences(r, c) = (up[i][r % 3] - down[i][r % 3]) / (2 * step);
    }
  }
  // As for springs: differences of forces of 1e4 N over 2e-6 m.
  EXPECT_LT((exact + differences).cwiseAbs().maxCoeff(), 1e-6 * exact.cwiseAbs().maxCoeff());
  const Eigen::MatrixXd positive = assembled(Geometric::positive);
  const double smallest = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(positive).eigenvalues().minCoeff();
  EXPECT_GT(smallest, -1e-12 * positive.cwiseAbs().maxCoeff());
}

TEST(InversionGuard, ItsForcesAddNoMomentumAndNoTorque) {
  const Body body = crushed(4);
  Buffer<Vec4> f(body.model.vertex_count, Vec4::Zero());
  Work work;
  add_guard_forces(body.model, stiff(), body.state.positions, f, work, false);
  Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
  double scale = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const Vec3 force = f[i].head<3>();
    sum += force;
    torque += body.state.positions[i].cross(force);
    scale += force.norm();
  }
  ASSERT_GT(scale, 1);
  EXPECT_LT(sum.norm(), 1e-13 * scale);
  EXPECT_LT(torque.norm(), 1e-13 * scale);
}

TEST(InversionGuard, ABodyThatIsNotSqueezedFeelsNothingOfItToTheBit) {
  const Body body = block(3);
  Params with = stiff(), without = stiff();
  without.inversion_guard = 0;
  EXPECT_EQ(forces(body, with, body.state), forces(body, without, body.state));
  EXPECT_EQ(energy(body, with, body.state.positions), 0);
  EXPECT_EQ(diagnose(body.model, with, Vec3::Zero(), body.state).elastic_energy,
            diagnose(body.model, without, Vec3::Zero(), body.state).elastic_energy);
}

TEST(InversionGuard, WhichTetrahedraAreSqueezedDoesNotDependOnLanesOrThreads) {
  const Body body = crushed(9);  // several blocks and a rest that fills no four lanes
  const Params p = stiff();
  std::vector<std::uint32_t> expected;
  for (std::uint32_t t = 0; t < body.model.guard.tets.size(); ++t)
    if (volume_ratio(body.model.guard, t, at(body.state.positions)) < p.inversion_threshold)
      expected.push_back(t);
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    Work work;
    const auto found = find_squeezed(body.model, body.state.positions, p.inversion_threshold, work);
    EXPECT_EQ(std::vector<std::uint32_t>(found.begin(), found.end()), expected);
  }
  set_thread_count(0);
}

// A body that travels, turns, and is crushed and let go again: the list of tetrahedra to watch is made anew
// at some steps and kept at others, and must never miss one.
TEST(InversionGuard, TheListOfWatchedTetrahedraMissesNone) {
  const Body body = crushed(5);
  const Params p = stiff();
  const Buffer<Vec3>& rest = body.state.positions;
  Buffer<Vec3> x = rest;
  Work watching, asking;
  int kept = 0, made = 0;
  std::size_t most = 0, least = body.model.guard.tets.size();
  for (int n = 0; n < 1600; ++n) {
    const double t = 0.0025 * n;
    const Eigen::AngleAxisd turn(0.05 * t, Vec3(1, 2, 3).normalized());
    const Vec3 squeeze(1 + 0.8 * std::sin(t), 1 + 0.5 * std::sin(t), 1);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = turn * squeeze.cwiseProduct(rest[i]) + Vec3(t * t, -3 * t, 0);
    const Vec3 first_seen = watching.watched.seen.empty() ? Vec3::Zero() : watching.watched.seen[0];
    const auto found = find_squeezed(body.model, x, p.inversion_threshold, watching);
    const auto expected = find_squeezed_at_once(body.model, x, p.inversion_threshold, asking);
    ASSERT_TRUE(std::ranges::equal(found, expected)) << "at step " << n;
    ++(watching.watched.seen[0] == first_seen ? kept : made);
    most = std::max(most, found.size());
    least = std::min(least, found.size());
  }
  EXPECT_GT(kept, made) << "the list must spare something";
  EXPECT_GT(made, 10);
  EXPECT_GT(most, least + 10);
}

TEST(InversionGuard, ATetrahedronTurnedInsideOutComesBack) {
  for (const Integrator integrator :
       {Integrator::symplectic_euler, Integrator::rk4, Integrator::verlet, Integrator::newmark,
        Integrator::implicit_euler, Integrator::implicit_euler_newton})
    for (const bool guarded : {true, false}) {
      Body body = one_tet();
      body.state.positions[3].y() = -0.9;  // mirrored: every spring is at rest
      Params p;
      p.integrator = integrator;
      p.damping = 0.1;
      if (!guarded) p.inversion_guard = 0;
      State to = body.state;
      Work work;
      for (double time = 0, h = 0; time < 3; time += h) {  // some twenty periods of the softest motion
        h = std::min(1e-2, step_limit(body.model, p, body.state, work));
        ASSERT_GT(h, 1e-5) << name_of(integrator) << " at " << time << " s";
        const StepReport report =
            step(body.model, p, testing::weightless(), testing::nth_step(h), body.state, to, work);
        ASSERT_TRUE(report.ok) << name_of(integrator) << ": " << report.trouble;
        body.state = to;
      }
      const double ratio = volume_ratio(body.model.guard, 0, at(body.state.positions));
      EXPECT_NEAR(ratio, guarded ? 1 : -1, 0.05) << name_of(integrator);
    }
}

TEST(InversionGuard, TheStabilityLimitCoversIt) {
  const Body body = crushed(2);
  Params p = stiff();
  p.integrator = Integrator::symplectic_euler;
  for (const double guard : {5.0, 500.0}) {
    p.inversion_guard = guard;
    Work work;
    assemble_tangent(body.model, p, body.state.positions, {.stiffness = 1, .geometric = Geometric::exact},
                     work);
    const Eigen::MatrixXd a = work.system->matrix.dense();  // M + K
    Eigen::VectorXd scale(a.rows());
    for (Eigen::Index i = 0; i < a.rows(); ++i)
      scale[i] = std::sqrt(body.model.inverse_masses[static_cast<std::size_t>(i / 3)]);
    const Eigen::MatrixXd scaled = scale.asDiagonal() * a * scale.asDiagonal();
    const double omega =
        std::sqrt(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scaled).eigenvalues().maxCoeff() - 1);
    const double limit = stability_limit(body.model, p, body.state);
    EXPECT_LE(limit, 2 / omega);
    EXPECT_GT(limit, 0.4 / omega) << "a bound, but not an absurd one";
  }
}

TEST(InversionGuard, MeshesOfTrianglesAndTetrahedraWithoutVolumeHaveNone) {
  geometry::TetMesh flat;
  flat.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(0, 1, 0), Vec3(1, 0, 1)};
  flat.tets = {{0, 2, 1, 3}, {4, 1, 2, 3}, {0, 1, 4, 2}};
  EXPECT_EQ(from_tets(flat, 1.0).guard.tets.size(), 2u);
  geometry::SheetShape sheet;
  EXPECT_TRUE(from_triangles(geometry::sheet(sheet), 1.0).guard.tets.empty());
}

}  // namespace
}  // namespace selkie::mass_spring
