// Where water is: flags and fill ratios at the shore. [Müller08 §11.3; RT-59, erratum E39]
#pragma once

#include "selkie/fluids/shallow_water/state.h"

namespace selkie::shallow_water {

struct Shore {
  bool dry = false;
  double fill = 0;  // how much of the cell's ground lies under water: 0 none, 1 all of it
};

// Judged by the ground half-way to the four neighbours. A cell without water counts as dry until a neighbour
// has enough to wet it, which acts like surface tension; thin films end there. (The source asks a dry cell's
// surface to lie below that ground as well; on slopes no dry cell's would.)
template <class Real>
struct ShoreRule {
  double level_margin = 1e-3;  // m above the highest ground that counts as under water
  double least_depth = 1e-3;   // m: mean of a cell and its deepest neighbour that wets the cell

  Shore judge(const Model<Real>& model, const Buffer<Real>& depth, int i, int j) const {
    const std::ptrdiff_t row = model.grid.row();
    const std::ptrdiff_t at = model.grid.at(i, j);
    auto value = [](const Buffer<Real>& field, std::ptrdiff_t k) {
      return static_cast<double>(field[static_cast<std::size_t>(k)]);
    };
    const double ground = value(model.ground, at), own = value(depth, at);
    double lowest = ground, highest = ground, deepest = own;
    for (const std::ptrdiff_t step : {std::ptrdiff_t{-1}, std::ptrdiff_t{1}, -row, row}) {
      const double g = value(model.ground, at + step), d = value(depth, at + step);
      lowest = g < lowest ? g : lowest, highest = g > highest ? g : highest,
      deepest = d > deepest ? d : deepest;
    }
    const double low = 0.5 * (ground + lowest), high = 0.5 * (ground + highest) + level_margin;
    const double surface = ground + own;
    if (0.5 * (own + deepest) < least_depth && (own <= 0 || surface <= low)) return {true, 0};
    const double share = (surface - low) / (high - low);
    return {false, share < 0 ? 0 : share > 1 ? 1 : share};
  }
};

}  // namespace selkie::shallow_water
