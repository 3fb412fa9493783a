// Where water is: flags and fill ratios at the shore. [Müller08 §11.3; RT-59, erratum E39]
#pragma once

#include "selkie/fluids/shallow_water/state.h"

namespace selkie::shallow_water {

// How much of a cell's ground lies under water, judged by the ground half-way to its four neighbours: 0 dry,
// 1 under water, between them a shore.
template <class Real>
struct ShoreRule {
  double level_margin = 1e-3;  // m above the highest ground that counts as under water
  double least_depth = 1e-3;   // m: thinner water beside nothing deeper counts as dry

  Real fill(const Model<Real>& model, const Buffer<Real>& depth, int i, int j) const {
    const std::ptrdiff_t row = model.grid.row();
    const auto at = static_cast<std::size_t>(model.grid.at(i, j));
    const std::array<std::ptrdiff_t, 4> around{-1, 1, -row, row};
    const Real ground = model.ground[at], own = depth[at];
    Real lowest = ground, highest = ground, deepest = own;
    for (const std::ptrdiff_t step : around) {
      const auto next = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at) + step);
      const Real g = model.ground[next], d = depth[next];
      lowest = g < lowest ? g : lowest, highest = g > highest ? g : highest,
      deepest = d > deepest ? d : deepest;
    }
    const Real low = Real(0.5) * (ground + lowest);
    const Real high = Real(0.5) * (ground + highest) + static_cast<Real>(level_margin);
    const Real surface = ground + own;
    if (surface <= low && Real(0.5) * (own + deepest) < static_cast<Real>(least_depth)) return 0;
    if (own <= 0 && deepest <= 0) return 0;
    if (surface > high) return 1;
    const Real share = (surface - low) / (high - low);
    return share < 0 ? Real(0) : share;
  }
};

}  // namespace selkie::shallow_water
