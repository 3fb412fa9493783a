// Building a mass-spring body from springs or from a mesh (RT-15, HY-26).
#include "selkie/solids/mass_spring/model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "selkie/core/error.h"
#include "selkie/core/parallel.h"
#include "selkie/core/text.h"
#include "selkie/solids/mass_spring/altitude_springs.h"
#include "selkie/solids/mass_spring/detail/spring_order.h"

namespace selkie::mass_spring {
namespace {

bool is_usable(double value) { return value >= 0 && std::isfinite(value); }

[[noreturn]] void refuse_factor(double factor, const std::string& owner) {
  throw InputError(owner + " the stiffness factor " + number_text(factor),
                   "use a finite factor of at least 0");
}

void check_input(std::span<const Vec3> positions, std::span<const SpringInput> springs,
                 std::span<const double> masses) {
  if (masses.size() != positions.size())
    throw InputError("a mass-spring body with " + std::to_string(positions.size()) + " vertices was given " +
                         std::to_string(masses.size()) + " masses",
                     "give one mass per vertex");
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (!(masses[i] > 0) || !std::isfinite(masses[i]))
      throw InputError("vertex " + std::to_string(i) + " has mass " + std::to_string(masses[i]) + " kg",
                       "masses must be positive: check the density, and remove vertices of no element");
    if (!positions[i].allFinite())
      throw InputError("vertex " + std::to_string(i) + " has a position that is not finite");
  }
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const auto [i, j] = springs[s].ends;
    if (i >= positions.size() || j >= positions.size())
      throw InputError("spring " + std::to_string(s) + " joins vertices " + std::to_string(i) + " and " +
                           std::to_string(j) + ", but there are " + std::to_string(positions.size()),
                       "vertices count from 0");
    if (i == j)
      throw InputError("spring " + std::to_string(s) + " joins vertex " + std::to_string(i) + " to itself");
    if (!is_usable(springs[s].factor))
      refuse_factor(springs[s].factor, "spring " + std::to_string(s) + " has");
    if (const auto& length = springs[s].rest_length; length && !is_usable(*length))
      throw InputError(
          "spring " + std::to_string(s) + " has the rest length " + number_text(*length) + " m",
          "use a finite length of at least 0 m, or give none for the distance in the rest positions");
  }
}

std::vector<SpringInput> springs_along(std::span<const geometry::Segment> edges, double factor = 1) {
  std::vector<SpringInput> springs;
  springs.reserve(edges.size());
  for (const auto& edge : edges) springs.push_back({.ends = edge, .factor = factor});
  return springs;
}

// The vertices of neighbouring triangles that are not on their common edge.
std::vector<SpringEnds> opposite_vertices(std::span<const geometry::Triangle> triangles) {
  std::vector<SpringEnds> ends;
  for (const geometry::EdgePair& pair : geometry::edge_pairs(triangles))
    if (pair.opposite[0] != pair.opposite[1]) ends.push_back(pair.opposite);
  return ends;
}

// Entries of the matrix beyond those of the springs, whose slots come first.
void widen_pattern(Model& model, std::span<const SpringEnds> ends) {
  std::vector<SpringEnds> all = model.springs;
  all.insert(all.end(), ends.begin(), ends.end());
  model.pattern = std::make_shared<const linalg::BlockPattern>(model.vertex_count, all);
}

// How stiff a tetrahedron's guard is at a guard factor of 1: like its springs along the heights. The harmonic
// mean of the squared heights keeps slivers, whose volume says little about their shape, from becoming rigid.
double guard_stiffness_of(const std::array<Vec3, 4>& x, const BuildOptions& options) {
  const double determinant = (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]);
  double inverse_squares = 0, springs = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3 &a = x[(i + 1) % 4], &b = x[(i + 2) % 4], &c = x[(i + 3) % 4];
    inverse_squares += (b - a).cross(c - a).squaredNorm() / (determinant * determinant);
    for (std::size_t j = i + 1; j < 4; ++j)
      springs += options.stiffness_per_length ? 1 / (x[j] - x[i]).norm() : 1;
  }
  return springs / 6 * 4 / inverse_squares;
}

