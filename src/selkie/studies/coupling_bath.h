// A free block under a wave, everything in random motion: what momentum and energy of a coupled solve are
// measured on. Exact shares of faces, no clamps.
#pragma once

#include "selkie/geometry/mesh.h"
#include "selkie/studies/coupling_cases.h"

namespace selkie::studies::coupling_cases {

struct Bath {
  Case<double> domain;
  CoupledSystem system;
  std::vector<grid::Index> cells;
  geometry::TetMesh mesh;
  std::vector<geometry::Triangle> triangles;
  grid::CutSurface cut;
};
struct BathSettings {
  int cells = 10;
  double dt = 0.01;           // s
  double young = 1e5;         // Pa
  double body_density = 400;  // kg/m³
  LoadOrder order = LoadOrder::cell;
};
Bath make_bath(const BathSettings& settings);

const char* name_of(LoadOrder order);
coupling::CoupledSolution solve_direct(const CoupledSystem& system);
coupling::Vector random_vector(Eigen::Index size, std::uint64_t seed, double most);

}  // namespace selkie::studies::coupling_cases
