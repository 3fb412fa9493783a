// Slits between solids that no particle fits into, and particles that solids leave no room for.
#include <gtest/gtest.h>

#include <memory>

#include "selkie/fluids/liquid/step.h"
#include "selkie/fluids/liquid/volume.h"

namespace {

using namespace selkie;
using namespace selkie::liquid;

// A box with its underside at `bottom(t)`, 0.25 to 0.75 along x and z.
struct Plate : ports::FieldSampler {
  double bottom, speed, height;
  Plate(double b, double s, double h) : bottom(b), speed(s), height(h) {}
  ports::FieldSample sample(const Vec3& x, double t) const override {
    const Vec3 half(0.25, 0.5 * height, 0.25);
    const Vec3 from = x - Vec3(0.5, bottom + speed * t + half.y(), 0.5);
    const Vec3 away = from.cwiseAbs() - half;
    Eigen::Index axis = 0;
    ports::FieldSample sample;
    if (away.maxCoeff(&axis) < 0) {
      sample.distance = away[axis];
      sample.normal = Vec3::Zero();
      sample.normal[axis] = from[axis] < 0 ? -1 : 1;
    } else {
      const Vec3 outside = away.cwiseMax(0.0);
      sample.distance = outside.norm();
      sample.normal = outside.cwiseProduct(from.cwiseSign()).normalized();
    }
    sample.velocity = Vec3(0, speed, 0);
    return sample;
  }
};

Model tank() {
  Model model;
  model.shape = grid::Shape(3, {16, 16, 16}, 1.0 / 16);
  return model;
}

// A plate a tenth of a cell above the ground, with its upper side at 0.5.
struct Slit {
  Model model = tank();
  Plate plate{0.1 / 16, 0, 0.5 - 0.1 / 16};
  const ports::FieldSampler* const solid = &plate;
  State<float> state = make_state<float>(model);
  PlacedSolids<float> solids;
  FlowWork<float> work;

  // Liquid below `level`, none in the slit.
  void classify_with(double level) {
    place_solids<float>(model, {&solid, 1}, 0, solids);
    for (int k = 0; k < 16; ++k)
      for (int j = 0; j < 16; ++j)
        for (int i = 0; i < 16; ++i)
          grid::view(model.shape, state.surface)(i, j, k) =
              in_slit(i, j, k) ? 0.1f : static_cast<float>((j + 0.5) / 16 - level);
    classify(model, solids, state, work);
  }
  static bool in_slit(int i, int j, int k) { return j == 0 && i >= 4 && i < 12 && k >= 4 && k < 12; }
  int count(grid::CellKind kind) const {
    int found = 0;
    for (int k = 4; k < 12; ++k)
      for (int i = 4; i < 12; ++i)
        found += grid::view(model.shape, work.kinds)(i, 0, k) == grid::code_of(kind);
    return found;
  }
};

TEST(Slit, BelowTheSurfaceIsLiquid) {
  Slit slit;
  slit.classify_with(0.8);
  EXPECT_EQ(slit.count(grid::CellKind::fluid), 64);
}

TEST(Slit, OnADryGroundIsAir) {
  Slit slit;
  slit.classify_with(0);
  EXPECT_EQ(slit.count(grid::CellKind::air), 64);
}

// Water on one side, a dry ground on the other: it is open.
TEST(Slit, ThatAirReachesIsAir) {
  Slit slit;
  slit.classify_with(0.8);
  ASSERT_EQ(slit.count(grid::CellKind::fluid), 64);
  for (int k = 0; k < 16; ++k)
    for (int i = 12; i < 16; ++i) grid::view(slit.model.shape, slit.state.surface)(i, 0, k) = 0.1f;
  classify(slit.model, slit.solids, slit.state, slit.work);
  EXPECT_EQ(slit.count(grid::CellKind::air), 64);
}

// A plate comes down in a pool, to `gap` cells above the ground or into it, and stays there: what was below
// it flows out from under it, none is lost, and the pool comes to rest.
struct Pool {
  std::uint64_t crushed = 0, missing = 0;
  double volume = 0;   // at the end, of that at the start
  double fastest = 0;  // m/s, in the second half of the plate's rest
};
Pool press_down(double gap) {
  const Model model = tank();
  const Params params;
  const double fall = 0.1 - gap / 16;
  Plate plate(0.1, -1, 0.15);
  const ports::FieldSampler* const solid = &plate;
  Inputs inputs;
  inputs.colliders = {&solid, 1};
  State<float> state = make_state<float>(model);
  state.counts.seeded = seed<float>(
      model, 1, [&](const Vec3& x) { return x.y() < 0.6 && plate.sample(x, 0).distance > 0; }, {}, state.born,
      state.particles);
  Work<float> work;
  prepare(model, params, inputs.colliders, 0, state, work);
  const double before = enclosed_volume(model, work.solids, state.surface, work.tracker.field);
  constexpr int kDown = 20, kStill = 200;
  const double dt = fall / kDown;
  Pool pool;
  for (int n = 0; n < kDown + kStill; ++n) {
    if (n == kDown) plate = Plate(0.1 - fall, 0, 0.15);
    const State<float> from = state;
    EXPECT_TRUE(step<float>(model, params, inputs, {n, n + 1, dt}, from, state, work).ok);
    if (n >= kDown + kStill / 2) pool.fastest = std::max(pool.fastest, top_speed(model, state));
  }
  pool.crushed = state.counts.crushed;
  pool.missing = state.counts.seeded - state.particles.size();
  pool.volume = enclosed_volume(model, work.solids, state.surface, work.tracker.field) / before;
  return pool;
}

TEST(Slit, APlateOnTheGroundHasSqueezedAllWaterOut) {
  const Pool pool = press_down(-0.1);
  EXPECT_EQ(pool.crushed, 0u);
  EXPECT_EQ(pool.missing, 0u);
  EXPECT_NEAR(pool.volume, 1, 0.02);
}

// A plate of 1.2 cells pressed on the ground: the nearest room for what is below its middle is above it, but
// the way there leads through the plate.
TEST(Slit, WaterLeavesAPlateAtItsRim) {
  const Model model = tank();
  const Plate plate(-0.1 / 16, 0, 1.2 / 16);
  const ports::FieldSampler* const solid = &plate;
  State<float> state = make_state<float>(model);
  const std::size_t seeded = seed<float>(
      model, 1,
      [](const Vec3& x) { return (x - Vec3(0.5, 0, 0.5)).cwiseAbs().maxCoeff() < 0.24 && x.y() < 0.5 / 16; },
      {}, state.born, state.particles);
  ASSERT_GT(seeded, 100u);
  PlacedSolids<float> solids;
  place_solids<float>(model, {&solid, 1}, 0, solids);
  Buffer<std::uint32_t> key;
  const MotionReport report = leave_solids<float>(model, {&solid, 1}, 0, solids, state, key);
  EXPECT_EQ(report.crushed, 0u);
  EXPECT_EQ(report.pushed, seeded);
  for (std::size_t p = 0; p < seeded; ++p) {
    const Vec3 at = world_of(model.shape, place_of(state.particles, p));
    EXPECT_GE(plate.sample(at, 0).distance, 0);
    EXPECT_LT(at.y(), 1.1 / 16) << "above the plate, at " << at.transpose();
  }
}

TEST(Slit, APlateJustAboveTheGroundLeavesThePoolAtRest) {
  const Pool pool = press_down(0.05);
  EXPECT_EQ(pool.missing, 0u);
  EXPECT_NEAR(pool.volume, 1, 0.02);
  EXPECT_LT(pool.fastest, 1);
}

}  // namespace
