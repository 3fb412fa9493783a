// State, parameters and scratch: the small functions beside the data.
#include "selkie/solids/pbd/state.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "selkie/solids/pbd/params.h"
#include "selkie/solids/pbd/work.h"

namespace selkie::pbd {

State make_state(const Model& model) {
  State state;
  state.positions.copy_from(model.rest_positions.data(), model.rest_positions.size());
  state.velocities.assign(model.vertex_count, Vec3::Zero());
  state.pinned.assign(model.vertex_count, 0);
  return state;
}

void pin(State& state, std::uint32_t vertex) {
  state.pinned[vertex] = 1;
  state.velocities[vertex] = Vec3::Zero();
}

std::string_view name_of(Method method) {
  return describe(static_cast<Method*>(nullptr))[static_cast<std::size_t>(method)];
}

double stiffness_per_iteration(double stiffness, int iterations) {
  return stiffness >= 1 ? 1 : -std::expm1(std::log1p(-stiffness) / iterations);
}

void poison(Work& work) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Vec3 nowhere = Vec3::Constant(kNan);
  std::fill(work.points.begin(), work.points.end(), Vec4::Constant(kNan));
  for (Buffer<double>* buffer : {&work.stretch_multipliers, &work.bend_link_multipliers,
                                 &work.hinge_multipliers, &work.volume_multipliers})
    std::fill(buffer->begin(), buffer->end(), kNan);
  work.closed_multiplier = kNan;
  std::fill(work.start_points.begin(), work.start_points.end(), Vec4::Constant(kNan));
  std::fill(work.free_velocities.begin(), work.free_velocities.end(), nowhere);
  std::fill(work.gradients.begin(), work.gradients.end(), nowhere);
  std::fill(work.chunk_done.begin(), work.chunk_done.end(), 0xABABABABu);
  for (Contact& contact : work.contacts) contact.normal = contact.carried = nowhere;
  for (auto& list : work.found)
    for (Contact& contact : list) contact.normal = nowhere;
  for (BodyContact& contact : work.body_contacts) contact.plane.normal = nowhere;
  for (Vec3& shift : work.body_shifts) shift = nowhere;
  for (SelfContact& contact : work.self_contacts) contact.normal = nowhere;
  std::fill(work.hash.entries.begin(), work.hash.entries.end(), 0xABABABABu);
  for (auto& box : work.hash.boxes) box = {nowhere, nowhere};
}

}  // namespace selkie::pbd
