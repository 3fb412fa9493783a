// See newton.h.
#include "selkie/solids/pbd/newton.h"

#include <Eigen/Dense>
#include <cmath>

#include "selkie/core/check.h"
#include "selkie/solids/pbd/constraints.h"

namespace selkie::pbd {
namespace {

constexpr std::size_t kMostConstraints = 3000;

// Rows of J and entries of C, constraint by constraint.
struct System {
  std::vector<double> errors;
  std::vector<Eigen::VectorXd> rows;
};

template <std::size_t N, class Evaluate>
void add_rows(const Batch& batch, std::span<const Vec3> x, System& system, Evaluate&& evaluate) {
  for (std::size_t lane = 0; lane < batch.source.size(); ++lane) {
    if (batch.source[lane] == kNoConstraint) continue;
    const std::uint32_t* first = batch.corners.data() + lane / kLanes * N * kLanes + lane % kLanes;
    Corners<double, N> p, g;
    for (std::size_t c = 0; c < N; ++c) p[c] = vector3(x[first[c * kLanes]]);
    system.errors.push_back(evaluate(lane, p, g));
    Eigen::VectorXd row = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * x.size()));
    for (std::size_t c = 0; c < N; ++c)
      row.segment<3>(3 * static_cast<Eigen::Index>(first[c * kLanes])) += eigen(g[c]);
    system.rows.push_back(row);
  }
}

System linearise(const Model& model, const Params& params, std::span<const Vec3> x) {
  System system;
  auto distance = [&](const Links& links) {
    add_rows<2>(links.batch, x, system, [&](std::size_t lane, const auto& p, auto& g) {
      return distance_constraint(p, links.rest[lane], g);
    });
  };
  distance(model.stretch);
  distance(model.bend_links);
  add_rows<4>(model.hinges.batch, x, system, [&](std::size_t lane, const auto& p, auto& g) {
    const double rest = model.hinges.rest[lane];
    if (model.hinges.kind != Bending::isometric) return signed_dihedral_constraint(p, rest, g);
    std::array<double, 4> k{};
    for (std::size_t c = 0; c < 4; ++c)
      k[c] = model.hinges.factors[(lane / kLanes * 4 + c) * kLanes + lane % kLanes];
    return isometric_constraint(p, k, rest, g);
  });
  add_rows<4>(model.volumes.batch, x, system, [&](std::size_t lane, const auto& p, auto& g) {
    return volume_constraint(p, model.volumes.rest[lane], g);
  });
  if (!model.closed.holds_volume()) return system;
  Eigen::VectorXd row = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * x.size()));
  for (const auto& [a, b, c] : model.triangles) {
    row.segment<3>(3 * static_cast<Eigen::Index>(a)) += x[b].cross(x[c]) / 6;
    row.segment<3>(3 * static_cast<Eigen::Index>(b)) += x[c].cross(x[a]) / 6;
    row.segment<3>(3 * static_cast<Eigen::Index>(c)) += x[a].cross(x[b]) / 6;
  }
  system.errors.push_back(enclosed_volume(model, x) - params.inflation * model.closed.rest_volume);
  system.rows.push_back(row);
  return system;
}

}  // namespace

NewtonReport solve_constraints(const Model& model, const Params& params,
                               std::span<const double> inverse_masses, std::span<Vec3> positions,
                               double tolerance, int most) {
  const std::size_t constraints = model.stretch.batch.count + model.bend_links.batch.count +
                                  model.hinges.batch.count + model.volumes.batch.count;
  SELKIE_CHECK(constraints <= kMostConstraints, "the dense reference is for small bodies");
  Eigen::VectorXd w(static_cast<Eigen::Index>(3 * positions.size()));
  for (Eigen::Index k = 0; k < w.size(); ++k) w[k] = inverse_masses[static_cast<std::size_t>(k / 3)];
  NewtonReport report;
  for (int n = 0; n <= most; ++n) {
    const System system = linearise(model, params, positions);
    const auto rows = static_cast<Eigen::Index>(system.rows.size());
    Eigen::MatrixXd jacobian(rows, w.size());
    for (Eigen::Index r = 0; r < rows; ++r) jacobian.row(r) = system.rows[static_cast<std::size_t>(r)];
    const Eigen::VectorXd errors = Eigen::Map<const Eigen::VectorXd>(system.errors.data(), rows);
    report.residuals.push_back(errors.norm());
    report.converged = report.residuals.back() < tolerance;
    if (report.converged || n == most) break;
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> inverse;
    inverse.setThreshold(1e-10);  // rows that depend on others up to this count as redundant
    inverse.compute(jacobian * w.asDiagonal() * jacobian.transpose());
    const Eigen::VectorXd change = -(w.asDiagonal() * (jacobian.transpose() * inverse.solve(errors)));
    for (std::size_t i = 0; i < positions.size(); ++i)
      positions[i] += change.segment<3>(3 * static_cast<Eigen::Index>(i));
  }
  return report;
}

}  // namespace selkie::pbd
