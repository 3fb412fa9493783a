// Particles and grid: constants and linear fields, order of particles, seeding, motion. [LE-03, LE-04,
// LE-10 … LE-12, LE-18]
#include "selkie/fluids/liquid/transfer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "selkie/core/parallel.h"
#include "selkie/fluids/liquid/motion.h"
#include "selkie/grid/loops.h"

namespace {

using namespace selkie;
using namespace selkie::liquid;

Model box(int dims, int cells) {
  Model model;
  model.shape = grid::Shape(dims, {cells, cells, cells}, 1.0 / cells, Vec3(-0.3, 0.1, dims == 3 ? 0.2 : 0));
  return model;
}

template <class Real>
struct Cloud {
  Model model;
  Params params;
  State<Real> state;
  CellRanges ranges;
  SortWork<Real> work;
  TransferWork<Real> transfer;
  std::array<Buffer<Real>, 3> change;

  Cloud(int dims, int cells, FunctionRef<Vec3(const Vec3&)> velocity) : model(box(dims, cells)) {
    state = make_state<Real>(model);
    seed<Real>(
        model, 7, [](const Vec3&) { return true; }, velocity, state.born, state.particles);
    find_cells(model.shape, state.particles, work.key);
    sort(model.shape, state.particles, ranges, work);
    for (auto& field : change) field.assign(model.shape.size(), Real(0));
  }
  void there() { to_grid(model, params, state.particles, ranges, state, transfer); }
  void back() {
    for (int axis = 0; axis < model.shape.dims(); ++axis)
      fill_ghosts(model.shape, grid::face_place(axis), *state.velocity()[static_cast<std::size_t>(axis)]);
    to_particles(model, params, change, state);
  }
};

class Transfers : public testing::TestWithParam<std::tuple<int, Transfer, Kernel>> {};

TEST_P(Transfers, KeepAConstantVelocityEverywhere) {
  const auto [dims, transfer, kernel] = GetParam();
  const Vec3 wind(1.25, -0.5, 2);
  Cloud<double> cloud(dims, 8, [&](const Vec3&) { return wind; });
  cloud.params.transfer = transfer;
  cloud.params.kernel = kernel;
  cloud.there();
  for (int axis = 0; axis < dims; ++axis) {
    const grid::Box faces = grid::sample_box(cloud.model.shape, grid::face_place(axis));
    const auto u = grid::view(cloud.model.shape, *cloud.state.velocity()[static_cast<std::size_t>(axis)]);
    for (int k = 0; k < faces.hi[2]; ++k)
      for (int j = 0; j < faces.hi[1]; ++j)
        for (int i = 0; i < faces.hi[0]; ++i) ASSERT_NEAR(u(i, j, k), wind[axis], 1e-12);
  }
  cloud.back();
  for (std::size_t p = 0; p < cloud.state.particles.size(); ++p)
    for (int axis = 0; axis < dims; ++axis)
      ASSERT_NEAR((*cloud.state.particles.velocity()[static_cast<std::size_t>(axis)])[p], wind[axis], 1e-12);
}

// A particle away from the sides takes a linear field as it is; APIC its gradient, too.
TEST_P(Transfers, TakeALinearFieldFromTheGridAsItIs) {
  const auto [dims, transfer, kernel] = GetParam();
  if (transfer == Transfer::flip) GTEST_SKIP() << "takes changes only";
  Mat3 gradient;
  gradient << 0.5, -1, 0.25, 2, 0.75, -0.5, 1, 0.125, -1.5;
  Cloud<double> cloud(dims, 8, [&](const Vec3&) { return Vec3(Vec3::Zero()); });
  cloud.params.transfer = transfer;
  cloud.params.kernel = kernel;
  for (int axis = 0; axis < dims; ++axis)
    grid::fill(cloud.model.shape, grid::face_place(axis),
               *cloud.state.velocity()[static_cast<std::size_t>(axis)],
               [&](const Vec3& x) { return 0.3 + (gradient * x)[axis]; });
  cloud.back();
  int judged = 0;
  for (std::size_t p = 0; p < cloud.state.particles.size(); ++p) {
    const Vec3 at = place_of(cloud.state.particles, p);
    bool inner = true;
    for (int a = 0; a < dims; ++a) inner = inner && at[a] > 1.6 && at[a] < 6.4;
    if (!inner) continue;
    ++judged;
    const Vec3 expected = Vec3::Constant(0.3) + gradient * world_of(cloud.model.shape, at);
    for (int axis = 0; axis < dims; ++axis) {
      ASSERT_NEAR((*cloud.state.particles.velocity()[static_cast<std::size_t>(axis)])[p], expected[axis], 1e-12);
      if (transfer != Transfer::apic) continue;
      for (int b = 0; b < dims; ++b)
        ASSERT_NEAR(cloud.state.particles.affine[p][3 * axis + b], gradient(axis, b), 1e-11);
    }
  }
  EXPECT_GT(judged, 10);
}

INSTANTIATE_TEST_SUITE_P(All, Transfers,
                         testing::Combine(testing::Values(2, 3),
                                          testing::Values(Transfer::pic, Transfer::flip, Transfer::apic),
                                          testing::Values(Kernel::hat, Kernel::quadratic)));

TEST(Flip, LeavesVelocitiesToTheBitWhereNothingChanged) {
  Cloud<float> cloud(3, 8, [](const Vec3& x) { return Vec3(std::sin(9 * x.y()), x.x(), -x.z()); });
  cloud.params.flip_share = 1;
  const Buffer<float> before = cloud.state.particles.u;
  cloud.there();
  cloud.back();
  EXPECT_EQ(cloud.state.particles.u, before);
}

TEST(Flip, IsTheSameForOneAndTwoThreads) {
  std::vector<Buffer<float>> results;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    Cloud<float> cloud(3, 24, [](const Vec3& x) { return Vec3(std::sin(9 * x.y()), x.x(), -x.z()); });
    cloud.there();
    results.push_back(cloud.state.velocity_x);
  }
  set_thread_count(0);
  EXPECT_EQ(results[0], results[1]);
}

