// See projection.h.
#include "selkie/studies/projection.h"

#include <fmt/format.h>

#include <cmath>

#include "selkie/studies/projection_cases.h"

namespace selkie::studies {
namespace projection_cases {

std::string number(double value) { return fmt::format("{:.3g}", value); }

namespace {

constexpr double kTolerance = 1e-10;

struct Container {
  std::string name;
  Distance inside;  // positive in it
};

Distance tilted_box() {
  // Half edges 0.38, 0.31, 0.35, turned about z and then x.
  const double a = 0.4, b = 0.25;
  return [=](const Vec3& x) {
    const Vec3 d = x - Vec3(0.5, 0.5, 0.5);
    const Vec3 turned(std::cos(a) * d.x() + std::sin(a) * d.y(), -std::sin(a) * d.x() + std::cos(a) * d.y(),
                      d.z());
    const Vec3 local(turned.x(), std::cos(b) * turned.y() + std::sin(b) * turned.z(),
                     -std::sin(b) * turned.y() + std::cos(b) * turned.z());
    return std::min({0.38 - std::abs(local.x()), 0.31 - std::abs(local.y()), 0.35 - std::abs(local.z())});
  };
}

std::vector<Container> containers() {
  return {{"box", [](const Vec3&) { return 1.0; }},
          {"sphere", [](const Vec3& x) { return 0.43 - (x - Vec3(0.5, 0.5, 0.5)).norm(); }},
          {"tilted box", tilted_box()}};
}

double largest_speed(const Case<double>& c) {
  double largest = 0;
  for_cells(c.shape, [&](int i, int j, int k) {
    if (!c.is_fluid(i, j, k)) return;
    for (int axis = 0; axis < 3; ++axis)
      for (const std::ptrdiff_t side : {std::ptrdiff_t{0}, c.shape.stride(axis)})
        largest = std::max(largest, std::abs(c.velocity.component[static_cast<std::size_t>(
                                        axis)][static_cast<std::size_t>(c.shape.at(i, j, k) + side)]));
  });
  return largest;
}

}  // namespace

Table rest_table() {
  Table table{
      "Hydrostatic rest in cut cells, 32³, after u* = −gΔt (LE-15 oracle i)",
      {"container", "iterations", "max |u| / gΔt", "max pressure error / ρgH"},
      {},
      "Surface at y = 0.55 by ghost fluid. Exact but for the solver: tolerance 1e-10, pass below 1e-7. "
      "Cells whose surface distance is clamped are left out of the pressure column."};
  for (const Container& container : containers()) {
    Case<double> c(3, 32, {});
    c.set_solid(container.inside, true);
    c.set_surface([](const Vec3& x) { return x.y() - 0.55; });
    for (double& v : c.velocity.component[1]) v = -1;
    const ProjectionReport report = c.run(kTolerance);
    double error = 0;
    for_cells(c.shape, [&](int i, int j, int k) {
      if (!c.is_fluid(i, j, k)) return;
      const auto at = static_cast<std::size_t>(c.shape.at(i, j, k));
      if (-c.surface[at] < 2 * kSmallestTheta * c.shape.cell_size()) return;
      error = std::max(error, std::abs(c.pressure[at] * c.shape.cell_size() + c.surface[at]) / 0.55);
    });
    const double speed = largest_speed(c);
    table.rows.push_back(
        {{container.name, fmt::format("{}", report.solve.iterations), number(speed), number(error)},
         report.ok() && speed < 1e-7 && error < 1e-7});
  }
  return table;
}

Table balance_table() {
  Table table{"Projection of random velocities, 32³, open top",
              {"container", "iterations", "max |div| Δx", "change by a second projection"},
              {},
              "Solver tolerance 1e-10 of ‖b‖ ≈ 250; pass below 1e-7."};
  for (const Container& container : containers()) {
    OpenSides sides{};
    sides[1][1] = true;
    Case<double> c(3, 32, sides);
    c.set_solid(container.inside, true);
    fill_random(c);
    const ProjectionReport report = c.run(kTolerance);
    const double left = largest_imbalance<double>(c.inputs(), view(c.shape, std::as_const(c.velocity)));
    const FaceField<double> once = c.velocity;
    (void)c.run(1e-4);
    double change = 0;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t n = 0; n < c.shape.size(); ++n)
        change = std::max(change, std::abs(once.component[a][n] - c.velocity.component[a][n]));
    table.rows.push_back(
        {{container.name, fmt::format("{}", report.solve.iterations), number(left), number(change)},
         report.ok() && left < 1e-7 && change < 1e-7});
  }
  return table;
}

Table pocket_table() {
  Table table{
      "Closed pockets: cavities of a solid, 48³ (HY-19)",
      {"precision", "regions", "closed", "iterations", "max |div| Δx"},
      {},
      "Five cavities of radius 0.05 … 0.15 without air, random velocities inside. Pass: five regions, "
      "converged, balance to 1e-7 "
      "(double, tolerance 1e-10) and 1e-3 (float, 1e-5): below tolerance times ‖b‖ ≈ 100."};
  const Distance cavities = [](const Vec3& x) {
    double d = -1;
    for (int s = 0; s < 5; ++s)
      d = std::max(
          d, 0.05 + 0.025 * s - (x - Vec3(0.2 + 0.15 * s, 0.3 + 0.4 * (s % 2), 0.5 + 0.1 * (s % 3))).norm());
    return d;
  };
  auto add = [&]<class T>(const char* name, double tolerance, double pass, T) {
    Case<T> c(3, 48, {});
    c.set_solid(cavities, true);
    fill_random(c);
    const ProjectionReport report = c.run(tolerance);
    const double left = largest_imbalance<T>(c.inputs(), view(c.shape, std::as_const(c.velocity)));
    table.rows.push_back(
        {{name, fmt::format("{}", report.regions.regions), fmt::format("{}", report.regions.closed),
          fmt::format("{}", report.solve.iterations), number(left)},
         report.ok() && report.regions.regions == 5 && report.regions.closed == 5 && left < pass});
  };
  add("double", 1e-10, 1e-7, double{});
  add("float", 1e-5, 1e-3, float{});
  return table;
}

Table iteration_table(const std::vector<int>& sizes) {
  Table table{
      "Multigrid-preconditioned conjugate gradients to 1e-6: sphere and thin plate, open top, float",
      {"cells", "plate", "iterations", "true residual"},
      {},
      "Random face velocities; a sphere of radius 0.2 by cut cells and a plate of one layer of closed faces "
      "on an even or odd face. Pass: at most 15, and at most 4 between sizes."};
  int fewest = 1000, most = 0;
  for (const int n : sizes)
    for (const int odd : {0, 1}) {
      OpenSides sides{};
      sides[2][1] = true;
      Case<float> c(3, n, sides);
      c.set_solid([](const Vec3& x) { return (x - Vec3(0.5, 0.5, 0.4)).norm() - 0.2; }, true);
      for (int k = n / 4; k < 3 * n / 4; ++k)
        for (int j = n / 4; j < 3 * n / 4; ++j) view(c.shape, c.open)[0](3 * n / 4 + odd, j, k) = 0;
      fill_random(c);
      const ProjectionReport report = c.run(1e-6);
      fewest = std::min(fewest, report.solve.iterations), most = std::max(most, report.solve.iterations);
      table.rows.push_back({{fmt::format("{}³", n), odd != 0 ? "odd" : "even",
                             fmt::format("{}", report.solve.iterations), number(report.solve.residual)},
                            report.ok() && report.solve.iterations <= 15});
    }
  table.rows.push_back({{"spread", "", fmt::format("{}", most - fewest), ""}, most - fewest <= 4});
  return table;
}

}  // namespace projection_cases

StudyResult projection(const StudyOptions&) {
  using namespace projection_cases;
  return {{rest_table(), balance_table(), pocket_table(), order_table(), iteration_table({64, 128, 256})}};
}

}  // namespace selkie::studies
