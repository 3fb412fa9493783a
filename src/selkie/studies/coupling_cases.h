// Parts of the coupling study.
#pragma once

#include "selkie/coupling/coupled_system.h"
#include "selkie/coupling/grid_pressure_side.h"
#include "selkie/coupling/group_solve.h"
#include "selkie/coupling/pressure_load.h"
#include "selkie/solids/fem/model.h"
#include "selkie/studies/projection_cases.h"

namespace selkie::studies::coupling_cases {

using coupling::CoupledForm;
using coupling::CoupledSolver;
using coupling::CoupledSystem;
using coupling::LoadOrder;
using projection_cases::Case;
using projection_cases::number;

// A liquid of the domain and velocity given in it, and the surface of a body cut by its cells.
struct LiquidSide {
  coupling::SparseRows b;  // (Δt/ρ) E G
  coupling::Vector flux;   // E u*
  coupling::SparseRows jacobian;
  std::vector<grid::Index> cells;  // of the unknowns
};
struct LiquidSettings {
  double density = 1;  // kg/m³
  double dt = 0.01;    // s
  LoadOrder order = LoadOrder::cell;
};
LiquidSide liquid_side(const Case<double>& domain, const LiquidSettings& settings,
                       const grid::SurfaceElements& surface, std::span<const grid::Patch> patches);

// The system solved as a Group, to 1e-10: the body's whole matrix is Z₁, factorised once, so that pressures
// are the only unknowns, and the grid's multigrid is the preconditioner.
struct GroupRun {
  coupling::GroupReport report;
  coupling::CoupledSolution solution;
};
class TankSolver {
 public:
  TankSolver(const Case<double>& domain, const CoupledSystem& system, double density);
  // With any right sides in place of the system's own.
  GroupRun solve(const coupling::Vector& flux, const coupling::Vector& w);

 private:
  const CoupledSystem& system_;
  coupling::GridPressureSide grid_side_;
  coupling::BodyFactor factor_;
};

// K and lumped masses of a body in the plane (two unknowns a vertex) or in space (three).
coupling::SparseRows stiffness_of(const fem::Model& model, double mu, double lambda);
coupling::Vector masses_of(const fem::Model& model);
// K of a body of tetrahedra whose elements have turned with the positions x (LE-28).
coupling::SparseRows turned_stiffness_of(const fem::Model& model, double mu, double lambda,
                                         const Buffer<Vec3>& x);
// Q with K = Qᵀ Q, element by element, for a body at rest or turned with its positions (LE-42).
coupling::SparseRows stress_root_of(const fem::Model& model, double mu, double lambda,
                                    const Buffer<Vec3>* x = nullptr);

// Solves the system in every form with every solver and adds a row for each.
void add_forms(const CoupledSystem& system, Table& table);

Table equilibrium_table();
Table sliding_table();
Table linear_load_table();
Table forms_table();
Table turned_forms_table();
Table cut_table();
Table archimedes_table();
Table rigid_limit_table();
Table piston_table();
Table pocket_table();
Table adjoint_table();
Table momentum_table();
Table energy_table();

}  // namespace selkie::studies::coupling_cases