TEST(Seeding, PutsOneParticleInEachPartOfACell) {
  const Model model = box(3, 4);
  for (int n = 0; n < 8; ++n) {
    const Vec3 at = seed_place(model, 1, 2, 3, n, 5);
    EXPECT_EQ(int(std::floor(2 * (at.x() - 1))), n % 2);
    EXPECT_EQ(int(std::floor(2 * (at.y() - 2))), n / 2 % 2);
    EXPECT_EQ(int(std::floor(2 * (at.z() - 3))), n / 4);
  }
  EXPECT_EQ(seed_place(model, 1, 2, 3, 4, 5), seed_place(model, 1, 2, 3, 4, 5));
  EXPECT_NE(seed_place(model, 1, 2, 3, 4, 5), seed_place(model, 1, 2, 3, 4, 6));
}

TEST(Sort, BringsParticlesIntoTheOrderOfCellsAndDropsTheMarked) {
  Cloud<float> cloud(2, 6, [](const Vec3&) { return Vec3(Vec3::Zero()); });
  Particles<float>& p = cloud.state.particles;
  const std::size_t count = p.size();
  std::reverse(p.x.begin(), p.x.end()), std::reverse(p.y.begin(), p.y.end());
  std::reverse(p.identity.begin(), p.identity.end());
  find_cells(cloud.model.shape, p, cloud.work.key);
  cloud.work.key[3] = kDropped;
  const std::uint64_t gone = p.identity[3];
  sort(cloud.model.shape, p, cloud.ranges, cloud.work);
  ASSERT_EQ(p.size(), count - 1);
  for (std::size_t cell = 0; cell < 36; ++cell)
    for (std::size_t n = cloud.ranges.begin(cell); n < cloud.ranges.end(cell); ++n) {
      EXPECT_EQ(std::size_t(p.x[n]) + 6 * std::size_t(p.y[n]), cell);
      EXPECT_NE(p.identity[n], gone);
    }
}

