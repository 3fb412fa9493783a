// See advection.h.
#include "selkie/studies/advection.h"

#include <fmt/format.h>

#include <cmath>

#include "selkie/studies/advection_tables.h"

namespace selkie::studies {

bool agrees(double measured, const Printed& printed, double margin) {
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(printed.value))) - printed.digits + 1);
  return std::abs(measured - printed.value) <= margin * std::abs(printed.value) + 0.5 * unit;
}

std::string text_of(double value) { return fmt::format("{:.2e}", value); }

// y' = −y/2, y(0) = 1.3 to t = 5 (erratum E3): forward Euler as A, its own step with −∆t as A^R.
Table ode_table() {
  struct Line {
    double dt;
    Printed euler, bfecc, maccormack;
  };
  const Line lines[] = {
      {1, {-6.61e-2, 3}, {-3.35e-2, 3}, {1.73e-2, 3}},
      {0.5, {-3.35e-2, 3}, {-7.13e-3, 3}, {3.40e-3, 3}},
      {0.25, {-1.67e-2, 3}, {-1.59e-3, 3}, {7.66e-4, 3}},
      {0.125, {-8.36e-3, 3}, {-3.72e-4, 3}, {1.82e-4, 3}},
  };
  Table table{.title = "Ordinary differential equation y' = -y/2, error at t = 5",
              .columns = {"dt", "Euler", "published", "BFECC", "published", "MacCormack", "published"},
              .rows = {},
              .note = "Pass: within the rounding of the print. [Selle08 table 2.1], with its end time (E3)."};
  for (const Line& line : lines) {
    const double z = -0.5 * line.dt;
    double euler = 1.3, bfecc = 1.3, maccormack = 1.3;
    for (int n = 0; n < std::lround(5 / line.dt); ++n) {
      auto forward = [&](double y) { return (1 + z) * y; };
      auto error = [&](double y) { return 0.5 * ((1 - z) * forward(y) - y); };
      euler = forward(euler);
      bfecc = forward(bfecc - error(bfecc));
      maccormack = forward(maccormack) - error(maccormack);
    }
    const double exact = 1.3 * std::exp(-2.5);
    const double errors[] = {euler - exact, bfecc - exact, maccormack - exact};
    table.rows.push_back(
        {{fmt::format("{}", line.dt), text_of(errors[0]), text_of(line.euler.value), text_of(errors[1]),
          text_of(line.bfecc.value), text_of(errors[2]), text_of(line.maccormack.value)},
         agrees(errors[0], line.euler, 1e-9) && agrees(errors[1], line.bfecc, 1e-9) &&
             agrees(errors[2], line.maccormack, 1e-9)});
  }
  return table;
}

StudyResult advection(const StudyOptions& options) {
  StudyResult result{
      {ode_table(), wave_table(0.75), wave_table(1.75), error_factor_table(), square_wave_table()}};
  DiscTables disc = disc_tables(options.full ? 5 : 4);
  for (Table& table : disc.tables) result.tables.push_back(std::move(table));
  if (options.plots) result.plots = {wave_plot(), error_factor_plot(), square_wave_plot(), disc.plot};
  return result;
}

}  // namespace selkie::studies
