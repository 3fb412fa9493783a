// Fuel and heat: what burns is what heats, soots and expands, for any length of step. [docs/methods/smoke.md,
// Fire]
#include "selkie/fluids/smoke/combustion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gas.h"

namespace {

using namespace selkie;
using namespace selkie::test;

template <class Real>
class Combustion : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Combustion, Reals);

// Fuel from 0 to 1 along x, above and below ignition along y.
template <class Real>
Gas<Real> fuelled() {
  Gas<Real> gas(2, 16);
  gas.model.burns = true;
  gas.model.sides[3] = Side::open;
  gas.state = make_state<Real>(gas.model);
  gas.params.ignition = 20, gas.params.heat = 150, gas.params.soot = 0.7, gas.params.burn_rate = 3;
  gas.params.cooling = gas.params.dissipation = 0;
  grid::fill(gas.model.shape, grid::Place::cell, gas.state.fuel, [](const Vec3& x) { return x.x(); });
  grid::fill(gas.model.shape, grid::Place::cell, gas.state.temperature,
             [](const Vec3& x) { return 50 * x.y(); });
  return gas;
}

// visit(element) for every cell.
template <class Real, class Visit>
void each_cell(const Gas<Real>& gas, Visit&& visit) {
  for (int j = 0; j < 16; ++j)
    for (int i = 0; i < 16; ++i) visit(static_cast<std::size_t>(gas.model.shape.at(i, j, 0)));
}

TYPED_TEST(Combustion, ReleasesHeatAndSootInProportionToTheFuelThatBurns) {
  Gas<TypeParam> gas = fuelled<TypeParam>();
  const State<TypeParam> before = gas.state;
  Buffer<TypeParam> none;
  burn(gas.model, gas.params, 0.2, gas.state, none);
  const double share = 1 - std::exp(-3 * 0.2);
  // Rounding of sums near 200 K; measured against the larger of the two terms.
  const double slack = 8 * std::numeric_limits<TypeParam>::epsilon();
  int burning = 0;
  each_cell(gas, [&](std::size_t c) {
    const double burnt = double(before.fuel[c]) - double(gas.state.fuel[c]);
    const bool ignited = before.temperature[c] > TypeParam(20);
    burning += ignited;
    EXPECT_NEAR(burnt, ignited ? share * double(before.fuel[c]) : 0, slack);
    EXPECT_NEAR(double(gas.state.temperature[c]) - double(before.temperature[c]), 150 * burnt, 200 * slack);
    EXPECT_NEAR(double(gas.state.density[c]), 0.7 * burnt, slack);
  });
  EXPECT_GT(burning, 100);
  EXPECT_LT(burning, 200);
}

// The rate equation is integrated exactly, and what has ignited only gets hotter: many steps are one.
TYPED_TEST(Combustion, DoesNotDependOnHowTheTimeIsCutIntoSteps) {
  Buffer<TypeParam> none;
  Gas<TypeParam> whole = fuelled<TypeParam>();
  burn(whole.model, whole.params, 0.5, whole.state, none);
  for (const int steps : {2, 7, 50}) {
    Gas<TypeParam> cut = fuelled<TypeParam>();
    for (int s = 0; s < steps; ++s) burn(cut.model, cut.params, 0.5 / steps, cut.state, none);
    // A rounding per step.
    const double slack = 2 * steps * std::numeric_limits<TypeParam>::epsilon();
    each_cell(whole, [&](std::size_t c) {
      EXPECT_NEAR(whole.state.fuel[c], cut.state.fuel[c], slack);
      EXPECT_NEAR(whole.state.temperature[c], cut.state.temperature[c], 200 * slack);
      EXPECT_NEAR(whole.state.density[c], cut.state.density[c], slack);
    });
  }
}

