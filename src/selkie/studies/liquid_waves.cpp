// Liquid in motion against known answers: the period of standing waves, flow down a slope, energy in a closed
// tank.
#include <fmt/format.h>

#include <cmath>

#include "selkie/studies/liquid_cases.h"

namespace selkie::studies::liquid_cases {
namespace {

constexpr double kGravity = 9.81;

// Times at which the series crosses zero, by linear interpolation.
std::vector<double> crossings(const std::vector<double>& t, const std::vector<double>& y) {
  std::vector<double> found;
  for (std::size_t n = 1; n < t.size(); ++n)
    if ((y[n - 1] < 0) != (y[n] < 0)) found.push_back(t[n - 1] + (t[n] - t[n - 1]) * y[n - 1] / (y[n - 1] - y[n]));
  return found;
}

}  // namespace

Table sloshing_table(const std::vector<int>& sizes) {
  Table table{"Standing wave in a tank of length 1 m, depth 0.5 m, amplitude 0.02 m: period",
              {"cells", "transfer", "period / s", "2π/√(gk tanh kh) / s", "error", "bound"},
              {}};
  constexpr double kDepth = 0.5, kAmplitude = 0.02, kWave = M_PI;
  const double exact = 2 * M_PI / std::sqrt(kGravity * kWave * std::tanh(kWave * kDepth));
  for (const int cells : sizes)
    for (const liquid::Transfer transfer : {liquid::Transfer::flip, liquid::Transfer::apic}) {
      liquid::Model model;
      model.shape = grid::Shape(2, {cells, cells * 3 / 4, 1}, 1.0 / cells);
      liquid::Params params;
      params.keep_volume = false;
      params.separation = 0;
      params.transfer = transfer;
      params.flip_share = 0.99;
      params.tolerance = 1e-6;
      Tank<double> tank{model, params};
      tank.fill([&](const Vec3& x) { return x.y() < kDepth + kAmplitude * std::cos(kWave * x.x()); });
      std::vector<double> times, places;
      const double dt = 0.25 / cells;
      while (tank.time < 4.3 * exact && tank.ok) {
        tank.advance(dt);
        times.push_back(tank.time), places.push_back(tank.mean_place().x() - 0.5);
      }
      const std::vector<double> zero = crossings(times, places);
      const double period =
          zero.size() > 4 ? 2 * (zero.back() - zero.front()) / double(zero.size() - 1) : 0;
      const double error = period / exact - 1, bound = cells >= 64 ? 0.01 : 0.03;
      table.rows.push_back({{std::to_string(cells), transfer == liquid::Transfer::flip ? "flip" : "apic",
                             number(period), number(exact), fmt::format("{:+.2f} %", 100 * error),
                             fmt::format("{:.0f} %", 100 * bound)},
                            tank.ok && std::abs(error) < bound});
    }
  table.note = "From the zeros of the centre of mass over four periods.";
  return table;
}

Table slope_table() {
  Table table{"A thin layer on a slope of 30°, from rest: mean speed along the slope",
              {"cells", "t / s", "u / m/s", "g sin 30° t / m/s", "error", "across / m/s", "bound"},
              {}};
  for (const int cells : {48, 96}) {
    liquid::Model model;
    model.shape = grid::Shape(2, {2 * cells, cells, 1}, 1.0 / cells);
    liquid::Params params;
    params.keep_volume = false;
    params.separation = 0;
    Tank<float> tank{model, params};
    const Vec3 normal(std::sin(M_PI / 6), std::cos(M_PI / 6), 0), along(std::cos(M_PI / 6), -std::sin(M_PI / 6), 0);
    const Vec3 foot(0, 1.03, 0);
    const Solid plane([&](const Vec3& x) {
      return ports::FieldSample{normal.dot(x - foot), normal, Vec3::Zero()};
    });
    const ports::FieldSampler* const solid = &plane;
    tank.inputs.colliders = {&solid, 1};
    // A block whose ends are far away during the test; the middle is judged.
    tank.fill([&](const Vec3& x) {
      const double height = normal.dot(x - foot), way = along.dot(x - foot);
      return height > 0.02 / cells && height < 0.08 && way > 0.2 && way < 1.1;
    });
    const double end = 0.15;
    tank.advance_to(end, 0.01);
    const auto& p = tank.state.particles;
    Vec3 sum = Vec3::Zero();
    double count = 0;
    const double moved = 0.5 * kGravity * 0.5 * end * end;
    for (std::size_t n = 0; n < p.size(); ++n) {
      const Vec3 x = liquid::world_of(model.shape, liquid::place_of(p, n));
      const double way = along.dot(x - foot) - moved;
      if (way < 0.45 || way > 0.85) continue;
      sum += Vec3(double(p.u[n]), double(p.v[n]), 0), count += 1;
    }
    const Vec3 mean = sum / std::max(count, 1.0);
    const double exact = kGravity * 0.5 * end, error = mean.dot(along) / exact - 1, across = mean.dot(normal);
    constexpr double kBound = 0.02;
    table.rows.push_back({{std::to_string(cells), number(end), number(mean.dot(along)), number(exact),
                           fmt::format("{:+.2f} %", 100 * error), number(across), "2 %"},
                          tank.ok && count > 0 && std::abs(error) < kBound && std::abs(across) < kBound * exact});
  }
  table.note = "Free slip on the true surface: no steps of the grid hold the liquid back (LE-46 would).";
  return table;
}

EnergyResult energy_table(int cells, double seconds) {
  EnergyResult result{{"Dam break in a closed tank, volume correction off: energy above rest",
                       {"transfer", "CFL", "largest excess over the start", "left at the end", "bound"},
                       {}},
                      {}};
  io::LinePlot plot;
  plot.name = "liquid-energy";
  plot.title = "Energy above rest in a closed tank";
  plot.caption = "Kinetic and potential energy of the particles over that of the start";
  plot.x.label = "t / s", plot.y.label = "E / E₀";
  double last_excess = 0;
  for (const liquid::Transfer transfer : {liquid::Transfer::flip, liquid::Transfer::apic})
    for (const double cfl : {2.0, 1.0, 0.5}) {
      liquid::Model model;
      model.shape = grid::Shape(2, {cells, cells, 1}, 1.0 / cells);
      liquid::Params params;
      params.keep_volume = false;
      params.transfer = transfer;
      params.cfl = cfl;
      Tank<float> tank{model, params};
      tank.fill([&](const Vec3& x) { return x.x() < 0.4 && x.y() < 0.6; });
      // At rest the same liquid is a pool over the whole floor.
      const double level = double(tank.state.particles.size()) * model.particle_volume();
      const double rest = 0.5 * params.density * kGravity * level * level;
      auto above_rest = [&] {
        const liquid::Energy e = liquid::energy(model, params, tank.inputs.gravity, tank.state);
        return e.kinetic + e.potential - rest;
      };
      const double start = above_rest();
      io::Series series;
      series.name = fmt::format("{}, CFL {:g}", transfer == liquid::Transfer::flip ? "flip" : "apic", cfl);
      double excess = 0;
      for (int frame = 0; frame < static_cast<int>(30 * seconds) && tank.ok; ++frame) {
        tank.advance_to((frame + 1) / 30.0, 1.0 / 30);
        const double share = above_rest() / start;
        series.x.push_back(tank.time), series.y.push_back(share);
        excess = std::max(excess, share - 1);
      }
      const bool shrinks = cfl == 2 || excess <= last_excess;
      last_excess = excess;
      result.table.rows.push_back({{transfer == liquid::Transfer::flip ? "flip" : "apic", number(cfl),
                                    fmt::format("{:+.2f} %", 100 * excess),
                                    fmt::format("{:.2f} %", 100 * series.y.back()), "2 %"},
                                   tank.ok && excess < 0.02 && shrinks});
      plot.series.push_back(std::move(series));
    }
  result.table.note = fmt::format("{}² cells, {} s, steps as a scene takes them; 2 is the default. Of one transfer the excess must "
                                  "shrink with the step.",
                                  cells, seconds);
  result.plot = std::move(plot);
  return result;
}

}  // namespace selkie::studies::liquid_cases
