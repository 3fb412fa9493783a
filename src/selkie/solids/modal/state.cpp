// See state.h.
#include "selkie/solids/modal/state.h"

namespace selkie::modal {

State make_state(const Model& model, std::span<const Eigen::Isometry3d> poses) {
  State state;
  for (const Eigen::Isometry3d& world_from_mesh : poses) {
    const Eigen::Isometry3d pose = world_from_mesh * model.mesh_from_body;
    state.positions.push_back(pose.translation());
    state.orientations.push_back(Quat(pose.linear()).normalized().coeffs());
  }
  state.velocities.assign(poses.size(), Vec3::Zero());
  state.angular_velocities.assign(poses.size(), Vec3::Zero());
  state.displacements.assign(poses.size() * model.mode_count, 0);
  state.rates.assign(poses.size() * model.mode_count, 0);
  return state;
}

std::span<const double> displacements(const Model& model, const State& state, std::size_t body) {
  return state.displacements.span().subspan(body * model.mode_count, model.mode_count);
}
std::span<const double> rates(const Model& model, const State& state, std::size_t body) {
  return state.rates.span().subspan(body * model.mode_count, model.mode_count);
}

namespace {

Vec3 combine(const Model& model, std::span<const double> weights, std::size_t vertex) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < model.mode_count; ++k) sum += weights[k] * model.mode(k, vertex);
  return sum;
}

}  // namespace

Vec3 position_of(const Model& model, const State& state, std::size_t body, std::size_t vertex) {
  const Vec3 x = model.rest_position(vertex) + combine(model, displacements(model, state, body), vertex);
  return state.positions[body] + orientation(state, body) * x;
}

Vec3 velocity_of(const Model& model, const State& state, std::size_t body, std::size_t vertex) {
  const Vec3 arm = position_of(model, state, body, vertex) - state.positions[body];
  return state.velocities[body] + state.angular_velocities[body].cross(arm) +
         orientation(state, body) * combine(model, rates(model, state, body), vertex);
}

HeldPoint held_point(const Model& model, const State& state) {
  if (state.grabbed_triangle >= 0)
    return {model.triangles[static_cast<std::size_t>(state.grabbed_triangle)], state.grab_weights};
  const auto vertex = static_cast<std::uint32_t>(state.grabbed_vertex);
  return {{vertex, vertex, vertex}, Vec3::UnitX()};
}

void release(State& state) {
  state.grabbed_body = state.grabbed_vertex = state.grabbed_triangle = -1;
  state.grab_weights.setZero(), state.grab_offset.setZero();
}

void apply_impulse(const Model& model, State& state, std::size_t body, std::size_t vertex,
                   const Vec3& impulse) {
  const Quat q = orientation(state, body);
  const Vec3 local = q.conjugate() * impulse;
  if (!model.pinned) {
    const Vec3 arm = q.conjugate() * (position_of(model, state, body, vertex) - state.positions[body]);
    state.velocities[body] += impulse / model.mass;
    state.angular_velocities[body] += q * arm.cross(local).cwiseQuotient(model.inertia);
  }
  for (std::size_t k = 0; k < model.mode_count; ++k)
    state.rates[body * model.mode_count + k] += model.mode(k, vertex).dot(local);
}

}  // namespace selkie::modal
