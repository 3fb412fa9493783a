// Particles at walls, under viscosity and put back on the grid.
#include "selkie/fluids/vortex_method/particles.h"

#include <gtest/gtest.h>

#include <cmath>

#include "box.h"

namespace selkie::vortex_method {
namespace {

using test::VortexBox;

// A round cloud of vorticity along z with a Gaussian profile, one particle to a cell but off the centres.
VortexBox<double> cloud(int cells, double width) {
  VortexBox<double> box{test::cube(cells)};
  const grid::Shape& shape = box.model.shape;
  for (int k = 0; k < cells; ++k)
    for (int j = 0; j < cells; ++j)
      for (int i = 0; i < cells; ++i) {
        const Vec3 x = shape.position(grid::Place::cell, i, j, k) + shape.cell_size() * Vec3(0.2, -0.1, 0.3);
        const double r2 = (x - Vec3::Constant(0.5)).squaredNorm();
        if (r2 > 0.16) continue;
        box.state.positions.push_back(x);
        box.state.strengths.push_back(std::exp(-r2 / (width * width)) * Vec3(0.1, 0, 1));
      }
  return box;
}

double second_moment(const State<double>& state) {
  double sum = 0;
  for (std::size_t p = 0; p < state.positions.size(); ++p)
    sum += state.strengths[p].z() * (state.positions[p] - Vec3::Constant(0.5)).squaredNorm();
  return sum;
}

TEST(VortexParticles, ThatOvershootAWallAreMirroredBackInside) {
  const grid::Shape shape(3, {4, 4, 8}, 0.5, Vec3(-1, 0, 3));
  EXPECT_EQ(reflect_into_box(shape, Vec3(0, 1, 4)), Vec3(0, 1, 4));
  EXPECT_TRUE(reflect_into_box(shape, Vec3(-1.25, 2.5, 7.1)).isApprox(Vec3(-0.75, 1.5, 6.9), 1e-15));
  // However far they went.
  const Vec3 back = reflect_into_box(shape, Vec3(-30.3, 17.7, 1e6));
  EXPECT_TRUE((back.array() >= shape.origin().array()).all());
  EXPECT_TRUE((back.array() <= (shape.origin() + shape.extent()).array()).all());
}

TEST(VortexParticles, ViscosityKeepsTheTotalAndSpreadsAsTheHeatEquation) {
  VortexBox<double> box = cloud(24, 0.1);
  const Vec3 before = total_strength(box.state);
  const double moment = second_moment(box.state);
  // Enough for several passes: νt/Δx² = 0.6.
  const double viscosity = 1e-3, time = 0.6 / (24 * 24 * viscosity);
  ASSERT_TRUE(diffuse(box.model, viscosity, time, box.work.cells, box.state));
  EXPECT_LT((total_strength(box.state) - before).norm(), 1e-13 * before.norm());
  // ∂ω/∂t = ν∇²ω makes Σ α r² grow by 6νt Σ α. Handing the change back blurs it by the kernel: 2 %.
  EXPECT_NEAR((second_moment(box.state) - moment) / before.z(), 6 * viscosity * time,
              0.02 * 6 * viscosity * time);
}

TEST(VortexParticles, ViscosityKeepsTheTotalOfAFewScatteredParticlesToo) {
  VortexBox<double> box{test::cube(8)};
  box.state.positions = {Vec3(0.01, 0.5, 0.99), Vec3(0.2, 0.55, 0.9), Vec3(0.8, 0.2, 0.3)};
  box.state.strengths = {Vec3(1, 2, 3), Vec3(-1, 0, 1), Vec3(0, 5, 0)};
  const Vec3 before = total_strength(box.state);
  ASSERT_TRUE(diffuse(box.model, 1e-2, 1, box.work.cells, box.state));
  EXPECT_LT((total_strength(box.state) - before).norm(), 1e-13 * before.norm());
  EXPECT_NE(box.state.strengths[0], Vec3(1, 2, 3));
  // Alone, it has nobody to exchange with.
  EXPECT_LT((box.state.strengths[2] - Vec3(0, 5, 0)).norm(), 1e-13);
}

TEST(VortexParticles, RedistributionKeepsTotalAndImpulse) {
  VortexBox<double> box = cloud(16, 0.15);
  const Vec3 total = total_strength(box.state), push = impulse(box.model, box.state);
  ASSERT_TRUE(remesh(box.model, 0, box.work.cells, box.state));
  EXPECT_LT((total_strength(box.state) - total).norm(), 1e-13 * total.norm());
  // The cloud's impulse is that of its offset from the middle: a small rest of terms of the size of the
  // total.
  EXPECT_LT((impulse(box.model, box.state) - push).norm(), 1e-13 * total.norm());
  for (const Vec3& x : box.state.positions) {
    const Vec3 cells = x * 16 - Vec3::Constant(0.5);
    EXPECT_LT((cells - Vec3(cells.array().round())).norm(), 1e-12);
  }
}

TEST(VortexParticles, LeavingWeakParticlesOutKeepsTheTotal) {
  VortexBox<double> box = cloud(16, 0.1), all = cloud(16, 0.1);
  const Vec3 total = total_strength(box.state);
  ASSERT_TRUE(remesh(all.model, 0, all.work.cells, all.state));
  ASSERT_TRUE(remesh(box.model, 0.01, box.work.cells, box.state));
  EXPECT_LT(box.state.positions.size(), all.state.positions.size() / 2);
  EXPECT_LT((total_strength(box.state) - total).norm(), 1e-13 * total.norm());
}

TEST(VortexParticles, OutsideOfTheBoxAreFound) {
  VortexBox<double> box{test::cube(8)};
  for (const Vec3& bad : {Vec3(0.5, 0.5, 1.1), Vec3(0.5, std::nan(""), 0.5)}) {
    box.state.positions = {Vec3(0.5, 0.5, 0.5), bad};
    box.state.strengths = {Vec3(1, 0, 0), Vec3(1, 0, 0)};
    EXPECT_FALSE(diffuse(box.model, 1e-3, 1, box.work.cells, box.state));
    EXPECT_FALSE(remesh(box.model, 0, box.work.cells, box.state));
    EXPECT_FALSE(box.find_flow().ok);
  }
}

}  // namespace
}  // namespace selkie::vortex_method