InversionGuard make_guard(const geometry::TetMesh& mesh, const BuildOptions& options) {
  InversionGuard guard;
  for (const geometry::Tet& tet : mesh.tets) {
    std::array<Vec3, 4> x;
    for (std::size_t k = 0; k < 4; ++k) x[k] = mesh.positions[tet[k]];
    const double determinant = (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]);
    if (determinant == 0) continue;
    guard.tets.push_back(tet);
    guard.inverse_determinants.push_back(1 / determinant);
    guard.relative_stiffness.push_back(guard_stiffness_of(x, options));
  }
  return guard;
}

}  // namespace

Model build_model(std::span<const Vec3> rest_positions, std::span<const SpringInput> springs,
                  std::span<const double> masses, const BuildOptions& options) {
  check_input(rest_positions, springs, masses);
  if (!is_usable(options.altitude_factor)) refuse_factor(options.altitude_factor, "altitude springs have");
  Model model;
  model.vertex_count = static_cast<std::uint32_t>(rest_positions.size());
  model.masses.assign(masses.begin(), masses.end());
  for (const double mass : masses) model.inverse_masses.push_back(1 / mass);

  detail::SpringOrder order = detail::order_springs(rest_positions.size(), springs);
  model.source = std::move(order.springs);
  model.even_springs = std::move(order.even);
  for (const std::uint32_t s : model.source) {
    const SpringInput& spring = springs[s];
    const auto [i, j] = std::minmax(spring.ends[0], spring.ends[1]);
    const double l0 =
        spring.rest_length ? *spring.rest_length : (rest_positions[j] - rest_positions[i]).norm();
    if (options.stiffness_per_length && !(l0 > 0))
      throw InputError("spring " + std::to_string(s) + " has rest length zero, so no stiffness per length",
                       "merge its vertices or use a plain stiffness");
    const double k = options.stiffness_per_length ? spring.factor / l0 : spring.factor;
    const double harmonic_mass = masses[i] * masses[j] / (masses[i] + masses[j]);
    model.springs.push_back({i, j});
    model.rest_lengths.push_back(l0);
    model.relative_stiffness.push_back(k);
    model.relative_damping.push_back(spring.factor);
    model.fraction_damping.push_back(std::sqrt(k * harmonic_mass));
  }
  if (!springs.empty())
    model.mean_rest_length = std::accumulate(model.rest_lengths.begin(), model.rest_lengths.end(), 0.0) /
                             static_cast<double>(springs.size());
  model.schedule = make_schedule(model.vertex_count, model.springs);
  model.pattern = std::make_shared<const linalg::BlockPattern>(model.vertex_count, model.springs);
  return model;
}

Model from_tets(const geometry::TetMesh& mesh, double density, const BuildOptions& options) {
  Model model = build_model(mesh.positions, springs_along(geometry::unique_edges(mesh.tets)),
                            geometry::lumped_masses(mesh, density), options);
  model.guard = make_guard(mesh, options);
  model.altitudes = make_altitude_springs(mesh.positions, mesh.tets, options.altitude_factor, options);
  return model;
}

Model from_segments(const geometry::SegmentMesh& mesh, double density, const BuildOptions& options) {
  return build_model(mesh.positions, springs_along(geometry::unique_edges(mesh.segments)),
                     geometry::lumped_masses(mesh, density), options);
}

Model from_triangles(const geometry::TriangleMesh& mesh, double density, double bending_factor,
                     const BuildOptions& options) {
  if (!is_usable(bending_factor)) refuse_factor(bending_factor, "bending springs have");
  std::vector<SpringInput> springs = springs_along(geometry::unique_edges(mesh.triangles));
  const std::vector<SpringEnds> across = opposite_vertices(mesh.triangles);
  if (bending_factor > 0)
    for (const SpringEnds& ends : across) springs.push_back({.ends = ends, .factor = bending_factor});
  Model model = build_model(mesh.positions, springs, geometry::lumped_masses(mesh, density), options);
  model.altitudes =
      make_altitude_springs(mesh.positions, bending_tets(mesh.triangles), options.altitude_factor, options);
  // Axial bending joins the opposite vertices, too, so the matrix needs their entries where no spring is.
  if (!model.altitudes.tets.empty() && bending_factor == 0) widen_pattern(model, across);
  return model;
}

double total_mass(const Model& model) {
  return deterministic_sum(model.vertex_count, [&](std::size_t i) { return model.masses[i]; });
}

}  // namespace selkie::mass_spring