// Particles are moved and given their velocity many at once: each gets what it gets alone, at the ends of the
// batches too, in float and double.
template <class Real>
void expect_batches_like_singles(int dims) {
  auto swirl = [](const Vec3& x) { return Vec3(std::sin(5 * x.y()), std::cos(4 * x.z() + x.x()), x.x() - 2 * x.y()); };
  Cloud<Real> all(dims, 5, swirl);
  for (int axis = 0; axis < dims; ++axis) {
    auto& field = *all.state.velocity()[static_cast<std::size_t>(axis)];
    grid::fill(all.model.shape, grid::face_place(axis), field, [&](const Vec3& x) { return swirl(x)[axis]; });
    fill_ghosts(all.model.shape, grid::face_place(axis), field);
    auto& change = all.change[static_cast<std::size_t>(axis)];
    for (std::size_t n = 0; n < change.size(); ++n) change[n] = static_cast<Real>(std::sin(0.1 * double(n)));
  }
  ASSERT_NE(all.state.particles.size() % 16, 0u);
  const State<Real> start = all.state;
  const auto start_change = all.change;
  PlacedSolids<Real> solids;
  auto run = [&](State<Real>& state) {
    Buffer<std::uint32_t> key;
    auto change = start_change;
    to_particles(all.model, all.params, change, state);
    move_particles(all.model, all.params, {}, Interval{0, 1, 0.05}, solids, state, key);
    return key;
  };
  const Buffer<std::uint32_t> keys = run(all.state);
  State<Real> one = start;
  for (std::size_t p = 0; p < start.particles.size(); ++p) {
    resize(all.model, 1, false, one.particles);
    for (std::size_t a = 0; a < static_cast<std::size_t>(dims); ++a) {
      (*one.particles.position()[a])[0] = (*start.particles.position()[a])[p];
      (*one.particles.velocity()[a])[0] = (*start.particles.velocity()[a])[p];
    }
    ASSERT_EQ(run(one)[0], keys[p]);
    for (std::size_t a = 0; a < static_cast<std::size_t>(dims); ++a) {
      ASSERT_EQ((*one.particles.position()[a])[0], (*all.state.particles.position()[a])[p]);
      ASSERT_EQ((*one.particles.velocity()[a])[0], (*all.state.particles.velocity()[a])[p]);
    }
  }
}
TEST(Batches, GiveEachParticleWhatItGetsAlone) {
  for (const int dims : {2, 3}) {
    expect_batches_like_singles<float>(dims);
    expect_batches_like_singles<double>(dims);
  }
}

// Under rigid rotation the midpoint rule multiplies r² by 1 + θ⁴/4 a step. [spec 3.1, derived]
TEST(Motion, OfTheMidpointRuleDriftsByItsKnownFactor) {
  Model model = box(2, 32);
  State<double> state = make_state<double>(model);
  const Vec3 middle = world_of(model.shape, Vec3(16, 16, 0));
  for (int axis = 0; axis < 2; ++axis)
    grid::fill(model.shape, grid::face_place(axis), *state.velocity()[static_cast<std::size_t>(axis)],
               [&](const Vec3& x) { return axis == 0 ? -(x - middle).y() : (x - middle).x(); });
  for (int axis = 0; axis < 2; ++axis)
    fill_ghosts(model.shape, grid::face_place(axis), *state.velocity()[static_cast<std::size_t>(axis)]);
  resize(model, 1, false, state.particles);
  state.particles.x[0] = 16 + 8, state.particles.y[0] = 16;
  PlacedSolids<double> solids;
  Buffer<std::uint32_t> key;
  const double theta = 0.1;
  for (int n = 0; n < 20; ++n)
    move_particles(model, Params{}, {}, Interval{n, n + 1, theta}, solids, state, key);
  const double x = state.particles.x[0] - 16, y = state.particles.y[0] - 16;
  EXPECT_NEAR((x * x + y * y) / 64, std::pow(1 + std::pow(theta, 4) / 4, 20), 1e-12);
}

TEST(Motion, ThroughAnOpenSideIsCounted) {
  Model model = box(2, 8);
  model.sides[1] = Side::open;
  State<double> state = make_state<double>(model);
  state.velocity_x.assign(model.shape.size(), 1.0);
  resize(model, 2, false, state.particles);
  state.particles.x[0] = 7.9, state.particles.y[0] = 4;
  state.particles.x[1] = 1, state.particles.y[1] = 4;
  PlacedSolids<double> solids;
  Buffer<std::uint32_t> key;
  const MotionReport report = move_particles(model, Params{}, {}, Interval{0, 1, 0.1}, solids, state, key);
  EXPECT_EQ(report.outflow, 1u);
  EXPECT_EQ(key[0], kDropped);
  EXPECT_NE(key[1], kDropped);
}

}  // namespace
