// Dam breaks over a flat ground: Stoker's with water below the dam, Ritter's without.
#include <algorithm>
#include <cmath>

#include "selkie/studies/shallow_cases.h"

namespace selkie::studies::shallow_cases {

using shallow_water::Order;

DamBreak::DamBreak(double left_depth, double right_depth) : left(left_depth), right(right_depth) {
  const double c = std::sqrt(gravity * left);
  if (right <= 0) {
    middle = 4.0 / 9 * left, speed = 2.0 / 3 * c, shock = 2 * c;
    return;
  }
  // The rarefaction's velocity falls with the depth of the plateau, the shock's rises: halve until they meet.
  double low = right, high = left;
  for (int round = 0; round < 200; ++round) {
    const double h = 0.5 * (low + high);
    const double behind = 2 * (c - std::sqrt(gravity * h));
    const double ahead = (h - right) * std::sqrt(0.5 * gravity * (h + right) / (h * right));
    (ahead < behind ? low : high) = h;
  }
  middle = 0.5 * (low + high);
  speed = 2 * (c - std::sqrt(gravity * middle));
  shock = middle * speed / (middle - right);
}

double DamBreak::depth(double xi) const {
  const double c = std::sqrt(gravity * left);
  if (xi <= -c) return left;
  const double end = right > 0 ? speed - std::sqrt(gravity * middle) : 2 * c;
  if (xi <= end) return std::pow((2 * c - xi) / 3, 2) / gravity;
  return right > 0 && xi <= shock ? middle : right;
}

namespace {

Water<double> dam(const DamBreak& exact, int cells, Order order, double length) {
  Water<double> water{shallow_water::make_model<double>(grid_of(cells, 1, length / cells),
                                                        [](double, double) { return 0.0; })};
  water.params.order = order;
  water.set([&](double x, double) { return x < 0.5 * length ? exact.left : exact.right; },
            [](double, double) { return Vec2(0, 0); });
  return water;
}

}  // namespace

double dam_break_error(const DamBreak& exact, int cells, Order order) {
  constexpr double kLength = 20, kTime = 2;
  Water<double> water = dam(exact, cells, order, kLength);
  water.run_until(kTime);
  double error = 0, least = 0;
  for (int i = 0; i < cells; ++i) {
    error += std::abs(water.depth(i, 0) - exact.depth((water.model.grid.x(i) - 0.5 * kLength) / kTime));
    least = std::min(least, water.depth(i, 0));
  }
  if (!water.ok || least < 0) return std::numeric_limits<double>::infinity();
  return error * kLength / cells;
}

Table dam_table(const std::vector<int>& sizes) {
  Table table{"Dam breaks on 20 m after 2 s: error of the depth (L1, m²)",
              {"case", "cells", "source, first order", "first order", "second order", "allowed"},
              {}};
  struct Case {
    const char* name;
    double right;
    double source[3];  // of 200, 400, 800 cells
  };
  for (const Case& c : {Case{"Stoker 0.2 | 0.1", 0.1, {0.0167, 0.0098, 0.0058}},
                        Case{"Ritter 0.2 | 0", 0.0, {0.0202, 0.0129, 0.0080}}}) {
    const DamBreak exact(0.2, c.right);
    for (const int cells : sizes) {
      const double source = c.source[cells == 200 ? 0 : cells == 400 ? 1 : 2];
      const double first = dam_break_error(exact, cells, Order::first);
      const double second = dam_break_error(exact, cells, Order::second);
      table.rows.push_back({{c.name, std::to_string(cells), number(source), number(first), number(second),
                             number(0.5 * source)},
                            second <= 0.5 * source});
    }
  }
  table.note =
      "source: kinetic scheme of first order (SW-09) at a CFL number of 0.9; ours takes half of that or "
      "less. Allowed: half of "
      "the source's error. No depth is negative.";
  return table;
}

Table plateau_table(int cells) {
  Table table{"Stoker's plateau: depth and velocity behind the shock, and its speed",
              {"left | right (m)", "published", "exact", "measured depth, velocity", "measured shock"},
              {}};
  struct Case {
    double left, right, middle, speed, shock;
  };
  for (const Case& c : {Case{0.005, 0.001, .002539, .12728, .20996},
                        Case{0.2, 0.1, .145384, .412941, 1.322821}, Case{1, .1, .396175, 2.321355, 3.105134},
                        Case{1, .5, .726920, .923364, 2.957918}, Case{10, 5, 7.269204, 2.919933, 9.353758}}) {
    const DamBreak exact(c.left, c.right);
    const double length = 20, time = 0.4 * length / std::max(exact.shock, std::sqrt(9.81 * c.left));
    Water<double> water = dam(exact, cells, Order::second, length);
    water.run_until(time);
    // Half-way between the end of the rarefaction and the shock.
    const double between = 0.5 * (exact.speed - std::sqrt(9.81 * exact.middle) + exact.shock) * time;
    const int i = static_cast<int>((0.5 * length + between) / water.model.grid.cell_size);
    const double depth = water.depth(i, 0), speed = water.state.flow_x[water.at(i, 0)] / depth;
    // The shock is where the depth falls through the mean of plateau and rest.
    int front = i;
    const double mean = 0.5 * (exact.middle + c.right);
    while (front + 1 < cells && water.depth(front + 1, 0) > mean) ++front;
    const double d0 = water.depth(front, 0), d1 = water.depth(front + 1, 0);
    const double shock =
        (water.model.grid.x(front) + water.model.grid.cell_size * (d0 - mean) / (d0 - d1) - 0.5 * length) /
        time;
    const auto near = [](double a, double b, double share) { return std::abs(a - b) <= share * b; };
    const bool pass = near(exact.middle, c.middle, 1e-3) && near(exact.shock, c.shock, 1e-3) &&
                      near(depth, exact.middle, 2e-3) && near(speed, exact.speed, 5e-3) &&
                      near(shock, exact.shock, 5e-3);
    table.rows.push_back({{number(c.left) + " | " + number(c.right),
                           number(c.middle) + ", " + number(c.speed) + ", " + number(c.shock),
                           number(exact.middle) + ", " + number(exact.speed) + ", " + number(exact.shock),
                           number(depth) + ", " + number(speed), number(shock)},
                          pass});
  }
  table.note = std::to_string(cells) + " cells; depth within 0.2 %, velocity and shock within 0.5 %";
  return table;
}

}  // namespace selkie::studies::shallow_cases
