// See coupling_bath.h.
#include "selkie/studies/coupling_bath.h"

#include <cmath>

#include "selkie/core/random.h"
#include "selkie/geometry/generators.h"
#include "selkie/solids/fem/material.h"

namespace selkie::studies::coupling_cases {

using coupling::Vector;

const char* name_of(LoadOrder order) { return order == LoadOrder::cell ? "constant" : "linear"; }

Bath make_bath(const BathSettings& settings) {
  Bath bath{.domain = Case<double>(3, settings.cells, {}),
            .system = {},
            .cells = {},
            .mesh = geometry::tet_box(
                {.min = {0.3137, 0.2411, 0.35}, .max = {0.6871, 0.5533, 0.6721}, .divisions = {4, 3, 3}}),
            .triangles = {},
            .cut = {}};
  Case<double>& domain = bath.domain;
  bath.triangles = geometry::boundary_triangles(bath.mesh.tets);
  const grid::SurfaceElements surface{.positions = bath.mesh.positions, .triangles = bath.triangles};
  grid::cut_surface(domain.shape, surface, bath.cut);
  Buffer<double> scratch;
  grid::cover_faces<double>(domain.shape, bath.cut.patches, view(domain.shape, domain.open), scratch);
  grid::close_cells<double>(domain.shape, view(domain.shape, std::as_const(domain.open)),
                            view(domain.shape, domain.kinds));
  domain.set_surface([](const Vec3& x) { return x.y() - 0.75 - 0.1 * std::sin(7 * x.x() + 3 * x.z()); });
  projection_cases::fill_random(domain);
  const LiquidSide liquid = liquid_side(domain, {.density = 1000, .dt = settings.dt, .order = settings.order},
                                        surface, bath.cut.patches);
  const fem::Model model = fem::from_tets(bath.mesh, settings.body_density);
  const fem::Lame lame = fem::lame(settings.young, 0.3);
  CoupledSystem& s = bath.system;
  s.b = liquid.b, s.flux = liquid.flux, s.jacobian = liquid.jacobian;
  s.stiffness = stiffness_of(model, lame.mu, lame.lambda);
  s.mass = masses_of(model);
  s.dt = settings.dt;
  s.w = Vector::Zero(s.mass.size());
  bath.cells = liquid.cells;
  return bath;
}

coupling::CoupledSolution solve_direct(const CoupledSystem& s) {
  const coupling::CoupledMatrix matrix = coupling::assemble(s, CoupledForm::indefinite);
  Vector unknowns;
  (void)coupling::solve(matrix, CoupledSolver::direct, {}, unknowns);
  return coupling::read_solution(s, matrix, unknowns);
}

Vector random_vector(Eigen::Index size, std::uint64_t seed, double most) {
  Vector v(size);
  for (Eigen::Index i = 0; i < size; ++i)
    v[i] = random_uniform(seed, 0, static_cast<std::uint64_t>(i), -most, most);
  return v;
}

}  // namespace selkie::studies::coupling_cases
