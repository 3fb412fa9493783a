// Capillary drops: the period of the second mode of a 2-D drop, ω² = 6σ/(ρR³) [Rayleigh79], and the currents
// that a drop at rest makes by itself.
#include <fmt/format.h>

#include <cmath>

#include "selkie/studies/liquid_cases.h"

namespace selkie::studies::liquid_cases {
namespace {

constexpr double kRadius = 0.25, kTension = 1, kDensity = 1;

Tank<double> drop(int across, double stretch) {
  liquid::Model model;
  model.shape = grid::Shape(2, {2 * across, 2 * across, 1}, kRadius / across * 2);
  model.tracker = liquid::Tracker::level_set;
  liquid::Params params;
  params.density = kDensity;
  params.surface_tension = kTension;
  params.keep_volume = false;
  params.tolerance = 1e-8;
  Tank<double> tank{model, params};
  tank.inputs.gravity.setZero();
  const Vec3 middle = model.shape.origin() + 0.5 * model.shape.extent();
  tank.set_surface([&](const Vec3& x) {
    const Vec3 d = x - middle;
    const double angle = std::atan2(d.y(), d.x());
    return d.norm() - kRadius * (1 + stretch * std::cos(2 * angle));
  });
  liquid::prepare(tank.model, tank.params, {}, 0, tank.state, tank.work);
  return tank;
}

// ∫ (x² − y²) over the drop: zero where it is round.
double stretch_of(const Tank<double>& tank) {
  const grid::Shape& shape = tank.model.shape;
  const auto phi = grid::view(shape, tank.state.surface);
  const Vec3 middle = shape.origin() + 0.5 * shape.extent();
  return grid::sum_rows(grid::sample_box(shape, grid::Place::cell), [&](int j, int k) {
    double sum = 0;
    for (int i = 0; i < shape.cells()[0]; ++i) {
      const Vec3 d = shape.position(grid::Place::cell, i, j, k) - middle;
      sum += std::clamp(0.5 - phi(i, j, k) / shape.cell_size(), 0.0, 1.0) * (d.x() * d.x() - d.y() * d.y());
    }
    return sum;
  });
}

}  // namespace

Table capillary_table(const std::vector<int>& sizes) {
  Table table{"A 2-D drop under surface tension: second mode, amplitude 5 %",
              {"cells across", "period / s", "2π/√(6σ/ρR³) / s", "error", "bound", "currents at rest / √(σ/ρR)"},
              {}};
  const double exact = 2 * M_PI / std::sqrt(6 * kTension / (kDensity * std::pow(kRadius, 3)));
  for (const int across : sizes) {
    Tank<double> tank = drop(across, 0.05);
    std::vector<double> zeros;
    double last = stretch_of(tank), last_time = 0;
    const double longest = std::min(0.01 * exact, 0.5 * liquid::tension_step_limit(tank.model, tank.params));
    while (tank.time < 1.6 * exact && tank.ok) {
      tank.advance(std::min(longest, liquid::step_limit(tank.model, tank.params, Vec3::Zero(), tank.state)));
      const double now = stretch_of(tank);
      if ((now < 0) != (last < 0)) zeros.push_back(last_time + (tank.time - last_time) * last / (last - now));
      last = now, last_time = tank.time;
    }
    const double period = zeros.size() > 2 ? 2 * (zeros.back() - zeros.front()) / double(zeros.size() - 1) : 0;
    Tank<double> still = drop(across, 0);
    still.advance_to(0.5 * exact, 0.01 * exact);
    const double currents = still.largest_speed() / std::sqrt(kTension / (kDensity * kRadius));
    const double error = period / exact - 1, bound = 0.03;
    table.rows.push_back({{std::to_string(across), number(period), number(exact), fmt::format("{:+.2f} %", 100 * error),
                           fmt::format("{:.0f} %", 100 * bound), number(currents)},
                          tank.ok && still.ok && std::abs(error) < bound});
  }
  table.note = "Level set. The currents of a drop at rest are reported, not judged.";
  return table;
}

}  // namespace selkie::studies::liquid_cases
