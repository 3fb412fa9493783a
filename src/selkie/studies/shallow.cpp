// See shallow.h.
#include "selkie/studies/shallow.h"

#include <fmt/format.h>

#include "selkie/studies/shallow_cases.h"

namespace selkie::studies {
namespace shallow_cases {

std::string number(double value) { return fmt::format("{:.4g}", value); }

shallow_water::Grid grid_of(int columns, int rows, double cell_size, double low_x, double low_z) {
  shallow_water::Grid grid;
  grid.cells = {columns, rows};
  grid.cell_size = cell_size;
  grid.origin = Vec3(low_x, 0, low_z);
  return grid;
}

}  // namespace shallow_cases

StudyResult shallow(const StudyOptions& options) {
  using namespace shallow_cases;
  std::vector<int> sizes{64, 128, 256};
  if (options.full) sizes.push_back(512);
  return {{dam_table({200, 400, 800}), plateau_table(800), rest_table(64, 1000), seiche_table(100),
           absorbing_table(), bowl_table(sizes, true), bowl_table(sizes, false), ledger_table(2000), heave_table()}};
}

}  // namespace selkie::studies
