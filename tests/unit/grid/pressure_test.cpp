// The pressure matrix, its preconditioner and its solver.
#include "selkie/grid/pressure.h"

#include <gtest/gtest.h>

#include <limits>

#include "selkie/core/parallel.h"
#include "selkie/grid/pressure_reference.h"
#include "unit/grid/pressure_domains.h"

namespace selkie::grid {
namespace {

using namespace test;

const std::vector<Shape> kShapes = {Shape(3, {19, 11, 13}, 1), Shape(2, {37, 22, 1}, 1),
                                    Shape(3, {8, 8, 8}, 1), Shape(3, {33, 3, 17}, 1),
                                    Shape(3, {40, 1, 6}, 1)};

// Values of a field where the matrix acts.
Buffer<double> on_unknowns(const OwnedDomain<double>& d, const Buffer<double>& values) {
  Buffer<double> kept(d.shape.size(), 0.0);
  for (const Index& c : assemble(d.domain()).cells) {
    const auto at = static_cast<std::size_t>(d.shape.at(c[0], c[1], c[2]));
    kept[at] = values[at];
  }
  return kept;
}

TEST(PressureMatrix, EqualsTheAssembledOneAndIsSymmetricAndPositive) {
  for (const Shape& shape : kShapes)
    for (const OpenSides& sides : {kClosed, kOpenTop}) {
      const OwnedDomain<double> d = random_domain<double>(shape, 3, sides);
      PressureSolver<double> solver;
      solver.build(d.domain());
      const AssembledPressure system = assemble(d.domain());
      const Buffer<double> x = on_unknowns(d, random_cells<double>(shape, 1)),
                           y = on_unknowns(d, random_cells<double>(shape, 2));
      Buffer<double> ax(shape.size(), 0.0), ay(shape.size(), 0.0);
      solver.multiply(view(shape, x), view(shape, ax));
      solver.multiply(view(shape, y), view(shape, ay));
      std::vector<double> in, out(system.cells.size());
      for (const Index& c : system.cells)
        in.push_back(x[static_cast<std::size_t>(shape.at(c[0], c[1], c[2]))]);
      system.matrix.apply(in, out);
      for (std::size_t n = 0; n < out.size(); ++n) {
        const Index c = system.cells[n];
        // Sums of six terms below 2 in another order; θ is clamped at 0.01, so diagonals reach 100.
        ASSERT_NEAR(ax[static_cast<std::size_t>(shape.at(c[0], c[1], c[2]))], out[n], 1e-13);
      }
      EXPECT_NEAR(dot_cells(shape, ax, y), dot_cells(shape, x, ay), 1e-11);
      EXPECT_GT(dot_cells(shape, ax, x), 0);
    }
}

TEST(PressureMatrix, PreconditionerIsSymmetricToRoundOffAndPositive) {
  for (const Shape& shape : kShapes)
    for (const OpenSides& sides : {kClosed, kOpenTop}) {
      const OwnedDomain<double> d = random_domain<double>(shape, 5, sides);
      PressureSolver<double> solver;
      solver.build(d.domain());
      const Buffer<double> x = on_unknowns(d, random_cells<double>(shape, 1)),
                           y = on_unknowns(d, random_cells<double>(shape, 2));
      // In closed regions the preconditioner sees right sides without mean; compare on those.
      Buffer<double> rx(shape.size(), 0.0), ry(shape.size(), 0.0), mx(shape.size(), 0.0),
          my(shape.size(), 0.0);
      solver.multiply(view(shape, x), view(shape, rx));
      solver.multiply(view(shape, y), view(shape, ry));
      solver.precondition(view(shape, rx), view(shape, mx));
      solver.precondition(view(shape, ry), view(shape, my));
      const double scale = std::sqrt(dot_cells(shape, mx, mx) * dot_cells(shape, ry, ry));
      // Float arithmetic over some hundred operations per value.
      EXPECT_NEAR(dot_cells(shape, mx, ry), dot_cells(shape, rx, my), 2e-6 * scale);
      EXPECT_GT(dot_cells(shape, mx, rx), 0);
    }
}

TEST(PressureSolver, AgreesWithTheReferenceForRandomWeightsAndClosedPockets) {
  for (const Shape& shape : kShapes)
    for (const OpenSides& sides : {kClosed, kOpenTop}) {
      const OwnedDomain<double> d = random_domain<double>(shape, 7, sides);
      const Buffer<double> b = random_cells<double>(shape, 4);
      Buffer<double> p(shape.size(), 0.0), reference(shape.size(), 0.0);
      PressureSolver<double> solver;
      solver.build(d.domain());
      const auto report = solver.solve(view(shape, b), view(shape, p), {.tolerance = 1e-11});
      ASSERT_TRUE(report.converged()) << report.text();
      for (const auto method : {ReferenceMethod::conjugate_gradients, ReferenceMethod::incomplete_cholesky}) {
        const auto other =
            reference_solve(d.domain(), view(shape, b), view(shape, reference), method, 1e-12, 5000);
        ASSERT_TRUE(other.converged()) << other.text();
        double largest = 0, difference = 0;
        for_cells(shape, [&](int i, int j, int k) {
          const auto at = static_cast<std::size_t>(shape.at(i, j, k));
          largest = std::max(largest, std::abs(reference[at]));
          difference = std::max(difference, std::abs(reference[at] - p[at]));
        });
        // Residual tolerance times the condition of weakly open pockets, some thousand.
        EXPECT_LT(difference, 1e-7 * largest);
      }
    }
}

TEST(PressureSolver, FindsTheRegionsTheReferenceFinds) {
  for (const Shape& shape : kShapes) {
    const OwnedDomain<double> d = random_domain<double>(shape, 11, kOpenTop);
    PressureSolver<double> solver;
    solver.build(d.domain());
    const AssembledPressure system = assemble(d.domain());
    std::size_t regions = 0, closed = 0;
    for (std::size_t n = 0; n < system.region.size(); ++n)
      if (system.region[n] == n) ++regions, closed += system.closed[n] != 0;
    EXPECT_EQ(solver.regions().regions, regions);
    EXPECT_EQ(solver.regions().closed, closed);
    if (shape.cells()[1] > 3) {
      EXPECT_GT(closed, 0u);  // the sealed pocket
    }
  }
}

// A sphere of whole cells and a plate that is one layer of closed faces.
template <class T>
OwnedDomain<T> sphere_and_plate(int n, int axis, int position) {
  const Shape shape(3, {n, n, n}, 1.0 / n);
  OwnedDomain<T> d(shape, kOpenTop);
  for_cells(shape, [&](int i, int j, int k) {
    if ((shape.position(Place::cell, i, j, k) - Vec3(0.5, 0.4, 0.5)).norm() < 0.2)
      d.kind()(i, j, k) = code_of(CellKind::solid);
    const Index at{i, j, k};
    const auto a = static_cast<std::size_t>(axis);
    if (at[a] == position && at[(a + 1) % 3] >= n / 4 && at[(a + 1) % 3] < 3 * n / 4 &&
        at[(a + 2) % 3] >= n / 4 && at[(a + 2) % 3] < 3 * n / 4)
      d.weight()[a](i, j, k) = 0;
  });
  return d;
}

TEST(PressureSolver, IterationsStayFewWithASphereAndAThinPlateWhereverItLies) {
  for (const int n : {32, 64})
    for (const int axis : {0, 1, 2})
      for (const int shift : {0, 1}) {
        const OwnedDomain<float> d = sphere_and_plate<float>(n, axis, 3 * n / 4 + shift);
        Buffer<float> b = random_cells<float>(d.shape, 4), p(d.shape.size(), 0.0f);
        PressureSolver<float> solver;
        solver.build(d.domain());
        const auto report = solver.solve(view(d.shape, b), view(d.shape, p), {.tolerance = 1e-5});
        EXPECT_TRUE(report.converged()) << report.text();
        EXPECT_LE(report.iterations, 12) << n << " " << axis << " " << shift;
      }
}

TEST(PressureSolver, SameBitsForOneAndTwoThreads) {
  const OwnedDomain<float> d = sphere_and_plate<float>(48, 0, 37);
  const Buffer<float> b = random_cells<float>(d.shape, 4);
  std::array<Buffer<float>, 2> p;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    auto& result = p[static_cast<std::size_t>(threads - 1)];
    result.assign(d.shape.size(), 0.0f);
    PressureSolver<float> solver;
    solver.build(d.domain());
    EXPECT_TRUE(solver.solve(view(d.shape, b), view(d.shape, result), {.tolerance = 1e-5}).converged());
  }
  set_thread_count(0);
  EXPECT_EQ(p[0], p[1]);
}

TEST(PressureSolver, AWarmStartFromTheSolutionNeedsNoIteration) {
  const OwnedDomain<double> d = random_domain<double>(Shape(3, {20, 20, 20}, 1), 3, kOpenTop);
  const Buffer<double> b = random_cells<double>(d.shape, 4);
  Buffer<double> p(d.shape.size(), 0.0);
  PressureSolver<double> solver;
  solver.build(d.domain());
  EXPECT_TRUE(solver.solve(view(d.shape, b), view(d.shape, p), {.tolerance = 1e-9}).converged());
  const auto again =
      solver.solve(view(d.shape, b), view(d.shape, p), {.tolerance = 1e-8, .warm_start = true});
  EXPECT_TRUE(again.converged());
  EXPECT_EQ(again.iterations, 0);
}

TEST(PressureSolver, DegenerateGridsEndWithAnAnswer) {
  struct Case {
    Shape shape;
    CellKind kind;
    OpenSides sides;
  };
  for (const Case& c : {Case{Shape(3, {1, 1, 1}, 1), CellKind::fluid, kOpenTop},
                        Case{Shape(3, {1, 1, 1}, 1), CellKind::fluid, kClosed},
                        Case{Shape(2, {1, 1, 1}, 1), CellKind::fluid, kOpenTop},
                        Case{Shape(3, {9, 8, 7}, 1), CellKind::solid, kOpenTop},
                        Case{Shape(3, {9, 8, 7}, 1), CellKind::air, kClosed},
                        Case{Shape(3, {1, 300, 1}, 1), CellKind::fluid, kOpenTop},
                        Case{Shape(3, {300, 1, 1}, 1), CellKind::fluid, kClosed},
                        Case{Shape(3, {1, 1, 300}, 1), CellKind::fluid, kClosed},
                        Case{Shape(2, {1, 500, 1}, 1), CellKind::fluid, kOpenTop}}) {
    OwnedDomain<double> d(c.shape, c.sides);
    for_cells(c.shape, [&](int i, int j, int k) { d.kind()(i, j, k) = code_of(c.kind); });
    const Buffer<double> b = random_cells<double>(c.shape, 6);
    Buffer<double> p(c.shape.size(), 7.0);
    PressureSolver<double> solver;
    solver.build(d.domain());
    const auto report = solver.solve(view(c.shape, b), view(c.shape, p), {.tolerance = 1e-9});
    EXPECT_TRUE(report.converged()) << report.text();
    for_cells(c.shape, [&](int i, int j, int k) {
      const double value = p[static_cast<std::size_t>(c.shape.at(i, j, k))];
      EXPECT_TRUE(std::isfinite(value));
      if (c.kind != CellKind::fluid) {
        EXPECT_EQ(value, 0);
      }
    });
  }
}

TEST(PressureSolver, NotANumberIsReportedAtOnce) {
  const OwnedDomain<float> d = random_domain<float>(Shape(3, {16, 16, 16}, 1), 3, kOpenTop);
  Buffer<float> b(d.shape.size(), std::numeric_limits<float>::quiet_NaN()), p(d.shape.size(), 0.0f);
  PressureSolver<float> solver;
  solver.build(d.domain());
  const auto report = solver.solve(view(d.shape, b), view(d.shape, p), {});
  EXPECT_EQ(report.reason, linalg::StopReason::not_finite);
  EXPECT_EQ(report.iterations, 0);
}

TEST(PressureSolver, PlainConjugateGradientsReachTheSameSolution) {
  const OwnedDomain<double> d = random_domain<double>(Shape(3, {12, 12, 12}, 1), 3, kOpenTop);
  const Buffer<double> b = random_cells<double>(d.shape, 4);
  Buffer<double> p(d.shape.size(), 0.0), q(d.shape.size(), 0.0);
  PressureSolver<double> solver;
  solver.build(d.domain());
  EXPECT_TRUE(solver.solve(view(d.shape, b), view(d.shape, p), {.tolerance = 1e-10}).converged());
  EXPECT_TRUE(solver
                  .solve(view(d.shape, b), view(d.shape, q),
                         {.tolerance = 1e-10, .max_iterations = 2000, .method = PressureMethod::plain})
                  .converged());
  for (std::size_t n = 0; n < p.size(); ++n) ASSERT_NEAR(p[n], q[n], 1e-6);
}

}  // namespace
}  // namespace selkie::grid