// Burning and cooling are split: heat that is released in a step is cooled over the whole of it. The exact
// T' = H k Y − c T has T(t) = H k Y₀ (e^{−kt} − e^{−ct})/(c − k) + T₀ e^{−ct}.
TYPED_TEST(Combustion, ApproachesTheExactTemperatureOfCoolingGasAtFirstOrder) {
  const double end = 0.5, cooling = 2;
  auto error = [&](int steps) {
    Gas<TypeParam> gas = fuelled<TypeParam>();
    gas.params.cooling = cooling, gas.params.ignition = 0;
    Buffer<TypeParam> none;
    for (int s = 0; s < steps; ++s) {
      burn(gas.model, gas.params, end / steps, gas.state, none);
      decay(gas.params, end / steps, gas.state);
    }
    const auto c = static_cast<std::size_t>(gas.model.shape.at(12, 8, 0));
    const double fuel = 12.5 / 16, start = 50 * 8.5 / 16;
    const double exact = 150 * 3 * fuel * (std::exp(-3 * end) - std::exp(-cooling * end)) / (cooling - 3) +
                         start * std::exp(-cooling * end);
    return std::abs(double(gas.state.temperature[c]) - exact);
  };
  // Halving the step halves the error: 2 ± 0.1 at these steps, where float's rounding (1e-5) does not show.
  EXPECT_NEAR(error(10) / error(20), 2, 0.1);
  EXPECT_LT(error(20), 2);
}

TYPED_TEST(Combustion, ExpandsByTheFuelThatBurns) {
  Gas<TypeParam> gas = fuelled<TypeParam>();
  gas.params.burn_expansion = 4;
  const State<TypeParam> before = gas.state;
  Buffer<TypeParam> rate(gas.model.shape.size(), TypeParam(0));
  burn(gas.model, gas.params, 0.1, gas.state, rate);
  each_cell(gas, [&](std::size_t c) {
    const double burnt = double(before.fuel[c]) - double(gas.state.fuel[c]);
    EXPECT_NEAR(rate[c], 4 * burnt / 0.1, 400 * std::numeric_limits<TypeParam>::epsilon());
  });
}

// A source of fuel with a pilot flame, stepped as a whole: transport, emission and burning keep fuel a share,
// and no gas is hotter than where what the fuel gives at most, H k, and what is lost, c T, are equal.
TYPED_TEST(Combustion, KeepsFuelAShareAndHeatWithinWhatTheFuelHolds) {
  Gas<TypeParam> gas(3, 20);
  gas.model.burns = true;
  gas.model.sides[3] = Side::open;
  gas.state = make_state<TypeParam>(gas.model);
  gas.params.heat = 300, gas.params.cooling = 1, gas.params.confinement = 0.1;
  gas.params.burn_expansion = 1;
  gas.emitters = {ball_emitter(Vec3(0.5, 0.2, 0.5), 0.15)};
  gas.emitters[0].fuel = 1, gas.emitters[0].temperature = 50, gas.emitters[0].density = 0;
  double hottest = 0, most = 0;
  for (int s = 0; s < 20; ++s) {
    const StepReport report = gas.step(0.05);
    ASSERT_TRUE(report.ok) << report.trouble;
    const auto fuel = grid::view(gas.model.shape, gas.state.fuel),
               heat = grid::view(gas.model.shape, gas.state.temperature);
    for (int k = 0; k < 20; ++k)
      for (int j = 0; j < 20; ++j)
        for (int i = 0; i < 20; ++i) {
          ASSERT_GE(fuel(i, j, k), 0);
          ASSERT_LE(fuel(i, j, k), 1);
          hottest = std::max(hottest, double(heat(i, j, k)));
          if (j > 10) most = std::max(most, double(heat(i, j, k)));
        }
  }
  ASSERT_TRUE(gas.finite());
  EXPECT_LT(hottest, gas.params.heat * gas.params.burn_rate / gas.params.cooling);
  EXPECT_GT(most, 100) << "the flame does not rise";
}

TYPED_TEST(Combustion, LeavesColdFuelAlone) {
  Gas<TypeParam> gas = fuelled<TypeParam>();
  gas.state.temperature.assign(gas.model.shape.size(), TypeParam(20));  // not above ignition
  const State<TypeParam> before = gas.state;
  Buffer<TypeParam> none;
  burn(gas.model, gas.params, 10, gas.state, none);
  EXPECT_EQ(gas.state.fuel, before.fuel);
  EXPECT_EQ(gas.state.temperature, before.temperature);
}

}  // namespace
