// The tables and plots of `selkie verify advection`, one function each, and what they share.
#pragma once

#include <string>
#include <vector>

#include "selkie/grid/advect.h"
#include "selkie/studies/study.h"

namespace selkie::studies {

// A printed figure: `value` with `digits` significant digits.
struct Printed {
  double value = 0;
  int digits = 2;
};
// Whether a measured number agrees with a printed one within `margin`, besides the rounding of the print.
bool agrees(double measured, const Printed& printed, double margin);
std::string text_of(double value);  // "6.01e-02"

// E of the local error E ∆t³ u_ttt / 6 at CFL number λ, for a wave in a constant flow. (HY-03, HY-04)
double bfecc_error_factor(double lambda);
double maccormack_error_factor(double lambda);

Table ode_table();

struct WaveErrors {
  double first = 0, bfecc = 0, maccormack = 0;  // mean |error|
};
// u = sin 4πx on n nodes carried with speed 1 to `time`, in steps of λ∆x; by upwind blocks for λ ≤ 1.
WaveErrors wave_errors(int nodes, double lambda, double time);
Table wave_table(double lambda);
Table error_factor_table();
Table square_wave_table();
io::Plot wave_plot();
io::Plot error_factor_plot();
io::Plot square_wave_plot();

// What enters the domain: the exact solution, or what the scheme makes of a wider grid's data.
enum class Inflow { exact, wide_pad };
// Mean |error| over all nodes after one revolution of the slotted disc, and at each node.
struct DiscRun {
  double mean_error = 0;
  std::vector<double> node_errors;  // row by row
};
DiscRun revolve_disc(int nodes, double lambda, grid::Scheme scheme, Inflow inflow = Inflow::exact);
// The three tables of the source, from 101² on `levels` grids, each with half the spacing of the one before;
// and one for the other inflow.
struct DiscTables {
  std::vector<Table> tables;
  io::Plot plot;
};
DiscTables disc_tables(int levels);

}  // namespace selkie::studies
