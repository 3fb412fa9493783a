// Particles only near the surface, and reseeding: the surface moves as it does with particles everywhere, and
// every particle that came or went is counted. [Ferstl16]
#include "selkie/fluids/liquid/population.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "selkie/fluids/liquid/step.h"

namespace {

using namespace selkie;
using namespace selkie::liquid;

// A standing wave in deep water.
struct Wave {
  Model model;
  Params params;
  State<float> state;
  std::unique_ptr<Work<float>> work = std::make_unique<Work<float>>();
  int steps = 0;

  Wave(int band, int reseed) {
    model.shape = grid::Shape(2, {48, 48, 1}, 1.0 / 48);
    params.band = band, params.reseed = reseed;
    state = make_state<float>(model);
    state.counts.seeded = seed<float>(
        model, 1, [](const Vec3& x) { return x.y() < 0.7 + 0.05 * std::cos(M_PI * x.x()); }, {}, state.born,
        state.particles);
    prepare(model, params, {}, 0, state, *work);
  }
  void run(int count) {
    for (int n = 0; n < count; ++n, ++steps) {
      const State<float> from = state;
      ASSERT_TRUE(step<float>(model, params, {}, {steps, steps + 1, 1.0 / 90}, from, state, *work).ok);
    }
  }
  // Of the columns, in cells.
  std::vector<double> heights() const {
    const auto phi = grid::view(model.shape, state.surface);
    std::vector<double> all;
    for (int i = 0; i < 48; ++i) {
      double sum = 0;
      for (int j = 0; j < 48; ++j)
        sum += std::clamp(0.5 - double(phi(i, j, 0)) / model.shape.cell_size(), 0.0, 1.0);
      all.push_back(sum);
    }
    return all;
  }
  std::uint64_t accounted() const {
    const Counts& c = state.counts;
    return c.seeded + c.inflow + c.reseeded - c.outflow - c.drained - c.crushed - c.thinned;
  }
};

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t n = 0; n < a.size(); ++n) largest = std::max(largest, std::abs(a[n] - b[n]));
  return largest;
}

TEST(NarrowBand, MovesTheSurfaceAsParticlesEverywhereDo) {
  Wave everywhere(0, 0), banded(4, 0);
  const std::vector<double> start = everywhere.heights();
  double moved = 0;
  for (int part = 0; part < 4; ++part) {
    everywhere.run(25), banded.run(25);
    moved = std::max(moved, largest_difference(everywhere.heights(), start));
    // A tenth of a cell is what the places of single particles change; measured 0.12 at most.
    EXPECT_LT(largest_difference(banded.heights(), everywhere.heights()), 0.25);
    EXPECT_EQ(banded.state.particles.size(), banded.accounted());
  }
  EXPECT_GT(moved, 3);  // cells: there is something to compare
  EXPECT_LT(banded.state.particles.size(), everywhere.state.particles.size() / 4);
  EXPECT_EQ(everywhere.state.counts.thinned + everywhere.state.counts.reseeded, 0u);
}

TEST(NarrowBand, HoldsParticlesNearTheSurfaceAndNowhereElse) {
  Wave banded(2, 0);
  banded.run(30);
  const auto phi = grid::view(banded.model.shape, banded.state.surface);
  int deep = 0, shallow = 0;
  for (std::size_t p = 0; p < banded.state.particles.size(); ++p) {
    const int i = static_cast<int>(banded.state.particles.x[p]), j = static_cast<int>(banded.state.particles.y[p]);
    bool near = false;
    for (int b = -4; b <= 4; ++b) near = near || (j + b >= 0 && j + b < 48 && phi(i, j + b, 0) >= 0);
    (near ? shallow : deep) += 1;
  }
  EXPECT_GT(shallow, 4 * 4 * 40);
  // Four cells below the air at most, along whichever axis; slopes make it a cell more along y.
  EXPECT_LT(deep, shallow / 50);
}

TEST(Reseeding, FillsThinCellsAndThinsCrowdedOnes) {
  Wave wave(0, 1);
  // One inner cell loses its particles but one, another takes three times as many.
  auto& p = wave.state.particles;
  auto at = [&](std::size_t n, int i, int j) { return int(p.x[n]) == i && int(p.y[n]) == j; };
  auto count = [&](int i, int j) {
    int sum = 0;
    for (std::size_t n = 0; n < p.size(); ++n) sum += at(n, i, j) ? 1 : 0;
    return sum;
  };
  int left = 3;
  for (std::size_t n = 0; n < p.size(); ++n)
    if (at(n, 20, 15) && left > 0) p.x[n] += 1, --left;
  for (std::size_t n = 0; n < p.size(); ++n)
    if (at(n, 30, 15) || at(n, 31, 15) || at(n, 32, 15)) p.x[n] = 31 + 0.9f * (p.x[n] - std::floor(p.x[n])) + 0.05f;
  ASSERT_EQ(count(20, 15), 1);
  ASSERT_EQ(count(31, 15), 12);
  ASSERT_EQ(count(30, 15), 0);
  prepare(wave.model, wave.params, {}, 0, wave.state, *wave.work);
  wave.state.steps = 1;
  populate(wave.model, wave.params, wave.work->solids, wave.state, wave.work->ranges, wave.work->sort,
           wave.work->population);
  EXPECT_EQ(count(20, 15), 4);
  EXPECT_EQ(count(30, 15), 4);
  EXPECT_EQ(count(31, 15), 4);
  EXPECT_EQ(wave.state.counts.thinned, 8u);
  EXPECT_EQ(wave.state.counts.reseeded, 3u + 4u + 4u);
  EXPECT_EQ(p.size(), wave.accounted());
}

}  // namespace
