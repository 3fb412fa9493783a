// See integrators.h.
#include "selkie/studies/integrators.h"

#include "selkie/studies/integrator_tables.h"

namespace selkie::studies {

StudyResult integrators(const StudyOptions& options) {
  StudyResult result{{
      order_table(false),
      order_table(true),
      verlet_start_table(),
      stability_table(0),
      stability_table(0.05),
      stability_table(0.25),
      taut_spring_table(),
      weak_growth_table(),
      chain_limit_table(),
      energy_table(),
      newmark_table(),
      free_fall_table(),
      momentum_table(),
      reach_table(),
      huge_step_table(),
  }};
  if (options.plots) result.plots = {convergence_plot(), radius_plot(), limit_plot(0.25), energy_plot()};
  return result;
}

}  // namespace selkie::studies
