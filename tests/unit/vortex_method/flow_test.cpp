// The flow of vortex particles against exact facts: sums, divergence, walls, and the drift of a straight
// vortex in a box, which its images give in closed form.
#include "selkie/fluids/vortex_method/flow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "box.h"
#include "selkie/core/random.h"
#include "selkie/fluids/vortex_method/taps.h"
#include "selkie/grid/loops.h"

namespace selkie::vortex_method {
namespace {

using test::VortexBox;

// Threads work on layers that lie apart (layers.h), so a particle must not even write a zero elsewhere.
TEST(VortexTaps, ATapIsNeverFarFromItsParticle) {
  constexpr int kCells = 12;
  for (double x = 0; x <= kCells; x += 0.125)
    for (const bool nodal : {false, true})
      for (const int index : spline_taps(x, kCells, nodal).index) {
        EXPECT_LE(std::abs(index + (nodal ? 0 : 0.5) - x), 2) << x << (nodal ? " nodal" : " centred");
        EXPECT_GE(index, nodal ? 1 : 0);
        EXPECT_LT(index, kCells);
      }
}

// Particles of random strength in the box; those closer than `margin` cells to a wall are left out.
void scatter(const Model& model, int count, double margin, State<double>& state) {
  const grid::Shape& shape = model.shape;
  RandomStream random(1, 0);
  for (int p = 0; p < count; ++p) {
    Vec3 x, strength;
    for (int d = 0; d < 3; ++d) {
      const double size = shape.extent()[d], edge = margin * shape.cell_size();
      x[d] = shape.origin()[d] + random.uniform(edge, size - edge);
      strength[d] = random.uniform(-0.5, 0.5);
    }
    state.positions.push_back(x);
    state.strengths.push_back(strength);
  }
}

TEST(VortexTaps, SplinesSumToOneAndReproduceAStraightLine) {
  for (const double x : {1.5, 2.0, 2.3, 3.49, 3.51})
    for (const bool nodal : {false, true}) {
      const Taps taps = spline_taps(x, 8, nodal);
      double sum = 0, mean = 0, slope = 0, rise = 0;
      for (std::size_t t = 0; t < 3; ++t) {
        const double at = taps.index[t] + (nodal ? 0 : 0.5);
        sum += taps.weight[t], mean += taps.weight[t] * at;
        slope += taps.slope[t], rise += taps.slope[t] * at;
      }
      EXPECT_NEAR(sum, 1, 1e-15);
      EXPECT_NEAR(mean, x, 4e-15);
      EXPECT_NEAR(slope, 0, 1e-15);
      EXPECT_NEAR(rise, 1, 4e-15);
    }
}

TEST(VortexTaps, WallsAreMirrors) {
  // Between walls evenly, on walls oddly: a constant is kept by the first and dies at the wall in the second.
  const Taps even = spline_taps(0.1, 8, false), odd = spline_taps(0, 8, true);
  EXPECT_NEAR(even.weight[0] + even.weight[1] + even.weight[2], 1, 1e-15);
  EXPECT_EQ(even.index[0], 0);
  EXPECT_NEAR(odd.weight[0] + odd.weight[1] + odd.weight[2], 0, 1e-15);
  EXPECT_EQ(odd.index[0], 1);
  EXPECT_EQ(spline_taps(8, 8, true).index[2], 7);
  EXPECT_EQ(spline_taps(7.9, 8, false).index[2], 7);
}

TEST(VortexTaps, RedistributionKeepsThreeMoments) {
  for (const double x : {2.5, 2.7, 3.0, 3.4}) {
    const RemeshTaps taps = remesh_taps(x, 8);
    double sum = 0, first = 0, second = 0;
    for (std::size_t t = 0; t < 4; ++t) {
      const double at = taps.index[t] + 0.5;
      sum += taps.weight[t], first += taps.weight[t] * at, second += taps.weight[t] * at * at;
    }
    EXPECT_NEAR(sum, 1, 1e-15);
    EXPECT_NEAR(first, x, 4e-15);
    EXPECT_NEAR(second, x * x, 2e-14);
  }
}

TEST(VortexFlow, StrengthsSpreadOnTheGridKeepTheirSum) {
  VortexBox<double> box{make_model(grid::Shape(3, {9, 12, 10}, 0.1, Vec3(-0.3, 1, 2)))};
  scatter(box.model, 500, 1.5, box.state);
  Layers layers;
  ASSERT_TRUE(layers.sort(box.model.shape, box.state.positions));
  EdgeFields<double> vorticity;
  spread(box.model, box.state.positions, box.state.strengths, layers, 1, vorticity);
  const Vec3 total = total_strength(box.state);
  for (std::size_t a = 0; a < 3; ++a) {
    double sum = 0;
    for (const double value : vorticity[a]) sum += value;
    // Sums of 13500 terms of size 1e-2, each rounded to 1e-18.
    EXPECT_NEAR(sum * box.model.particle_volume(), total[static_cast<int>(a)], 1e-13);
  }
}

TEST(VortexFlow, HasNoDivergenceAndCrossesNoWall) {
  VortexBox<double> box{make_model(grid::Shape(3, {12, 16, 20}, 0.1, Vec3(-0.3, 1, 2)))};
  scatter(box.model, 800, 0, box.state);
  ASSERT_TRUE(box.find_flow().ok);
  const grid::FaceField<double>& velocity = box.work.flow.velocity;
  const double speed = top_speed(box.model, velocity);
  EXPECT_GT(speed, 1);
  // Six faces, each rounded to ε of its four ψ/Δx, which are a few times the speed.
  EXPECT_LT(largest_divergence(box.model, velocity) * box.model.shape.cell_size(), 1e-14 * speed);
  for (std::size_t a = 0; a < 3; ++a) {
    const auto face = grid::view(box.model.shape, velocity.component[a]);
    grid::Index n = box.model.shape.cells();
    const int last = n[a];
    n[a] = 1;
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i) {
          grid::Index at{i, j, k};
          EXPECT_EQ(face(at[0], at[1], at[2]), 0);
          at[a] = last;
          EXPECT_EQ(face(at[0], at[1], at[2]), 0);
        }
  }
}

TEST(VortexFlow, TheCurlOfTheFlowIsAVorticityWithoutDivergence) {
  // ω_z = sin πx sin πy, the same along z, has no divergence and fits the walls: the discrete −∇² takes it
  // times its eigenvalue, and u = ∇×ψ is known on every face.
  const int n = 16;
  VortexBox<double> box{make_model(grid::Shape(3, {n, n, 4}, 1.0 / n))};
  box.params.tolerance = 1e-12;
  const grid::Shape& edges = box.model.edges[2];
  const double h = 1.0 / n, pi = std::numbers::pi;
  const double eigenvalue = 2 * (2 - 2 * std::cos(pi * h)) / (h * h);
  const auto stream = grid::view(edges, box.state.stream_z);
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < n - 1; ++j)
      for (int i = 0; i < n - 1; ++i)
        stream(i, j, k) = std::sin(pi * (i + 1) * h) * std::sin(pi * (j + 1) * h) / eigenvalue;
  grid::FaceField<double> velocity;
  curl<double>(box.model, std::as_const(box.state).stream(), velocity);
  const auto u = grid::view(box.model.shape, velocity);
  for (int j = 1; j < n; ++j)
    for (int i = 1; i < n; ++i) {
      const double vorticity = (u[1](i, j, 2) - u[1](i - 1, j, 2) - u[0](i, j, 2) + u[0](i, j - 1, 2)) / h;
      EXPECT_NEAR(vorticity, std::sin(pi * i * h) * std::sin(pi * j * h), 1e-12);
    }
}

