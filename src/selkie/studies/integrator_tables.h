// The tables and plots of `selkie verify integrators`, one function each.
#pragma once

#include "selkie/studies/study.h"

namespace selkie::studies {

Table order_table(bool damped);
Table verlet_start_table();
io::LinePlot convergence_plot();

Table stability_table(double zeta);
Table taut_spring_table();
Table weak_growth_table();
Table chain_limit_table();
io::LinePlot radius_plot();
io::BarPlot limit_plot(double zeta);

Table energy_table();
Table newmark_table();
io::LinePlot energy_plot();

Table free_fall_table();
Table momentum_table();
Table reach_table();
Table huge_step_table();

}  // namespace selkie::studies
