// The joint solve proven on paper-size mock sides against a dense solve of the indefinite system it replaces.
#include "selkie/coupling/group_solve.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "selkie/core/random.h"
#include "selkie/coupling/stitch.h"

namespace selkie::coupling {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

class GroupSolve : public testing::Test {
 protected:
  RandomStream random{7, 1};

  double draw() { return random.uniform(-1, 1); }
  Matrix dense(int rows, int columns) {
    Matrix m(rows, columns);
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) m(r, c) = draw();
    return m;
  }
  Matrix spd(int n, double scale) {
    const Matrix a = dense(n, n);
    return a * a.transpose() * scale / n + 0.5 * Matrix::Identity(n, n);
  }
  Vector vector(int n) { return dense(n, 1); }
  ports::SparseRows sparse(int rows, int columns) {
    Matrix m = dense(rows, columns);
    m = (m.array().abs() > 0.7).select(m, 0);
    return m.sparseView();
  }
};

ports::Apply apply_of(const Matrix& m) {
  return [m](std::span<const double> x, std::span<double> y) {
    Eigen::Map<Vector>(y.data(), m.rows()) = m * Eigen::Map<const Vector>(x.data(), m.cols());
  };
}

std::span<const double> span_of(const Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

struct Fluid {
  Matrix b;
  Vector rhs, pressure;
  ports::PressureSide side() {
    ports::PressureSide s;
    s.unknowns = static_cast<int>(b.rows());
    s.apply_b = apply_of(b);
    s.precondition = apply_of(b.inverse());
    s.rhs = span_of(rhs);
    s.accept = [this](std::span<const double> p) { pressure = Eigen::Map<const Vector>(p.data(), b.rows()); };
    return s;
  }
};

struct Body {
  Matrix z1, z2;  // z2 empty: rigid
  Vector w, velocity;
  ports::BodySide side() {
    ports::BodySide s;
    s.dofs = static_cast<int>(z1.rows());
    s.apply_z1_inverse = apply_of(z1.inverse());
    if (z2.size() > 0) {
      s.apply_z2 = apply_of(z2);
      s.precondition = apply_of((z2 + z2 * z1.inverse() * z2).inverse());
    }
    s.w = span_of(w);
    s.accept = [this](std::span<const double> v) {
      velocity = Eigen::Map<const Vector>(v.data(), z1.rows());
    };
    return s;
  }
};

TEST_F(GroupSolve, AgreesWithTheDenseIndefiniteSystemForTwoFluidsTwoElasticAndOneRigidBody) {
  Fluid fluids[] = {{spd(30, 1), vector(30), {}}, {spd(20, 1), vector(20), {}}};
  auto elastic = [&](int n, double stiffness) {
    const Vector mass = vector(n).cwiseAbs() + Vector::Ones(n);
    const double share = 0.9;  // σ of LE-38
    return Body{share * Matrix(mass.asDiagonal()),
                (1 - share) * Matrix(mass.asDiagonal()) + spd(n, stiffness),
                vector(n),
                {}};
  };
  Body bodies[] = {elastic(12, 3), elastic(9, 2), {spd(6, 1), {}, vector(6), {}}};
  const ports::SparseRows jacobians[] = {sparse(12, 30), sparse(12, 20), sparse(9, 30), sparse(6, 30)};
  const ports::CouplingTerm terms[] = {
      {0, 0, &jacobians[0]}, {1, 0, &jacobians[1]}, {0, 1, &jacobians[2]}, {0, 2, &jacobians[3]}};

  ports::PressureSide sides_p[] = {fluids[0].side(), fluids[1].side()};
  ports::BodySide sides_b[] = {bodies[0].side(), bodies[1].side(), bodies[2].side()};
  const ports::PressureSide* p[] = {&sides_p[0], &sides_p[1]};
  const ports::BodySide* b[] = {&sides_b[0], &sides_b[1], &sides_b[2]};
  std::vector<double> warm;
  const GroupReport report = solve_group(p, b, terms, {.tolerance = 1e-14, .max_iterations = 500}, warm);
  ASSERT_TRUE(report.solve.converged() || report.solve.residual < 1e-13) << report.solve.text();
  EXPECT_EQ(report.unknowns, 30u + 20u + 12u + 9u);  // the rigid body has no unknowns

  // Dense: [B Jᵀ; J −Z] [p; v] = [rhs; w].
  Matrix d = Matrix::Zero(77, 77);
  d.block(0, 0, 30, 30) = fluids[0].b;
  d.block(30, 30, 20, 20) = fluids[1].b;
  const int column[] = {0, 30, 0, 0}, row[] = {50, 50, 62, 71};
  for (int k = 0; k < 4; ++k) {
    const Matrix j = jacobians[k];
    d.block(row[k], column[k], j.rows(), j.cols()) = j;
    d.block(column[k], row[k], j.cols(), j.rows()) = j.transpose();
  }
  d.block(50, 50, 12, 12) = -(bodies[0].z1 + bodies[0].z2);
  d.block(62, 62, 9, 9) = -(bodies[1].z1 + bodies[1].z2);
  d.block(71, 71, 6, 6) = -bodies[2].z1;
  Vector rhs(77), solved(77);
  rhs << fluids[0].rhs, fluids[1].rhs, bodies[0].w, bodies[1].w, bodies[2].w;
  solved << fluids[0].pressure, fluids[1].pressure, bodies[0].velocity, bodies[1].velocity,
      bodies[2].velocity;
  const Vector exact = d.fullPivLu().solve(rhs);
  // Solver tolerance 1e-14 times the condition number of the small blocks (< 1e3).
  EXPECT_LT((solved - exact).norm() / exact.norm(), 1e-11);
}

TEST_F(GroupSolve, TakesNoIterationWhenWarmStartedAtTheSolution) {
  Fluid fluid{spd(15, 1), vector(15), {}};
  Body body{spd(6, 1), {}, vector(6), {}};
  const ports::SparseRows j = sparse(6, 15);
  const ports::CouplingTerm terms[] = {{0, 0, &j}};
  ports::PressureSide ps = fluid.side();
  ports::BodySide bs = body.side();
  const ports::PressureSide* p[] = {&ps};
  const ports::BodySide* b[] = {&bs};
  std::vector<double> warm;
  ASSERT_TRUE(solve_group(p, b, terms, {.tolerance = 1e-10}, warm).solve.converged());
  EXPECT_EQ(solve_group(p, b, terms, {.tolerance = 1e-9}, warm).solve.iterations, 0);
}

TEST_F(GroupSolve, ReportsAnIndefiniteFluidInsteadOfIgnoringIt) {
  Fluid fluid{-spd(8, 1), vector(8), {}};
  ports::PressureSide ps = fluid.side();
  ps.precondition = {};
  const ports::PressureSide* p[] = {&ps};
  std::vector<double> warm;
  const GroupReport report = solve_group(p, {}, {}, {}, warm);
  EXPECT_EQ(report.solve.reason, linalg::StopReason::nonpositive_curvature);
  EXPECT_EQ(fluid.pressure.size(), 0) << "a failed solve must not be accepted";
}

// A tube of two closed regions of cells with a rigid piston between them, which nothing else lets move: its
// velocity is what one region loses and the other gains, and what both gain together has no answer and is
// left out.
TEST(ClosedRegions, APistonBetweenTwoOfThemMovesAsTheyLetIt) {
  constexpr int kCells = 4;
  constexpr double kArea = 0.3, kInverseMass = 0.02, kFree = 0.7;
  Matrix b = Matrix::Zero(2 * kCells, 2 * kCells);
  for (int c = 0; c + 1 < 2 * kCells; ++c) {
    if (c + 1 == kCells) continue;
    b(c, c) += 1, b(c + 1, c + 1) += 1, b(c, c + 1) -= 1, b(c + 1, c) -= 1;
  }
  Vector rhs = Vector::Zero(2 * kCells);
  rhs[0] = 0.05, rhs[2] = 0.01, rhs[5] = -0.06;  // sums: 0.06 and -0.06
  std::vector<std::int32_t> region{0, 0, 0, 0, 1, 1, 1, 1};
  Vector pressure, velocity;
  ports::PressureSide tube;
  tube.unknowns = 2 * kCells;
  tube.apply_b = apply_of(b);
  tube.closed_region = region;
  tube.closed_regions = 2;
  tube.accept = [&](std::span<const double> p) { pressure = Eigen::Map<const Vector>(p.data(), 2 * kCells); };
  ports::BodySide piston;
  const Vector free = Vector::Constant(1, kFree);
  piston.dofs = 1;
  piston.apply_z1_inverse = apply_of(Matrix::Constant(1, 1, kInverseMass));
  piston.free_velocity = span_of(free);
  piston.accept = [&](std::span<const double> v) { velocity = Eigen::Map<const Vector>(v.data(), 1); };
  ports::SparseRows j(1, 2 * kCells);
  j.insert(0, kCells - 1) = kArea, j.insert(0, kCells) = -kArea;
  const std::vector<const ports::PressureSide*> pressures{&tube};
  const std::vector<const ports::BodySide*> bodies{&piston};
  ports::CouplingTerm term;
  term.pressure_side = 0, term.body_side = 0, term.jacobian = &j;
  for (const double both_gain : {0.0, 0.4}) {
    Vector gained = rhs;
    gained.array() += both_gain;
    tube.rhs = span_of(gained);
    std::vector<double> warm;
    const GroupReport report = solve_group(pressures, bodies, std::span(&term, 1),
                                           {.tolerance = 1e-12, .max_iterations = 100}, warm);
    ASSERT_TRUE(report.solve.converged()) << report.solve.text();
    ASSERT_EQ(velocity.size(), 1);
    EXPECT_NEAR(velocity[0], 0.06 / kArea, 1e-11) << both_gain;
    Vector flux = b * pressure;
    flux[kCells - 1] += kArea * velocity[0], flux[kCells] -= kArea * velocity[0];
    EXPECT_LT((flux - rhs).norm(), 1e-11) << both_gain;
  }
}

TEST(Stitch, ImpulsesGivenAndReceivedCancelToRoundOff) {
  const std::vector<Vec3> xa{{0, 0, 0}, {1, 0, 0}}, xb{{1, 0.01, 0}, {0, 0.02, 0}};
  const std::vector<Vec3> va{{1, 0, 0}, {0, 2, 0}}, vb{{0, 0, -1}, {0, 0, 0}};
  const std::vector<double> wa{1, 0.5}, wb{2, 3};
  std::vector<Vec3> ja(2, Vec3::Zero()), jb(2, Vec3::Zero());
  const auto pairs = find_stitches(xa, xb, 0.05);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].b, 1u);
  const double gap = exchange_stitches(pairs, 0.75, 0.01, {xa, va, {}, wa, ja}, {xb, vb, {}, wb, jb});
  EXPECT_NEAR(gap, 0.02, 1e-12);
  EXPECT_LT((ja[0] + ja[1] + jb[0] + jb[1]).norm(), 1e-14 * ja[0].norm());
  for (const auto& pair : pairs) {  // acting over the step, they leave a quarter of each gap
    const Vec3 before = xb[pair.b] - xa[pair.a];
    const Vec3 after = before + 0.01 * (wb[pair.b] * jb[pair.b] - wa[pair.a] * ja[pair.a]);
    EXPECT_LT((after - 0.25 * before).norm(), 1e-15);
  }
}

TEST(Stitch, TwoImmovablePointsAreLeftAlone) {
  const std::vector<Vec3> x{{0, 0, 0}}, v{{1, 0, 0}};
  const std::vector<double> w{0};
  std::vector<Vec3> ja{Vec3::Zero()}, jb{Vec3::Zero()};
  exchange_stitches(std::vector<StitchPair>{{0, 0}}, 1, 0.01, {x, v, {}, w, ja}, {x, v, {}, w, jb});
  EXPECT_EQ(ja[0], Vec3::Zero());
  EXPECT_EQ(jb[0], Vec3::Zero());
}

}  // namespace
}  // namespace selkie::coupling