// Velocity of a row of vortices of circulation Γ, spaced by `period` along x, at (x, y) from one of them.
Vec3 row_velocity(double circulation, double period, double x, double y) {
  const double a = 2 * std::numbers::pi / period, below = std::cosh(a * y) - std::cos(a * x);
  return circulation / (2 * period * below) * Vec3(-std::sinh(a * y), std::sin(a * x), 0);
}

// Of a vortex of circulation 1 at (x, y) in the unit square: its images beyond the four walls.
Vec3 drift_in_square(double x, double y) {
  Vec3 sum = Vec3::Zero();
  for (int n = -12; n <= 12; ++n) {
    const double same = 2.0 * n, other = 2 * (n - y);
    if (n != 0) sum += row_velocity(1, 2, 0, -same);
    sum += row_velocity(-1, 2, 2 * x, -same);
    sum += row_velocity(-1, 2, 0, -other) + row_velocity(1, 2, 2 * x, -other);
  }
  return sum;
}

// A straight vortex with a Gaussian core from wall to wall. Being round, it drifts as a point would.
double drift_error(int cells) {
  const double h = 1.0 / cells, x0 = 0.3, y0 = 0.37, core = 0.08;
  VortexBox<double> box{make_model(grid::Shape(3, {cells, cells, 4}, h))};
  double total = 0;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < cells; ++j)
      for (int i = 0; i < cells; ++i) {
        const Vec3 x = box.model.shape.position(grid::Place::cell, i, j, k);
        const double strength =
            std::exp(-(std::pow(x.x() - x0, 2) + std::pow(x.y() - y0, 2)) / (core * core));
        if (strength < 1e-8) continue;
        total += strength;
        box.state.positions.push_back(x);
        box.state.strengths.push_back(Vec3(0, 0, strength));
      }
  for (Vec3& strength : box.state.strengths) strength *= 4 * h / total;  // circulation 1
  box.params.tolerance = 1e-9;
  EXPECT_TRUE(box.find_flow().ok);
  Vec3 drift = Vec3::Zero();
  for (std::size_t p = 0; p < box.state.positions.size(); ++p)
    drift += box.state.strengths[p].z() / (4 * h) *
             flow_at(box.model, box.work.flow.velocity, box.state.positions[p]).velocity;
  EXPECT_EQ(drift.z(), 0);
  const Vec3 exact = drift_in_square(x0, y0);
  return (drift - exact).norm() / exact.norm();
}

TEST(VortexFlow, AStraightVortexDriftsAsItsImagesTellAndTheErrorIsOfSecondOrder) {
  const double coarse = drift_error(24), fine = drift_error(48);
  EXPECT_LT(fine, 0.01);
  EXPECT_GT(coarse / fine, 3);
}

TEST(VortexFlow, GradientsAreThoseOfTheVelocity) {
  VortexBox<double> box{test::cube(8)};
  scatter(box.model, 50, 0, box.state);
  ASSERT_TRUE(box.find_flow().ok);
  const Vec3 at(0.41, 0.07, 0.93);
  const double step = 1e-6;
  const Mat3 gradient = flow_at(box.model, box.work.flow.velocity, at).gradient;
  for (int d = 0; d < 3; ++d) {
    const Vec3 difference = flow_at(box.model, box.work.flow.velocity, at + step * Vec3::Unit(d)).velocity -
                            flow_at(box.model, box.work.flow.velocity, at - step * Vec3::Unit(d)).velocity;
    // Round-off ε/step; the spline is quadratic, so central differences are exact within a piece.
    EXPECT_LT((gradient.col(d) - difference / (2 * step)).norm(), 1e-8 * gradient.norm());
  }
}

}  // namespace
}  // namespace selkie::vortex_method
