// See response.h.
#include "selkie/solids/mass_spring/response.h"

#include "selkie/core/parallel.h"
#include "selkie/core/profile.h"
#include "selkie/ports/momentum.h"
#include "selkie/solids/mass_spring/tangent.h"

namespace selkie::mass_spring {

StepReport prepare_response(const Model& model, const Params& params, double h, const State& state,
                            std::span<const ports::HeldVertex> held, Work& work) {
  const ProfileZone zone("mass_spring.response");
  work.kinematic = state.pinned;
  if (state.grabbed_vertex >= 0) work.kinematic[static_cast<std::size_t>(state.grabbed_vertex)] = 1;
  work.kinematic_vertices.resize(0);
  for (std::uint32_t i = 0; i < work.kinematic.size(); ++i)
    if (work.kinematic[i] != 0) work.kinematic_vertices.push_back(i);
  SlidingContacts& sliding = work.sliding;
  sliding.of_vertex.resize(0);
  sliding.projectors.resize(0);
  for (const ports::HeldVertex& h_vertex : held) {
    if (work.kinematic[h_vertex.vertex] != 0) continue;
    if (sliding.of_vertex.empty()) sliding.of_vertex.assign(model.vertex_count, -1);
    sliding.of_vertex[h_vertex.vertex] = static_cast<std::int32_t>(sliding.projectors.size());
    const Vec3& n = h_vertex.normal;
    sliding.projectors.push_back(h_vertex.rests ? Mat3::Zero().eval()
                                                : Mat3(Mat3::Identity() - n * n.transpose()));
  }
  work.bodies.attached.clear();
  assemble_tangent(model, params, state.positions, {.stiffness = h * h, .damping = h}, work);
  return prepare_solves(model, params, work);
}

StepReport respond(const Model& model, const Params& params, std::span<const Vec3> impulses,
                   std::span<Vec3> changes, Work& work) {
  const ProfileZone zone("mass_spring.response");
  work.rhs.resize(3 * std::size_t{model.vertex_count});
  parallel_for(model.vertex_count,
               [&](std::size_t i) { Eigen::Map<Vec3>(work.rhs.data() + 3 * i) = impulses[i]; });
  filter_rhs(work);
  const StepReport report = solve_prepared(model, params, work);
  parallel_for(model.vertex_count,
               [&](std::size_t i) { changes[i] = Eigen::Map<const Vec3>(work.solution.data() + 3 * i); });
  if (work.kinematic_vertices.empty() && work.sliding.of_vertex.empty())
    ports::restore_momentum(impulses, model.masses, 1, changes);
  return report;
}

}  // namespace selkie::mass_spring
