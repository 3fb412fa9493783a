// The surface that particles make, volume, and the parts of the pressure phase. [LE-16, LE-17, LE-19, LE-20]
#include "selkie/fluids/liquid/surface.h"

#include <gtest/gtest.h>

#include <cmath>

#include "selkie/fluids/liquid/flow.h"
#include "selkie/fluids/liquid/step.h"
#include "selkie/fluids/liquid/volume.h"
#include "selkie/grid/loops.h"

namespace {

using namespace selkie;
using namespace selkie::liquid;

Model box(int dims, int cells) {
  Model model;
  model.shape = grid::Shape(dims, {cells, cells, cells}, 1.0 / cells);
  return model;
}

TEST(Spheres, OfOneParticleGiveItsExactDistance) {
  for (const int dims : {2, 3}) {
    const Model model = box(dims, 8);
    Params params;
    params.surface = SurfaceKind::spheres;
    State<double> state = make_state<double>(model);
    Work<double> work;
    resize(model, 2, false, state.particles);
    state.particles.x = {3.3, 4.1}, state.particles.y = {3.6, 3.9};
    if (dims == 3) state.particles.z = {3.2, 3.7};
    prepare(model, params, {}, 0, state, work);
    const auto phi = grid::view(model.shape, state.surface);
    const double radius = 1.01 * 0.5 * std::sqrt(double(dims));
    int near = 0;
    for (int k = 0; k < model.shape.cells()[2]; ++k)
      for (int j = 0; j < 8; ++j)
        for (int i = 0; i < 8; ++i) {
          double nearest = 1e9;
          for (std::size_t p = 0; p < 2; ++p)
            nearest = std::min(
                nearest, (place_of(state.particles, p) - Vec3(i + 0.5, j + 0.5, dims == 3 ? k + 0.5 : 0)).norm());
          if (nearest > 1.4) continue;
          ++near;
          EXPECT_NEAR(phi(i, j, k) * 8, nearest - radius, 1e-12);
        }
    EXPECT_GT(near, 4);
  }
}

TEST(Averaged, CalibrationInvertsTheOffsetOfAPlane) {
  for (const int dims : {2, 3}) {
    const double q = dims == 3 ? 4 : 3.5;
    for (const double h : {-0.8, -0.4, 0.0, 0.3, 0.6}) {
      double integral = 0;
      constexpr int kSteps = 4000;
      for (int s = 0; s < kSteps; ++s) {
        const double z = -1 + (h + 1) * (s + 0.5) / kSteps;
        integral += (h + 1) / kSteps * std::pow(1 - z * z, q);
      }
      const double m = std::pow(1 - h * h, q + 1) / (2 * (q + 1) * integral);
      EXPECT_NEAR(flat_distance(dims, m), -h, 2e-3);
    }
    EXPECT_EQ(flat_distance(dims, 0), -1);
    EXPECT_EQ(flat_distance(dims, 1), 1);
  }
}

// Sub-cell levels of a pool of jittered particles are found within a tenth of a cell, beside walls, too.
TEST(Averaged, FindsAFlatSurfaceWhereTheLiquidEnds) {
  for (const int dims : {2, 3})
    for (const double level : {6.0, 6.3, 6.5, 6.8}) {
      Model model = box(dims, 12);
      State<float> state = make_state<float>(model);
      Work<float> work;
      seed<float>(
          model, 3, [&](const Vec3& x) { return 12 * x.y() < level; }, {}, state.born, state.particles);
      prepare(model, Params{}, {}, 0, state, work);
      const auto phi = grid::view(model.shape, state.surface);
      double sum = 0, count = 0;
      for (int k = 0; k < model.shape.cells()[2]; ++k)
        for (int i = 0; i < 12; ++i)
          for (int j = 5; j < 8; ++j) {
            const double exact = j + 0.5 - level;
            if (std::abs(exact) > 0.75) continue;
            const double error = 12 * double(phi(i, j, k)) - exact;
            sum += error, count += 1;
            EXPECT_LT(std::abs(error), 0.45) << dims << " " << level << " " << i << " " << j << " " << k;
          }
      EXPECT_LT(std::abs(sum / count), 0.12) << dims << " " << level;
      Buffer<float> scratch;
      EXPECT_NEAR(enclosed_volume(model, work.solids, state.surface, scratch),
                  double(state.particles.size()) * model.particle_volume(), 0.012);
    }
}

TEST(Averaged, MovesWithItsParticlesByWholeCells) {
  Model model = box(3, 16);
  State<float> a = make_state<float>(model);
  Work<float> work;
  auto blob = [](const Vec3& x) { return (16 * x - Vec3(6, 7, 8)).norm() < 3.3; };
  seed<float>(model, 3, blob, {}, a.born, a.particles);
  State<float> b = a;
  for (std::size_t p = 0; p < b.particles.size(); ++p) b.particles.x[p] += 2, b.particles.z[p] -= 1;
  prepare(model, Params{}, {}, 0, a, work);
  prepare(model, Params{}, {}, 0, b, work);
  const auto pa = grid::view(model.shape, a.surface), pb = grid::view(model.shape, b.surface);
  for (int k = 3; k < 13; ++k)
    for (int j = 3; j < 13; ++j)
      for (int i = 2; i < 12; ++i) EXPECT_NEAR(pa(i, j, k), pb(i + 2, j, k - 1), 2e-4f);
}

struct Slab : ports::FieldSampler {  // solid below a tilted plane
  Vec3 normal = Vec3(0.3, 1, 0).normalized(), speed = Vec3::Zero();
  ports::FieldSample sample(const Vec3& x, double) const override {
    return {normal.dot(x - Vec3(0.5, 0.31, 0)), normal, speed};
  }
  bool still() const override { return speed.isZero(); }
};

TEST(Extrapolation, KeepsAConstantAndSlipsAlongSolids) {
  for (const bool moving : {false, true}) {
    const Model model = box(2, 16);
    State<double> state = make_state<double>(model);
    Work<double> work;
    Slab slab;
    if (moving) slab.speed = Vec3(0.2, 0.5, 0);
    const ports::FieldSampler* const solid = &slab;
    const Colliders colliders(&solid, 1);
    place_solids(model, colliders, 0, work.solids);
    const Vec3 along = Vec3(1, -0.3, 0).normalized();
    for (int axis = 0; axis < 2; ++axis)
      grid::fill(model.shape, grid::face_place(axis), *state.velocity()[static_cast<std::size_t>(axis)],
                 [&](const Vec3&) { return (along + slab.speed)[axis]; });
    for (int j = -1; j <= 16; ++j)
      for (int i = -1; i <= 16; ++i)
        grid::view(model.shape, state.surface)(i, j, 0) = (j + 0.5) / 16 - 0.62;
    classify(model, work.solids, state, work.flow);
    extrapolate(model, colliders, {}, 0, work.solids, 20, state, work.flow);
    for (int j = 2; j < 15; ++j)
      for (int i = 2; i < 15; ++i) {
        const Vec3 x = model.shape.position(grid::Place::face_y, i, j, 0);
        if (slab.sample(x, 0).distance < -0.1) continue;
        EXPECT_NEAR(grid::view(model.shape, state.velocity_y)(i, j, 0), (along + slab.speed).y(), 1e-9);
        EXPECT_NEAR(grid::view(model.shape, state.velocity_x)(i, j, 0), (along + slab.speed).x(), 1e-9);
      }
  }
}

TEST(Separation, PartsParticlesThatFellTogether) {
  const Model model = box(3, 4);
  State<float> state = make_state<float>(model);
  Work<float> work;
  resize(model, 2, false, state.particles);
  state.particles.x = {1.5f, 1.55f}, state.particles.y = {1.5f, 1.47f}, state.particles.z = {1.5f, 1.52f};
  prepare(model, Params{}, {}, 0, state, work);
  for (int n = 0; n < 40; ++n, ++state.steps)
    separate(model, 0.85, work.solids, work.ranges, work.places, state);
  EXPECT_GT((place_of(state.particles, 0) - place_of(state.particles, 1)).norm(), 0.3);
}

}  // namespace
