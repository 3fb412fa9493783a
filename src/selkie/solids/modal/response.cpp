// See response.h.
#include "selkie/solids/modal/response.h"

#include <Eigen/QR>
#include <array>

#include "selkie/math/rotation.h"
#include "selkie/solids/modal/skin.h"

namespace selkie::modal {
namespace {

constexpr Eigen::Index kFrameNumbers = 6;

Eigen::Index width(const Model& model) { return kFrameNumbers + static_cast<Eigen::Index>(model.mode_count); }

// What direction `d` at a point of the surface sees of a motion: its column of Bᵀ. `weights` of three
// vertices, which for one vertex are 1, 0, 0.
Motion seen_along(const Model& model, const BodyAnswer& answer, const HeldPoint& point, const Vec3& d) {
  Motion seen = Motion::Zero(width(model));
  const Vec3 local = answer.rotation.transpose() * d;
  seen.head<3>() = d;
  for (std::size_t c = 0; c < 3; ++c) {
    const double weight = point.weights[static_cast<Eigen::Index>(c)];
    if (weight == 0) continue;
    seen.segment<3>(3) += weight * answer.arms[point.corners[c]].cross(d);
    for (std::size_t k = 0; k < model.mode_count; ++k)
      seen[kFrameNumbers + static_cast<Eigen::Index>(k)] +=
          weight * model.mode(k, point.corners[c]).dot(local);
  }
  return seen;
}

// Takes away the motion along a direction; what is left of one that was taken before is but round-off.
void forbid(const Model& model, const Motion& seen, Eigen::MatrixXd& answer) {
  constexpr double kNothing = 1e-6;  // of what a body of that mass moves by
  const Motion moved = answer * seen;
  const double along = seen.dot(moved);
  if (along * model.mass > kNothing) answer -= moved * (moved / along).transpose();
}

}  // namespace

BodyAnswer make_answer(const Model& model, const Params& params, double h, const State& state,
                       std::size_t body, std::span<const Vec3> surface,
                       std::span<const ports::HeldVertex> held) {
  BodyAnswer made;
  made.rotation = orientation(state, body).toRotationMatrix();
  for (const Vec3& x : surface) made.arms.push_back(x - state.positions[body]);
  made.answer = Eigen::MatrixXd::Zero(width(model), width(model));
  if (!model.pinned) {
    made.answer.topLeftCorner<3, 3>() = Mat3::Identity() / model.mass;
    made.answer.block<3, 3>(3, 3) =
        made.rotation * model.inertia.cwiseInverse().asDiagonal() * made.rotation.transpose();
  }
  for (std::size_t k = 0; k < model.mode_count; ++k) {
    const double lambda = params.stiffness_factor * model.eigenvalues[k];
    const auto row = kFrameNumbers + static_cast<Eigen::Index>(k);
    made.answer(row, row) =
        1 / (1 + h * (params.mass_damping + params.stiffness_damping * lambda) + h * h * lambda);
  }
  if (static_cast<std::int64_t>(body) == state.grabbed_body)
    for (int a = 0; a < 3; ++a)
      forbid(model, seen_along(model, made, held_point(model, state), Vec3::Unit(a)), made.answer);
  for (const ports::HeldVertex& vertex : held) {
    const HeldPoint point{{vertex.vertex, vertex.vertex, vertex.vertex}, Vec3::UnitX()};
    forbid(model, seen_along(model, made, point, vertex.normal), made.answer);
    for (int a = 0; a < 3 && vertex.rests; ++a)
      forbid(model, seen_along(model, made, point, Vec3::Unit(a)), made.answer);
  }
  return made;
}

Motion motion_by(const Model& model, const BodyAnswer& answer, std::span<const Vec3> impulses) {
  Motion given = Motion::Zero(width(model));
  for (std::uint32_t i = 0; i < impulses.size(); ++i) {
    if (impulses[i].isZero(0)) continue;
    given += seen_along(model, answer, {{i, i, i}, Vec3::UnitX()}, impulses[i]);
  }
  return answer.answer * given;
}

void velocities_of(const Model& model, const BodyAnswer& answer, const Motion& motion,
                   std::span<Vec3> velocities) {
  const std::array<SkinTask, 1> task{
      SkinTask{motion.head<3>(), answer.rotation, 0, motion.data() + kFrameNumbers, velocities.data()}};
  skin(model, task);
  const Vec3 spin = motion.segment<3>(3);
  for (std::size_t i = 0; i < velocities.size(); ++i) velocities[i] += spin.cross(answer.arms[i]);
}

// Householder's reflections, not normal equations: what a body takes up is to be what others gave, to
// round-off. A mode that the surface does not see is left alone.
Motion fitted_motion(const Model& model, const BodyAnswer& answer, std::span<const Vec3> velocities) {
  const auto rows = static_cast<Eigen::Index>(3 * velocities.size());
  Eigen::MatrixXd seen(rows, width(model));
  Eigen::VectorXd wanted(rows);
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(3 * i);
    wanted.segment<3>(row) = velocities[i];
    seen.block<3, 3>(row, 0) = Mat3::Identity();
    seen.block<3, 3>(row, 3) = -skew(answer.arms[i]);
    for (std::size_t k = 0; k < model.mode_count; ++k)
      seen.block<3, 1>(row, kFrameNumbers + static_cast<Eigen::Index>(k)) =
          answer.rotation * model.mode(k, i);
  }
  if (!model.pinned) return seen.completeOrthogonalDecomposition().solve(wanted);
  Motion fitted = Motion::Zero(width(model));
  const auto modes = static_cast<Eigen::Index>(model.mode_count);
  fitted.tail(modes) = seen.rightCols(modes).completeOrthogonalDecomposition().solve(wanted);
  return fitted;
}

void add_velocity(const Model& model, const Motion& motion, std::size_t body, State& state) {
  state.velocities[body] += motion.head<3>();
  state.angular_velocities[body] += motion.segment<3>(3);
  for (std::size_t k = 0; k < model.mode_count; ++k)
    state.rates[body * model.mode_count + k] += motion[kFrameNumbers + static_cast<Eigen::Index>(k)];
}

void add_displacement(const Model& model, const Motion& motion, std::size_t body, State& state) {
  state.positions[body] += motion.head<3>();
  state.orientations[body] = integrate(orientation(state, body), motion.segment<3>(3), 1).coeffs();
  for (std::size_t k = 0; k < model.mode_count; ++k)
    state.displacements[body * model.mode_count + k] += motion[kFrameNumbers + static_cast<Eigen::Index>(k)];
}

}  // namespace selkie::modal
