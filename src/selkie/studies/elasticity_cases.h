// Bodies and tables of the elasticity study.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "selkie/solids/fem/step.h"
#include "selkie/studies/study.h"

namespace selkie::studies::elasticity_cases {

std::string number(double value, int digits = 4);

// A box of tetrahedra, and a rectangle of nx × ny quads in the xy plane of thickness 1.
fem::Model box(const Vec3& size, std::array<int, 3> divisions, double density = 1000);
fem::Model rectangle(double length, double height, int nx, int ny);

// Corotational unless said otherwise; solved directly to near round-off.
fem::Params exact_params(fem::Law law, double young, double poisson);

void pin_where(const fem::Model& model, fem::State& state, const std::function<bool(const Vec3&)>& where);

// Equilibrium under dead loads and pins from `state` on, by Newton's method: one step of backward Euler so
// long that inertia is nothing. Velocities end at zero. False if it did not converge.
bool find_rest(const fem::Model& model, const fem::Params& params, std::span<const Vec3> forces,
               fem::State& state, fem::PinnedMotion pinned = {});

Table derivative_table();
Table constraint_derivative_table();
Table rotation_table();
Table stretch_table();
Table unit_tet_table();
Table null_mode_table();
Table patch_table();
Table vibration_table();
Table volume_table();
Table small_beam_table(bool full);
Table locking_table();
Table large_beam_table(bool full);
Table contact_table();
Table position_figure_table();
Table compliance_table();
Table catenary_table();
Table global_solver_table();
Table bending_mode_table(bool full);
Table matching_table();
Table matching_recovery_table();
Table altitude_table(bool full);
Table altitude_recovery_table();
Table recovery_table();

}  // namespace selkie::studies::elasticity_cases
