// See study.h.
#include "selkie/studies/study.h"

#include <algorithm>

#include "selkie/core/text.h"
#include "selkie/studies/advection.h"
#include "selkie/studies/coupling.h"
#include "selkie/studies/elasticity.h"
#include "selkie/studies/integrators.h"
#include "selkie/studies/liquid.h"
#include "selkie/studies/projection.h"
#include "selkie/studies/rigid.h"
#include "selkie/studies/shallow.h"
#include "selkie/studies/smoke.h"
#include "selkie/studies/surface_water.h"

namespace selkie::studies {
bool Table::passed() const {
  return std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.pass; });
}

bool StudyResult::passed() const {
  return std::all_of(tables.begin(), tables.end(), [](const Table& table) { return table.passed(); });
}

std::span<const Study> all_studies() {
  static const Study studies[] = {
      {"integrators", "mass-spring integrators: order, stability limit and energy factor beside theory",
       integrators},
      {"elasticity",
       "finite elements: derivatives, patch test, null modes, vibration, beams; position-based bodies: "
       "figures, "
       "static stretch, catenary",
       elasticity},
      {"advection", "advection schemes: published tables, error against CFL number, bounds", advection},
      {"projection", "pressure projection: balance, rest in cut cells, pockets, order, multigrid iterations",
       projection},
      {"smoke", "gas: Taylor–Green, lid-driven cavity, vortex particles, explosions, lattice Boltzmann",
       smoke},
      {"liquid", "liquid with a free surface: pressure, rest, waves, slopes, transfers, energy, drops",
       liquid},
      {"surface-water",
       "water on closed meshes: operators, modes of the sphere, equilibria, mass, integrators, bodies, "
       "slivers",
       surface_water},
      {"shallow",
       "water on height fields: dam breaks, lakes at rest, seiches, absorbing sides, bowls, volume", shallow},
      {"rigid",
       "rigid bodies: inertia, free rotation, impacts, friction, rolling, stacks at their limit, pendulums",
       rigid_bodies},
      {"coupling",
       "liquid and elastic bodies in one solve: forms of the system, accuracy of the pressure load",
       coupled_liquid},
      {"coupling-solvers", "liquid and elastic bodies in one solve: sizes and times of forms and solvers",
       coupling_solvers},
      {"coupling-scenes", "liquid and bodies in one solve, over time: stability of four modes, draft, energy",
       coupled_scenes},
  };
  return studies;
}

std::string to_text(const Table& table) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(character_count(column));
  for (const Row& row : table.rows)
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      widths[c] = std::max(widths[c], character_count(row.cells[c]));
  auto line = [&](const std::vector<std::string>& cells, std::string_view end) {
    std::string out = " ";
    for (std::size_t c = 0; c < cells.size(); ++c)
      out += " " + cells[c] + std::string(widths[c] - character_count(cells[c]) + 1, ' ');
    return out + std::string(end) + "\n";
  };
  std::string out = table.title + "\n" + line(table.columns, "");
  for (const Row& row : table.rows) out += line(row.cells, row.pass ? "ok" : "FAIL");
  if (!table.note.empty()) out += "  " + table.note + "\n";
  return out;
}

std::string to_text(const Study& study, const StudyResult& result, Shown shown) {
  if (shown == Shown::kFailures && result.passed()) return "";
  std::string out = std::string(study.name) + ": " + std::string(study.about) + "\n\n";
  for (const Table& table : result.tables)
    if (shown == Shown::kAll || !table.passed()) out += to_text(table) + "\n";
  return out + std::string(study.name) + (result.passed() ? ": passed\n" : ": FAILED\n");
}

}  // namespace selkie::studies
