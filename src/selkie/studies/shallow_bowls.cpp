// Oscillations in a parabolic bowl with a moving shore [Thacker81]: the surface stays a plane that goes
// round, or a paraboloid that swells and sinks.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "selkie/studies/shallow_cases.h"

namespace selkie::studies::shallow_cases {
namespace {

constexpr double kGravity = 9.81, kRadius = 1, kDepth = 0.1;  // shore and depth of the bowl filled to 0
constexpr double kTilt = 0.5;                                 // planar: way of the middle, m
constexpr double kSwell = 0.4188;                             // curved: (1 - 0.8⁴) / (1 + 0.8⁴)

double ground(double x, double z) { return -kDepth * (1 - (x * x + z * z) / (kRadius * kRadius)); }

struct Planar {
  double omega = std::sqrt(2 * kGravity * kDepth) / kRadius;
  double depth(double x, double z, double t) const {
    const double level = kTilt * kDepth / (kRadius * kRadius) *
                         (2 * x * std::cos(omega * t) + 2 * z * std::sin(omega * t) - kTilt);
    return std::max(0.0, level - ground(x, z));
  }
  Vec2 velocity(double, double, double t) const {
    return kTilt * omega * Vec2(-std::sin(omega * t), std::cos(omega * t));
  }
};

struct Curved {
  double omega = std::sqrt(8 * kGravity * kDepth) / kRadius;
  double depth(double x, double z, double t) const {
    const double d = 1 - kSwell * std::cos(omega * t), r2 = (x * x + z * z) / (kRadius * kRadius);
    const double level =
        kDepth * (std::sqrt(1 - kSwell * kSwell) / d - 1 - r2 * ((1 - kSwell * kSwell) / (d * d) - 1));
    return std::max(0.0, level - ground(x, z));
  }
  Vec2 velocity(double x, double z, double t) const {
    const double d = 1 - kSwell * std::cos(omega * t);
    return 0.5 * omega * kSwell * std::sin(omega * t) / d * Vec2(x, z);
  }
};

struct Outcome {
  double error = 0, volume_change = 0;  // relative
  bool ok = true;
};

// After one period: L1 error of the depth over its integral.
template <class Exact>
Outcome bowl(const Exact& exact, int cells) {
  Water<double> water{shallow_water::make_model<double>(grid_of(cells, cells, 4.0 / cells, -2, -2),
                                                        [](double x, double z) { return ground(x, z); })};
  water.set([&](double x, double z) { return exact.depth(x, z, 0); },
            [&](double x, double z) { return exact.velocity(x, z, 0); });
  const double start = shallow_water::volume(water.model, water.state);
  water.run_until(2 * std::numbers::pi / exact.omega);
  Outcome outcome{0, std::abs(shallow_water::volume(water.model, water.state) / start - 1), water.ok};
  double whole = 0;
  for (int j = 0; j < cells; ++j)
    for (int i = 0; i < cells; ++i) {
      const double h = exact.depth(water.model.grid.x(i), water.model.grid.z(j), water.time);
      outcome.error += std::abs(water.depth(i, j) - h);
      whole += h;
      outcome.ok = outcome.ok && water.depth(i, j) >= 0;
    }
  outcome.error /= whole;
  return outcome;
}

}  // namespace

Table bowl_table(const std::vector<int>& sizes, bool planar) {
  Table table{planar ? "Parabolic bowl, planar surface, after one round"
                     : "Parabolic bowl, curved surface, after one period",
              {"cells", "error of the depth (L1, relative)", "order", "change of volume"},
              {}};
  double before = 0;
  for (const int cells : sizes) {
    const Outcome outcome = planar ? bowl(Planar{}, cells) : bowl(Curved{}, cells);
    const double order = before > 0 ? std::log2(before / outcome.error) : 0;
    const bool pass = outcome.ok && outcome.volume_change < 1e-12 && (before == 0 || order > 1);
    table.rows.push_back({{std::to_string(cells) + "²", number(outcome.error),
                           before > 0 ? number(order) : "", number(outcome.volume_change)},
                          pass});
    before = outcome.error;
  }
  table.note = "order above 1 asked: the shore moves through cells that are half wet; volume to round-off";
  return table;
}

}  // namespace selkie::studies::shallow_cases
