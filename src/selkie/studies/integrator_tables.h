// The tables of `selkie verify integrators`, one function each.
#pragma once

#include "selkie/studies/study.h"

namespace selkie::studies {

Table order_table(bool damped);
Table verlet_start_table();

Table stability_table(double zeta);
Table taut_spring_table();
Table weak_growth_table();
Table chain_limit_table();

Table energy_table();
Table newmark_table();

Table free_fall_table();
Table momentum_table();
Table reach_table();
Table huge_step_table();

}  // namespace selkie::studies
